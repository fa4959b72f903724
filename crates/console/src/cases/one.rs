//! The page of a case: what it is about, what became of it, what else there is of the same member, and what may be done.

use super::{Kind, Words, fields, is_late, type_name, words};
use crate::board::age;
use crate::files::{self, Report, Section};
use crate::form::Form;
use crate::frame::Frame;
use crate::members::{Badge, badge};
use crate::notice::tell;
use crate::page::{Refusal, page as answer, show};
use crate::person::Event;
use crate::records::{bare, told};
use crate::show::moment;
use crate::visitor::{Guest, Number, redirect, root};
use app::cases::{self, Case, Checked, History, Whole};
use app::files::Owner;
use app::once::{Done, Once};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{CaseKind, FileOwner, Moment, shown};
use std::time::Duration;
use wire::read;
use wire::records::{CasoQuery, NotaInput};

/// How long whoever moved a case is offered to undo it.
const UNDO: Duration = Duration::from_secs(15 * 60);
/// Of each kind, so many others of the same member are shown.
const OTHERS: usize = 5;

struct Undo {
    to: i32,
    name: String,
    told: String,
}

pub struct Other {
    pub link: String,
    pub what: String,
    pub opened: String,
    pub situation: Badge,
    pub is_same_benefit: bool,
}

struct CheckLine {
    item: String,
    state: &'static str,
    class: &'static str,
    note: String,
}

#[derive(Template)]
#[template(path = "console/caso.html")]
struct Page {
    frame: Frame,
    words: Words,
    code: i32,
    protocol: i32,
    kind: String,
    person: i32,
    holder: String,
    document: String,
    benefit: Option<(i32, String)>,
    situation: Badge,
    since: String,
    due: String,
    is_late: bool,
    facts: Vec<(&'static str, String)>,
    vehicle: Vec<(&'static str, String)>,
    words_of: Option<String>,
    head: Vec<(&'static str, String)>,
    checklist: Vec<CheckLine>,
    related: Vec<Other>,
    others: Vec<Other>,
    events: Vec<Event>,
    undo: Option<Undo>,
    version: i32,
    typed: String,
    to_member: bool,
    problems: Vec<String>,
    /// Appointments have none.
    files: Option<Section>,
}

/// `GET /console/eventos/{codigo}`
pub async fn page(State(app): State<App>, guest: Guest, Kind(kind): Kind, Number(code): Number) -> Response {
    show(&guest, made(&app, &guest, (kind, code), Note::default(), Report::default()).await)
}

/// The page with what was wrong with files that somebody sent.
pub async fn with_files(app: &App, guest: &Guest, (kind, code): (CaseKind, i32), report: Report) -> Response {
    match made(app, guest, (kind, code), Note::default(), report).await {
        Ok(template) => answer(StatusCode::BAD_REQUEST, &template),
        Err(error) => show::<Page>(guest, Err(error)),
    }
}

/// A note that was not written.
#[derive(Default)]
struct Note {
    typed: String,
    to_member: bool,
    problems: Vec<String>,
}

async fn made(
    app: &App,
    guest: &Guest,
    (kind, code): (CaseKind, i32),
    note: Note,
    report: Report,
) -> Result<Page, Error> {
    let (words, caller) = (words(kind), guest.session());
    let whole = cases::one(app, caller, kind, code).await?;
    let history = cases::history(app, caller, kind, code).await?;
    let frame = Frame::of(app, guest, words.path).await?;
    let (registers, head) = (&whole.registers, whole.told.case.head());
    let (facts, vehicle, words_of) = fields::told(&whole);
    let due = cases::due(registers, head);
    let files = match FileOwner::of_case(kind) {
        Some(of) => Some(files::section(app, guest, Owner { of, record: code }, report).await?),
        None => None,
    };
    let checklist = match &whole.told.case {
        Case::Inspection(own) => own.checklist.iter().map(checked).collect(),
        _ => Vec::new(),
    };
    Ok(Page {
        code,
        protocol: head.protocol,
        kind: type_name(registers, &whole.told.case),
        person: head.person.get(),
        holder: whole.told.name.clone(),
        document: whole.told.document.as_deref().map(shown::document).unwrap_or_default(),
        benefit: head.benefit.map(|code| (code.get(), whole.benefit.clone().unwrap_or_default())),
        situation: badge(registers, head.situation),
        since: age(whole.now.since(head.situation_since)),
        due: due.map(|due| moment(due, &registers.zone)).unwrap_or_default(),
        is_late: is_late(registers, &whole.told, whole.now),
        facts,
        vehicle,
        words_of,
        head: about(&whole),
        checklist,
        related: whole.related.iter().map(|one| other(app, &whole, kind, one)).collect(),
        others: others(app, guest, &whole).await?,
        undo: undo(guest, &whole, &history),
        events: events(kind, &whole, history),
        version: head.version,
        typed: note.typed,
        to_member: note.to_member,
        problems: note.problems,
        files,
        frame,
        words,
    })
}

/// What every kind is told of alike.
pub fn about(whole: &Whole) -> Vec<(&'static str, String)> {
    let (head, zone) = (whole.told.case.head(), &whole.registers.zone);
    crate::benefit::filled(vec![
        ("Abertura", moment(head.opened_at, zone)),
        ("Encerramento", head.closed_at.map(|at| moment(at, zone)).unwrap_or_default()),
        ("Loja", whole.registers.branch_name(head.branch).to_owned()),
        ("Quem cuida", whole.told.responsible.clone().unwrap_or_default()),
    ])
}

fn checked(one: &Checked) -> CheckLine {
    let (state, class) = match one.fits {
        Some(true) => ("Conforme", "fine"),
        Some(false) => ("Não conforme", "wrong"),
        None => ("Não visto", ""),
    };
    CheckLine { item: one.item.clone(), state, class, note: one.note.clone().unwrap_or_default() }
}

/// Another case as a line of this one's page.
fn other(app: &App, whole: &Whole, kind: CaseKind, one: &cases::Item) -> Other {
    let (words, registers, head) = (words(kind), &whole.registers, one.case.head());
    let what = type_name(registers, &one.case);
    let dash = if what.is_empty() { "" } else { " · " };
    Other {
        link: format!("{}/console/{}/{}", root(app), words.path, one.code),
        what: format!("{} {}{dash}{what}", words.one, head.protocol),
        opened: moment(head.opened_at, &registers.zone),
        situation: badge(registers, head.situation),
        is_same_benefit: head.benefit.is_some() && head.benefit == whole.told.case.head().benefit,
    }
}

/// The newest others of the same member, those of the same benefit first.
async fn others(app: &App, guest: &Guest, whole: &Whole) -> Result<Vec<Other>, Error> {
    let mut all = Vec::new();
    for kind in CaseKind::ALL {
        let person = ("codPessoa".to_owned(), whole.told.case.head().person.to_string());
        let Ok(query) = read::query::<CasoQuery>(std::iter::once(person)) else { continue };
        let found = cases::list(app, guest.session(), kind, query).await?;
        let is_itself = |one: &cases::Item| kind == whole.told.case.kind() && one.code == whole.told.code;
        let rest = found.rows.iter().filter(|one| !is_itself(one)).take(OTHERS);
        all.extend(rest.map(|one| other(app, whole, kind, one)));
    }
    all.sort_by_key(|one| !one.is_same_benefit);
    Ok(all)
}

/// The way back from a move that the visitor made just now.
fn undo(guest: &Guest, whole: &Whole, history: &History) -> Option<Undo> {
    let registers = &whole.registers;
    let last = history.moves.last()?;
    let is_own = last.user == Some(guest.session().user);
    let is_fresh = whole.now.since(last.at) < UNDO;
    let to =
        registers.situation(last.from?).filter(|to| to.active && registers.may_move(last.to, to.code))?;
    let is_there = whole.told.case.head().situation == last.to;
    (is_own && is_fresh && is_there).then(|| Undo {
        to: to.code.get(),
        name: to.name.clone(),
        told: format!("Você mudou a situação {}.", age(whole.now.since(last.at))),
    })
}

/// Situations, fields and notes, the newest first.
fn events(kind: CaseKind, whole: &Whole, history: History) -> Vec<Event> {
    let registers = &whole.registers;
    let who = |name: Option<String>| name.unwrap_or_else(|| "Sistema".to_owned());
    let mut all: Vec<(Moment, Event)> = Vec::new();
    let mut put = |at: Moment, who: String, situation: Option<Badge>, text: String| {
        all.push((at, Event { when: moment(at, &registers.zone), who, situation, text, link: None, at }));
    };
    for one in history.moves {
        put(one.at, who(one.user_name), Some(badge(registers, one.to)), one.reason.unwrap_or_default());
    }
    for one in history.fields {
        let change = one.change;
        let value = |value: Option<String>| value.unwrap_or_else(|| "vazio".to_owned());
        if change.field == "arquivo" {
            let text = files::happened(change.before.as_deref(), change.after.as_deref());
            put(one.at, who(one.user_name), None, text);
            continue;
        }
        let name = fields::label(kind, &change.field);
        let text = format!("{name}: de {} para {}", value(change.before), value(change.after));
        put(one.at, who(one.user_name), None, text);
    }
    for one in &whole.notes {
        let what = if one.is_message { "Mensagem ao associado" } else { "Nota" };
        put(one.written_at, who(one.user_name.clone()), None, format!("{what}: {}", one.text));
    }
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().rev().map(|(_, event)| event).collect()
}

/// `POST /console/eventos/{codigo}/nota`
pub async fn note(
    State(app): State<App>,
    guest: Guest,
    Kind(kind): Kind,
    Number(code): Number,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let (text, to_member) = (form.text("texto").trim(), !form.text("paraAssociado").is_empty());
    let sent = serde_json::json!({"texto": text, "paraAssociado": to_member});
    let problems = match read::body::<NotaInput>(sent.to_string().as_bytes()) {
        Err(_) if text.is_empty() => vec!["Escreva a nota.".to_owned()],
        Err(unread) => unread.problems.into_lines().iter().map(|line| bare(line)).collect(),
        Ok(input) => {
            let noted = cases::note(&app, guest.session(), (kind, code), input, Once::each_time()).await;
            match noted.and_then(Done::now) {
                Ok(_) => {
                    let mut response =
                        redirect(&format!("{}/console/{}/{code}", root(&app), words(kind).path));
                    tell(&mut response, "A nota foi escrita.");
                    return response;
                }
                Err(Error::Refused(problems)) => problems.iter().map(told).collect(),
                Err(error) => return show::<Page>(&guest, Err(error)),
            }
        }
    };
    let kept = Note { typed: text.to_owned(), to_member, problems };
    match made(&app, &guest, (kind, code), kept, Report::default()).await {
        Ok(template) => answer(StatusCode::BAD_REQUEST, &template),
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/caso.html", |with| {
    let other = || Other {
        link: with.text(),
        what: with.text(),
        opened: with.text(),
        situation: with.badge(),
        is_same_benefit: true,
    };
    let check = || CheckLine { item: with.text(), state: "Conforme", class: "fine", note: with.text() };
    crate::rendered::text(&Page {
        frame: with.frame(),
        words: words(CaseKind::Claim),
        code: 7,
        protocol: 4711,
        kind: with.text(),
        person: 7,
        holder: with.text(),
        document: with.text(),
        benefit: with.maybe(|| (7, with.text())),
        situation: with.badge(),
        since: with.text(),
        due: with.text(),
        is_late: with.is_full(),
        facts: with.facts(),
        vehicle: with.facts(),
        words_of: with.maybe(|| with.text()),
        head: with.facts(),
        checklist: with.many(check),
        related: with.many(other),
        others: with.many(other),
        events: with.many(|| with.event()),
        undo: with.maybe(|| Undo { to: 3, name: with.text(), told: with.text() }),
        version: 3,
        typed: with.text(),
        to_member: with.is_full(),
        problems: with.many(|| with.text()),
        files: with.maybe(|| Section::sample(*with)),
    })
})];
