//! `/console/exportar/{lista}`: a filtered list as a spreadsheet file, and the links to it.

use crate::routes::{PageRoute, routes};
use crate::session::visitor::{QueryParams, SignedInUser};
use crate::widgets::page::{HandlerResult, Refusal};
use app::App;
use axum::body::Body;
use axum::extract::{RawPathParams, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use exchange::export::{self, ListExport, ListExportError};
use futures_util::stream::poll_fn;

pub fn list_export_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/exportar/{lista}" SignedIn export_list;
    }
}

#[derive(Clone, Default)]
pub struct ExportLinks {
    pub csv: String,
    pub xlsx: String,
}

impl ExportLinks {
    /// `filters` use the API's names; empty values are dropped.
    pub fn new<'q>(
        root: &str,
        list: &str,
        filters: impl IntoIterator<Item = (&'q str, &'q str)>,
    ) -> ExportLinks {
        let filters: Vec<(&str, &str)> =
            filters.into_iter().filter(|(name, text)| !text.is_empty() && *name != "pagina").collect();
        let link = |format: &str| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("formato", format).extend_pairs(&filters);
            format!("{root}/console/exportar/{list}?{}", query.finish())
        };
        ExportLinks { csv: link("csv"), xlsx: link("xlsx") }
    }
}

/// Borrows owned filters for `ExportLinks::new`.
pub fn borrow_pairs(all: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    all.iter().map(|(name, text)| (name.as_str(), text.as_str()))
}

async fn export_list(
    State(app): State<App>,
    user: SignedInUser,
    path: RawPathParams,
    query: QueryParams,
) -> HandlerResult {
    let name = path.iter().find(|(known, _)| *known == "lista").map_or("", |(_, value)| value);
    let list = export::find_list_by_name(name).ok_or(Refusal::NotThere)?;
    match export::start_list_export(&app, user.session(), list, query.pairs()).await {
        Ok(export) => Ok(stream_export_file(export)),
        Err(ListExportError::InvalidQuery(problems)) => {
            Ok(respond_filter_problems(problems.into_lines().join("\n")))
        }
        Err(ListExportError::App(app::Error::Refused(rejections))) => {
            Ok(respond_filter_problems(wire::refusal::render_rejections(&rejections)))
        }
        Err(ListExportError::App(error)) => Err(error.into()),
    }
}

/// Answers invalid filters that the linking page did not catch.
fn respond_filter_problems(words: String) -> Response {
    (StatusCode::BAD_REQUEST, words).into_response()
}

/// Streams the file as a download while it is generated.
fn stream_export_file(export: ListExport) -> Response {
    let ListExport { file_name, content_type, mut bytes } = export;
    let mut response = Response::new(Body::from_stream(poll_fn(move |context| bytes.poll_recv(context))));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{file_name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_what_is_filtered_and_no_page() {
        let links = ExportLinks::new("/a", "associado", [("nome", "zé & cia"), ("pagina", "3"), ("cpf", "")]);
        assert_eq!(links.csv, "/a/console/exportar/associado?formato=csv&nome=z%C3%A9+%26+cia");
        assert!(links.xlsx.contains("formato=xlsx"));
    }
}
