//! The lines that did not go in, as a file that is mended and sent again. It goes out piece by piece.

use super::by;
use crate::page::{Refusal, refused};
use crate::visitor::{Guest, Number};
use app::importing::{self, By, Import};
use app::{App, Error};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::ImportCode;
use futures_util::stream;

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
    // The first piece alone tells whether there is anything left of the lines.
    match importing::error_file(&app, &by, &import, 0).await {
        Ok(first) if first.text.lines().nth(1).is_some() => {
            attachment(&format!("importacao-{code}-erros.csv"), body(app, by, import, first))
        }
        Ok(_) => Refusal::NotThere.into_response(),
        Err(error) => refused(&guest, &error),
    }
}

fn body(app: App, by: By, import: Import, first: importing::ErrorLines) -> Body {
    enum Next {
        Text(importing::ErrorLines),
        Behind(i32),
        Nothing,
    }
    let pieces =
        stream::try_unfold((app, by, import, Next::Text(first)), |(app, by, import, next)| async move {
            let piece = match next {
                Next::Text(piece) => piece,
                Next::Behind(line) => importing::error_file(&app, &by, &import, line).await?,
                Next::Nothing => return Ok::<_, Error>(None),
            };
            let next = piece.next.map_or(Next::Nothing, Next::Behind);
            Ok(Some((piece.text, (app, by, import, next))))
        });
    Body::from_stream(pieces)
}
