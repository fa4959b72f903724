//! The rejected lines as a CSV file to correct and upload again, streamed.

use super::build_actor;
use crate::http::parameters::PathNumber;
use crate::http::refusal::Refusal;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::page::HandlerResult;
use app::App;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::ImportCode;
use exchange::import;

/// A CSV download that browsers never render as a page.
pub fn respond_csv_attachment(name: &str, body: Body) -> Response {
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'")),
        (header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment"))),
    ];
    (headers, body).into_response()
}

/// `GET /console/importar/{codigo}/erros.csv`
pub async fn download_error_file(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    let caller = build_actor(&user);
    let import = import::load_import(&app, &caller, ImportCode::new(code)).await?;
    let file = import::open_error_file(&app, &caller, &import).await?;
    if file.is_empty {
        return Err(Refusal::NotThere);
    }
    Ok(respond_csv_attachment(&format!("importacao-{code}-erros.csv"), Body::from_stream(file.pieces)))
}
