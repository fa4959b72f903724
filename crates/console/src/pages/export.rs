//! `/console/exportar/{lista}`: a filtered list as a spreadsheet file, and the links to it.

use crate::http::parameters::QueryParams;
use crate::http::refusal::Refusal;
use crate::page_route::{PageRoute, routes};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::page::HandlerResult;
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
