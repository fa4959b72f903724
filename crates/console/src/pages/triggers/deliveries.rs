//! Deliveries to a receiver: the list, one delivery with its attempts and body, and the replay.

use super::{build_actor, display};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::derive_root_path;
use crate::http::refusal::Refusal;
use crate::pages::administration::require_administrator;
use crate::session::notice::redirect_with_outcome;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::formats::{format_count, format_moment};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::triggers::receivers;
use app::triggers::{self, DeliveryAttempt, DeliveryQuery, DeliveryWithAttempts, ReplaySelection};
use app::{App, Error, Vault};
use askama::Template;
use axum::Extension;
use axum::extract::State;
use domain::{Date, DeliveryState, Entity, HistoryCode, Moment, ReceiverCode, TimeZone};
use std::time::Duration;

pub struct DeliveryLine {
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

pub fn build_delivery_line(root: &str, entry: &DeliveryWithAttempts, zone: &TimeZone) -> DeliveryLine {
    let one = &entry.delivery;
    let (state, class) = display::label_delivery_state(one.state, one.tries);
    DeliveryLine {
        history: one.history.get(),
        when: format_moment(one.created_at, zone),
        entity: display::label_entity(one.entity),
        record: one.record,
        link: display::build_record_link(root, one.entity, one.record),
        state,
        class,
        tries: entry.attempts.len(),
        last: entry.attempts.last().map(display::describe_attempt).unwrap_or_default(),
        next: one.due_at.map(|at| format_moment(at, zone)).unwrap_or_default(),
    }
}

#[derive(Template)]
#[template(path = "console/entregas.html")]
struct BrowseDeliveriesPage {
    frame: PageFrame,
    code: i32,
    address: String,
    lines: Vec<DeliveryLine>,
    states: Vec<SelectOption>,
    entities: Vec<SelectOption>,
    record: String,
    since: String,
    until: String,
    older: Option<String>,
    problems: Vec<String>,
    is_filtered: bool,
    export: ExportLinks,
}

const FILTERS: [&str; 5] = ["estado", "entidade", "codigoRegistro", "desde", "ate"];

pub async fn show_delivery_list(
    State(app): State<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
    query: QueryParams,
) -> HandlerResult {
    let code = ReceiverCode::new(code);
    require_administrator(user.session())?;
    let frame = PageFrame::load(&app, &user, "gatilhos").await?;
    let tenant = user.session().scope.tenant();
    let registers = app::register_snapshot::load_registers(&app, tenant).await?;
    let receiver = receivers::read_receiver(&app, &vault, tenant, code).await?.receiver;
    let (criteria, problems) = parse_delivery_criteria(&query, &registers.zone);
    let found = match problems.is_empty() {
        true => triggers::list_newest_deliveries(&app, tenant, code, criteria).await?,
        false => triggers::DeliveryPage { deliveries: Vec::new(), next_cursor: None },
    };
    let choice = |name: &str, value: &str, label: &str| SelectOption {
        value: value.to_owned(),
        name: label.to_owned(),
        is_chosen: query.text(name) == value,
    };
    let states = [("pendente", "Na fila"), ("entregue", "Entregues"), ("esgotada", "Não entregues")];
    let entities = Entity::ALL
        .iter()
        .map(|one| choice("entidade", wire::entity_path(*one), display::label_entity(*one)));
    show_page(&BrowseDeliveriesPage {
        code: code.get(),
        address: receiver.address,
        lines: found
            .deliveries
            .iter()
            .map(|entry| build_delivery_line(&frame.root, entry, &registers.zone))
            .collect(),
        states: states.iter().map(|(value, label)| choice("estado", value, label)).collect(),
        entities: entities.collect(),
        record: query.text("codigoRegistro").to_owned(),
        since: query.text("desde").to_owned(),
        until: query.text("ate").to_owned(),
        older: found.next_cursor.map(|before| build_older_link(&query, before)),
        export: ExportLinks::new(
            &frame.root,
            "entrega",
            [("codReceptor", code.to_string().as_str())].into_iter().chain(FILTERS.map(|name| match name {
                "entidade" => (name, criteria.entity.map(wire::set_names::entity).unwrap_or_default()),
                name => (name, query.text(name)),
            })),
        ),
        problems,
        is_filtered: FILTERS.iter().any(|name| !query.text(name).is_empty()),
        frame,
    })
}

/// Link to older deliveries with the same filters.
fn build_older_link(query: &QueryParams, before: HistoryCode) -> String {
    let mut link = form_urlencoded::Serializer::new(String::new());
    for name in FILTERS.iter().filter(|name| !query.text(name).is_empty()) {
        link.append_pair(name, query.text(name));
    }
    link.append_pair("antes", &before.to_string());
    format!("?{}", link.finish())
}

/// Parses the filters; also returns the problems of invalid ones.
fn parse_delivery_criteria(query: &QueryParams, zone: &TimeZone) -> (DeliveryQuery, Vec<String>) {
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
    let entity = wire::parse_entity_path(query.text("entidade"));
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
    let criteria = DeliveryQuery {
        state,
        entity,
        record,
        since: since.map(|day| day.start_in(zone)),
        until: until.map(|day| day.next().start_in(zone)),
        before: query.text("antes").parse().ok().map(HistoryCode::new),
    };
    (criteria, problems)
}

struct DeliveryAttemptLine {
    when: String,
    outcome: String,
    millis: String,
    answer: String,
    is_taken: bool,
}

#[derive(Template)]
#[template(path = "console/entrega.html")]
struct ViewDeliveryPage {
    frame: PageFrame,
    code: i32,
    address: String,
    line: DeliveryLine,
    id: String,
    sent_to: String,
    ended: String,
    attempts: Vec<DeliveryAttemptLine>,
    body: String,
}

/// `GET /console/gatilhos/{codigo}/entregas/{historico}`
pub async fn show_delivery_page(
    State(app): State<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
    HistoryCodeParam(history): HistoryCodeParam,
) -> HandlerResult {
    let (caller, code) = (user.session(), ReceiverCode::new(code));
    require_administrator(caller)?;
    let frame = PageFrame::load(&app, &user, "gatilhos").await?;
    let tenant = caller.scope.tenant();
    let registers = app::register_snapshot::load_registers(&app, tenant).await?;
    let zone = &registers.zone;
    let receiver = receivers::read_receiver(&app, &vault, tenant, code).await?.receiver;
    let (entry, body) = triggers::read_delivery(&app, caller, (code, history)).await?;
    let to_line = |attempt: &DeliveryAttempt| DeliveryAttemptLine {
        when: format_moment(attempt.tried_at, zone),
        outcome: display::describe_attempt(attempt),
        millis: format!("{} ms", format_count(attempt.millis)),
        answer: attempt.answer.clone().unwrap_or_default(),
        is_taken: display::is_accepted(attempt),
    };
    show_page(&ViewDeliveryPage {
        code: code.get(),
        sent_to: format!("{}/{}", receiver.address, wire::entity_path(entry.delivery.entity)),
        address: receiver.address,
        line: build_delivery_line(&frame.root, &entry, zone),
        id: triggers::build_message_id(tenant, &triggers::build_delivery_mark(&entry.delivery)),
        ended: entry.delivery.ended_at.map(|at| format_moment(at, zone)).unwrap_or_default(),
        attempts: entry.attempts.iter().rev().map(to_line).collect(),
        body: display::format_json(&body),
        frame,
    })
}

/// The history code in the path.
pub struct HistoryCodeParam(HistoryCode);

impl<S: Send + Sync> axum::extract::FromRequestParts<S> for HistoryCodeParam {
    type Rejection = Refusal;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        state: &S,
    ) -> Result<HistoryCodeParam, Refusal> {
        let path = axum::extract::RawPathParams::from_request_parts(parts, state).await;
        let path = path.map_err(|_| Refusal::NotThere)?;
        let found =
            path.iter().find(|(name, _)| *name == "historico").and_then(|(_, code)| code.parse().ok());
        found.map(|code| HistoryCodeParam(HistoryCode::new(code))).ok_or(Refusal::NotThere)
    }
}

/// Parses `14/11/2026` and `10:30`; without a time, the start of the day.
fn parse_moment(day: &str, time: &str, zone: &TimeZone) -> Option<Moment> {
    let time = if time.trim().is_empty() { "0:00" } else { time.trim() };
    let (hours, minutes) = time.split_once(':')?;
    let (hours, minutes): (u64, u64) = (hours.parse().ok()?, minutes.parse().ok()?);
    if hours >= 24 || minutes >= 60 {
        return None;
    }
    let span = Duration::from_secs(hours * 3600 + minutes * 60);
    Some(Date::parse(day).ok()?.start_in(zone).plus(span))
}

/// The deliveries to replay, or what is missing.
fn parse_replay(form: &SubmittedForm, zone: &TimeZone) -> Result<ReplaySelection, &'static str> {
    let code =
        |name: &str| form.text(name).trim().parse().ok().filter(|code| *code > 0).map(HistoryCode::new);
    match form.text("o-que") {
        "desde" => {
            let since = parse_moment(form.text("desde"), form.text("hora"), zone);
            since
                .map(ReplaySelection::MissedSince)
                .ok_or("Digite desde quando: um dia como 14/11/2026 e, se quiser, uma hora como 10:30.")
        }
        _ => {
            let first = code("de").ok_or("Digite o número da primeira mudança a enviar de novo.")?;
            let last = code("ate").unwrap_or(first);
            match last < first {
                true => Err("O último número deve ser maior que o primeiro."),
                false => Ok(ReplaySelection::HistoryRange(first, last)),
            }
        }
    }
}

/// `POST /console/gatilhos/{codigo}/reenviar`
pub async fn replay_deliveries(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let registers = app::register_snapshot::load_registers(&app, user.session().scope.tenant()).await?;
    let receiver = ReceiverCode::new(code);
    let outcome = match parse_replay(&form, &registers.zone) {
        Err(missing) => Err(missing.to_owned()),
        Ok(what) => {
            let done = triggers::replay_deliveries(
                &app,
                build_actor(&user),
                (receiver, what),
                IdempotentWrite::without_key(),
            )
            .await;
            match done.and_then(WriteOutcome::into_fresh) {
                Ok(0) => Ok("Não há nada a enviar de novo: tudo chegou ou já está na fila.".to_owned()),
                Ok(1) => Ok("Uma entrega voltou à fila e será enviada de novo.".to_owned()),
                Ok(many) => {
                    let many = i64::try_from(many).unwrap_or(i64::MAX);
                    Ok(format!(
                        "{} entregas voltaram à fila e serão enviadas de novo, na ordem.",
                        format_count(many)
                    ))
                }
                // The receiver's code comes from the path.
                Err(Error::Refused(_)) => return Err(Refusal::NotThere),
                Err(error) => return Err(error.into()),
            }
        }
    };
    let back = match (form.text("o-que"), form.text("de")) {
        ("uma", history) if history.parse::<i32>().is_ok() => format!("/entregas/{history}"),
        _ => String::new(),
    };
    Ok(redirect_with_outcome(&format!("{}/console/gatilhos/{code}{back}", derive_root_path(&app)), outcome))
}

#[cfg(test)]
impl DeliveryLine {
    pub fn sample(with: crate::template_tests::SampleContent) -> DeliveryLine {
        DeliveryLine {
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
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/entregas.html", |with| {
        crate::template_tests::render_template(&BrowseDeliveriesPage {
            export: with.links(),
            frame: with.frame(),
            code: 7,
            address: with.text(),
            lines: with.list_of(|| DeliveryLine::sample(*with)),
            states: with.choices(),
            entities: with.choices(),
            record: with.text(),
            since: with.text(),
            until: with.text(),
            older: with.option_of(|| with.text()),
            problems: with.list_of(|| with.text()),
            is_filtered: with.is_filled(),
        })
    }),
    ("console/entrega.html", |with| {
        let attempt = || DeliveryAttemptLine {
            when: with.text(),
            outcome: with.text(),
            millis: with.text(),
            answer: with.text(),
            is_taken: false,
        };
        crate::template_tests::render_template(&ViewDeliveryPage {
            frame: with.frame(),
            code: 7,
            address: with.text(),
            line: DeliveryLine::sample(*with),
            id: with.text(),
            sent_to: with.text(),
            ended: with.text(),
            attempts: with.list_of(attempt),
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
        let read = |day, time| parse_moment(day, time, &zone).map(Moment::to_iso);
        assert_eq!(read("14/11/2026", "10:30").as_deref(), Some("2026-11-14T13:30:00Z"));
        assert_eq!(read("14/11/2026", " ").as_deref(), Some("2026-11-14T03:00:00Z"));
        for (day, time) in [("", ""), ("30/02/2026", ""), ("14/11/2026", "25:00"), ("14/11/2026", "x")] {
            assert_eq!(read(day, time), None, "{day} {time}");
        }
    }
}
