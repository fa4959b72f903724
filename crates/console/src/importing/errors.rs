//! The lines that did not go in, as a file that is mended and sent again. It goes out piece by piece.

use super::by;
use crate::page::{Refusal, refused};
use crate::visitor::{Guest, Number};
use app::{App, importing};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::ImportCode;

/// A sheet that is handed over, and never taken for a page.
pub fn attachment(name: &str, body: Body) -> Response {
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
pub async fn file(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    let by = by(&guest);
    let import = match importing::one(&app, &by, ImportCode::new(code)).await {
        Ok(import) => import,
        Err(error) => return refused(&guest, &error),
    };
    match importing::error_file(&app, &by, &import).await {
        Ok(file) if file.is_empty => Refusal::NotThere.into_response(),
        Ok(file) => attachment(&format!("importacao-{code}-erros.csv"), Body::from_stream(file.pieces)),
        Err(error) => refused(&guest, &error),
    }
}
