//! The page at the server's root address.

use crate::widgets::page::{HandlerResult, render_frameless_page};
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;

#[derive(Template)]
#[template(path = "welcome.html")]
struct WelcomePage {
    version: &'static str,
}

pub async fn show_welcome_page() -> HandlerResult {
    render_frameless_page(StatusCode::OK, &WelcomePage { version: env!("CARGO_PKG_VERSION") })
}

pub async fn serve_welcome_style() -> impl IntoResponse {
    let kind = HeaderValue::from_static("text/css; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], include_str!("../../templates/estilo.css"))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases =
    &[("welcome.html", |_| crate::template_tests::render_template(&WelcomePage { version: "9.8.7" }))];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_welcome_page_names_the_version_and_carries_no_script() {
        let page = WelcomePage { version: "9.8.7" }.render().unwrap();
        assert!(page.contains("9.8.7") && page.contains("lang=\"pt-BR\""));
        assert!(!page.contains("<script") && !page.contains("style=\""));
    }
}
