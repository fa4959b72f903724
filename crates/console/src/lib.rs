//! The people's side of Amparo: pages rendered on the server, from templates inside the binary. They work without
//! JavaScript, and load nothing from elsewhere.
//!
//! # Adding a page
//! A template that extends `base.html`, its struct and handler in the module of its path, a line in the table below.
//! A form is read with `form::Form`.

mod form;
mod page;
mod password;

use app::App;
use askama::Template;
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// The pages.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/", get(welcome))
        .route("/estilo.css", get(style))
        .route("/senha/esqueci", get(password::forgotten).post(password::ask))
        .route("/senha/nova/{codigo}", get(password::new).post(password::set))
        .with_state(app)
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct Welcome {
    version: &'static str,
}

/// What a browser finds at the server's address.
async fn welcome() -> Response {
    page::page(StatusCode::OK, &Welcome { version: env!("CARGO_PKG_VERSION") })
}

async fn style() -> impl IntoResponse {
    let kind = HeaderValue::from_static("text/css; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], include_str!("../templates/estilo.css"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_welcome_page_names_the_version_and_carries_no_script() {
        let page = Welcome { version: "9.8.7" }.render().unwrap();
        assert!(page.contains("9.8.7") && page.contains("lang=\"pt-BR\""));
        assert!(!page.contains("<script") && !page.contains("style=\""));
    }
}
