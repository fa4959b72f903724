//! What pages load: one style, one script, an icon, and the colours that the association gave its situations.

use crate::page::Refusal;
use crate::visitor::Guest;
use app::App;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::fmt::Write;

/// Their addresses carry the version, so they may be kept for long.
pub fn kept(kind: &'static str, text: impl IntoResponse) -> Response {
    let headers: [(HeaderName, HeaderValue); 3] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=86400")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, text).into_response()
}

pub async fn style() -> Response {
    kept("text/css; charset=utf-8", include_str!("../static/console.css"))
}

pub async fn script() -> Response {
    kept("text/javascript; charset=utf-8", include_str!("../static/console.js"))
}

pub async fn board_script() -> Response {
    kept("text/javascript; charset=utf-8", include_str!("../static/quadro.js"))
}

pub async fn icon() -> Response {
    kept("image/svg+xml", include_str!("../static/icone.svg"))
}

/// `.s3` is the badge of situation 3, `.e3` that of stage 3. Pages carry no style of their own, so its colours stand here.
pub async fn colours(State(app): State<App>, guest: Guest) -> Response {
    let registers = match app::base::registers(&app, guest.session().scope.tenant()).await {
        Ok(registers) => registers,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let mut sheet = String::new();
    for one in &registers.situations {
        let (code, ground, text) = (one.code, one.colour, one.colour.readable_on());
        let _ = writeln!(
            sheet,
            ".s{code}{{background:#{ground};color:#{text}}}.chart .s{code}{{fill:#{ground}}}"
        );
    }
    for one in registers.funnels.iter().flat_map(|funnel| &funnel.stages) {
        let (code, ground, text) = (one.code, one.colour, one.colour.readable_on());
        let _ = writeln!(
            sheet,
            ".e{code}{{background:#{ground};color:#{text}}}.chart .e{code}{{fill:#{ground}}}"
        );
    }
    kept("text/css; charset=utf-8", sheet)
}
