//! Turns refusals into pages with a way back for browsers; programs get the sentence alone.

use super::frame::PageFrame;
use super::page::{HandlerResult, render_frameless_page, render_page};
use crate::http::redirect::{derive_root_path, sanitize_return_path};
use crate::http::refusal::Refusal;
use crate::session::signed_in_user::SignedInUser;
use app::App;
use askama::Template;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

#[derive(Template)]
#[template(path = "console/recusa.html")]
struct SignedInRefusalPage {
    frame: PageFrame,
    refusal: Refusal,
}

/// Also used when the signed-in user cannot be loaded.
#[derive(Template)]
#[template(path = "console/recusa_sozinha.html")]
struct SignedOutRefusalPage {
    root: String,
    refusal: Refusal,
    /// URL of this page, if a retry may help.
    again: Option<String>,
}

/// Middleware for clients that accept HTML.
pub async fn render_refusals_as_pages(State(app): State<App>, request: Request, next: Next) -> Response {
    if !accepts_html(request.headers()) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let original_parts = parts.clone();
    let plain = next.run(Request::from_parts(parts, body)).await;
    let Some(refusal) = plain.extensions().get::<Refusal>().copied() else { return plain };
    let mut response = render_refusal_page(&app, original_parts, refusal).await.into_response();
    if let Some(wait) = plain.headers().get(header::RETRY_AFTER) {
        response.headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    response
}

fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|text| text.split(',')).any(|kind| kind.trim_start().starts_with("text/html"))
}

async fn render_refusal_page(app: &App, mut parts: Parts, refusal: Refusal) -> HandlerResult {
    let is_passing = matches!(refusal, Refusal::Unavailable | Refusal::DatabaseFault(_) | Refusal::Broken);
    // The user is not loaded while the database does not answer.
    if !is_passing
        && let Ok(user) = SignedInUser::from_request_parts(&mut parts, app).await
        && let Ok(frame) = PageFrame::load(app, &user, "").await
    {
        return render_page(refusal.status(), &SignedInRefusalPage { frame, refusal });
    }
    let path = parts.uri.path_and_query().map_or("/console", |all| all.as_str());
    let root = derive_root_path(app);
    let again = is_passing.then(|| format!("{root}{}", sanitize_return_path(path)));
    render_frameless_page(refusal.status(), &SignedOutRefusalPage { root, refusal, again })
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/recusa.html", |with| {
        crate::template_tests::render_template(&SignedInRefusalPage {
            frame: with.frame(),
            refusal: Refusal::NotThere,
        })
    }),
    ("console/recusa_sozinha.html", |with| {
        let again = with.option_of(|| with.text());
        crate::template_tests::render_template(&SignedOutRefusalPage {
            root: String::new(),
            refusal: Refusal::Unavailable,
            again,
        })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn pages_are_for_those_who_ask_for_them() {
        let accepts = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(text));
            accepts_html(&headers)
        };
        assert!(accepts("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(accepts("application/json, text/html;q=0.5"));
        assert!(!accepts("*/*") && !accepts("application/json") && !accepts_html(&HeaderMap::new()));
    }
}
