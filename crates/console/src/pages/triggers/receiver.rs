//! The page of one receiver: its health and its actions.

use super::build_actor;
use super::deliveries::{DeliveryLine, build_delivery_line};
use super::display::{self, ReceiverStateBadge};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::derive_root_path;
use crate::pages::administration::require_administrator;
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::{format_count, format_moment};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use app::idempotency::IdempotentWrite;
use app::triggers::receivers::{self, RedactedReceiver};
use app::triggers::{self, DeliveryQuery};
use app::{App, Error, Vault};
use askama::Template;
use axum::Extension;
use axum::extract::State as Of;
use axum::http::StatusCode;
use domain::ReceiverCode;

/// Answer of a receiver to a test message, which contains no personal data.
pub struct TestDeliveryResult {
    is_taken: bool,
    sentence: String,
    answer: String,
}

#[derive(Template)]
#[template(path = "console/gatilho.html")]
struct ViewReceiverPage {
    frame: PageFrame,
    code: i32,
    address: String,
    active: bool,
    paused: bool,
    version: i64,
    state: ReceiverStateBadge,
    /// Number, label, link to its rows.
    figures: Vec<(String, &'static str, String)>,
    facts: Vec<(&'static str, String)>,
    trouble: String,
    /// Value and label of the entities that it is notified of.
    entities: Vec<(&'static str, &'static str)>,
    sample: Option<TestDeliveryResult>,
    secret: Option<String>,
    deliveries: Vec<DeliveryLine>,
}

/// Deliveries shown here; the others have their own page.
const SHOWN_DELIVERIES: usize = 10;

pub async fn show_receiver_page(
    Of(app): Of<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    show_page(&build_receiver_page(&app, &user, &vault, ReceiverCode::new(code)).await?)
}

async fn build_receiver_page(
    app: &App,
    user: &SignedInUser,
    vault: &Vault,
    code: ReceiverCode,
) -> Result<ViewReceiverPage, Error> {
    require_administrator(user.session())?;
    let frame = PageFrame::load(app, user, "gatilhos").await?;
    let tenant = user.session().scope.tenant();
    let redacted = receivers::read_receiver(app, vault, tenant, code).await?;
    let registers = app::register_snapshot::load_registers(app, tenant).await?;
    let (now, zone) = (app.now(), &registers.zone);
    let performance = triggers::list_performance(app, tenant, vec![code]).await?.pop();
    let performance = performance.ok_or_else(|| Error::Defect("a receiver fares nowhere".to_owned()))?;
    let newest = triggers::list_newest_deliveries(app, tenant, code, DeliveryQuery::default()).await?;
    let rows = |state: &str| format!("{}/console/gatilhos/{code}/entregas?estado={state}", frame.root);
    let figures = vec![
        (display::format_waiting_count(&performance), "à espera de entrega", rows("pendente")),
        (
            replace_empty_with_dash(display::format_oldest_age(&performance, now)),
            "espera o mais antigo",
            rows("pendente"),
        ),
        (
            replace_empty_with_dash(display::format_success_share(&performance)),
            "chegaram nas últimas 24 horas",
            rows("entregue"),
        ),
        (
            format_count(performance.glance.missed),
            match performance.glance.missed {
                1 => "não chegou nas últimas 24 horas",
                _ => "não chegaram nas últimas 24 horas",
            },
            rows("esgotada"),
        ),
    ];
    let one = &redacted.receiver;
    Ok(ViewReceiverPage {
        code: code.get(),
        address: one.address.clone(),
        active: one.active,
        paused: one.paused.is_some(),
        version: one.version,
        state: display::describe_receiver_state(&redacted, now, zone),
        figures,
        facts: list_receiver_facts(&redacted, zone),
        trouble: display::describe_last_trouble(&performance, zone),
        entities: one
            .entities
            .iter()
            .map(|one| (wire::entity_path(*one), display::label_entity(*one)))
            .collect(),
        sample: None,
        secret: None,
        deliveries: newest
            .deliveries
            .iter()
            .take(SHOWN_DELIVERIES)
            .map(|entry| build_delivery_line(&frame.root, entry, zone))
            .collect(),
        frame,
    })
}

fn replace_empty_with_dash(text: String) -> String {
    if text.is_empty() { "—".to_owned() } else { text }
}

fn list_receiver_facts(redacted: &RedactedReceiver, zone: &domain::TimeZone) -> Vec<(&'static str, String)> {
    let one = &redacted.receiver;
    let entities: Vec<&str> = one.entities.iter().map(|entity| display::label_entity(*entity)).collect();
    let at = |at: Option<domain::Moment>| at.map_or_else(|| "nunca".to_owned(), |at| format_moment(at, zone));
    vec![
        ("É avisado de", entities.join(", ")),
        ("Última entrega", at(one.health.succeeded_at)),
        ("Última tentativa", at(one.health.tried_at)),
        (
            "Cabeçalhos próprios",
            if redacted.headers.is_empty() { "nenhum".to_owned() } else { redacted.headers.join(", ") },
        ),
        ("Entregas ao mesmo tempo", one.concurrency.to_string()),
        ("Cadastrado em", format_moment(one.created_at, zone)),
    ]
}

/// `POST /console/gatilhos/{codigo}/pausar`: pauses or resumes a receiver.
pub async fn set_receiver_pause(
    Of(app): Of<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let pauses = form.read_yes_or_no("pausar")?;
    let reason = Some(form.text("motivo").trim().to_owned()).filter(|text| !text.is_empty());
    let request = (ReceiverCode::new(code), pauses, reason);
    let write = IdempotentWrite::without_key();
    receivers::pause_or_resume_receiver(&app, &vault, build_actor(&user), request, write).await?;
    let notice = match pauses {
        true => "Pausado. O que mudar daqui em diante espera por ele, sem se perder.",
        false => "Retomado. O que esperava será enviado agora, na ordem.",
    };
    Ok(redirect_with_notice(&format!("{}/console/gatilhos/{code}", derive_root_path(&app)), notice))
}

/// Renders the page with the receiver's secret, which is never shown again.
pub async fn render_page_with_secret(
    app: &App,
    user: &SignedInUser,
    vault: &Vault,
    code: ReceiverCode,
    secret: String,
) -> HandlerResult {
    let page = build_receiver_page(app, user, vault, code).await?;
    render_page(StatusCode::OK, &ViewReceiverPage { secret: Some(secret), ..page })
}

/// `POST /console/gatilhos/{codigo}/segredo`
pub async fn rotate_secret(
    Of(app): Of<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let code = ReceiverCode::new(code);
    let write = IdempotentWrite::without_key();
    let done = receivers::rotate_secret(&app, &vault, build_actor(&user), (code, None), write).await?;
    let secret = done.into_fresh()?.expose().to_owned();
    render_page_with_secret(&app, &user, &vault, code, secret).await
}

/// `POST /console/gatilhos/{codigo}/teste`
pub async fn send_test_delivery(
    Of(app): Of<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let (code, entity) = (ReceiverCode::new(code), wire::parse_entity_path(form.text("entidade")));
    let write = IdempotentWrite::without_key();
    let attempt =
        triggers::send_test_message(&app, &vault, build_actor(&user), (code, entity), write).await?;
    let sample = match attempt.into_fresh()? {
        Ok(answer) => TestDeliveryResult {
            is_taken: answer.is_accepted(),
            sentence: match answer.is_accepted() {
                true => format!("O receptor aceitou o exemplo: respondeu {}.", answer.status),
                false => format!(
                    "O receptor não aceitou o exemplo: respondeu {}. Só de 200 a 204 contam como aceito.",
                    answer.status
                ),
            },
            answer: answer.text.unwrap_or_default(),
        },
        Err(why) => TestDeliveryResult {
            is_taken: false,
            sentence: format!("O exemplo não chegou: {why}."),
            answer: String::new(),
        },
    };
    let page = build_receiver_page(&app, &user, &vault, code).await?;
    render_page(StatusCode::OK, &ViewReceiverPage { sample: Some(sample), ..page })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/gatilho.html", |with| {
    let sample = || TestDeliveryResult { is_taken: false, sentence: with.text(), answer: with.text() };
    crate::template_tests::render_template(&ViewReceiverPage {
        frame: with.frame(),
        code: 7,
        address: with.text(),
        active: with.is_filled(),
        paused: false,
        version: 3,
        state: ReceiverStateBadge { word: "Bem", class: "fine", explanation: with.text() },
        figures: with.list_of(|| (with.text(), "na fila", with.text())),
        facts: with.facts(),
        trouble: with.text(),
        entities: vec![("evento", "Evento")],
        sample: with.option_of(sample),
        secret: with.option_of(|| with.text()),
        deliveries: with.list_of(|| DeliveryLine::sample(*with)),
    })
})];
