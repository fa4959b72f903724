//! `/gestao/receptor`: who is told of changes of situation, for administrators.

use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Code};
use crate::failure::Failure;
use crate::write::Write;
use app::access::Session;
use app::base::registers;
use app::receivers::{self, AT_ONCE, Added, By, ChangedReceiver, Changes, Told, Wanted, Why};
use app::triggers;
use axum::extract;
use axum::response::Response;
use domain::{Entity, Field, ReceiverCode, Rejection, SigningSecret, TimeZone};
use wire::read::{self, Given};
use wire::records::{
    CabecalhoInput, MotivoInput, ReceptorAlteracaoInput, ReceptorCriadoTO, ReceptorInput, ReceptorTO,
    SegredoTO, TesteReceptorInput, TesteReceptorTO,
};

fn by(caller: &Session) -> By {
    By { tenant: caller.scope.tenant(), user: Some(caller.user) }
}

/// `GET /gestao/receptor`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
) -> Result<Answer<Vec<ReceptorTO>>, Failure> {
    let tenant = caller.scope.tenant();
    let zone = &registers(&state.app, tenant).await?.zone;
    let all = receivers::all(&state.app, &state.vault, tenant).await?;
    Ok(Answer(all.iter().map(|told| record(zone, told)).collect()))
}

/// `GET /gestao/receptor/{codReceptor}`
pub async fn one(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ReceiverCode>,
) -> Result<Answer<ReceptorTO>, Failure> {
    let tenant = caller.scope.tenant();
    let zone = &registers(&state.app, tenant).await?.zone;
    Ok(Answer(record(zone, &receivers::find(&state.app, &state.vault, tenant, code.get()?).await?)))
}

/// `POST /gestao/receptor`
pub async fn create(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let zone = registers(&state.app, caller.scope.tenant()).await?.zone.clone();
    let act = |input: ReceptorInput, once| async {
        let wanted = wanted(input)?;
        receivers::add(&state.app, &state.vault, by(&caller), wanted, once).await
    };
    let (shown, kept) = (zone.clone(), zone);
    let shown = move |added: &Added| created(&shown, added, Some(&added.secret));
    let kept = move |added: &Added| created(&kept, added, None);
    write.answer_secret(&state, &caller, read::body, act, (shown, kept)).await
}

fn created(zone: &TimeZone, added: &Added, secret: Option<&SigningSecret>) -> ReceptorCriadoTO {
    ReceptorCriadoTO {
        segredo: secret.map(|secret| secret.expose().to_owned()),
        receptor: record(zone, &added.receiver),
    }
}

fn wanted(input: ReceptorInput) -> Result<Wanted, app::Error> {
    let mut problems = Vec::new();
    let address = input.address.set();
    if address.is_none() {
        problems.push(Rejection::Missing(Field::Address));
    }
    let entities = match input.entities {
        Given::Set(names) => entities(&names, &mut problems),
        Given::Keep | Given::Clear => {
            problems.push(Rejection::NoEntity);
            Vec::new()
        }
    };
    let headers = headers(input.headers.set().unwrap_or_default());
    problems.extend(receivers::bad_headers(&headers));
    match (address, &problems[..]) {
        (Some(address), []) => Ok(Wanted {
            address,
            entities,
            headers,
            concurrency: input.concurrency.set().map_or(AT_ONCE, read::Between::get),
        }),
        _ => Err(app::Error::Refused(problems)),
    }
}

fn entities(names: &[String], problems: &mut Vec<Rejection>) -> Vec<Entity> {
    if names.iter().any(|name| name == "todos") {
        return Entity::ALL.to_vec();
    }
    if names.is_empty() {
        problems.push(Rejection::NoEntity);
    }
    let mut known = Vec::new();
    for name in names {
        match wire::entity_from(name) {
            Some(entity) => known.push(entity),
            None => problems.push(Rejection::UnknownEntity(name.chars().take(100).collect())),
        }
    }
    known
}

fn headers(given: Vec<CabecalhoInput>) -> Vec<(String, String)> {
    given.into_iter().map(|one| (one.name.as_str().to_owned(), one.value.expose().to_owned())).collect()
}

/// `PUT /gestao/receptor/{codReceptor}`
pub async fn change(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ReceiverCode>,
    write: Write,
) -> Result<Response, Failure> {
    let zone = registers(&state.app, caller.scope.tenant()).await?.zone.clone();
    let read = |body: &[u8]| code.and(read::body(body));
    let (app, vault, by) = (&state.app, &state.vault, by(&caller));
    let act = |(code, input): (ReceiverCode, ReceptorAlteracaoInput), once| async move {
        receivers::change(app, vault, by, (code, changes(input)?), once).await
    };
    let (shown, kept) = (zone.clone(), zone);
    let shown = move |changed: &ChangedReceiver| ReceptorTO {
        novo_segredo: changed.secret.as_ref().map(|secret| secret.expose().to_owned()),
        ..record(&shown, &changed.receiver)
    };
    let kept = move |changed: &ChangedReceiver| record(&kept, &changed.receiver);
    write.answer_secret(&state, &caller, read, act, (shown, kept)).await
}

fn changes(input: ReceptorAlteracaoInput) -> Result<Changes, app::Error> {
    let mut problems = Vec::new();
    let entities = input.entities.set().map(|names| entities(&names, &mut problems));
    let headers = match input.headers {
        Given::Set(given) => Some(headers(given)),
        Given::Clear => Some(Vec::new()),
        Given::Keep => None,
    };
    problems.extend(receivers::bad_headers(headers.as_deref().unwrap_or_default()));
    if !problems.is_empty() {
        return Err(app::Error::Refused(problems));
    }
    Ok(Changes {
        version: input.version.get().into(),
        address: input.address.set(),
        entities,
        headers,
        concurrency: input.concurrency.set().map(read::Between::get),
        active: input.active.set(),
    })
}

/// `POST /gestao/receptor/{codReceptor}/pausar`
pub async fn pause(
    state: extract::State<State>,
    caller: Caller,
    code: Code<ReceiverCode>,
    write: Write,
) -> Result<Response, Failure> {
    set_paused(state, caller, code, write, true).await
}

/// `POST /gestao/receptor/{codReceptor}/retomar`
pub async fn resume(
    state: extract::State<State>,
    caller: Caller,
    code: Code<ReceiverCode>,
    write: Write,
) -> Result<Response, Failure> {
    set_paused(state, caller, code, write, false).await
}

async fn set_paused(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ReceiverCode>,
    write: Write,
    paused: bool,
) -> Result<Response, Failure> {
    let zone = registers(&state.app, caller.scope.tenant()).await?.zone.clone();
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (ReceiverCode, MotivoInput), once| {
        let reason = input.reason.set().map(|reason| reason.as_str().to_owned());
        receivers::pause(&state.app, &state.vault, by(&caller), (code, paused, reason), once)
    };
    write.answer(&state, &caller, read, act, move |told: &Told| record(&zone, told)).await
}

/// `POST /gestao/receptor/{codReceptor}/segredo`
pub async fn rotate(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ReceiverCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (ReceiverCode, MotivoInput), once| {
        let reason = input.reason.set().map(|reason| reason.as_str().to_owned());
        receivers::rotate(&state.app, &state.vault, by(&caller), (code, reason), once)
    };
    let shown = |secret: &SigningSecret| SegredoTO { segredo: Some(secret.expose().to_owned()) };
    write
        .answer_secret(&state, &caller, read, act, (shown, |_: &SigningSecret| SegredoTO { segredo: None }))
        .await
}

/// `POST /gestao/receptor/{codReceptor}/teste`
pub async fn test(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ReceiverCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (ReceiverCode, TesteReceptorInput), once| {
        triggers::try_out(&state.app, &state.vault, by(&caller), (code, input.entity.set()), once)
    };
    write.answer(&state, &caller, read, act, tried).await
}

fn tried(sent: &Result<triggers::Answer, String>) -> TesteReceptorTO {
    match sent {
        Ok(answer) => TesteReceptorTO {
            aceito: answer.is_taken(),
            status: Some(answer.status),
            resposta: answer.text.clone(),
            erro: None,
        },
        Err(why) => TesteReceptorTO { aceito: false, status: None, resposta: None, erro: Some(why.clone()) },
    }
}

fn record(zone: &TimeZone, told: &Told) -> ReceptorTO {
    let (one, health) = (&told.receiver, &told.receiver.health);
    let moment = |at: Option<domain::Moment>| at.map(|at| at.to_offset_iso(zone));
    ReceptorTO {
        cod_receptor: one.code.get(),
        endereco: one.address.clone(),
        entidades: one.entities.iter().map(|entity| wire::entity_path(*entity)).collect(),
        cabecalhos: told.headers.clone(),
        simultaneas: one.concurrency,
        ativo: one.active,
        pausado: one.paused.is_some(),
        motivo_pausa: one.paused.map(|(_, why)| match why {
            Why::ByHand => "manual",
            Why::Gone => "o receptor respondeu 410",
            Why::Failing => "só falhas por dias",
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
