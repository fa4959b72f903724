//! The second factor: `/console/entrar/codigo`, where it is given, and `/console/conta/segundo-fator`, where its owner
//! switches it on and off.

use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page, show};
use crate::show::moment;
use crate::visitor::{Guest, Query, Sender, half, inside, redirect, root, set_half, set_session};
use app::access::TOKEN_LIFE;
use app::second_factor::{self, State as Factor};
use app::visits::{self, Passed};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::TimeZone;
use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write;

#[derive(Template)]
#[template(path = "console/codigo.html")]
struct Code<'p> {
    root: String,
    to: &'p str,
    problem: Option<&'static str>,
}

/// The page that asks for the code, for whoever has given the password.
pub async fn form(State(app): State<App>, headers: HeaderMap, query: Query) -> Response {
    let to = inside(query.text("para"));
    match visits::is_half(&app, half(&headers).unwrap_or_default()).await {
        Ok(true) => page(StatusCode::OK, &Code { root: root(&app), to, problem: None }),
        Ok(false) => over(&app, to),
        Err(error) => Refusal::from(&error).into_response(),
    }
}

/// Back to the door: it was too long ago, or nobody gave a password.
fn over(app: &App, to: &str) -> Response {
    let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
    redirect(&format!("{}/console/entrar?para={to}", root(app)))
}

pub async fn give(
    State(app): State<App>,
    sender: Sender,
    headers: HeaderMap,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let to = inside(form.text("para"));
    let again = |status, problem| page(status, &Code { root: root(&app), to, problem: Some(problem) });
    let from = (sender.address, sender.agent.as_deref());
    match visits::give_code(&app, half(&headers).unwrap_or_default(), form.text("codigo").trim(), from).await
    {
        Ok(Passed::In(entered)) => {
            let mut response = redirect(&format!("{}{to}", root(&app)));
            set_session(&mut response, &entered.token, TOKEN_LIFE.as_secs());
            set_half(&mut response, "", 0);
            response
        }
        Ok(Passed::Wrong) => again(
            StatusCode::UNAUTHORIZED,
            "O código não confere. Cada um serve uma vez só: espere o próximo e tente de novo.",
        ),
        Ok(Passed::Over) => over(&app, to),
        Err(Error::TooMany(_)) => again(
            StatusCode::TOO_MANY_REQUESTS,
            "Houve códigos errados demais; espere alguns minutos e tente de novo.",
        ),
        Err(error) => Refusal::from(&error).into_response(),
    }
}

/// How it stands with somebody's second factor, in words, and whether it is on.
pub fn state_words(state: Factor, zone: &TimeZone) -> (String, bool) {
    match state {
        Factor::Off | Factor::Begun => ("Desligado".to_owned(), false),
        Factor::On { since, .. } => (format!("Ligado desde {}", moment(since, zone)), true),
    }
}

/// A picture that a phone reads: its size in dots, and the dark ones as the path of an SVG.
struct Picture {
    size: usize,
    path: String,
}

/// The quiet dots that a reader needs around the others.
const MARGIN: usize = 4;

impl Picture {
    fn of(text: &str) -> Option<Picture> {
        let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
        let mut path = String::new();
        for (y, row) in code.to_colors().chunks(code.width()).enumerate() {
            for (x, _) in row.iter().enumerate().filter(|(_, dot)| **dot == Color::Dark) {
                let _ = write!(path, "M{} {}h1v1h-1z", x + MARGIN, y + MARGIN);
            }
        }
        Some(Picture { size: code.width() + 2 * MARGIN, path })
    }
}

#[derive(Template)]
#[template(path = "console/segundo_fator.html")]
struct Page {
    frame: Frame,
    stage: Stage,
    /// The association demands it, and nothing else can be done until it is on.
    is_demanded: bool,
    problem: Option<&'static str>,
}

enum Stage {
    Off,
    /// The address is what the picture says, for whoever has the app on this very device.
    Begun {
        text: String,
        address: String,
        picture: Option<Picture>,
    },
    On {
        since: String,
        recovery_left: i64,
    },
}

#[derive(Template)]
#[template(path = "console/recuperacao.html")]
struct Recovery {
    frame: Frame,
    email: String,
    codes: Vec<String>,
}

pub async fn account(State(app): State<App>, guest: Guest) -> Response {
    show(&guest, stage_page(&app, &guest, None).await)
}

async fn stage_page(app: &App, guest: &Guest, problem: Option<&'static str>) -> Result<Page, Error> {
    let frame = Frame::of(app, guest, "conta").await?;
    let session = guest.session();
    let zone = app::base::registers(app, session.scope.tenant()).await?.zone.clone();
    let stage = match second_factor::state(app, session.scope.tenant(), session.user).await? {
        Factor::On { since, recovery_left } => Stage::On { since: moment(since, &zone), recovery_left },
        Factor::Off => Stage::Off,
        Factor::Begun => match second_factor::waiting(app, &guest.visitor).await? {
            Some(waiting) => {
                let (text, picture) = (in_groups(&waiting.text), Picture::of(&waiting.address));
                Stage::Begun { text, address: waiting.address, picture }
            }
            None => Stage::Off,
        },
    };
    Ok(Page { frame, stage, is_demanded: session.owes_factor(), problem })
}

/// `ABCD EFGH` of `ABCDEFGH`: so it is typed without losing one's place.
fn in_groups(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    signs.chunks(4).map(|four| four.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// One address for every step, so that a page that answers a form can be loaded again.
pub async fn change(
    State(app): State<App>,
    guest: Guest,
    sender: Sender,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let proof = form.text("prova").trim();
    let done = match form.text("acao") {
        "ligar" => {
            let begun =
                second_factor::begin(&app, &guest.visitor, form.text("senha"), sender.address).await;
            let wrong = "A senha não confere; nada mudou.";
            begun.map(|has_begun| if has_begun { Done::Stage } else { Done::Problem(wrong) })
        }
        "confirmar" => second_factor::confirm(&app, &guest.visitor, proof).await.map(|codes| {
            codes.map_or(
                Done::Problem("O código não confere. Veja se o relógio do celular está certo, e digite o que aparece agora."),
                Done::Codes,
            )
        }),
        "codigos" => {
            let codes = second_factor::renew_recovery(&app, &guest.visitor, proof, sender.address).await;
            let none = "O código não confere, ou o segundo fator já foi desligado; nada mudou.";
            codes.map(|codes| codes.map_or(Done::Problem(none), Done::Codes))
        }
        "desligar" => {
            let off = second_factor::switch_off(&app, &guest.visitor, proof, sender.address).await;
            let wrong = "O código não confere; nada mudou.";
            off.map(|is_off| if is_off { Done::Off } else { Done::Problem(wrong) })
        }
        _ => return Refusal::Unreadable.into_response(),
    };
    answer(&app, &guest, done).await
}

enum Done {
    Stage,
    Off,
    Codes(Vec<String>),
    Problem(&'static str),
}

async fn answer(app: &App, guest: &Guest, done: Result<Done, Error>) -> Response {
    let here = format!("{}/console/conta/segundo-fator", root(app));
    let problem = match done {
        Ok(Done::Stage) => return redirect(&here),
        Ok(Done::Off) => {
            let mut response = redirect(&format!("{}/console/conta", root(app)));
            tell(&mut response, "O segundo fator foi desligado. Para entrar, basta a senha.");
            return response;
        }
        Ok(Done::Codes(codes)) => {
            let email = guest.visitor.email.clone();
            let frame = Frame::of(app, guest, "conta").await;
            return show(guest, frame.map(|frame| Recovery { frame, email, codes }));
        }
        Ok(Done::Problem(problem)) => problem,
        Err(Error::TooMany(_)) => "Houve tentativas demais; espere alguns minutos e tente de novo.",
        Err(error) => return show::<Page>(guest, Err(error)),
    };
    match stage_page(app, guest, Some(problem)).await {
        Ok(template) => page(StatusCode::BAD_REQUEST, &template),
        Err(error) => show::<Page>(guest, Err(error)),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/codigo.html", |with| {
        let to = with.text();
        crate::rendered::text(&Code { root: String::new(), to: &to, problem: with.maybe(|| "Não confere.") })
    }),
    ("console/segundo_fator.html", |with| {
        let all = [
            Stage::Off,
            Stage::Begun { text: with.text(), address: with.text(), picture: Picture::of(&with.text()) },
            Stage::On { since: with.text(), recovery_left: i64::from(with.is_full()) },
        ];
        let page = |stage| Page {
            frame: with.frame(),
            stage,
            is_demanded: with.is_full(),
            problem: with.maybe(|| "Não confere."),
        };
        all.into_iter().map(|stage| crate::rendered::text(&page(stage))).collect()
    }),
    ("console/recuperacao.html", |with| {
        let codes = with.many(|| with.text());
        crate::rendered::text(&Recovery { frame: with.frame(), email: with.text(), codes })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_margin_and_the_three_corners() {
        let picture = Picture::of("otpauth://totp/Amparo:ana%40b.example?secret=MZXW6YTBOI").unwrap();
        assert!(picture.size >= 21 + 2 * MARGIN);
        let last = picture.size - MARGIN - 1;
        for corner in [(MARGIN, MARGIN), (last, MARGIN), (MARGIN, last)] {
            assert!(picture.path.contains(&format!("M{} {}h", corner.0, corner.1)), "{corner:?}");
        }
    }

    #[test]
    fn a_secret_is_shown_in_groups() {
        assert_eq!(in_groups("ABCDEFGHIJ"), "ABCD EFGH IJ");
    }
}
