//! `/console/emails`: what the server wrote, to whom, and whether it went; by which way, and a mail to try it.

use crate::exporting::Links;
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, show};
use crate::show::moment;
use crate::visitor::{Guest, Query, redirect, root};
use app::mail::{self, Listed, Way};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::TimeZone;

struct Row {
    recipient: String,
    subject: String,
    when: String,
    state: &'static str,
    class: &'static str,
    detail: String,
}

/// By which way mail leaves, as the page tells of it.
pub struct Told {
    pub title: &'static str,
    pub text: String,
    /// It reaches its readers.
    pub is_fine: bool,
}

#[derive(Template)]
#[template(path = "console/emails.html")]
struct Mails {
    frame: Frame,
    way: Told,
    email: String,
    rows: Vec<Row>,
    /// Something is on its way: the page looks again by itself.
    is_moving: bool,
    newest: bool,
    older: Option<String>,
    export: Links,
}

pub async fn page(State(app): State<App>, guest: Guest, query: Query) -> Response {
    show(&guest, made(&app, &guest, &query).await)
}

async fn made(app: &App, guest: &Guest, query: &Query) -> Result<Mails, Error> {
    let caller = guest.session();
    let before = query.text("antes").parse().ok();
    let all = mail::listed(app, caller, before.unwrap_or(i32::MAX)).await?;
    let frame = Frame::of(app, guest, "emails").await?;
    let zone = app::base::registers(app, caller.scope.tenant()).await?.zone.clone();
    let older = (all.len() == 100).then(|| all.last().map(|mail| format!("?antes={}", mail.code))).flatten();
    Ok(Mails {
        way: way(&app.place.mail),
        email: guest.visitor.email.clone(),
        is_moving: all.iter().any(|mail| mail.is_waiting && mail.tries == 0),
        rows: all.into_iter().map(|mail| row(mail, &zone)).collect(),
        newest: before.is_some(),
        older,
        export: Links::new(&frame.root, "email", []),
        frame,
    })
}

fn row(mail: Listed, zone: &TimeZone) -> Row {
    let (state, class, detail) = match (mail.sent_at, mail.is_waiting) {
        (Some(at), _) => ("Enviado", "fine", moment(at, zone)),
        (None, true) if mail.tries > 0 => ("Tentando de novo", "warn", mail.failure.unwrap_or_default()),
        (None, true) => ("Na fila", "", String::new()),
        (None, false) => ("Não enviado", "wrong", mail.failure.unwrap_or_default()),
    };
    let when = moment(mail.created_at, zone);
    Row { recipient: mail.recipient, subject: mail.subject, when, state, class, detail }
}

pub fn way(way: &Way) -> Told {
    match way {
        Way::Smtp { host, from } => Told {
            title: "Os e-mails saem por um servidor de e-mail",
            text: format!("Pelo servidor {host}, em nome de {from}."),
            is_fine: true,
        },
        Way::Folder(folder) => Told {
            title: "Os e-mails ainda não saem deste servidor",
            text: format!(
                "Sem um servidor de e-mail configurado, cada mensagem vira um arquivo .eml na pasta {}. Quem cuida do \
                 servidor diz qual usar na configuração: [mail] smtp, no arquivo amparo.toml, ou a variável \
                 AMPARO_MAIL_SMTP.",
                folder.display()
            ),
            is_fine: false,
        },
        Way::None => Told {
            title: "Este servidor não envia e-mails",
            text: "Eles esperam na fila até que um servidor os envie.".to_owned(),
            is_fine: false,
        },
    }
}

pub async fn send_test(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    if let Err(refusal) = sent {
        return refusal.into_response();
    }
    match mail::send_test(&app, guest.session()).await {
        Ok(email) => {
            let mut response = redirect(&format!("{}/console/emails", root(&app)));
            tell(
                &mut response,
                &format!("Um e-mail de teste está a caminho de {email}; veja abaixo se saiu."),
            );
            response
        }
        Err(error) => show::<Mails>(&guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/emails.html", |with| {
    let row = || Row {
        recipient: with.text(),
        subject: with.text(),
        when: with.text(),
        state: "Enviado",
        class: "fine",
        detail: with.text(),
    };
    crate::rendered::text(&Mails {
        export: with.links(),
        frame: with.frame(),
        way: Told { title: "Por aqui", text: with.text(), is_fine: false },
        email: with.text(),
        rows: with.many(row),
        is_moving: true,
        newest: true,
        older: with.maybe(|| with.text()),
    })
})];
