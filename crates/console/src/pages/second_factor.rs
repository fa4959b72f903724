//! The second factor: `/console/entrar/codigo`, which asks for it at sign-in, and `/console/conta/segundo-fator`, where
//! users enable and disable it.

use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::{derive_root_path, redirect_to, sanitize_return_path};
use crate::http::refusal::Refusal;
use crate::session::cookies::{find_pending_sign_in, set_pending_sign_in, set_session_cookie};
use crate::session::notice::redirect_with_notice;
use crate::session::signed_in_user::{BrowserOrigin, SignedInUser};
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_frameless_page, render_page, show_page};
use crate::widgets::qr_code::QrCodePicture;
use app::access::second_factor;
use app::access::second_factor::SecondFactorState as Factor;
use app::access::sessions::{self, SignInCodeOutcome};
use app::session::TOKEN_LIFE;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::TimeZone;

#[derive(Template)]
#[template(path = "console/codigo.html")]
struct SecondFactorCodePage<'p> {
    root: String,
    to: &'p str,
    problem: Option<&'static str>,
}

/// Asks for the code after a correct password.
pub async fn show_code_form(State(app): State<App>, headers: HeaderMap, query: QueryParams) -> HandlerResult {
    let to = sanitize_return_path(query.text("para"));
    let ticket = find_pending_sign_in(&headers).unwrap_or_default();
    if !sessions::has_open_challenge(&app, ticket).await? {
        return Ok(redirect_to_sign_in(&app, to));
    }
    let page = SecondFactorCodePage { root: derive_root_path(&app), to, problem: None };
    render_frameless_page(StatusCode::OK, &page)
}

/// For a pending sign-in that has expired or does not exist.
fn redirect_to_sign_in(app: &App, to: &str) -> Response {
    let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
    redirect_to(&format!("{}/console/entrar?para={to}", derive_root_path(app)))
}

pub async fn sign_in_with_code(
    State(app): State<App>,
    sender: BrowserOrigin,
    headers: HeaderMap,
    form: SubmittedForm,
) -> HandlerResult {
    let to = sanitize_return_path(form.text("para"));
    let ticket = find_pending_sign_in(&headers).unwrap_or_default();
    let origin = (sender.address, sender.agent.as_deref());
    let (status, problem) =
        match sessions::submit_sign_in_code(&app, ticket, form.text("codigo").trim(), origin).await {
            Ok(SignInCodeOutcome::Grant(grant)) => {
                let mut response = redirect_to(&format!("{}{to}", derive_root_path(&app)));
                set_session_cookie(&mut response, &grant.token, TOKEN_LIFE.as_secs());
                set_pending_sign_in(&mut response, "", 0);
                return Ok(response);
            }
            Ok(SignInCodeOutcome::ExpiredChallenge) => return Ok(redirect_to_sign_in(&app, to)),
            Ok(SignInCodeOutcome::WrongCode) => (
                StatusCode::UNAUTHORIZED,
                "O código não confere. Cada um serve uma vez só: espere o próximo e tente de novo.",
            ),
            Err(Error::TooManyFailures(_)) => (
                StatusCode::TOO_MANY_REQUESTS,
                "Houve códigos errados demais; espere alguns minutos e tente de novo.",
            ),
            Err(error) => return Err(error.into()),
        };
    render_frameless_page(
        status,
        &SecondFactorCodePage { root: derive_root_path(&app), to, problem: Some(problem) },
    )
}

/// Description of the state, and whether the second factor is on.
pub fn describe_factor_state(state: Factor, zone: &TimeZone) -> (String, bool) {
    match state {
        Factor::Off | Factor::Unconfirmed => ("Desligado".to_owned(), false),
        Factor::On { since, .. } => (format!("Ligado desde {}", format_moment(since, zone)), true),
    }
}

#[derive(Template)]
#[template(path = "console/segundo_fator.html")]
struct SecondFactorPage {
    frame: PageFrame,
    stage: Stage,
    /// The tenant requires it, and the user can do nothing else until it is on.
    is_demanded: bool,
    problem: Option<&'static str>,
}

enum Stage {
    Off,
    /// `address` is the content of the QR code, for users whose authenticator app is on the same device.
    Begun {
        text: String,
        address: String,
        picture: Option<QrCodePicture>,
    },
    On {
        since: String,
        recovery_left: i64,
    },
}

#[derive(Template)]
#[template(path = "console/recuperacao.html")]
struct RecoveryCodesPage {
    frame: PageFrame,
    email: String,
    codes: Vec<String>,
}

pub async fn show_second_factor_page(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    show_page(&build_second_factor_page(&app, &user, None).await?)
}

async fn build_second_factor_page(
    app: &App,
    user: &SignedInUser,
    problem: Option<&'static str>,
) -> Result<SecondFactorPage, Error> {
    let frame = PageFrame::load(app, user, "conta").await?;
    let session = user.session();
    let zone = app::register_snapshot::load_registers(app, session.scope.tenant()).await?.zone.clone();
    let stage = match second_factor::read_factor_state(app, session.scope.tenant(), session.user).await? {
        Factor::On { since, recovery_left } => {
            Stage::On { since: format_moment(since, &zone), recovery_left }
        }
        Factor::Off => Stage::Off,
        Factor::Unconfirmed => match second_factor::find_enrolment_secret(app, &user.visitor).await? {
            Some(waiting) => {
                let (text, picture) =
                    (group_characters(&waiting.text), QrCodePicture::from_text(&waiting.address));
                Stage::Begun { text, address: waiting.address, picture }
            }
            None => Stage::Off,
        },
    };
    Ok(SecondFactorPage { frame, stage, is_demanded: session.owes_factor(), problem })
}

/// `ABCDEFGH` becomes `ABCD EFGH`, which is easier to type.
fn group_characters(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    signs.chunks(4).map(|four| four.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// One URL for every step, so that a page that answers a form can be reloaded.
pub async fn change_second_factor(
    State(app): State<App>,
    user: SignedInUser,
    sender: BrowserOrigin,
    form: SubmittedForm,
) -> HandlerResult {
    let proof = form.text("prova").trim();
    let done = match form.text("acao") {
        "ligar" => {
            let enrolment =
                second_factor::begin_enrolment(&app, &user.visitor, form.text("senha"), sender.address).await;
            let wrong = "A senha não confere; nada mudou.";
            enrolment.map(|has_begun| if has_begun { FactorChangeOutcome::Stage } else { FactorChangeOutcome::Problem(wrong) })
        }
        "confirmar" => second_factor::confirm_enrolment(&app, &user.visitor, proof).await.map(|codes| {
            codes.map_or(
                FactorChangeOutcome::Problem("O código não confere. Veja se o relógio do celular está certo, e digite o que aparece agora."),
                FactorChangeOutcome::Codes,
            )
        }),
        "codigos" => {
            let codes = second_factor::renew_recovery_codes(&app, &user.visitor, proof, sender.address).await;
            let none = "O código não confere, ou o segundo fator já foi desligado; nada mudou.";
            codes.map(|codes| codes.map_or(FactorChangeOutcome::Problem(none), FactorChangeOutcome::Codes))
        }
        "desligar" => {
            let off = second_factor::switch_off_factor(&app, &user.visitor, proof, sender.address).await;
            let wrong = "O código não confere; nada mudou.";
            off.map(|is_off| if is_off { FactorChangeOutcome::Off } else { FactorChangeOutcome::Problem(wrong) })
        }
        _ => return Err(Refusal::Unreadable),
    };
    respond_to_factor_change(&app, &user, done).await
}

enum FactorChangeOutcome {
    Stage,
    Off,
    Codes(Vec<String>),
    Problem(&'static str),
}

async fn respond_to_factor_change(
    app: &App,
    user: &SignedInUser,
    done: Result<FactorChangeOutcome, Error>,
) -> HandlerResult {
    let account = format!("{}/console/conta", derive_root_path(app));
    let problem = match done {
        Ok(FactorChangeOutcome::Stage) => return Ok(redirect_to(&format!("{account}/segundo-fator"))),
        Ok(FactorChangeOutcome::Off) => {
            let text = "O segundo fator foi desligado. Para entrar, basta a senha.";
            return Ok(redirect_with_notice(&account, text));
        }
        Ok(FactorChangeOutcome::Codes(codes)) => {
            let frame = PageFrame::load(app, user, "conta").await?;
            return show_page(&RecoveryCodesPage { frame, email: user.visitor.email.clone(), codes });
        }
        Ok(FactorChangeOutcome::Problem(problem)) => problem,
        Err(Error::TooManyFailures(_)) => "Houve tentativas demais; espere alguns minutos e tente de novo.",
        Err(error) => return Err(error.into()),
    };
    let page = build_second_factor_page(app, user, Some(problem)).await?;
    render_page(StatusCode::BAD_REQUEST, &page)
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/codigo.html", |with| {
        let to = with.text();
        crate::template_tests::render_template(&SecondFactorCodePage {
            root: String::new(),
            to: &to,
            problem: with.option_of(|| "Não confere."),
        })
    }),
    ("console/segundo_fator.html", |with| {
        let all = [
            Stage::Off,
            Stage::Begun {
                text: with.text(),
                address: with.text(),
                picture: QrCodePicture::from_text(&with.text()),
            },
            Stage::On { since: with.text(), recovery_left: i64::from(with.is_filled()) },
        ];
        let page = |stage| SecondFactorPage {
            frame: with.frame(),
            stage,
            is_demanded: with.is_filled(),
            problem: with.option_of(|| "Não confere."),
        };
        all.into_iter().map(|stage| crate::template_tests::render_template(&page(stage))).collect()
    }),
    ("console/recuperacao.html", |with| {
        let codes = with.list_of(|| with.text());
        crate::template_tests::render_template(&RecoveryCodesPage {
            frame: with.frame(),
            email: with.text(),
            codes,
        })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_in_groups() {
        assert_eq!(group_characters("ABCDEFGHIJ"), "ABCD EFGH IJ");
    }
}
