//! One receiver: how it fares, and what is done about it.

use super::by;
use super::shown::{self, State};
use crate::admin::{administered, must_administer};
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page as answer, show};
use crate::show::{count, moment};
use crate::triggers::deliveries::{Line, line};
use crate::visitor::{Guest, Number, redirect, root};
use app::once::{Done, Once};
use app::receivers::{self, Told};
use app::triggers::{self, Wanted};
use app::{App, Error, Vault};
use askama::Template;
use axum::Extension;
use axum::extract::State as Of;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::ReceiverCode;

/// What a receiver said to a message that speaks of nobody.
pub struct Sample {
    is_taken: bool,
    told: String,
    answer: String,
}

#[derive(Template)]
#[template(path = "console/gatilho.html")]
struct Page {
    frame: Frame,
    code: i32,
    address: String,
    active: bool,
    paused: bool,
    version: i64,
    state: State,
    /// Figure, what it is, where its rows are.
    figures: Vec<(String, &'static str, String)>,
    facts: Vec<(&'static str, String)>,
    trouble: String,
    /// Value and name of what it is told of.
    entities: Vec<(&'static str, &'static str)>,
    sample: Option<Sample>,
    secret: Option<String>,
    deliveries: Vec<Line>,
}

/// Deliveries that the page shows; the others have a page of their own.
const SHOWN: usize = 10;

pub async fn page(
    Of(app): Of<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
) -> Response {
    show(&guest, made(&app, &guest, &vault, ReceiverCode::new(code)).await)
}

async fn made(app: &App, guest: &Guest, vault: &Vault, code: ReceiverCode) -> Result<Page, Error> {
    must_administer(guest.session())?;
    let frame = Frame::of(app, guest, "gatilhos").await?;
    let tenant = guest.session().scope.tenant();
    let told = receivers::find(app, vault, tenant, code).await?;
    let registers = app::base::registers(app, tenant).await?;
    let (now, zone) = (app.now(), &registers.zone);
    let fares = triggers::fares(app, tenant, vec![code]).await?.pop();
    let fares = fares.ok_or_else(|| Error::Text("a receiver fares nowhere".to_owned()))?;
    let newest = triggers::newest(app, tenant, code, Wanted::default()).await?;
    let rows = |state: &str| format!("{}/console/gatilhos/{code}/entregas?estado={state}", frame.root);
    let figures = vec![
        (shown::waiting(&fares), "à espera de entrega", rows("pendente")),
        (or_dash(shown::oldest(&fares, now)), "espera o mais antigo", rows("pendente")),
        (or_dash(shown::share(&fares)), "chegaram nas últimas 24 horas", rows("entregue")),
        (count(fares.glance.missed), "não chegaram nas últimas 24 horas", rows("esgotada")),
    ];
    let one = &told.receiver;
    Ok(Page {
        code: code.get(),
        address: one.address.clone(),
        active: one.active,
        paused: one.paused.is_some(),
        version: one.version,
        state: shown::state(&told, now, zone),
        figures,
        facts: facts(&told, zone),
        trouble: shown::trouble(&fares, zone),
        entities: one.entities.iter().map(|one| (wire::entity_path(*one), shown::entity(*one))).collect(),
        sample: None,
        secret: None,
        deliveries: newest.told.iter().take(SHOWN).map(|told| line(&frame.root, told, zone)).collect(),
        frame,
    })
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "—".to_owned() } else { text }
}

fn facts(told: &Told, zone: &domain::TimeZone) -> Vec<(&'static str, String)> {
    let one = &told.receiver;
    let entities: Vec<&str> = one.entities.iter().map(|entity| shown::entity(*entity)).collect();
    let at = |at: Option<domain::Moment>| at.map(|at| moment(at, zone)).unwrap_or_else(|| "nunca".to_owned());
    vec![
        ("É avisado de", entities.join(", ")),
        ("Última entrega", at(one.health.succeeded_at)),
        ("Última tentativa", at(one.health.tried_at)),
        (
            "Cabeçalhos próprios",
            if told.headers.is_empty() { "nenhum".to_owned() } else { told.headers.join(", ") },
        ),
        ("Entregas ao mesmo tempo", one.concurrency.to_string()),
        ("Cadastrado em", moment(one.created_at, zone)),
    ]
}

fn here(app: &App, code: i32) -> String {
    format!("{}/console/gatilhos/{code}", root(app))
}

/// `POST /console/gatilhos/{codigo}/pausar`: pauses it, or lets it go on.
pub async fn pause(
    Of(app): Of<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match administered(&guest, sent) {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let pauses = sent.text("pausar") == "sim";
    let reason = Some(sent.text("motivo").trim().to_owned()).filter(|text| !text.is_empty());
    let asked = (ReceiverCode::new(code), pauses, reason);
    match receivers::pause(&app, &vault, by(&guest), asked, Once::each_time()).await {
        Ok(_) => {
            let mut response = redirect(&here(&app, code));
            let told = match pauses {
                true => "Pausado. O que mudar daqui em diante espera por ele, sem se perder.",
                false => "Retomado. O que esperava será enviado agora, na ordem.",
            };
            tell(&mut response, told);
            response
        }
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

/// The page with something that is shown once.
async fn with(
    app: &App,
    guest: &Guest,
    vault: &Vault,
    code: ReceiverCode,
    add: impl FnOnce(&mut Page),
) -> Response {
    match made(app, guest, vault, code).await {
        Ok(mut page) => {
            add(&mut page);
            answer(StatusCode::OK, &page)
        }
        Err(error) => show::<Page>(guest, Err(error)),
    }
}

/// The page of a receiver with its secret, which is told here and never again.
pub async fn with_secret(
    app: &App,
    guest: &Guest,
    vault: &Vault,
    code: ReceiverCode,
    secret: String,
) -> Response {
    with(app, guest, vault, code, |page| page.secret = Some(secret)).await
}

/// `POST /console/gatilhos/{codigo}/segredo`
pub async fn rotate(
    Of(app): Of<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    if let Err(refusal) = administered(&guest, sent) {
        return refusal.into_response();
    }
    let code = ReceiverCode::new(code);
    let done = receivers::rotate(&app, &vault, by(&guest), (code, None), Once::each_time()).await;
    match done.and_then(Done::now) {
        Ok(secret) => with_secret(&app, &guest, &vault, code, secret.expose().to_owned()).await,
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

/// `POST /console/gatilhos/{codigo}/teste`
pub async fn test(
    Of(app): Of<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match administered(&guest, sent) {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let (code, entity) = (ReceiverCode::new(code), wire::entity_from(sent.text("entidade")));
    let tried = triggers::try_out(&app, &vault, by(&guest), (code, entity), Once::each_time()).await;
    let sample = match tried.and_then(Done::now) {
        Ok(Ok(answer)) => Sample {
            is_taken: answer.is_taken(),
            told: match answer.is_taken() {
                true => format!("O receptor aceitou o exemplo: respondeu {}.", answer.status),
                false => format!(
                    "O receptor não aceitou o exemplo: respondeu {}. Só de 200 a 204 contam como aceito.",
                    answer.status
                ),
            },
            answer: answer.text.unwrap_or_default(),
        },
        Ok(Err(why)) => {
            Sample { is_taken: false, told: format!("O exemplo não chegou: {why}."), answer: String::new() }
        }
        Err(error) => return show::<Page>(&guest, Err(error)),
    };
    with(&app, &guest, &vault, code, |page| page.sample = Some(sample)).await
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/gatilho.html", |with| {
    let sample = || Sample { is_taken: false, told: with.text(), answer: with.text() };
    crate::rendered::text(&Page {
        frame: with.frame(),
        code: 7,
        address: with.text(),
        active: with.is_full(),
        paused: false,
        version: 3,
        state: State { word: "Bem", class: "fine", told: with.text() },
        figures: with.many(|| (with.text(), "na fila", with.text())),
        facts: with.facts(),
        trouble: with.text(),
        entities: vec![("evento", "Evento")],
        sample: with.maybe(sample),
        secret: with.maybe(|| with.text()),
        deliveries: with.many(|| Line::sample(*with)),
    })
})];
