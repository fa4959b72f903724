//! `/gestao/importacao`: files that are brought in, step by step.

use crate::State;
use crate::answer::{Answer, NO_STORE};
use crate::extract::{Caller, Code, Query};
use crate::failure::Failure;
use crate::upload::Upload;
use crate::write::Write;
use app::access::Session;
use app::base::registers;
use app::importing::{self, By, Import, Mapping};
use axum::body::Body;
use axum::extract;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::{BranchCode, ImportCode, ImportProblem, ImportState, Moment, Rejection, TimeZone};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use wire::read::{self, Between, Given};
use wire::records::{
    CampoImportacaoTO, ColunaTO, ColunasInput, DepoisDaLinhaQuery, ErroImportacaoTO, ImportacaoArquivoQuery,
    ImportacaoQuery, ImportacaoTO, InicioImportacaoInput, MantidoTO, Pagina,
};
use wire::sheet;

/// Problems that are told at once.
const AT_ONCE: usize = 1000;

/// `POST /gestao/importacao`
pub async fn receive(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<ImportacaoArquivoQuery>,
    upload: Upload,
) -> Result<Response, Failure> {
    let kind = sheet::kind_from(query.kind.as_str()).ok_or_else(|| {
        let told = "tipo: use associados, veiculos, dependentes, leads, planos ou vendedores.";
        Failure::Input(vec![told.to_owned()])
    })?;
    let by = By::of(&caller);
    by.must_import(kind)?;
    let most = state.http.import_mib;
    if upload.is_larger_than(most * 1024 * 1024) {
        return Err(app::Error::from(Rejection::Import(ImportProblem::TooLarge(most))).into());
    }
    let mut spool = importing::spool(most * 1024 * 1024)?;
    let mut sent = Sha256::new();
    let (keyed, mut pieces) = upload.begin(&state, most);
    while let Some(bytes) = pieces.next().await? {
        sent.update(&bytes);
        spool.write(&bytes)?;
    }
    let name = query.name.set().map_or_else(|| "arquivo".to_owned(), domain::Text::into_string);
    // What it is and what it is called count as part of what was sent.
    let digest =
        sent.chain_update([0]).chain_update(query.kind.as_str()).chain_update([0]).chain_update(&name);
    let act = async |once| Ok(importing::receive(&state.app, &by, kind, &name, spool, once).await?);
    let zone = registers(&state.app, caller.scope.tenant()).await?.zone.clone();
    let now = state.app.now();
    let told = move |import: &Import| record(&zone, import, now);
    keyed.answer(&state, (&caller, digest.finalize().into()), act, told).await
}

/// `GET /gestao/importacao`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<ImportacaoQuery>,
) -> Result<Answer<Pagina<ImportacaoTO>>, Failure> {
    let number = query.page.set().map_or(1, Between::get);
    let size = Pagina::<ImportacaoTO>::ITEMS;
    let offset = (i64::from(number) - 1) * size;
    let (found, total) = importing::page(&state.app, &By::of(&caller), (size, offset)).await?;
    let zone = &registers(&state.app, caller.scope.tenant()).await?.zone;
    let items = found.iter().map(|one| record(zone, one, state.app.now())).collect();
    Ok(Answer(Pagina::new(items, number, total)))
}

/// `GET /gestao/importacao/{codImportacao}`
pub async fn one(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ImportCode>,
) -> Result<Answer<ImportacaoTO>, Failure> {
    let import = importing::one(&state.app, &By::of(&caller), code.get()?).await?;
    let zone = &registers(&state.app, caller.scope.tenant()).await?.zone;
    Ok(Answer(record(zone, &import, state.app.now())))
}

/// `PUT /gestao/importacao/{codImportacao}/colunas`
pub async fn map(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ImportCode>,
    write: Write,
) -> Result<Response, Failure> {
    let (by, app) = (By::of(&caller), &state.app);
    let act = |(code, input): (ImportCode, ColunasInput), once| {
        let pair = |one: wire::records::ColunaInput| {
            let field = one.field.set().map(domain::Text::into_string).unwrap_or_default();
            (one.column.into_string(), field)
        };
        let columns = input.columns.into_iter().map(pair).collect();
        let mapping = Mapping { columns, branch: input.branch };
        let by = by.clone();
        async move { importing::map(app, &by, code, mapping, once).await }
    };
    let read = |body: &[u8]| code.and(read::body(body));
    let zone = registers(app, caller.scope.tenant()).await?.zone.clone();
    let now = app.now();
    write.answer(&state, &caller, read, act, move |import| record(&zone, import, now)).await
}

/// What is asked of an import by its address alone.
#[derive(Clone, Copy)]
pub enum Step {
    Check,
    Start,
    Pause,
    Resume,
    Undo,
}

/// `POST /gestao/importacao/{codImportacao}/conferir`, and its like
pub async fn step(
    step: Step,
    state: State,
    caller: Arc<Session>,
    code: Code<ImportCode>,
    write: Write,
) -> Result<Response, Failure> {
    let (by, app) = (&By::of(&caller), &state.app);
    let act = async |(code, input): (ImportCode, InicioImportacaoInput), once| match step {
        Step::Check => importing::check(app, by, code, once).await,
        Step::Start => {
            let triggers = matches!(input.triggers, Given::Set(true));
            importing::start(app, by, code, triggers, once).await
        }
        Step::Pause => importing::pause(app, by, code, once).await,
        Step::Resume => importing::resume(app, by, code, once).await,
        Step::Undo => importing::undo(app, by, code, once).await,
    };
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let zone = registers(app, caller.scope.tenant()).await?.zone.clone();
    let now = app.now();
    write.answer(&state, &caller, read, act, move |import| record(&zone, import, now)).await
}

/// `GET /gestao/importacao/{codImportacao}/erros`
pub async fn problems(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ImportCode>,
    Query(query): Query<DepoisDaLinhaQuery>,
) -> Result<Answer<Vec<ErroImportacaoTO>>, Failure> {
    let after = query.after.set().map_or(0, Between::get);
    let asked = (after, AT_ONCE as i64 + 1);
    let mut found = importing::problems(&state.app, &By::of(&caller), code.get()?, asked).await?;
    if let Some(next) = found.get(AT_ONCE).map(|one| one.line) {
        // Whole lines, for whoever asks on asks behind the last of them.
        let whole = found.partition_point(|one| one.line < next);
        found.truncate(if whole == 0 { AT_ONCE } else { whole });
    }
    let told = |one: importing::Problem| ErroImportacaoTO {
        linha: one.line,
        coluna: one.header,
        problema: one.text,
    };
    Ok(Answer(found.into_iter().map(told).collect()))
}

/// `GET /gestao/importacao/{codImportacao}/mantidos`
pub async fn kept(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ImportCode>,
    Query(query): Query<DepoisDaLinhaQuery>,
) -> Result<Answer<Vec<MantidoTO>>, Failure> {
    let after = query.after.set().map_or(0, Between::get);
    let found = importing::kept(&state.app, &By::of(&caller), code.get()?, (after, AT_ONCE as i64)).await?;
    let told = |one: importing::Kept| MantidoTO { linha: one.line, codigo: one.record, motivo: one.because };
    Ok(Answer(found.into_iter().map(told).collect()))
}

/// `GET /gestao/importacao/{codImportacao}/arquivoErros`
pub async fn error_file(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<ImportCode>,
) -> Result<Response, Failure> {
    let by = By::of(&caller);
    let import = importing::one(&state.app, &by, code.get()?).await?;
    let name = format!("attachment; filename=\"importacao-{}-erros.csv\"", import.code);
    let file = importing::error_file(&state.app, &by, &import).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (header::CACHE_CONTROL, NO_STORE),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).unwrap_or(NO_STORE)),
    ];
    Ok((headers, Body::from_stream(file.pieces)).into_response())
}

fn record(zone: &TimeZone, import: &Import, now: Moment) -> ImportacaoTO {
    let counts = &import.counts;
    let (done, _) = importing::progress(import);
    let column = |(header, field): (&String, &String)| ColunaTO {
        coluna: header.clone(),
        campo: (!field.is_empty()).then(|| field.clone()),
    };
    let field = |one: &sheet::Column| CampoImportacaoTO {
        campo: one.name,
        nome: one.label,
        obrigatorio: one.required,
    };
    ImportacaoTO {
        cod_importacao: import.code.get(),
        tipo: sheet::kind_name(import.kind),
        arquivo: import.file_name.clone(),
        estado: state_name(import.state),
        dispara_gatilhos: import.triggers,
        cod_loja: import.branch.map(BranchCode::get),
        linhas: import.total,
        feitas: done,
        criados: counts.created,
        alterados: counts.changed,
        sem_mudanca: counts.same,
        recusados: counts.refused,
        removidos: counts.removed,
        restaurados: counts.restored,
        mantidos: counts.kept,
        pode_desfazer: importing::may_undo(import, now),
        data_envio: import.created_at.to_offset_iso(zone),
        data_conclusao: import.finished_at.map(|at| at.to_offset_iso(zone)),
        colunas: import.headers.iter().zip(&import.mapping).map(column).collect(),
        campos_possiveis: sheet::columns(import.kind).iter().map(field).collect(),
    }
}

fn state_name(state: ImportState) -> &'static str {
    wire::import_state(state)
}
