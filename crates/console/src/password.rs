//! `/senha`: asking for a link when a password is forgotten, and choosing a new one by it.

use crate::form::Form;
use crate::page::{Refusal, page};
use app::{App, Error, resets};
use askama::Template;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{Email, Password, Rejection};

const MINUTES: u64 = resets::GOOD_FOR.as_secs() / 60;

type Path = Result<RawPathParams, RawPathParamsRejection>;

#[derive(Template)]
#[template(path = "password_forgotten.html")]
struct Forgotten<'p> {
    email: &'p str,
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "password_link_sent.html")]
struct LinkSent {
    minutes: u64,
}

#[derive(Template)]
#[template(path = "password_new.html")]
struct New {
    shortest: usize,
    longest: usize,
    problems: Vec<String>,
}

#[derive(Template)]
#[template(path = "password_set.html")]
struct Set;

#[derive(Template)]
#[template(path = "password_bad_link.html")]
struct BadLink {
    minutes: u64,
}

/// The form that asks for the address.
pub async fn forgotten() -> Response {
    page(StatusCode::OK, &Forgotten { email: "", problem: None })
}

/// The same page for every address that is one, whether somebody has it or not.
pub async fn ask(State(app): State<App>, form: Result<Form, Refusal>) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    match Email::parse(form.text("email")) {
        Ok(email) => match resets::request(&app, email, form.sent_from) {
            Ok(()) => page(StatusCode::OK, &LinkSent { minutes: MINUTES }),
            Err(error) => Refusal::from(&error).into_response(),
        },
        Err(problem) => {
            let problem = Some(sentence(&problem));
            page(StatusCode::BAD_REQUEST, &Forgotten { email: form.text("email"), problem })
        }
    }
}

/// The form that asks for the new password, where the link is good. Opening it does not use the link up.
pub async fn new(State(app): State<App>, path: Path) -> Response {
    match resets::is_open(&app, link(&path)).await {
        Ok(true) => form_again(StatusCode::OK, Vec::new()),
        Ok(false) => bad_link(),
        Err(error) => Refusal::from(&error).into_response(),
    }
}

/// Sets the password. What is wrong with it is told without using the link up.
pub async fn set(State(app): State<App>, path: Path, form: Result<Form, Refusal>) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    match chosen(&form) {
        Ok(password) => match resets::finish_from(&app, link(&path), password, form.sent_from).await {
            Ok(_) => page(StatusCode::OK, &Set),
            Err(Error::Refused(problems)) if problems == [Rejection::BadResetLink] => bad_link(),
            Err(Error::Refused(problems)) => {
                form_again(StatusCode::BAD_REQUEST, problems.iter().map(sentence).collect())
            }
            Err(error) => Refusal::from(&error).into_response(),
        },
        // A bad link is told before a bad password: nobody is asked to type for nothing.
        Err(problems) => match resets::is_open(&app, link(&path)).await {
            Ok(true) => form_again(StatusCode::BAD_REQUEST, problems),
            Ok(false) => bad_link(),
            Err(error) => Refusal::from(&error).into_response(),
        },
    }
}

fn chosen(form: &Form) -> Result<Password, Vec<String>> {
    let mut problems = Vec::new();
    let password = Password::parse(form.text("senha"));
    let password = password.map_err(|problem| problems.push(sentence(&problem)));
    if form.text("senha") != form.text("repetida") {
        problems.push("As duas senhas não são iguais; digite-as de novo.".to_owned());
    }
    match (password, &problems[..]) {
        (Ok(password), []) => Ok(password),
        _ => Err(problems),
    }
}

/// A refusal's words without the name of its field, which a person sees on the page: `senha: use…` is `Use…`.
fn sentence(problem: &Rejection) -> String {
    let words = wire::refusal::sentence(problem);
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

fn form_again(status: StatusCode, problems: Vec<String>) -> Response {
    page(status, &New { shortest: Password::SHORTEST, longest: Password::LONGEST, problems })
}

fn bad_link() -> Response {
    page(StatusCode::GONE, &BadLink { minutes: MINUTES })
}

/// What stands in the path; a text that cannot be read is a link that is none.
fn link(path: &Path) -> &str {
    let Ok(path) = path else { return "" };
    path.iter().find(|(name, _)| *name == "codigo").map_or("", |(_, value)| value)
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("password_forgotten.html", |with| {
        let email = with.text();
        crate::rendered::text(&Forgotten { email: &email, problem: with.maybe(|| with.text()) })
    }),
    ("password_link_sent.html", |_| crate::rendered::text(&LinkSent { minutes: 30 })),
    ("password_new.html", |with| {
        crate::rendered::text(&New { shortest: 10, longest: 256, problems: with.many(|| with.text()) })
    }),
    ("password_set.html", |_| crate::rendered::text(&Set)),
    ("password_bad_link.html", |_| crate::rendered::text(&BadLink { minutes: 30 })),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_carry_no_script_and_no_style_and_escape_what_was_typed() {
        let typed = Forgotten { email: "\"><script>", problem: Some("<b>".to_owned()) }.render().unwrap();
        assert!(typed.contains("value=\"&#34;&#62;&#60;script&#62;\""), "{typed}");
        let new = New { shortest: 10, longest: 256, problems: vec!["Assim não.".to_owned()] };
        for page in
            [typed, new.render().unwrap(), Set.render().unwrap(), BadLink { minutes: 30 }.render().unwrap()]
        {
            assert!(
                !page.contains("<script") && !page.contains("style=\"") && !page.contains("<b>"),
                "{page}"
            );
            assert!(page.contains("lang=\"pt-BR\"") && page.contains("<h1>"), "{page}");
        }
    }

    #[test]
    fn a_refusal_reads_like_a_sentence_on_a_page() {
        let sentence = sentence(&Rejection::PasswordLength { shortest: 10, longest: 256 });
        assert_eq!(sentence, "Use pelo menos 10 caracteres, e no máximo 256 bytes.");
    }
}
