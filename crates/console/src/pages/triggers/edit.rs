//! Forms that create, change, deactivate and reactivate a receiver.

use super::receiver::render_page_with_secret;
use super::{build_actor, display};
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::derive_root_path;
use crate::pages::administration::require_administrator;
use crate::session::notice::{redirect_with_notice, redirect_with_outcome};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputKind, InputSpec, find_label};
use crate::widgets::form_problems::{FormProblems, describe_rejection};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page};
use crate::widgets::record_form::{build_inputs, read_form_values};
use crate::widgets::version_conflict::VersionConflict;
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::triggers::receivers::{
    self, DEFAULT_CONCURRENCY, ReceiverChangeRequest, RedactedReceiver, RequestedReceiver,
};
use app::{App, Error, Vault, collect_problem};
use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{Entity, ReceiverAddress, ReceiverCode, Rejection, SigningSecret};

const SPECS: &[InputSpec] = &[
    InputSpec {
        name: "endereco",
        label: "Endereço",
        kind: InputKind::Text,
        longest: ReceiverAddress::LONGEST,
        hint: "Como https://erp.exemplo.com.br/gatilhos. Cada entidade tem o seu caminho depois dele: …/beneficio, …/evento. Se você trocar o servidor, os cabeçalhos precisam ser digitados de novo e um segredo novo é mostrado.",
    },
    InputSpec {
        name: "simultaneas",
        label: "Entregas ao mesmo tempo",
        kind: InputKind::Number,
        longest: 2,
        hint: "De 1 a 64. Menos, se o sistema do outro lado se atrapalha com muitas.",
    },
    InputSpec {
        name: "entidades",
        label: "É avisado de mudanças em",
        kind: InputKind::Many,
        longest: 100,
        hint: "",
    },
    InputSpec {
        name: "cabecalhos",
        label: "Cabeçalhos próprios",
        kind: InputKind::Area,
        longest: 12_000,
        hint: "Só se o outro lado pede uma chave. Um por linha, como X-Api-Key: chave. Os valores são guardados cifrados e não são mostrados de novo.",
    },
];

#[derive(Template)]
#[template(path = "console/gatilho_form.html")]
struct EditReceiverPage {
    frame: PageFrame,
    /// `None` for a new receiver.
    code: Option<i32>,
    title: String,
    version: i64,
    inputs: Vec<FormInput>,
    /// Names of the stored headers.
    headers: String,
    conflict: Option<VersionConflict>,
    others: Vec<String>,
    is_refused: bool,
}

/// Form contents and their problems.
struct EditReceiverState {
    stored_receiver: Option<RedactedReceiver>,
    values: FormValues,
    rejections: Vec<Rejection>,
}

async fn render_receiver_form(
    app: &App,
    user: &SignedInUser,
    EditReceiverState { stored_receiver: existing, values, rejections }: EditReceiverState,
) -> HandlerResult {
    let frame = PageFrame::load(app, user, "gatilhos").await?;
    let conflict = VersionConflict::find_in_rejections(&rejections, |name| find_label(SPECS, name));
    let found = if conflict.is_some() { Vec::new() } else { wire::refusal::describe_rejections(&rejections) };
    let problems = FormProblems::new(found, SPECS);
    let (is_refused, status) = match rejections.is_empty() {
        true => (false, StatusCode::OK),
        false => (!problems.is_empty(), StatusCode::BAD_REQUEST),
    };
    let entities = |_: &str| {
        let all = Entity::ALL.iter();
        all.map(|one| (wire::entity_path(*one).to_owned(), display::label_entity(*one).to_owned())).collect()
    };
    let version = conflict.as_ref().map(|one| one.version);
    let template = EditReceiverPage {
        code: existing.as_ref().map(|redacted| redacted.receiver.code.get()),
        title: if existing.is_some() { "Alterar receptor" } else { "Novo receptor" }.to_owned(),
        version: version.or(existing.as_ref().map(|redacted| redacted.receiver.version)).unwrap_or(0),
        inputs: build_inputs(SPECS, &values, &problems, entities),
        headers: existing.map(|redacted| redacted.headers.join(", ")).unwrap_or_default(),
        conflict,
        others: problems.list_others(),
        is_refused,
        frame,
    };
    render_page(status, &template)
}

/// `GET /console/gatilhos/novo`
pub async fn show_new_receiver_form(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    require_administrator(user.session())?;
    let all: Vec<&str> = Entity::SITUATED.iter().map(|one| wire::entity_path(*one)).collect();
    let values =
        FormValues::from([("simultaneas", DEFAULT_CONCURRENCY.to_string()), ("entidades", all.join(","))]);
    render_receiver_form(
        &app,
        &user,
        EditReceiverState { stored_receiver: None, values, rejections: Vec::new() },
    )
    .await
}

fn fill_receiver_values(redacted: &RedactedReceiver) -> FormValues {
    let entities: Vec<&str> = redacted.receiver.entities.iter().map(|one| wire::entity_path(*one)).collect();
    FormValues::from([
        ("endereco", redacted.receiver.address.clone()),
        ("simultaneas", redacted.receiver.concurrency.to_string()),
        ("entidades", entities.join(",")),
    ])
}

/// Parses the form, or returns all its problems.
fn parse_receiver_input(values: &FormValues) -> Result<RequestedReceiver, Error> {
    let text = |name: &str| values.get(name).map_or("", String::as_str);
    let mut problems = Vec::new();
    let address = match text("endereco") {
        "" => Err(Rejection::Missing(domain::InputField::Address)),
        text => ReceiverAddress::parse(text),
    };
    let address = collect_problem(&mut problems, address);
    let entities: Vec<Entity> = text("entidades").split(',').filter_map(wire::parse_entity_path).collect();
    if entities.is_empty() {
        problems.push(Rejection::NoEntity);
    }
    let lines = text("cabecalhos").lines().map(str::trim).filter(|line| !line.is_empty());
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(':').unwrap_or((line, "")))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    problems.extend(domain::find_bad_headers(&headers));
    let concurrency = text("simultaneas").parse().ok().filter(|number| (1..=64).contains(number));
    let concurrency = collect_problem(&mut problems, concurrency.ok_or(Rejection::BadConcurrency));
    match (address, concurrency, &problems[..]) {
        (Some(address), Some(concurrency), []) => {
            Ok(RequestedReceiver { address, entities, headers, concurrency })
        }
        _ => Err(Error::Refused(problems)),
    }
}

/// `POST /console/gatilhos/novo`
pub async fn create_receiver(
    State(app): State<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let values = read_form_values(SPECS, &form);
    let created = match parse_receiver_input(&values) {
        Ok(requested) => receivers::create_receiver(
            &app,
            &vault,
            build_actor(&user),
            requested,
            IdempotentWrite::without_key(),
        )
        .await
        .and_then(WriteOutcome::into_fresh),
        Err(error) => Err(error),
    };
    match created {
        Ok(added) => {
            render_page_with_secret(&app, &user, &vault, added.code, added.secret.expose().to_owned()).await
        }
        Err(Error::Refused(rejections)) => {
            render_receiver_form(&app, &user, EditReceiverState { stored_receiver: None, values, rejections })
                .await
        }
        Err(error) => Err(error.into()),
    }
}

async fn load_receiver(
    app: &App,
    user: &SignedInUser,
    vault: &Vault,
    code: i32,
) -> Result<RedactedReceiver, Error> {
    require_administrator(user.session())?;
    receivers::read_receiver(app, vault, user.session().scope.tenant(), ReceiverCode::new(code)).await
}

/// `GET /console/gatilhos/{codigo}/alterar`
pub async fn show_edit_receiver_form(
    State(app): State<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let redacted = load_receiver(&app, &user, &vault, code).await?;
    let (values, rejections) = (fill_receiver_values(&redacted), Vec::new());
    render_receiver_form(
        &app,
        &user,
        EditReceiverState { stored_receiver: Some(redacted), values, rejections },
    )
    .await
}

/// `POST /console/gatilhos/{codigo}/alterar`
pub async fn change_receiver(
    State(app): State<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let values = read_form_values(SPECS, &form);
    let changes = parse_receiver_input(&values).map(|requested| ReceiverChangeRequest {
        version: form.text("versao").parse().unwrap_or_default(),
        address: Some(requested.address),
        entities: Some(requested.entities),
        // Stored header values are never shown: left empty, they stay.
        headers: (!requested.headers.is_empty() || form.text("semCabecalhos") == "sim")
            .then_some(requested.headers),
        concurrency: Some(requested.concurrency),
        active: None,
    });
    match apply_receiver_changes(&app, &user, &vault, code, changes).await {
        Ok(Some(secret)) => {
            let code = ReceiverCode::new(code);
            render_page_with_secret(&app, &user, &vault, code, secret.expose().to_owned()).await
        }
        Ok(None) => Ok(redirect_with_notice(
            &format!("{}/console/gatilhos/{code}", derive_root_path(&app)),
            "As alterações foram salvas.",
        )),
        Err(Error::Refused(rejections)) => {
            let stored_receiver = Some(load_receiver(&app, &user, &vault, code).await?);
            render_receiver_form(&app, &user, EditReceiverState { stored_receiver, values, rejections }).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the new secret if the address now leads to another server.
async fn apply_receiver_changes(
    app: &App,
    user: &SignedInUser,
    vault: &Vault,
    code: i32,
    changes: Result<ReceiverChangeRequest, Error>,
) -> Result<Option<SigningSecret>, Error> {
    let change = (ReceiverCode::new(code), changes?);
    let done =
        receivers::change_receiver(app, vault, build_actor(user), change, IdempotentWrite::without_key())
            .await?;
    Ok(done.into_fresh()?.secret)
}

/// `POST /console/gatilhos/{codigo}/ativo`
pub async fn set_receiver_active(
    State(app): State<App>,
    user: SignedInUser,
    Extension(vault): Extension<Vault>,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let active = form.read_yes_or_no("ativo")?;
    let changes = ReceiverChangeRequest {
        version: form.text("versao").parse().unwrap_or_default(),
        address: None,
        entities: None,
        headers: None,
        concurrency: None,
        active: Some(active),
    };
    let outcome = match apply_receiver_changes(&app, &user, &vault, code, Ok(changes)).await {
        Ok(_) if active => Ok("Em uso de novo: será avisado do que mudar a partir de agora.".to_owned()),
        Ok(_) => Ok("Retirado: não é mais avisado de nada. Pode voltar a qualquer momento.".to_owned()),
        Err(Error::Refused(problems)) => {
            Err(problems.iter().map(describe_rejection).collect::<Vec<_>>().join(" "))
        }
        Err(error) => return Err(error.into()),
    };
    Ok(redirect_with_outcome(&format!("{}/console/gatilhos/{code}", derive_root_path(&app)), outcome))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/gatilho_form.html", |with| {
    let page = |conflict| {
        crate::template_tests::render_template(&EditReceiverPage {
            frame: with.frame(),
            code: with.option_of(|| 7),
            title: with.text(),
            version: 3,
            inputs: with.inputs(),
            headers: with.text(),
            conflict,
            others: with.list_of(|| with.text()),
            is_refused: with.is_filled(),
        })
    };
    [page(None), page(with.option_of(|| with.conflict()))].concat()
})];
