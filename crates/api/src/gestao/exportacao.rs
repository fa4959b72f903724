//! `/gestao/exportacao/associado` and so on for every list: one set of handlers, made for each from its description.

use crate::State;
use crate::extract::{Caller, Pairs};
use crate::failure::Failure;
use crate::operation::{Access, Operation, SHEETS, Section, get};
use app::sheets::{self, Export, List, SheetError};
use axum::body::Body;
use axum::extract;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::stream::poll_fn;
use std::sync::LazyLock;

/// What is told of each list, made once.
struct Told {
    list: List,
    path: String,
    summary: String,
    text: String,
}

static TOLD: LazyLock<Vec<Told>> = LazyLock::new(|| {
    let told = |list: List| {
        let columns: Vec<String> =
            list.headings().iter().map(|one| format!("`{}` ({})", one.name, one.title)).collect();
        Told {
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
    sheets::lists().map(told).collect()
});

pub fn operations() -> impl Iterator<Item = Operation> {
    type S = extract::State<State>;
    TOLD.iter().map(|told| {
        let list = told.list;
        let handler = move |state: S, caller: Caller, pairs: Pairs| export(list, state, caller, pairs);
        get(&told.path, Access::Roles(list.roles), handler)
            .told(Section::Export, &told.summary, &told.text)
            .asks_for(list.query_fields())
            .answers_file(SHEETS)
    })
}

async fn export(
    list: List,
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Pairs(pairs): Pairs,
) -> Result<Response, Failure> {
    match sheets::open(&state.app, &caller, list, pairs).await {
        Ok(export) => Ok(file(export)),
        Err(SheetError::Unread(problems)) => Err(problems.into()),
        Err(SheetError::App(error)) => Err(error.into()),
    }
}

/// A file that is saved, not shown, and leaves as it is made.
fn file(export: Export) -> Response {
    let Export { file_name, content_type, mut bytes } = export;
    let mut response = Response::new(Body::from_stream(poll_fn(move |context| bytes.poll_recv(context))));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{file_name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    response
}
