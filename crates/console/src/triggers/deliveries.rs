//! What was sent to a receiver: found, looked at with every attempt and the body, and sent again.

use super::{by, shown};
use crate::admin::{administered, must_administer};
use crate::exporting::Links;
use crate::form::Form;
use crate::frame::Frame;
use crate::members::Choice;
use crate::notice::tell;
use crate::page::{Refusal, show};
use crate::show::{count, moment};
use crate::visitor::{Guest, Number, Query, redirect, root};
use app::once::{Done, Once};
use app::triggers::{self, Attempt, Replay, Told, Wanted};
use app::{App, Error, Vault, receivers};
use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::{Date, DeliveryState, Entity, Field, HistoryCode, Moment, ReceiverCode, TimeZone};
use std::time::Duration;

pub struct Line {
    pub history: i32,
    pub when: String,
    pub entity: &'static str,
    pub record: i32,
    pub link: String,
    pub state: &'static str,
    pub class: &'static str,
    pub tries: usize,
    pub last: String,
    pub next: String,
}

pub fn line(root: &str, told: &Told, zone: &TimeZone) -> Line {
    let one = &told.delivery;
    let (state, class) = shown::delivery_state(one.state, one.tries);
    Line {
        history: one.history.get(),
        when: moment(one.created_at, zone),
        entity: shown::entity(one.entity),
        record: one.record,
        link: shown::record_link(root, one.entity, one.record),
        state,
        class,
        tries: told.attempts.len(),
        last: told.attempts.last().map(shown::outcome).unwrap_or_default(),
        next: one.due_at.map(|at| moment(at, zone)).unwrap_or_default(),
    }
}

#[derive(Template)]
#[template(path = "console/entregas.html")]
struct List {
    frame: Frame,
    code: i32,
    address: String,
    lines: Vec<Line>,
    states: Vec<Choice>,
    entities: Vec<Choice>,
    record: String,
    since: String,
    until: String,
    older: Option<String>,
    problems: Vec<String>,
    is_filtered: bool,
    export: Links,
}

const FILTERS: [&str; 5] = ["estado", "entidade", "codigoRegistro", "desde", "ate"];

pub async fn list(
    State(app): State<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
    query: Query,
) -> Response {
    show(&guest, made(&app, &guest, &vault, ReceiverCode::new(code), &query).await)
}

async fn made(
    app: &App,
    guest: &Guest,
    vault: &Vault,
    code: ReceiverCode,
    query: &Query,
) -> Result<List, Error> {
    must_administer(guest.session())?;
    let frame = Frame::of(app, guest, "gatilhos").await?;
    let tenant = guest.session().scope.tenant();
    let registers = app::base::registers(app, tenant).await?;
    let receiver = receivers::find(app, vault, tenant, code).await?.receiver;
    let (wanted, problems) = asked(query, &registers.zone);
    let found = match problems.is_empty() {
        true => triggers::newest(app, tenant, code, wanted).await?,
        false => triggers::Found { told: Vec::new(), before: None },
    };
    let choice = |name: &str, value: &str, label: &str| Choice {
        value: value.to_owned(),
        name: label.to_owned(),
        is_chosen: query.text(name) == value,
    };
    let states = [("pendente", "Na fila"), ("entregue", "Entregues"), ("esgotada", "Não entregues")];
    let entities =
        Entity::ALL.iter().map(|one| choice("entidade", wire::entity_path(*one), shown::entity(*one)));
    Ok(List {
        code: code.get(),
        address: receiver.address,
        lines: found.told.iter().map(|told| line(&frame.root, told, &registers.zone)).collect(),
        states: states.iter().map(|(value, label)| choice("estado", value, label)).collect(),
        entities: entities.collect(),
        record: query.text("codigoRegistro").to_owned(),
        since: query.text("desde").to_owned(),
        until: query.text("ate").to_owned(),
        older: found.before.map(|before| older(query, before)),
        export: Links::new(
            &frame.root,
            "entrega",
            [("codReceptor", code.to_string().as_str())].into_iter().chain(FILTERS.map(|name| match name {
                "entidade" => (name, wanted.entity.map(wire::names::entity).unwrap_or_default()),
                name => (name, query.text(name)),
            })),
        ),
        problems,
        is_filtered: FILTERS.iter().any(|name| !query.text(name).is_empty()),
        frame,
    })
}

/// The same question for what is older.
fn older(query: &Query, before: HistoryCode) -> String {
    let mut link = form_urlencoded::Serializer::new(String::new());
    for name in FILTERS.iter().filter(|name| !query.text(name).is_empty()) {
        link.append_pair(name, query.text(name));
    }
    link.append_pair("antes", &before.to_string());
    format!("?{}", link.finish())
}

/// What the address asks for, and what of it cannot be read.
fn asked(query: &Query, zone: &TimeZone) -> (Wanted, Vec<String>) {
    let mut problems = Vec::new();
    let mut day = |name: &str, label: &str| {
        let text = query.text(name);
        let day = (!text.is_empty()).then(|| Date::parse(text).ok());
        if day == Some(None) {
            problems.push(format!("{label}: use uma data como 14/11/2026."));
        }
        day.flatten()
    };
    let (since, until) = (day("desde", "De"), day("ate", "Até"));
    let entity = wire::entity_from(query.text("entidade"));
    let typed = query.text("codigoRegistro").trim();
    let record = typed.parse().ok();
    if !typed.is_empty() && record.is_none() {
        problems.push("Código do registro: use só números.".to_owned());
    } else if record.is_some() && entity.is_none() {
        problems.push("Código do registro: escolha também de que é (benefício, evento…).".to_owned());
    }
    let state = match query.text("estado") {
        "pendente" => Some(DeliveryState::Pending),
        "entregue" => Some(DeliveryState::Delivered),
        "esgotada" => Some(DeliveryState::Exhausted),
        _ => None,
    };
    let wanted = Wanted {
        state,
        entity,
        record,
        since: since.map(|day| day.start_in(zone)),
        until: until.map(|day| day.next().start_in(zone)),
        before: query.text("antes").parse().ok().map(HistoryCode::new),
    };
    (wanted, problems)
}

struct Tried {
    when: String,
    outcome: String,
    millis: String,
    answer: String,
    is_taken: bool,
}

#[derive(Template)]
#[template(path = "console/entrega.html")]
struct Page {
    frame: Frame,
    code: i32,
    address: String,
    line: Line,
    id: String,
    sent_to: String,
    ended: String,
    attempts: Vec<Tried>,
    body: String,
}

/// `GET /console/gatilhos/{codigo}/entregas/{historico}`
pub async fn one(
    State(app): State<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
    History(history): History,
) -> Response {
    show(&guest, one_page(&app, &guest, &vault, (ReceiverCode::new(code), history)).await)
}

async fn one_page(
    app: &App,
    guest: &Guest,
    vault: &Vault,
    (code, history): (ReceiverCode, HistoryCode),
) -> Result<Page, Error> {
    let caller = guest.session();
    must_administer(caller)?;
    let frame = Frame::of(app, guest, "gatilhos").await?;
    let tenant = caller.scope.tenant();
    let registers = app::base::registers(app, tenant).await?;
    let zone = &registers.zone;
    let receiver = receivers::find(app, vault, tenant, code).await?.receiver;
    let (told, body) = triggers::one(app, caller, (code, history)).await?;
    let tried = |attempt: &Attempt| Tried {
        when: moment(attempt.tried_at, zone),
        outcome: shown::outcome(attempt),
        millis: format!("{} ms", count(attempt.millis)),
        answer: attempt.answer.clone().unwrap_or_default(),
        is_taken: shown::is_taken(attempt),
    };
    Ok(Page {
        code: code.get(),
        sent_to: format!("{}/{}", receiver.address, wire::entity_path(told.delivery.entity)),
        address: receiver.address,
        line: line(&frame.root, &told, zone),
        id: triggers::message_id(tenant, &triggers::mark_of(&told.delivery)),
        ended: told.delivery.ended_at.map(|at| moment(at, zone)).unwrap_or_default(),
        attempts: told.attempts.iter().rev().map(tried).collect(),
        body: shown::pretty(&body),
        frame,
    })
}

/// The change that the path names.
pub struct History(HistoryCode);

impl<S: Send + Sync> axum::extract::FromRequestParts<S> for History {
    type Rejection = Refusal;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        state: &S,
    ) -> Result<History, Refusal> {
        let path = axum::extract::RawPathParams::from_request_parts(parts, state).await;
        let path = path.map_err(|_| Refusal::NotThere)?;
        let found =
            path.iter().find(|(name, _)| *name == "historico").and_then(|(_, code)| code.parse().ok());
        found.map(|code| History(HistoryCode::new(code))).ok_or(Refusal::NotThere)
    }
}

/// `14/11/2026` and `10:30`; without a time, the beginning of the day.
fn moment_of(day: &str, time: &str, zone: &TimeZone) -> Option<Moment> {
    let time = if time.trim().is_empty() { "0:00" } else { time.trim() };
    let (hours, minutes) = time.split_once(':')?;
    let (hours, minutes): (u64, u64) = (hours.parse().ok()?, minutes.parse().ok()?);
    if hours >= 24 || minutes >= 60 {
        return None;
    }
    let span = Duration::from_secs(hours * 3600 + minutes * 60);
    Some(Date::parse(day).ok()?.start_in(zone).plus(span))
}

/// What is to be sent again, or what is missing.
fn replay(sent: &Form, zone: &TimeZone) -> Result<Replay, &'static str> {
    let code =
        |name: &str| sent.text(name).trim().parse().ok().filter(|code| *code > 0).map(HistoryCode::new);
    match sent.text("o-que") {
        "desde" => {
            let since = moment_of(sent.text("desde"), sent.text("hora"), zone);
            since
                .map(Replay::MissedSince)
                .ok_or("Digite desde quando: um dia como 14/11/2026 e, se quiser, uma hora como 10:30.")
        }
        _ => {
            let first = code("de").ok_or("Digite o número da primeira mudança a enviar de novo.")?;
            let last = code("ate").unwrap_or(first);
            match last < first {
                true => Err("O último número deve ser maior que o primeiro."),
                false => Ok(Replay::Stretch(first, last)),
            }
        }
    }
}

/// `POST /console/gatilhos/{codigo}/reenviar`
pub async fn send_again(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match administered(&guest, sent) {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let zone = match app::base::registers(&app, guest.session().scope.tenant()).await {
        Ok(registers) => registers.zone.clone(),
        Err(error) => return show::<Page>(&guest, Err(error)),
    };
    let receiver = ReceiverCode::new(code);
    let told = match replay(&sent, &zone) {
        Err(missing) => missing.to_owned(),
        Ok(what) => {
            let done = triggers::replay(&app, by(&guest), (receiver, what), Once::each_time()).await;
            match done.and_then(Done::now) {
                Ok(0) => "Não há nada a enviar de novo: tudo chegou ou já está na fila.".to_owned(),
                Ok(1) => "Uma entrega voltou à fila e será enviada de novo.".to_owned(),
                Ok(many) => {
                    let many = i64::try_from(many).unwrap_or(i64::MAX);
                    format!("{} entregas voltaram à fila e serão enviadas de novo, na ordem.", count(many))
                }
                // It is named in the path here.
                Err(Error::Refused(_)) => {
                    return show::<Page>(&guest, Err(Error::NoSuch { field: Field::Receiver, code }));
                }
                Err(error) => return show::<Page>(&guest, Err(error)),
            }
        }
    };
    let back = match (sent.text("o-que"), sent.text("de")) {
        ("uma", history) if history.parse::<i32>().is_ok() => format!("/entregas/{history}"),
        _ => String::new(),
    };
    let mut response = redirect(&format!("{}/console/gatilhos/{code}{back}", root(&app)));
    tell(&mut response, &told);
    response
}

#[cfg(test)]
impl Line {
    pub fn sample(with: crate::rendered::Sample) -> Line {
        Line {
            history: 7,
            when: with.text(),
            entity: "Evento",
            record: 7,
            link: with.text(),
            state: "Entregue",
            class: "fine",
            tries: 2,
            last: with.text(),
            next: with.text(),
        }
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/entregas.html", |with| {
        crate::rendered::text(&List {
            export: with.links(),
            frame: with.frame(),
            code: 7,
            address: with.text(),
            lines: with.many(|| Line::sample(*with)),
            states: with.choices(),
            entities: with.choices(),
            record: with.text(),
            since: with.text(),
            until: with.text(),
            older: with.maybe(|| with.text()),
            problems: with.many(|| with.text()),
            is_filtered: with.is_full(),
        })
    }),
    ("console/entrega.html", |with| {
        let tried = || Tried {
            when: with.text(),
            outcome: with.text(),
            millis: with.text(),
            answer: with.text(),
            is_taken: false,
        };
        crate::rendered::text(&Page {
            frame: with.frame(),
            code: 7,
            address: with.text(),
            line: Line::sample(*with),
            id: with.text(),
            sent_to: with.text(),
            ended: with.text(),
            attempts: with.many(tried),
            body: with.text(),
        })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_with_its_time_is_read_as_people_write_it() {
        let zone = TimeZone::parse("America/Sao_Paulo").unwrap();
        let read = |day, time| moment_of(day, time, &zone).map(Moment::to_iso);
        assert_eq!(read("14/11/2026", "10:30").as_deref(), Some("2026-11-14T13:30:00Z"));
        assert_eq!(read("14/11/2026", " ").as_deref(), Some("2026-11-14T03:00:00Z"));
        for (day, time) in [("", ""), ("30/02/2026", ""), ("14/11/2026", "25:00"), ("14/11/2026", "x")] {
            assert_eq!(read(day, time), None, "{day} {time}");
        }
    }
}
