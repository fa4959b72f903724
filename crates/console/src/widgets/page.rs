//! Page responses.

use crate::http::refusal::Refusal;
use crate::http::security_headers::SECURITY_HEADERS;
use crate::session::notice::expire_notice;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

/// What a handler answers: a page or a redirect, or why there is none.
pub type HandlerResult = Result<Response, Refusal>;

/// Answers with a page.
pub fn show_page(template: &impl Template) -> HandlerResult {
    render_page(StatusCode::OK, template)
}

/// Like `show_page`, with a status. The frame shows the previous page's notice, which expires with that.
pub fn render_page(status: StatusCode, template: &impl Template) -> HandlerResult {
    let mut response = render_frameless_page(status, template)?;
    expire_notice(&mut response);
    Ok(response)
}

/// A page without the frame shows no notice, so the previous page's notice stays for the next page.
pub fn render_frameless_page(status: StatusCode, template: &impl Template) -> HandlerResult {
    build_page_response(status, template.render())
}

fn build_page_response(status: StatusCode, rendered: askama::Result<String>) -> HandlerResult {
    let page = rendered.map_err(|error| {
        tracing::error!(%error, "a page could not be written");
        Refusal::Broken
    })?;
    Ok((status, SECURITY_HEADERS, Html(page)).into_response())
}
