//! `/console/exportar/{lista}`: a list as a file for a spreadsheet, as it was filtered, and the links to it.

use crate::page::{Refusal, refused};
use crate::visitor::{Guest, Query};
use app::App;
use app::sheets::{self, Export, SheetError};
use axum::Router;
use axum::body::Body;
use axum::extract::{RawPathParams, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use dispatch::get;
use futures_util::stream::poll_fn;

pub fn routes() -> Router<App> {
    Router::new().route("/console/exportar/{lista}", get(export))
}

/// The ways to a list as a file.
#[derive(Clone, Default)]
pub struct Links {
    pub csv: String,
    pub xlsx: String,
}

impl Links {
    /// To a list by its name, with the filters that its interface knows; what is empty filters nothing.
    pub fn new<'q>(root: &str, list: &str, filters: impl IntoIterator<Item = (&'q str, &'q str)>) -> Links {
        let filters: Vec<(&str, &str)> =
            filters.into_iter().filter(|(name, text)| !text.is_empty() && *name != "pagina").collect();
        let link = |format: &str| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("formato", format).extend_pairs(&filters);
            format!("{root}/console/exportar/{list}?{}", query.finish())
        };
        Links { csv: link("csv"), xlsx: link("xlsx") }
    }
}

/// Filters as links take them.
pub fn pairs(all: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    all.iter().map(|(name, text)| (name.as_str(), text.as_str()))
}

async fn export(State(app): State<App>, guest: Guest, path: RawPathParams, query: Query) -> Response {
    let name = path.iter().find(|(known, _)| *known == "lista").map_or("", |(_, value)| value);
    let Some(list) = sheets::named(name) else { return Refusal::NotThere.into_response() };
    match sheets::open(&app, guest.session(), list, query.pairs()).await {
        Ok(export) => file(export),
        Err(SheetError::Unread(problems)) => wrong(problems.into_lines().join("\n")),
        Err(SheetError::App(app::Error::Refused(rejections))) => wrong(wire::refusal::texts(&rejections)),
        Err(SheetError::App(error)) => refused(&guest, &error),
    }
}

/// What is wrong with a filter, where the page that leads here did not keep it from being asked for.
fn wrong(words: String) -> Response {
    (StatusCode::BAD_REQUEST, words).into_response()
}

/// A file that is saved, not shown, and leaves as it is made.
fn file(export: Export) -> Response {
    let Export { file_name, content_type, mut bytes } = export;
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
        let links = Links::new("/a", "associado", [("nome", "zé & cia"), ("pagina", "3"), ("cpf", "")]);
        assert_eq!(links.csv, "/a/console/exportar/associado?formato=csv&nome=z%C3%A9+%26+cia");
        assert!(links.xlsx.contains("formato=xlsx"));
    }
}
