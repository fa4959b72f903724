//! `/gestao/receptor`: receivers of situation-change triggers, for administrators.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, PathCode};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::register_snapshot::load_registers;
use app::session::Session;
use app::triggers;
use app::triggers::receivers::{
    self, ChangedReceiver, CreatedReceiver, DEFAULT_CONCURRENCY, PauseReason, ReceiverChangeRequest,
    RedactedReceiver, RequestedReceiver, TenantActor,
};
use axum::extract;
use axum::response::Response;
use domain::{Entity, InputField, ReceiverCode, Rejection, SigningSecret, TimeZone};
use wire::read::{self, FieldPatch};
use wire::records::{
    CabecalhoInput, MotivoInput, ReceptorAlteracaoInput, ReceptorCriadoTO, ReceptorInput, ReceptorTO,
    SegredoTO, TesteReceptorInput, TesteReceptorTO,
};

fn build_actor(caller: &Session) -> TenantActor {
    TenantActor { tenant: caller.scope.tenant(), user: Some(caller.user) }
}

/// `GET /gestao/receptor`
pub async fn list_receivers(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
) -> Result<JsonAnswer<Vec<ReceptorTO>>, RequestFailure> {
    let tenant = caller.scope.tenant();
    let zone = &load_registers(&state.app, tenant).await?.zone;
    let all = receivers::list_receivers(&state.app, &state.vault, tenant).await?;
    Ok(JsonAnswer(all.iter().map(|receiver| render_receiver(zone, receiver)).collect()))
}

/// `GET /gestao/receptor/{codReceptor}`
pub async fn show_receiver(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ReceiverCode>,
) -> Result<JsonAnswer<ReceptorTO>, RequestFailure> {
    let tenant = caller.scope.tenant();
    let zone = &load_registers(&state.app, tenant).await?.zone;
    Ok(JsonAnswer(render_receiver(
        zone,
        &receivers::read_receiver(&state.app, &state.vault, tenant, code.get()?).await?,
    )))
}

/// `POST /gestao/receptor`
pub async fn create_receiver(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let zone = load_registers(&state.app, caller.scope.tenant()).await?.zone.clone();
    let act = |input: ReceptorInput, once| async {
        let requested = convert_new_receiver(input)?;
        receivers::create_receiver(&state.app, &state.vault, build_actor(&caller), requested, once).await
    };
    let (answer_zone, stored_zone) = (zone.clone(), zone);
    let render_answer =
        move |added: &CreatedReceiver| render_created_receiver(&answer_zone, added, Some(&added.secret));
    let render_stored = move |added: &CreatedReceiver| render_created_receiver(&stored_zone, added, None);
    write.answer_secret(&state, &caller, read::read_body, act, (render_answer, render_stored)).await
}

fn render_created_receiver(
    zone: &TimeZone,
    added: &CreatedReceiver,
    secret: Option<&SigningSecret>,
) -> ReceptorCriadoTO {
    ReceptorCriadoTO {
        segredo: secret.map(|secret| secret.expose().to_owned()),
        receptor: render_receiver(zone, &added.receiver),
    }
}

fn convert_new_receiver(input: ReceptorInput) -> Result<RequestedReceiver, app::Error> {
    let mut problems = Vec::new();
    let address = input.address.into_set();
    if address.is_none() {
        problems.push(Rejection::Missing(InputField::Address));
    }
    let entities = match input.entities {
        FieldPatch::Set(names) => parse_entities(&names, &mut problems),
        FieldPatch::Keep | FieldPatch::Clear => {
            problems.push(Rejection::NoEntity);
            Vec::new()
        }
    };
    let headers = convert_headers(input.headers.into_set().unwrap_or_default());
    problems.extend(domain::find_bad_headers(&headers));
    match (address, &problems[..]) {
        (Some(address), []) => Ok(RequestedReceiver {
            address,
            entities,
            headers,
            concurrency: input.concurrency.into_set().map_or(DEFAULT_CONCURRENCY, read::BoundedInt::get),
        }),
        _ => Err(app::Error::Refused(problems)),
    }
}

fn parse_entities(names: &[String], problems: &mut Vec<Rejection>) -> Vec<Entity> {
    if names.is_empty() {
        problems.push(Rejection::NoEntity);
    }
    let mut known = Vec::new();
    for name in names {
        match wire::parse_entity_path(name) {
            Some(entity) => known.push(entity),
            None if name == "todos" => known.extend(Entity::SITUATED),
            None => problems.push(Rejection::UnknownEntity(name.chars().take(100).collect())),
        }
    }
    known
}

fn convert_headers(input: Vec<CabecalhoInput>) -> Vec<(String, String)> {
    input.into_iter().map(|one| (one.name.as_str().to_owned(), one.value.expose().to_owned())).collect()
}

/// `PUT /gestao/receptor/{codReceptor}`
pub async fn change_receiver(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ReceiverCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let zone = load_registers(&state.app, caller.scope.tenant()).await?.zone.clone();
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let (app, vault, actor) = (&state.app, &state.vault, build_actor(&caller));
    let act = |(code, input): (ReceiverCode, ReceptorAlteracaoInput), once| async move {
        receivers::change_receiver(app, vault, actor, (code, convert_receiver_changes(input)?), once).await
    };
    let (answer_zone, stored_zone) = (zone.clone(), zone);
    let render_answer = move |changed: &ChangedReceiver| ReceptorTO {
        novo_segredo: changed.secret.as_ref().map(|secret| secret.expose().to_owned()),
        ..render_receiver(&answer_zone, &changed.receiver)
    };
    let render_stored = move |changed: &ChangedReceiver| render_receiver(&stored_zone, &changed.receiver);
    write.answer_secret(&state, &caller, read, act, (render_answer, render_stored)).await
}

fn convert_receiver_changes(input: ReceptorAlteracaoInput) -> Result<ReceiverChangeRequest, app::Error> {
    let mut problems = Vec::new();
    let entities = input.entities.into_set().map(|names| parse_entities(&names, &mut problems));
    let headers = match input.headers {
        FieldPatch::Set(headers) => Some(convert_headers(headers)),
        FieldPatch::Clear => Some(Vec::new()),
        FieldPatch::Keep => None,
    };
    problems.extend(domain::find_bad_headers(headers.as_deref().unwrap_or_default()));
    if !problems.is_empty() {
        return Err(app::Error::Refused(problems));
    }
    Ok(ReceiverChangeRequest {
        version: input.version.get().into(),
        address: input.address.into_set(),
        entities,
        headers,
        concurrency: input.concurrency.into_set().map(read::BoundedInt::get),
        active: input.active.into_set(),
    })
}

/// `POST /gestao/receptor/{codReceptor}/pausar`
pub async fn pause_receiver(
    state: extract::State<ServerState>,
    caller: AuthenticatedCaller,
    code: PathCode<ReceiverCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    set_receiver_paused(state, caller, code, write, true).await
}

/// `POST /gestao/receptor/{codReceptor}/retomar`
pub async fn resume_receiver(
    state: extract::State<ServerState>,
    caller: AuthenticatedCaller,
    code: PathCode<ReceiverCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    set_receiver_paused(state, caller, code, write, false).await
}

async fn set_receiver_paused(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ReceiverCode>,
    write: IncomingWrite,
    paused: bool,
) -> Result<Response, RequestFailure> {
    let zone = load_registers(&state.app, caller.scope.tenant()).await?.zone.clone();
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (ReceiverCode, MotivoInput), once| {
        let reason = input.reason.into_set().map(|reason| reason.as_str().to_owned());
        receivers::pause_or_resume_receiver(
            &state.app,
            &state.vault,
            build_actor(&caller),
            (code, paused, reason),
            once,
        )
    };
    write
        .answer(&state, &caller, read, act, move |receiver: &RedactedReceiver| {
            render_receiver(&zone, receiver)
        })
        .await
}

/// `POST /gestao/receptor/{codReceptor}/segredo`
pub async fn rotate_receiver_secret(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ReceiverCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (ReceiverCode, MotivoInput), once| {
        let reason = input.reason.into_set().map(|reason| reason.as_str().to_owned());
        receivers::rotate_secret(&state.app, &state.vault, build_actor(&caller), (code, reason), once)
    };
    let render_answer = |secret: &SigningSecret| SegredoTO { segredo: Some(secret.expose().to_owned()) };
    write
        .answer_secret(
            &state,
            &caller,
            read,
            act,
            (render_answer, |_: &SigningSecret| SegredoTO { segredo: None }),
        )
        .await
}

/// `POST /gestao/receptor/{codReceptor}/teste`
pub async fn test_receiver(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ReceiverCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (ReceiverCode, TesteReceptorInput), once| {
        triggers::send_test_message(
            &state.app,
            &state.vault,
            build_actor(&caller),
            (code, input.entity.into_set()),
            once,
        )
    };
    write.answer(&state, &caller, read, act, render_test_outcome).await
}

fn render_test_outcome(outcome: &Result<triggers::ReceiverAnswer, String>) -> TesteReceptorTO {
    match outcome {
        Ok(answer) => TesteReceptorTO {
            aceito: answer.is_accepted(),
            status: Some(answer.status),
            resposta: answer.text.clone(),
            erro: None,
        },
        Err(why) => TesteReceptorTO { aceito: false, status: None, resposta: None, erro: Some(why.clone()) },
    }
}

fn render_receiver(zone: &TimeZone, redacted: &RedactedReceiver) -> ReceptorTO {
    let (one, health) = (&redacted.receiver, &redacted.receiver.health);
    let moment = |at: Option<domain::Moment>| at.map(|at| at.to_offset_iso(zone));
    ReceptorTO {
        cod_receptor: one.code.get(),
        endereco: one.address.clone(),
        entidades: one.entities.iter().map(|entity| wire::entity_path(*entity)).collect(),
        cabecalhos: redacted.headers.clone(),
        simultaneas: one.concurrency,
        ativo: one.active,
        pausado: one.paused.is_some(),
        motivo_pausa: one.paused.map(|(_, why)| match why {
            PauseReason::ByHand => "manual",
            PauseReason::Gone => "o receptor respondeu 410",
            PauseReason::Failing => "só falhas por dias",
        }),
        falhas_seguidas: health.failures,
        falhando_desde: moment(health.failing_since),
        ultima_tentativa: moment(health.tried_at),
        ultima_entrega: moment(health.succeeded_at),
        data_cadastro: one.created_at.to_offset_iso(zone),
        versao: one.version,
        novo_segredo: None,
    }
}
