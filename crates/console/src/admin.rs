//! What administrators look after: the audit, mail; and what everybody may know of the server.

use crate::frame::Frame;
use crate::page::show;
use crate::show::{count, moment};
use crate::visitor::{Guest, Query};
use app::access::Session;
use app::audit::{self, Question, What};
use app::{App, Error, mail};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::{Role, UserCode};

pub fn must_administer(caller: &Session) -> Result<(), Error> {
    caller.must_be(&[Role::Administrator])
}

struct AuditRow {
    when: String,
    who: String,
    what: String,
    people: Vec<i32>,
    others: usize,
    is_look: bool,
}

#[derive(Template)]
#[template(path = "console/auditoria.html")]
struct Audit {
    frame: Frame,
    rows: Vec<AuditRow>,
    person: String,
    older: Option<String>,
    newer: Option<String>,
}

pub async fn audit(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, audit_page(&app, &guest, &query).await)
}

/// Entries on a page, and people that one of them names.
const ENTRIES: i32 = 100;
const NAMED: usize = 5;

async fn audit_page(app: &App, guest: &Guest, query: &Query) -> Result<Audit, Error> {
    let caller = guest.session();
    must_administer(caller)?;
    let frame = Frame::of(app, guest, "auditoria").await?;
    let person: Option<i32> = query.text("codPessoa").parse().ok();
    let newest = audit::newest(app, caller).await?;
    let begin = if person.is_some() { 0 } else { (newest - ENTRIES).max(0) };
    let after = query.text("apos").parse().ok().unwrap_or(begin).clamp(0, newest);
    let question = Question { after, person: person.map(domain::PersonCode::new), user: None };
    let page = audit::page(app, caller, question).await?;
    let names = audit::user_names(app, caller).await?;
    let zone = app::base::registers(app, caller.scope.tenant()).await?.zone.clone();
    let rows = page.entries.into_iter().rev().map(|one| {
        let (people, detail, is_look): (Vec<i32>, _, _) = match one.what {
            What::Changed(person, detail) => {
                (person.into_iter().map(domain::PersonCode::get).collect(), detail, false)
            }
            What::Looked(people) => (people.iter().map(|(person, _)| person.get()).collect(), None, true),
        };
        let name = |user: UserCode| names.get(&user).cloned().unwrap_or_else(|| format!("usuário {user}"));
        AuditRow {
            when: moment(one.at, &zone),
            who: one.user.map_or_else(|| "Sistema".to_owned(), name),
            what: detail.unwrap_or(one.operation),
            others: people.len().saturating_sub(NAMED),
            people: people.into_iter().take(NAMED).collect(),
            is_look,
        }
    });
    let rows: Vec<AuditRow> = rows.collect();
    let link = |after: i32| match person {
        Some(person) => format!("?codPessoa={person}&apos={after}"),
        None => format!("?apos={after}"),
    };
    Ok(Audit {
        rows,
        person: person.map(|code| code.to_string()).unwrap_or_default(),
        older: (person.is_none() && after > 0).then(|| link((after - ENTRIES).max(0))),
        newer: (page.has_more && page.reached < newest).then(|| link(page.reached)),
        frame,
    })
}

struct MailRow {
    recipient: String,
    subject: String,
    when: String,
    state: &'static str,
    class: &'static str,
    detail: String,
}

#[derive(Template)]
#[template(path = "console/emails.html")]
struct Mails {
    frame: Frame,
    rows: Vec<MailRow>,
    older: Option<String>,
}

pub async fn mails(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, mails_page(&app, &guest, &query).await)
}

async fn mails_page(app: &App, guest: &Guest, query: &Query) -> Result<Mails, Error> {
    let caller = guest.session();
    let before = query.text("antes").parse().unwrap_or(i32::MAX);
    let all = mail::listed(app, caller, before).await?;
    let frame = Frame::of(app, guest, "emails").await?;
    let zone = app::base::registers(app, caller.scope.tenant()).await?.zone.clone();
    let older = (all.len() == 100).then(|| all.last().map(|mail| format!("?antes={}", mail.code))).flatten();
    let rows = all.into_iter().map(|mail| {
        let (state, class, detail) = match (mail.sent_at, mail.is_waiting) {
            (Some(at), _) => ("Enviado", "fine", moment(at, &zone)),
            (None, true) if mail.tries > 0 => ("Tentando de novo", "warn", mail.failure.unwrap_or_default()),
            (None, true) => ("Na fila", "", String::new()),
            (None, false) => ("Não enviado", "wrong", mail.failure.unwrap_or_default()),
        };
        let when = moment(mail.created_at, &zone);
        MailRow { recipient: mail.recipient, subject: mail.subject, when, state, class, detail }
    });
    Ok(Mails { rows: rows.collect(), older, frame })
}

#[derive(Template)]
#[template(path = "console/sobre.html")]
struct About {
    frame: Frame,
    facts: Vec<(&'static str, String)>,
}

pub async fn about(State(app): State<App>, guest: Guest) -> Response {
    show(&guest, about_page(&app, &guest).await)
}

async fn about_page(app: &App, guest: &Guest) -> Result<About, Error> {
    let frame = Frame::of(app, guest, "sobre").await?;
    let figures = app::panel::figures(app, guest.session()).await?;
    let facts = vec![
        ("Versão", frame.version.to_owned()),
        ("Banco de dados", app.db.describe().await?),
        ("Associação", guest.visitor.base.clone()),
        ("Fuso horário", figures.registers.zone.as_str().to_owned()),
        ("Benefícios nas suas lojas", count(figures.total)),
        ("Interface de integração", "1.84".to_owned()),
    ];
    Ok(About { frame, facts })
}
