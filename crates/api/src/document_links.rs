//! `GET /documento/{token}`: a document for somebody without a credential, who was given its link.
//!
//! It is not an operation of the interface: people and messengers open it, so refusals are pages. Those of a link that
//! opens nothing are alike, whatever the reason. The token is in no log: those have the template of the route.

use crate::ServerState;
use crate::answer::CompressionExemption;
use crate::extract::ClientAddress;
use crate::failure::{RequestFailure, format_minutes};
use app::App;
use axum::Router;
use axum::body::Body;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{self, RawPathParams};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{LinkPurpose, SlipCode};
use erased_routes::get;
use finance::RenderedSlip;
use links::{LinkOpeningOutcome, LinkedSubject};

const PAGE: &str = include_str!("document_link.html");

/// The style of the page stands in it. A document has no such policy: it would keep browsers from showing a PDF.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// Headers of every answer: no cache keeps it, no search engine lists it, and its address, which is the secret, is told to
/// no other site.
const PRIVATE_HEADERS: [(HeaderName, HeaderValue); 4] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex, nofollow, noarchive")),
];

pub fn build_document_router() -> Router<ServerState> {
    Router::new().route("/documento/{token}", get(show_linked_document))
}

/// A document, rendered when it is opened.
pub struct LinkedDocument {
    /// Without path and without quotes: `boleto-4711.pdf`.
    pub file_name: String,
    pub pdf: Vec<u8>,
}

async fn show_linked_document(
    extract::State(state): extract::State<ServerState>,
    client: ClientAddress,
    params: Result<RawPathParams, RawPathParamsRejection>,
) -> Response {
    // A path that is no text is no token either.
    let token = params.ok().and_then(|params| params.iter().next().map(|(_, token)| token.to_owned()));
    let mut response = match open_document(&state.app, &token.unwrap_or_default(), client).await {
        Ok(Some(document)) => build_document_answer(document),
        Ok(None) => {
            let text = "Peça outro à associação.";
            build_page(StatusCode::NOT_FOUND, "Este link não vale mais", text)
        }
        Err(failure) => build_failure_page(&failure),
    };
    response.headers_mut().extend(PRIVATE_HEADERS);
    response
}

/// The document of a link; `None` if it opens nothing.
async fn open_document(
    app: &App,
    token: &str,
    client: ClientAddress,
) -> Result<Option<LinkedDocument>, RequestFailure> {
    match links::open_link(app, token, client.address()).await? {
        LinkOpeningOutcome::Open(subject) => Ok(render_document(app, subject).await?),
        LinkOpeningOutcome::Unknown | LinkOpeningOutcome::Expired | LinkOpeningOutcome::Revoked => Ok(None),
    }
}

/// Renders what a link leads to; `None` if that is no longer shown.
async fn render_document(app: &App, subject: LinkedSubject) -> Result<Option<LinkedDocument>, app::Error> {
    match subject.purpose {
        LinkPurpose::Slip => {
            let slip = finance::render_linked_slip(app, subject.tenant, SlipCode::new(subject.code)).await?;
            let build = |slip: RenderedSlip| LinkedDocument {
                file_name: format!("boleto-{}.pdf", slip.title),
                pdf: slip.pdf,
            };
            Ok(slip.map(build))
        }
    }
}

fn build_document_answer(document: LinkedDocument) -> Response {
    let mut response = Body::from(document.pdf).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/pdf"));
    let disposition = format!("inline; filename=\"{}\"", document.file_name);
    let disposition = HeaderValue::try_from(disposition).unwrap_or(HeaderValue::from_static("inline"));
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    // A PDF is compressed inside, and so its length is told.
    response.extensions_mut().insert(CompressionExemption);
    response
}

fn build_failure_page(failure: &RequestFailure) -> Response {
    let (title, text) = match failure {
        RequestFailure::TooManyLookups(wait) => {
            let wait = format_minutes(*wait);
            (
                "Espere um pouco",
                format!("Houve tentativas demais a partir da sua rede; abra o link de novo em {wait}."),
            )
        }
        _ => ("O documento não pôde ser aberto", "Abra o link de novo em instantes.".to_owned()),
    };
    let mut response = build_page(failure.status(), title, &text);
    if let Some(seconds) = failure.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn build_page(status: StatusCode, title: &str, text: &str) -> Response {
    let page = PAGE.replace("<!-- title -->", title).replace("<!-- text -->", text);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, PAGE_POLICY),
    ];
    (status, headers, page).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_document_is_shown_in_the_browser_under_its_name() {
        let document = LinkedDocument { file_name: "boleto-4711.pdf".to_owned(), pdf: b"%PDF".to_vec() };
        let response = build_document_answer(document);
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/pdf");
        assert_eq!(response.headers()[header::CONTENT_DISPOSITION], "inline; filename=\"boleto-4711.pdf\"");
        assert!(!response.headers().contains_key(header::CONTENT_SECURITY_POLICY));
    }

    #[test]
    fn a_page_says_how_long_to_wait() {
        let page = build_failure_page(&RequestFailure::TooManyLookups(Duration::from_secs(61)));
        assert_eq!(page.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(page.headers()[header::RETRY_AFTER], "61");
        let page = build_failure_page(&RequestFailure::Unavailable);
        assert_eq!(
            (page.status(), page.headers()[header::RETRY_AFTER].as_bytes()),
            (StatusCode::SERVICE_UNAVAILABLE, &b"5"[..])
        );
    }
}
