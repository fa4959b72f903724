//! Assets of the pages: stylesheet, script, icon, and the colours that the tenant chose for its badges.

use super::page::HandlerResult;
use crate::session::signed_in_user::SignedInUser;
use app::App;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::fmt::Write;

/// Asset URLs carry the version, so browsers may cache them for long.
pub fn respond_cacheable(kind: &'static str, text: impl IntoResponse) -> Response {
    let headers: [(HeaderName, HeaderValue); 3] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=86400")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, text).into_response()
}

pub async fn serve_stylesheet() -> Response {
    respond_cacheable("text/css; charset=utf-8", include_str!("../../static/console.css"))
}

pub async fn serve_script() -> Response {
    respond_cacheable("text/javascript; charset=utf-8", include_str!("../../static/console.js"))
}

pub async fn serve_board_script() -> Response {
    respond_cacheable("text/javascript; charset=utf-8", include_str!("../../static/quadro.js"))
}

pub async fn serve_icon() -> Response {
    respond_cacheable("image/svg+xml", include_str!("../../static/icone.svg"))
}

/// `.s3` is the badge of situation 3, `.e3` that of stage 3. Pages have no inline styles, so the colours are served
/// here.
pub async fn serve_badge_colours(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    let registers = app::register_snapshot::load_registers(&app, user.session().scope.tenant()).await?;
    let mut sheet = String::new();
    for one in &registers.situations {
        let (code, ground, text) = (one.code, one.colour, one.colour.readable_text_colour());
        let _ = writeln!(
            sheet,
            ".s{code}{{background:#{ground};color:#{text}}}.chart .s{code}{{fill:#{ground}}}"
        );
    }
    for one in registers.funnels.iter().flat_map(|funnel| &funnel.stages) {
        let (code, ground, text) = (one.code, one.colour, one.colour.readable_text_colour());
        let _ = writeln!(
            sheet,
            ".e{code}{{background:#{ground};color:#{text}}}.chart .e{code}{{fill:#{ground}}}"
        );
    }
    Ok(respond_cacheable("text/css; charset=utf-8", sheet))
}
