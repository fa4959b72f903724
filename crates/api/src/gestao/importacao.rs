//! `/gestao/importacao`: file imports, step by step.

use crate::ServerState;
use crate::answer::{JsonAnswer, NO_STORE};
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::upload::StreamedUpload;
use crate::write::IncomingWrite;
use app::register_snapshot::load_registers;
use app::session::Session;
use axum::body::Body;
use axum::extract;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::{BranchCode, ImportCode, ImportProblem, ImportState, Moment, Rejection, TimeZone};
use exchange::import::{self, ColumnMapping, ImportCaller, StoredImportRun};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use wire::import_sheet;
use wire::read::{self, BoundedInt, FieldPatch};
use wire::records::{
    CampoImportacaoTO, ColunaTO, ColunasInput, DepoisDaLinhaQuery, ErroImportacaoTO, ImportacaoArquivoQuery,
    ImportacaoQuery, ImportacaoTO, InicioImportacaoInput, ListPage, MantidoTO,
};

/// Problems per answer.
const LINES_PER_PAGE: usize = 1000;

/// `POST /gestao/importacao`
pub async fn receive_import_file(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<ImportacaoArquivoQuery>,
    upload: StreamedUpload,
) -> Result<Response, RequestFailure> {
    let kind = import_sheet::parse_import_kind(query.kind.as_str()).ok_or_else(|| {
        RequestFailure::Input(vec![format!("tipo: use {}.", import_sheet::join_import_kinds())])
    })?;
    let importer = ImportCaller::from_session(&caller);
    importer.authorize_import(kind)?;
    let most = state.app.import_mib;
    if upload.is_larger_than(most * 1024 * 1024) {
        return Err(app::Error::from(Rejection::Import(ImportProblem::TooLarge(most))).into());
    }
    let mut spool = import::create_upload_spool(most * 1024 * 1024)?;
    let mut hasher = Sha256::new();
    let (keyed, mut pieces) = upload.begin_reading(&state, most);
    while let Some(bytes) = pieces.next().await? {
        hasher.update(&bytes);
        spool.write(&bytes)?;
    }
    let name = query.name.into_set().map_or_else(|| "arquivo".to_owned(), domain::BoundedText::into_string);
    // The kind and the name are part of the request's digest.
    let digest =
        hasher.chain_update([0]).chain_update(query.kind.as_str()).chain_update([0]).chain_update(&name);
    let act = async |once| Ok(import::receive_upload(&state.app, &importer, kind, &name, spool, once).await?);
    let zone = load_registers(&state.app, caller.scope.tenant()).await?.zone.clone();
    let now = state.app.now();
    let render = move |import: &StoredImportRun| render_import_run(&zone, import, now);
    keyed.answer(&state, (&caller, digest.finalize().into()), act, render).await
}

/// `GET /gestao/importacao`
pub async fn list_import_runs(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<ImportacaoQuery>,
) -> Result<JsonAnswer<ListPage<ImportacaoTO>>, RequestFailure> {
    let number = query.page.into_set().map_or(1, BoundedInt::get);
    let size = ListPage::<ImportacaoTO>::ITEMS;
    let offset = (i64::from(number) - 1) * size;
    let (found, total) =
        import::list_imports(&state.app, &ImportCaller::from_session(&caller), (size, offset)).await?;
    let zone = &load_registers(&state.app, caller.scope.tenant()).await?.zone;
    let items = found.iter().map(|one| render_import_run(zone, one, state.app.now())).collect();
    Ok(JsonAnswer(ListPage::new(items, number, total)))
}

/// `GET /gestao/importacao/{codImportacao}`
pub async fn show_import_run(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ImportCode>,
) -> Result<JsonAnswer<ImportacaoTO>, RequestFailure> {
    let import = import::load_import(&state.app, &ImportCaller::from_session(&caller), code.get()?).await?;
    let zone = &load_registers(&state.app, caller.scope.tenant()).await?.zone;
    Ok(JsonAnswer(render_import_run(zone, &import, state.app.now())))
}

/// `PUT /gestao/importacao/{codImportacao}/colunas`
pub async fn map_import_columns(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ImportCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let (importer, app) = (ImportCaller::from_session(&caller), &state.app);
    let act = |(code, input): (ImportCode, ColunasInput), once| {
        let pair = |one: wire::records::ColunaInput| {
            let field = one.field.into_set().map(domain::BoundedText::into_string).unwrap_or_default();
            (one.column.into_string(), field)
        };
        let columns = input.columns.into_iter().map(pair).collect();
        let mapping = ColumnMapping { columns, branch: input.branch };
        let importer = importer.clone();
        async move { import::map_import_columns(app, &importer, code, mapping, once).await }
    };
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let zone = load_registers(app, caller.scope.tenant()).await?.zone.clone();
    let now = app.now();
    write.answer(&state, &caller, read, act, move |import| render_import_run(&zone, import, now)).await
}

/// A step of an import that takes no body.
#[derive(Clone, Copy)]
pub enum ImportStep {
    Check,
    Start,
    Pause,
    Resume,
    Undo,
}

/// `POST /gestao/importacao/{codImportacao}/conferir` and the other steps
pub async fn run_import_step(
    step: ImportStep,
    state: ServerState,
    caller: Arc<Session>,
    code: PathCode<ImportCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let (importer, app) = (&ImportCaller::from_session(&caller), &state.app);
    let act = async |(code, input): (ImportCode, InicioImportacaoInput), once| match step {
        ImportStep::Check => import::start_dry_run(app, importer, code, once).await,
        ImportStep::Start => {
            let triggers = matches!(input.triggers, FieldPatch::Set(true));
            import::start_import(app, importer, code, triggers, once).await
        }
        ImportStep::Pause => import::pause_import(app, importer, code, once).await,
        ImportStep::Resume => import::resume_import(app, importer, code, once).await,
        ImportStep::Undo => import::undo_import(app, importer, code, once).await,
    };
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let zone = load_registers(app, caller.scope.tenant()).await?.zone.clone();
    let now = app.now();
    write.answer(&state, &caller, read, act, move |import| render_import_run(&zone, import, now)).await
}

/// `GET /gestao/importacao/{codImportacao}/erros`
pub async fn list_import_problems(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ImportCode>,
    QueryRecord(query): QueryRecord<DepoisDaLinhaQuery>,
) -> Result<JsonAnswer<Vec<ErroImportacaoTO>>, RequestFailure> {
    let after = query.after.into_set().map_or(0, BoundedInt::get);
    let range = (after, LINES_PER_PAGE as i64 + 1);
    let mut found =
        import::list_import_problems(&state.app, &ImportCaller::from_session(&caller), code.get()?, range)
            .await?;
    if let Some(next) = found.get(LINES_PER_PAGE).map(|one| one.line) {
        // Ends the page at a line boundary, because the next page starts after its last line.
        let complete = found.partition_point(|one| one.line < next);
        found.truncate(if complete == 0 { LINES_PER_PAGE } else { complete });
    }
    let render = |one: import::StoredLineProblem| ErroImportacaoTO {
        linha: one.line,
        coluna: one.header,
        problema: one.text,
    };
    Ok(JsonAnswer(found.into_iter().map(render).collect()))
}

/// `GET /gestao/importacao/{codImportacao}/mantidos`
pub async fn list_kept_records(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ImportCode>,
    QueryRecord(query): QueryRecord<DepoisDaLinhaQuery>,
) -> Result<JsonAnswer<Vec<MantidoTO>>, RequestFailure> {
    let after = query.after.into_set().map_or(0, BoundedInt::get);
    let found = import::list_kept_rows(
        &state.app,
        &ImportCaller::from_session(&caller),
        code.get()?,
        (after, LINES_PER_PAGE as i64),
    )
    .await?;
    let render =
        |one: import::KeptRecord| MantidoTO { linha: one.line, codigo: one.record, motivo: one.because };
    Ok(JsonAnswer(found.into_iter().map(render).collect()))
}

/// `GET /gestao/importacao/{codImportacao}/arquivoErros`
pub async fn download_error_file(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<ImportCode>,
) -> Result<Response, RequestFailure> {
    let importer = ImportCaller::from_session(&caller);
    let import = import::load_import(&state.app, &importer, code.get()?).await?;
    let name = format!("attachment; filename=\"importacao-{}-erros.csv\"", import.code);
    let file = import::open_error_file(&state.app, &importer, &import).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (header::CACHE_CONTROL, NO_STORE),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).unwrap_or(NO_STORE)),
    ];
    Ok((headers, Body::from_stream(file.pieces)).into_response())
}

fn render_import_run(zone: &TimeZone, import: &StoredImportRun, now: Moment) -> ImportacaoTO {
    let counts = &import.counts;
    let (done, _) = import::measure_progress(import);
    let column = |(header, field): (&String, &String)| ColunaTO {
        coluna: header.clone(),
        campo: (!field.is_empty()).then(|| field.clone()),
    };
    let field = |one: &import_sheet::ImportField| CampoImportacaoTO {
        campo: one.name,
        nome: one.label,
        obrigatorio: one.required,
    };
    ImportacaoTO {
        cod_importacao: import.code.get(),
        tipo: import_sheet::name_import_kind(import.kind),
        arquivo: import.file_name.clone(),
        estado: find_import_state_name(import.state),
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
        pode_desfazer: import::may_undo_import(import, now),
        data_envio: import.created_at.to_offset_iso(zone),
        data_conclusao: import.finished_at.map(|at| at.to_offset_iso(zone)),
        colunas: import.headers.iter().zip(&import.mapping).map(column).collect(),
        campos_possiveis: import_sheet::list_import_fields(import.kind).iter().map(field).collect(),
    }
}

fn find_import_state_name(state: ImportState) -> &'static str {
    wire::import_state(state)
}
