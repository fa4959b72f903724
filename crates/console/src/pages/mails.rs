//! `/console/emails`: the server's mail with its delivery state, the mail transport, and a test mail.

use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::derive_root_path;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use app::App;
use app::mail::{self, MailDeliveryMethod, OutboxMail};
use askama::Template;
use axum::extract::State;
use domain::TimeZone;

struct OutgoingMailLine {
    recipient: String,
    subject: String,
    when: String,
    state: &'static str,
    class: &'static str,
    detail: String,
}

pub struct MailTransportSummary {
    pub title: &'static str,
    pub text: String,
    /// Whether mail reaches its recipients.
    pub is_fine: bool,
}

#[derive(Template)]
#[template(path = "console/emails.html")]
struct OutgoingMailPage {
    frame: PageFrame,
    way: MailTransportSummary,
    email: String,
    rows: Vec<OutgoingMailLine>,
    /// Mail is being sent, so the page reloads itself.
    is_moving: bool,
    newest: bool,
    older: Option<String>,
    export: ExportLinks,
}

pub async fn show_mail_page(State(app): State<App>, user: SignedInUser, query: QueryParams) -> HandlerResult {
    let caller = user.session();
    let before = query.text("antes").parse().ok();
    let all = mail::list_outbox_mail(&app, caller, before.unwrap_or(i32::MAX)).await?;
    let frame = PageFrame::load(&app, &user, "emails").await?;
    let zone = app::register_snapshot::load_registers(&app, caller.scope.tenant()).await?.zone.clone();
    let older = (all.len() == 100).then(|| all.last().map(|mail| format!("?antes={}", mail.code))).flatten();
    show_page(&OutgoingMailPage {
        way: describe_mail_transport(&app.environment.mail),
        email: user.visitor.email.clone(),
        is_moving: all.iter().any(|mail| mail.is_waiting && mail.tries == 0),
        rows: all.into_iter().map(|mail| build_mail_line(mail, &zone)).collect(),
        newest: before.is_some(),
        older,
        export: ExportLinks::new(&frame.root, "email", []),
        frame,
    })
}

fn build_mail_line(mail: OutboxMail, zone: &TimeZone) -> OutgoingMailLine {
    let (state, class, detail) = match (mail.sent_at, mail.is_waiting) {
        (Some(at), _) => ("Enviado", "fine", format_moment(at, zone)),
        (None, true) if mail.tries > 0 => ("Tentando de novo", "warn", mail.failure.unwrap_or_default()),
        (None, true) => ("Na fila", "", String::new()),
        (None, false) => ("Não enviado", "wrong", mail.failure.unwrap_or_default()),
    };
    let when = format_moment(mail.created_at, zone);
    OutgoingMailLine { recipient: mail.recipient, subject: mail.subject, when, state, class, detail }
}

pub fn describe_mail_transport(method: &MailDeliveryMethod) -> MailTransportSummary {
    match method {
        MailDeliveryMethod::Smtp { host, from: sender } => MailTransportSummary {
            title: "Os e-mails saem por um servidor de e-mail",
            text: format!("Pelo servidor {host}, em nome de {sender}."),
            is_fine: true,
        },
        MailDeliveryMethod::Folder(folder) => MailTransportSummary {
            title: "Os e-mails ainda não saem deste servidor",
            text: format!(
                "Sem um servidor de e-mail configurado, cada mensagem vira um arquivo .eml na pasta {}. Quem cuida do \
                 servidor diz qual usar na configuração: [mail] smtp, no arquivo amparo.toml, ou a variável \
                 AMPARO_MAIL_SMTP.",
                folder.display()
            ),
            is_fine: false,
        },
        MailDeliveryMethod::None => MailTransportSummary {
            title: "Este servidor não envia e-mails",
            text: "Eles esperam na fila até que um servidor os envie.".to_owned(),
            is_fine: false,
        },
    }
}

pub async fn send_test_mail(State(app): State<App>, user: SignedInUser, _: SubmittedForm) -> HandlerResult {
    let email = mail::send_test_mail(&app, user.session()).await?;
    Ok(redirect_with_notice(
        &format!("{}/console/emails", derive_root_path(&app)),
        &format!("Um e-mail de teste está a caminho de {email}; veja abaixo se saiu."),
    ))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/emails.html", |with| {
    let row = || OutgoingMailLine {
        recipient: with.text(),
        subject: with.text(),
        when: with.text(),
        state: "Enviado",
        class: "fine",
        detail: with.text(),
    };
    crate::template_tests::render_template(&OutgoingMailPage {
        export: with.links(),
        frame: with.frame(),
        way: MailTransportSummary { title: "Por aqui", text: with.text(), is_fine: false },
        email: with.text(),
        rows: with.list_of(row),
        is_moving: true,
        newest: true,
        older: with.option_of(|| with.text()),
    })
})];
