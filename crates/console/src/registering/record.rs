//! One record: read by all, written by administrators; put out of use and back.

use super::fields::{self, Names};
use super::{Which, all_of, badge_class, new_one, title};
use crate::admin::must_administer;
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page, show};
use crate::records::{Conflict, Input, Problems, Spec, Values, inputs, sentence, typed};
use crate::show::moment;
use crate::visitor::{Guest, Number, Query, redirect, root};
use app::once::{Done, Once};
use app::registering::{self, Record};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::TimeZone;
use registers::{FieldSpec, Kind, Register};
use serde_json::json;

#[derive(Template)]
#[template(path = "console/cadastro_registro.html")]
struct Page {
    frame: Frame,
    path: &'static str,
    list: String,
    title: String,
    badge: Option<String>,
    /// None of a new one.
    code: Option<i32>,
    version: i64,
    active: bool,
    inputs: Vec<Input>,
    /// What cannot be changed, or not by this visitor: what it is called, what it is, where it leads.
    facts: Vec<(&'static str, String, Option<String>)>,
    moments: String,
    conflict: Option<Conflict>,
    others: Vec<String>,
    is_refused: bool,
    /// What was just done, and may be undone.
    done: Option<&'static str>,
}

/// A record that is there, as the page shows it.
struct Had {
    record: Record,
    zone: TimeZone,
}

/// What the form shows, and what is wrong with it.
#[derive(Default)]
struct Shown {
    values: Values,
    problems: Problems,
    conflict: Option<Conflict>,
    done: Option<&'static str>,
}

fn taken(register: &'static Register, is_new: bool) -> Vec<&'static FieldSpec> {
    register.fields.iter().filter(|field| field.is_taken() && (is_new || !field.fixed)).collect()
}

/// The fields of the form. Where nothing counts the codes, the code is one of them.
fn specs(register: &'static Register, is_new: bool) -> Vec<Spec> {
    let code = (is_new && register.counter.is_none()).then(|| Spec {
        name: register.code,
        label: if register.code == "dia" { "Dia do mês" } else { "Código" },
        kind: crate::records::Kind::Number,
        longest: 10,
        hint: "",
    });
    code.into_iter().chain(taken(register, is_new).into_iter().map(fields::spec)).collect()
}

async fn form(
    app: &App,
    guest: &Guest,
    register: &'static Register,
    had: Option<Had>,
    shown: Shown,
) -> Response {
    let is_refused = !shown.problems.is_empty() || shown.conflict.is_some();
    let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    match made(app, guest, register, had, shown).await {
        Ok(template) if is_refused => page(status, &template),
        made => show(guest, made),
    }
}

async fn made(
    app: &App,
    guest: &Guest,
    register: &'static Register,
    had: Option<Had>,
    mut shown: Shown,
) -> Result<Page, Error> {
    let frame = Frame::of(app, guest, "cadastros").await?;
    let names = Names::of(app, guest.session(), register.fields.iter()).await?;
    let record = had.as_ref().map(|had| &had.record);
    let code = record.map(|record| record.code);
    let may_write = guest.is_admin();
    let specs = if may_write { specs(register, code.is_none()) } else { Vec::new() };
    if let Some(record) = record {
        // What does not change decides what may be chosen.
        for (field, value) in register.fields.iter().zip(&record.values).filter(|(field, _)| field.fixed) {
            shown.values.insert(field.name, fields::in_form(field, value));
        }
    }
    let choices = |name: &str| fields::choices(register, code, (&names, &shown.values), name);
    let mut inputs = inputs(&specs, &shown.values, &shown.problems, choices);
    for input in &mut inputs {
        if input.spec.kind == crate::records::Kind::Many && input.choices.is_empty() {
            input.spec.hint = "Salve primeiro; depois escolha aqui.";
        }
    }
    let is_refused = !shown.problems.is_empty();
    let version = shown.conflict.as_ref().map(|one| one.version).or(record.map(|record| record.version));
    Ok(Page {
        path: register.path,
        list: all_of(register),
        title: record.map_or_else(|| new_one(register), |one| title(register, one.code, &one.values)),
        badge: code.and_then(|code| badge_class(register, code)),
        code,
        version: version.unwrap_or(0),
        active: record.is_none_or(|record| record.active),
        inputs,
        facts: record.map(|one| facts(&frame.root, register, &names, one, may_write)).unwrap_or_default(),
        moments: had.as_ref().map(moments).unwrap_or_default(),
        conflict: shown.conflict,
        others: shown.problems.others.iter().map(|line| of_sentence(line)).collect(),
        is_refused,
        done: shown.done,
        frame,
    })
}

/// `ativo: a loja é…` without the name of a field that the page does not show.
fn of_sentence(line: &str) -> String {
    line.split_once(": ").map_or_else(|| line.to_owned(), |(_, rest)| sentence(rest))
}

fn moments(had: &Had) -> String {
    let at = |at| moment(at, &had.zone);
    let (created, updated) = (at(had.record.created_at), at(had.record.updated_at));
    match created == updated {
        true => format!("cadastrado em {created}"),
        false => format!("cadastrado em {created}, alterado em {updated}"),
    }
}

/// What is only read: to an administrator what stays as it is, to others everything.
fn facts(
    root: &str,
    register: &'static Register,
    names: &Names,
    record: &Record,
    may_write: bool,
) -> Vec<(&'static str, String, Option<String>)> {
    let all = register.fields.iter().zip(&record.values);
    let read = all.filter(|(field, _)| field.is_shown() && field.is_taken() && (field.fixed || !may_write));
    let told = read.map(|(field, value)| {
        let text = match field.kind {
            Kind::Lines { .. } | Kind::Items { .. } => fields::in_form(field, value).replace('\n', ", "),
            _ => fields::shown(field, value, names),
        };
        let link = match field.kind {
            Kind::Benefit => Some(format!("{root}/console/beneficios/{text}")),
            Kind::Person => Some(format!("{root}/console/associados/{text}")),
            _ => None,
        };
        (field.label, text, link)
    });
    told.filter(|(_, text, _)| !text.is_empty()).collect()
}

/// `GET /console/cadastros/{registro}/novo`: what the address says of it stands in the form already.
pub async fn new(State(app): State<App>, guest: Guest, Which(register): Which, query: Query) -> Response {
    if let Err(error) = must_administer(guest.session()) {
        return show::<Page>(&guest, Err(error));
    }
    let begins = |field: &&FieldSpec| (field.name, query.text(field.name).to_owned());
    let mut values: Values = taken(register, true).iter().map(begins).collect();
    for field in register.fields.iter().filter(|field| field.kind == Kind::Colour) {
        values.insert(field.name, "#1a73e8".to_owned());
    }
    form(&app, &guest, register, None, Shown { values, ..Shown::default() }).await
}

/// `GET /console/cadastros/{registro}/{codigo}`
pub async fn one(
    State(app): State<App>,
    guest: Guest,
    Which(register): Which,
    Number(code): Number,
    query: Query,
) -> Response {
    let (record, mut values) = match read(&app, &guest, register, code).await {
        Ok(had) => {
            let values = register.fields.iter().zip(&had.record.values);
            let values = values.map(|(field, value)| (field.name, fields::in_form(field, value))).collect();
            (had, values)
        }
        Err(refusal) => return refusal,
    };
    if let Err(error) = fields::unresolved(&app, guest.session(), register, &mut values).await {
        return show::<Page>(&guest, Err(error));
    }
    let done = match (query.text("feito"), record.record.active) {
        ("inativado", false) => {
            Some("Fora de uso: não aparece mais nas escolhas. O que já o usa continua como está.")
        }
        ("ativado", true) => Some("Em uso de novo."),
        _ => None,
    };
    form(&app, &guest, register, Some(record), Shown { values, done, ..Shown::default() }).await
}

async fn read(app: &App, guest: &Guest, register: &'static Register, code: i32) -> Result<Had, Response> {
    match registering::one(app, guest.session(), register, code).await {
        Ok((record, zone)) => Ok(Had { record, zone }),
        Err(Error::NoRecord(_)) => Err(Refusal::NotThere.into_response()),
        Err(error) => Err(show::<Page>(guest, Err(error))),
    }
}

/// `POST /console/cadastros/{registro}/novo`
pub async fn create(
    State(app): State<App>,
    guest: Guest,
    Which(register): Which,
    sent: Result<Form, Refusal>,
) -> Response {
    save(&app, &guest, register, None, sent).await
}

/// `POST /console/cadastros/{registro}/{codigo}`
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Which(register): Which,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    save(&app, &guest, register, Some(code), sent).await
}

async fn save(
    app: &App,
    guest: &Guest,
    register: &'static Register,
    code: Option<i32>,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    if let Err(error) = must_administer(guest.session()) {
        return show::<Page>(guest, Err(error));
    }
    let specs = specs(register, code.is_none());
    let values = typed(&specs, &sent);
    let had = code.map(|code| (code, sent.text("versao")));
    let refused = match written(app, guest, register, had, values.clone()).await {
        Ok(record) => {
            let mut response = redirect(&format!("{}/console/cadastros/{}", root(app), register.path));
            let done = if code.is_some() { "As alterações foram salvas" } else { "Cadastro salvo" };
            tell(&mut response, &format!("{done}: {}.", title(register, record.code, &record.values)));
            return response;
        }
        Err(Ok(refused)) => refused,
        Err(Err(Error::NoRecord(_))) => return Refusal::NotThere.into_response(),
        Err(Err(error)) => return show::<Page>(guest, Err(error)),
    };
    let had = match code {
        Some(code) => match read(app, guest, register, code).await {
            Ok(had) => Some(had),
            Err(refusal) => return refusal,
        },
        None => None,
    };
    let label =
        |name: &str| register.field(name).map_or_else(|| sentence(name), |(_, field)| field.label.to_owned());
    let conflict = Conflict::among(&refused.1, label);
    let lines = if conflict.is_some() { Vec::new() } else { refused.0 };
    let problems = Problems::new(lines, &specs);
    form(app, guest, register, had, Shown { values, problems, conflict, done: None }).await
}

/// What was wrong, as lines and as far as a rule said so.
type Refused = (Vec<String>, Vec<domain::Rejection>);

async fn written(
    app: &App,
    guest: &Guest,
    register: &'static Register,
    had: Option<(i32, &str)>,
    mut values: Values,
) -> Result<Record, Result<Refused, Error>> {
    let caller = guest.session();
    let unknown = fields::resolve(app, caller, register, &mut values).await.map_err(Err)?;
    if !unknown.is_empty() {
        return Err(Ok((unknown, Vec::new())));
    }
    let body = fields::record(register, &values, had);
    let sent = wire::register::sent(register, &body)
        .map_err(|unread| Ok((unread.problems.into_lines(), Vec::new())))?;
    let done = match had {
        Some((code, _)) => registering::change(app, caller, register, (code, sent), Once::each_time()).await,
        None => registering::create(app, caller, register, sent, Once::each_time()).await,
    };
    match done.and_then(Done::now) {
        Ok(saved) => Ok(saved.record),
        Err(Error::Refused(problems)) => {
            Err(Ok((problems.iter().map(wire::refusal::text).collect(), problems)))
        }
        Err(error) => Err(Err(error)),
    }
}

/// `POST /console/cadastros/{registro}/{codigo}/ativo`
pub async fn set_active(
    State(app): State<App>,
    guest: Guest,
    Which(register): Which,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    if let Err(error) = must_administer(guest.session()) {
        return show::<Page>(&guest, Err(error));
    }
    let active = sent.text("ativo") == "sim";
    let body = json!({"ativo": active, "versao": sent.text("versao")}).to_string();
    let Ok(read) = wire::register::sent(register, body.as_bytes()) else {
        return Refusal::Unreadable.into_response();
    };
    let done = registering::change(&app, guest.session(), register, (code, read), Once::each_time()).await;
    let here = format!("{}/console/cadastros/{}/{code}", root(&app), register.path);
    match done {
        Ok(_) => redirect(&format!("{here}?feito={}", if active { "ativado" } else { "inativado" })),
        Err(Error::Refused(problems)) => {
            let mut response = redirect(&here);
            let lines: Vec<String> =
                problems.iter().map(wire::refusal::sentence).map(|text| sentence(&text)).collect();
            tell(&mut response, &lines.join(" "));
            response
        }
        Err(Error::NoRecord(_)) => Refusal::NotThere.into_response(),
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/cadastro_registro.html", |with| {
    let page = |conflict| {
        crate::rendered::text(&Page {
            frame: with.frame(),
            path: "plano",
            list: with.text(),
            title: with.text(),
            badge: with.maybe(|| "s3".to_owned()),
            code: with.maybe(|| 7),
            version: 3,
            active: with.is_full(),
            inputs: with.inputs(),
            facts: with.many(|| ("Loja", with.text(), with.maybe(|| with.text()))),
            moments: with.text(),
            conflict,
            others: with.many(|| with.text()),
            is_refused: with.is_full(),
            done: with.maybe(|| "retirado"),
        })
    };
    [page(None), page(with.maybe(|| with.conflict()))].concat()
})];
