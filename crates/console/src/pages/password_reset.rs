//! `/senha`: requests a link for a forgotten password, and sets a new password with it.

use crate::http::form::SubmittedForm;
use crate::widgets::page::{HandlerResult, render_frameless_page};
use app::access::password_reset;
use app::{App, Error};
use askama::Template;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use domain::{Email, Password, Rejection};

const MINUTES: u64 = password_reset::LINK_LIFETIME.as_secs() / 60;

type ResetLinkParams = Result<RawPathParams, RawPathParamsRejection>;

#[derive(Template)]
#[template(path = "password_forgotten.html")]
struct ForgottenPasswordPage<'p> {
    email: &'p str,
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "password_link_sent.html")]
struct ResetLinkSentPage {
    minutes: u64,
}

#[derive(Template)]
#[template(path = "password_new.html")]
struct NewPasswordPage {
    shortest: usize,
    longest: usize,
    problems: Vec<String>,
}

#[derive(Template)]
#[template(path = "password_set.html")]
struct PasswordChangedPage;

#[derive(Template)]
#[template(path = "password_bad_link.html")]
struct BadResetLinkPage {
    minutes: u64,
}

pub async fn show_forgotten_password() -> HandlerResult {
    render_frameless_page(StatusCode::OK, &ForgottenPasswordPage { email: "", problem: None })
}

/// Shows the same page for every valid address, so that it does not reveal which addresses have an account.
pub async fn request_reset_link(State(app): State<App>, form: SubmittedForm) -> HandlerResult {
    match Email::parse(form.text("email")) {
        Ok(email) => {
            password_reset::request_reset_link(&app, email, form.sent_from)?;
            render_frameless_page(StatusCode::OK, &ResetLinkSentPage { minutes: MINUTES })
        }
        Err(problem) => {
            let problem = Some(describe_password_problem(&problem));
            render_frameless_page(
                StatusCode::BAD_REQUEST,
                &ForgottenPasswordPage { email: form.text("email"), problem },
            )
        }
    }
}

/// Shows the form if the link is valid. Opening it does not use up the link.
pub async fn show_new_password_form(State(app): State<App>, path: ResetLinkParams) -> HandlerResult {
    match password_reset::is_link_open(&app, read_reset_code(&path)).await? {
        true => render_new_password_form(StatusCode::OK, Vec::new()),
        false => render_bad_link(),
    }
}

/// A rejected password does not use up the link.
pub async fn set_new_password(
    State(app): State<App>,
    path: ResetLinkParams,
    form: SubmittedForm,
) -> HandlerResult {
    let code = read_reset_code(&path);
    let problems = match parse_new_password(&form) {
        Ok(password) => match password_reset::finish_reset_from(&app, code, password, form.sent_from).await {
            Ok(()) => return render_frameless_page(StatusCode::OK, &PasswordChangedPage),
            Err(Error::Refused(problems)) if problems == [Rejection::BadResetLink] => {
                return render_bad_link();
            }
            Err(Error::Refused(problems)) => problems.iter().map(describe_password_problem).collect(),
            Err(error) => return Err(error.into()),
        },
        // An invalid link is reported first, so that the user does not type another password in vain.
        Err(_) if !password_reset::is_link_open(&app, code).await? => return render_bad_link(),
        Err(problems) => problems,
    };
    render_new_password_form(StatusCode::BAD_REQUEST, problems)
}

fn parse_new_password(form: &SubmittedForm) -> Result<Password, Vec<String>> {
    let mut problems = Vec::new();
    let password = Password::parse(form.text("senha"));
    let password = password.map_err(|problem| problems.push(describe_password_problem(&problem)));
    if form.text("senha") != form.text("repetida") {
        problems.push("As duas senhas não são iguais; digite-as de novo.".to_owned());
    }
    match (password, &problems[..]) {
        (Ok(password), []) => Ok(password),
        _ => Err(problems),
    }
}

/// Removes the field name, which the page already shows: `senha: use…` becomes `Use…`.
fn describe_password_problem(problem: &Rejection) -> String {
    let words = wire::refusal::render_sentence(problem);
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

fn render_new_password_form(status: StatusCode, problems: Vec<String>) -> HandlerResult {
    render_frameless_page(
        status,
        &NewPasswordPage { shortest: Password::SHORTEST, longest: Password::LONGEST, problems },
    )
}

fn render_bad_link() -> HandlerResult {
    render_frameless_page(StatusCode::GONE, &BadResetLinkPage { minutes: MINUTES })
}

/// The code in the path; unreadable text counts as an invalid link.
fn read_reset_code(path: &ResetLinkParams) -> &str {
    let Ok(path) = path else { return "" };
    path.iter().find(|(name, _)| *name == "codigo").map_or("", |(_, value)| value)
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("password_forgotten.html", |with| {
        let email = with.text();
        crate::template_tests::render_template(&ForgottenPasswordPage {
            email: &email,
            problem: with.option_of(|| with.text()),
        })
    }),
    ("password_link_sent.html", |_| {
        crate::template_tests::render_template(&ResetLinkSentPage { minutes: 30 })
    }),
    ("password_new.html", |with| {
        crate::template_tests::render_template(&NewPasswordPage {
            shortest: 10,
            longest: 256,
            problems: with.list_of(|| with.text()),
        })
    }),
    ("password_set.html", |_| crate::template_tests::render_template(&PasswordChangedPage)),
    ("password_bad_link.html", |_| crate::template_tests::render_template(&BadResetLinkPage { minutes: 30 })),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_carry_no_script_and_no_style_and_escape_what_was_typed() {
        let typed =
            ForgottenPasswordPage { email: "\"><script>", problem: Some("<b>".to_owned()) }.render().unwrap();
        assert!(typed.contains("value=\"&#34;&#62;&#60;script&#62;\""), "{typed}");
        let new = NewPasswordPage { shortest: 10, longest: 256, problems: vec!["Assim não.".to_owned()] };
        for page in [
            typed,
            new.render().unwrap(),
            PasswordChangedPage.render().unwrap(),
            BadResetLinkPage { minutes: 30 }.render().unwrap(),
        ] {
            assert!(
                !page.contains("<script") && !page.contains("style=\"") && !page.contains("<b>"),
                "{page}"
            );
            assert!(page.contains("lang=\"pt-BR\"") && page.contains("<h1>"), "{page}");
        }
    }

    #[test]
    fn a_refusal_reads_like_a_sentence_on_a_page() {
        let sentence = describe_password_problem(&Rejection::PasswordLength { shortest: 10, longest: 256 });
        assert_eq!(sentence, "Use pelo menos 10 caracteres, e no máximo 256 bytes.");
    }
}
