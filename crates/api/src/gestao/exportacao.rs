//! `/gestao/exportacao/associado` and the other lists: one set of handlers, built for each from its description.

use crate::ServerState;
use crate::extract::{AuthenticatedCaller, RawQueryPairs};
use crate::failure::RequestFailure;
use crate::operation::{AllowedCallers, ApiOperation, DocsSection, SHEETS, get};
use axum::body::Body;
use axum::extract;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use exchange::export::{self, ExportableList, ListExport, ListExportError};
use futures_util::stream::poll_fn;
use std::sync::LazyLock;

/// The documentation of each list, built once.
struct ExportDescription {
    list: ExportableList,
    path: String,
    summary: String,
    text: String,
}

static TOLD: LazyLock<Vec<ExportDescription>> = LazyLock::new(|| {
    let describe = |list: ExportableList| {
        let columns: Vec<String> =
            list.headings().iter().map(|one| format!("`{}` ({})", one.name, one.title)).collect();
        ExportDescription {
            list,
            path: format!("/gestao/exportacao/{}", list.name),
            summary: format!("Exportar: {}", list.title.to_lowercase()),
            text: format!(
                "Todos os registros da lista que o usuário pode ver, com os filtros da própria lista, num arquivo só, sem páginas: \
                 CSV (UTF-8, ponto e vírgula, vírgula decimal, dd/mm/aaaa) ou XLSX. As linhas saem à medida que são lidas; quem \
                 para de ler interrompe a exportação. Cada exportação fica na auditoria. Colunas: {}.",
                columns.join(", ")
            ),
        }
    };
    export::list_exportable_lists().map(describe).collect()
});

pub fn list_export_operations() -> impl Iterator<Item = ApiOperation> {
    type S = extract::State<ServerState>;
    TOLD.iter().map(|description| {
        let list = description.list;
        let handler = move |state: S, caller: AuthenticatedCaller, pairs: RawQueryPairs| {
            export_list(list, state, caller, pairs)
        };
        get(&description.path, AllowedCallers::Roles(list.roles), handler)
            .describe(DocsSection::Export, &description.summary, &description.text)
            .with_query_fields(list.query_fields())
            .with_file_answer(SHEETS)
    })
}

async fn export_list(
    list: ExportableList,
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    RawQueryPairs(pairs): RawQueryPairs,
) -> Result<Response, RequestFailure> {
    match export::start_list_export(&state.app, &caller, list, pairs).await {
        Ok(export) => Ok(build_export_response(export)),
        Err(ListExportError::InvalidQuery(problems)) => Err(problems.into()),
        Err(ListExportError::App(error)) => Err(error.into()),
    }
}

/// A download that is streamed while it is generated.
fn build_export_response(export: ListExport) -> Response {
    let ListExport { file_name, content_type, mut bytes } = export;
    let mut response = Response::new(Body::from_stream(poll_fn(move |context| bytes.poll_recv(context))));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{file_name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    response
}
