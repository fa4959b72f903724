//! A receiver is added, altered, retired and taken back.

use super::receiver::with_secret;
use super::{by, shown};
use crate::admin::{administered, must_administer};
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page, show};
use crate::records::{Conflict, Input, Kind, Problems, Spec, Values, inputs, label, told, typed};
use crate::visitor::{Guest, Number, redirect, root};
use app::once::{Done, Once};
use app::receivers::{self, AT_ONCE, Changes, Told, Wanted};
use app::{App, Error, Vault, collect};
use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Entity, ReceiverAddress, ReceiverCode, Rejection, SigningSecret};

const SPECS: &[Spec] = &[
    Spec {
        name: "endereco",
        label: "Endereço",
        kind: Kind::Text,
        longest: ReceiverAddress::LONGEST,
        hint: "Como https://erp.exemplo.com.br/gatilhos. Cada entidade tem o seu caminho depois dele: …/beneficio, …/evento. Se você trocar o servidor, os cabeçalhos precisam ser digitados de novo e um segredo novo é mostrado.",
    },
    Spec {
        name: "simultaneas",
        label: "Entregas ao mesmo tempo",
        kind: Kind::Number,
        longest: 2,
        hint: "De 1 a 64. Menos, se o sistema do outro lado se atrapalha com muitas.",
    },
    Spec { name: "entidades", label: "É avisado de mudanças em", kind: Kind::Many, longest: 100, hint: "" },
    Spec {
        name: "cabecalhos",
        label: "Cabeçalhos próprios",
        kind: Kind::Area,
        longest: 12_000,
        hint: "Só se o outro lado pede uma chave. Um por linha, como X-Api-Key: chave. Os valores são guardados cifrados e não são mostrados de novo.",
    },
];

#[derive(Template)]
#[template(path = "console/gatilho_form.html")]
struct Write {
    frame: Frame,
    /// None of a new one.
    code: Option<i32>,
    title: String,
    version: i64,
    inputs: Vec<Input>,
    /// The names of the headers that there are.
    headers: String,
    conflict: Option<Conflict>,
    others: Vec<String>,
    is_refused: bool,
}

/// What the form shows, and what is wrong with it.
struct Shown {
    had: Option<Told>,
    values: Values,
    refused: Vec<Rejection>,
}

async fn form(app: &App, guest: &Guest, Shown { had, values, refused }: Shown) -> Response {
    let frame = match Frame::of(app, guest, "gatilhos").await {
        Ok(frame) => frame,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let conflict = Conflict::among(&refused, |name| label(SPECS, name));
    let lines =
        if conflict.is_some() { Vec::new() } else { refused.iter().map(wire::refusal::text).collect() };
    let problems = Problems::new(lines, SPECS);
    let (is_refused, status) = match refused.is_empty() {
        true => (false, StatusCode::OK),
        false => (!problems.is_empty(), StatusCode::BAD_REQUEST),
    };
    let entities = |_: &str| {
        let all = Entity::ALL.iter();
        all.map(|one| (wire::entity_path(*one).to_owned(), shown::entity(*one).to_owned())).collect()
    };
    let version = conflict.as_ref().map(|one| one.version);
    let template = Write {
        code: had.as_ref().map(|told| told.receiver.code.get()),
        title: if had.is_some() { "Alterar receptor" } else { "Novo receptor" }.to_owned(),
        version: version.or(had.as_ref().map(|told| told.receiver.version)).unwrap_or(0),
        inputs: inputs(SPECS, &values, &problems, entities),
        headers: had.map(|told| told.headers.join(", ")).unwrap_or_default(),
        conflict,
        others: problems.others,
        is_refused,
        frame,
    };
    page(status, &template)
}

/// `GET /console/gatilhos/novo`
pub async fn new(State(app): State<App>, guest: Guest) -> Response {
    if let Err(error) = must_administer(guest.session()) {
        return show::<Write>(&guest, Err(error));
    }
    let all: Vec<&str> = Entity::ALL.iter().map(|one| wire::entity_path(*one)).collect();
    let values = Values::from([("simultaneas", AT_ONCE.to_string()), ("entidades", all.join(","))]);
    form(&app, &guest, Shown { had: None, values, refused: Vec::new() }).await
}

fn in_form(told: &Told) -> Values {
    let entities: Vec<&str> = told.receiver.entities.iter().map(|one| wire::entity_path(*one)).collect();
    Values::from([
        ("endereco", told.receiver.address.clone()),
        ("simultaneas", told.receiver.concurrency.to_string()),
        ("entidades", entities.join(",")),
    ])
}

/// What was typed, or everything that is wrong with it.
fn wanted(values: &Values) -> Result<Wanted, Error> {
    let text = |name: &str| values.get(name).map_or("", String::as_str);
    let mut problems = Vec::new();
    let address = match text("endereco") {
        "" => Err(Rejection::Missing(domain::Field::Address)),
        text => ReceiverAddress::parse(text),
    };
    let address = collect(&mut problems, address);
    let entities: Vec<Entity> = text("entidades").split(',').filter_map(wire::entity_from).collect();
    if entities.is_empty() {
        problems.push(Rejection::NoEntity);
    }
    let lines = text("cabecalhos").lines().map(str::trim).filter(|line| !line.is_empty());
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(':').unwrap_or((line, "")))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    problems.extend(receivers::bad_headers(&headers));
    let concurrency = text("simultaneas").parse().ok().filter(|number| (1..=64).contains(number));
    let concurrency = collect(&mut problems, concurrency.ok_or(Rejection::BadConcurrency));
    match (address, concurrency, &problems[..]) {
        (Some(address), Some(concurrency), []) => Ok(Wanted { address, entities, headers, concurrency }),
        _ => Err(Error::Refused(problems)),
    }
}

/// `POST /console/gatilhos/novo`
pub async fn create(
    State(app): State<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    sent: Result<Form, Refusal>,
) -> Response {
    let values = match administered(&guest, sent) {
        Ok(sent) => typed(SPECS, &sent),
        Err(refusal) => return refusal.into_response(),
    };
    let made = match wanted(&values) {
        Ok(wanted) => {
            receivers::add(&app, &vault, by(&guest), wanted, Once::each_time()).await.and_then(Done::now)
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(added) => with_secret(&app, &guest, &vault, added.code, added.secret.expose().to_owned()).await,
        Err(Error::Refused(refused)) => form(&app, &guest, Shown { had: None, values, refused }).await,
        Err(error) => show::<Write>(&guest, Err(error)),
    }
}

async fn read(app: &App, guest: &Guest, vault: &Vault, code: i32) -> Result<Told, Error> {
    must_administer(guest.session())?;
    receivers::find(app, vault, guest.session().scope.tenant(), ReceiverCode::new(code)).await
}

/// `GET /console/gatilhos/{codigo}/alterar`
pub async fn edit(
    State(app): State<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
) -> Response {
    match read(&app, &guest, &vault, code).await {
        Ok(told) => {
            let values = in_form(&told);
            form(&app, &guest, Shown { had: Some(told), values, refused: Vec::new() }).await
        }
        Err(error) => show::<Write>(&guest, Err(error)),
    }
}

/// `POST /console/gatilhos/{codigo}/alterar`
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match administered(&guest, sent) {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let values = typed(SPECS, &sent);
    let changes = wanted(&values).map(|wanted| Changes {
        version: sent.text("versao").parse().unwrap_or_default(),
        address: Some(wanted.address),
        entities: Some(wanted.entities),
        // Nobody can read the values that there are: left empty, they stay.
        headers: (!wanted.headers.is_empty() || sent.text("semCabecalhos") == "sim")
            .then_some(wanted.headers),
        concurrency: Some(wanted.concurrency),
        active: None,
    });
    match apply(&app, &guest, &vault, code, changes).await {
        Ok(Some(secret)) => {
            let code = ReceiverCode::new(code);
            with_secret(&app, &guest, &vault, code, secret.expose().to_owned()).await
        }
        Ok(None) => {
            let mut response = redirect(&format!("{}/console/gatilhos/{code}", root(&app)));
            tell(&mut response, "As alterações foram salvas.");
            response
        }
        Err(Error::Refused(refused)) => match read(&app, &guest, &vault, code).await {
            Ok(told) => form(&app, &guest, Shown { had: Some(told), values, refused }).await,
            Err(error) => show::<Write>(&guest, Err(error)),
        },
        Err(error) => show::<Write>(&guest, Err(error)),
    }
}

/// Changes a receiver; gives the new secret where it leads to another server now.
async fn apply(
    app: &App,
    guest: &Guest,
    vault: &Vault,
    code: i32,
    changes: Result<Changes, Error>,
) -> Result<Option<SigningSecret>, Error> {
    let asked = (ReceiverCode::new(code), changes?);
    let done = receivers::change(app, vault, by(guest), asked, Once::each_time()).await?;
    Ok(done.now()?.secret)
}

/// `POST /console/gatilhos/{codigo}/ativo`
pub async fn set_active(
    State(app): State<App>,
    guest: Guest,
    Extension(vault): Extension<Vault>,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match administered(&guest, sent) {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let active = sent.text("ativo") == "sim";
    let changes = Changes {
        version: sent.text("versao").parse().unwrap_or_default(),
        address: None,
        entities: None,
        headers: None,
        concurrency: None,
        active: Some(active),
    };
    let said = match apply(&app, &guest, &vault, code, Ok(changes)).await {
        Ok(_) if active => "Em uso de novo: será avisado do que mudar a partir de agora.".to_owned(),
        Ok(_) => "Retirado: não é mais avisado de nada. Pode voltar a qualquer momento.".to_owned(),
        Err(Error::Refused(problems)) => problems.iter().map(told).collect::<Vec<_>>().join(" "),
        Err(error) => return show::<Write>(&guest, Err(error)),
    };
    let mut response = redirect(&format!("{}/console/gatilhos/{code}", root(&app)));
    tell(&mut response, &said);
    response
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/gatilho_form.html", |with| {
    let page = |conflict| {
        crate::rendered::text(&Write {
            frame: with.frame(),
            code: with.maybe(|| 7),
            title: with.text(),
            version: 3,
            inputs: with.inputs(),
            headers: with.text(),
            conflict,
            others: with.many(|| with.text()),
            is_refused: with.is_full(),
        })
    };
    [page(None), page(with.maybe(|| with.conflict()))].concat()
})];
