//! `/console/entrar` and what belongs to one's own account: leaving, the theme, the password, the sessions.

use crate::form::Form;
use crate::frame::{Frame, Theme};
use crate::notice::tell;
use crate::page::{Refusal, page, show};
use crate::second::state_words;
use crate::show::moment;
use crate::visitor::{Guest, Query, Sender, inside, redirect, root, set_half, set_session, set_theme};
use app::access::{Origin, TOKEN_LIFE};
use app::visits::{self, Admission};
use app::{App, Error, second_factor};
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::{Password, Rejection};

#[derive(Template)]
#[template(path = "console/entrar.html")]
struct Enter<'p> {
    root: String,
    to: &'p str,
    email: &'p str,
    problem: Option<&'static str>,
}

pub async fn form(State(app): State<App>, query: Query) -> Response {
    page(
        StatusCode::OK,
        &Enter { root: root(&app), to: inside(query.text("para")), email: "", problem: None },
    )
}

pub async fn enter(State(app): State<App>, sender: Sender, form: Result<Form, Refusal>) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let to = inside(form.text("para"));
    let email = form.text("usuario").trim();
    let origin = Origin { address: sender.address, host: sender.host };
    let again =
        |status, problem| page(status, &Enter { root: root(&app), to, email, problem: Some(problem) });
    match visits::enter_from(&app, (email, form.text("senha")), origin, sender.agent.as_deref()).await {
        Ok(admission) => admitted(&app, admission, to, None),
        Err(Error::Credential) => {
            again(StatusCode::UNAUTHORIZED, "E-mail ou senha não conferem; confira os dois e tente de novo.")
        }
        Err(Error::TooMany(_)) => again(
            StatusCode::TOO_MANY_REQUESTS,
            "Houve tentativas demais com senha errada; espere alguns minutos e tente de novo.",
        ),
        Err(error) => Refusal::from(&error).into_response(),
    }
}

/// Where a right login leads: inside, with a word where there is one to say, or to the code that is still owed.
pub fn admitted(app: &App, admission: Admission, to: &str, said: Option<&str>) -> Response {
    let root = root(app);
    let mut response = match admission {
        Admission::In(entered) => {
            let mut response = redirect(&format!("{root}{to}"));
            set_session(&mut response, &entered.token, TOKEN_LIFE.as_secs());
            response
        }
        Admission::Half(ticket) => {
            let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
            let mut response = redirect(&format!("{root}/console/entrar/codigo?para={to}"));
            set_half(&mut response, &ticket, visits::HALF_FOR.as_secs());
            response
        }
    };
    if let Some(said) = said {
        tell(&mut response, said);
    }
    response
}

/// Ends this session. It works also for one that has ended.
pub async fn leave(
    State(app): State<App>,
    headers: axum::http::HeaderMap,
    form: Result<Form, Refusal>,
) -> Response {
    if let Err(refusal) = form {
        return refusal.into_response();
    }
    if let Some(token) = crate::visitor::token(&headers)
        && let Err(error) = visits::leave(&app, token).await
    {
        return Refusal::from(&error).into_response();
    }
    let mut response = redirect(&format!("{}/console/entrar", root(&app)));
    set_session(&mut response, "", 0);
    // Whoever sits here next finds no half-filled form. Pages are `no-store`, so that no cache has them, and browsers take
    // seconds to empty one. Cookies stay: the theme is one.
    let gone = HeaderValue::from_static("\"storage\"");
    response.headers_mut().insert(HeaderName::from_static("clear-site-data"), gone);
    response
}

pub async fn theme(State(app): State<App>, form: Result<Form, Refusal>) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let mut response = redirect(&format!("{}{}", root(&app), inside(form.text("para"))));
    set_theme(&mut response, Theme::named(form.text("tema")).map_or("", Theme::name));
    response
}

#[derive(Template)]
#[template(path = "console/senha.html")]
struct ChangePassword {
    root: String,
    forced: bool,
    problems: Vec<String>,
    shortest: usize,
    longest: usize,
}

fn password_form(app: &App, guest: &Guest, status: StatusCode, problems: Vec<String>) -> Response {
    let forced = guest.visitor.must_change_password;
    let (shortest, longest) = (Password::SHORTEST, Password::LONGEST);
    page(status, &ChangePassword { root: root(app), forced, problems, shortest, longest })
}

pub async fn password(State(app): State<App>, guest: Guest) -> Response {
    password_form(&app, &guest, StatusCode::OK, Vec::new())
}

pub async fn set_password(
    State(app): State<App>,
    guest: Guest,
    sender: Sender,
    form: Result<Form, Refusal>,
) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let (current, chosen) = (form.text("atual"), form.text("senha"));
    let mut problems = Vec::new();
    if chosen != form.text("repetida") {
        problems.push("As duas senhas novas não são iguais; digite-as de novo.".to_owned());
    }
    if chosen == current {
        problems.push("A nova senha deve ser diferente da atual.".to_owned());
    }
    problems.extend(Password::parse(chosen).err().map(|problem| sentence(&problem)));
    if !problems.is_empty() {
        return password_form(&app, &guest, StatusCode::BAD_REQUEST, problems);
    }
    match visits::change_password(&app, &guest.visitor, (current, chosen), sender.address).await {
        Ok(()) => {}
        Err(Error::Credential) => {
            let problem = "A senha atual não confere.".to_owned();
            return password_form(&app, &guest, StatusCode::BAD_REQUEST, vec![problem]);
        }
        Err(Error::Refused(problems)) => {
            let problems = problems.iter().map(sentence).collect();
            return password_form(&app, &guest, StatusCode::BAD_REQUEST, problems);
        }
        Err(error) => return Refusal::from(&error).into_response(),
    }
    // Everything he had open has ended, this session too: he goes on with a new one.
    let from = (sender.address, sender.agent.as_deref());
    match visits::enter(&app, &guest.visitor.email, chosen, from).await {
        Ok(admission) => {
            let said = "A senha foi trocada. As suas outras sessões foram encerradas.";
            admitted(&app, admission, "/console", Some(said))
        }
        Err(error) => Refusal::from(&error).into_response(),
    }
}

/// A refusal's words without the name of its field, which a person sees on the page.
fn sentence(problem: &Rejection) -> String {
    let words = wire::refusal::sentence(problem);
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

struct OwnSession {
    id: String,
    what: &'static str,
    agent: String,
    address: String,
    since: String,
    until: String,
    is_this: bool,
}

#[derive(Template)]
#[template(path = "console/conta.html")]
struct Account {
    frame: Frame,
    name: String,
    email: String,
    factor: String,
    factor_is_on: bool,
    sessions: Vec<OwnSession>,
}

pub async fn account(State(app): State<App>, guest: Guest) -> Response {
    show(&guest, account_page(&app, &guest).await)
}

async fn account_page(app: &App, guest: &Guest) -> Result<Account, Error> {
    let frame = Frame::of(app, guest, "conta").await?;
    let session = guest.session();
    let zone = app::base::registers(app, session.scope.tenant()).await?.zone.clone();
    let open = visits::sessions(app, session).await?;
    let sessions = open.iter().map(|one| OwnSession {
        id: one.hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        what: if one.is_console { "Console" } else { "Programa (API)" },
        agent: one.agent.as_deref().map(browser).unwrap_or_default(),
        address: one.address.clone().unwrap_or_default(),
        since: moment(one.created_at, &zone),
        until: moment(one.expires_at, &zone),
        is_this: visits::is_this(one, &guest.token),
    });
    let (name, email) = (guest.visitor.name.clone(), guest.visitor.email.clone());
    let state = second_factor::state(app, session.scope.tenant(), session.user).await?;
    let (factor, factor_is_on) = state_words(state, &zone);
    Ok(Account { frame, name, email, factor, factor_is_on, sessions: sessions.collect() })
}

/// What a browser and its system are called, as far as people tell them apart.
fn browser(agent: &str) -> String {
    let of = |known: &[(&str, &'static str)]| {
        known.iter().find(|(sign, _)| agent.contains(sign)).map(|(_, name)| *name)
    };
    let browser = of(&[
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = of(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} em {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => agent.chars().take(60).collect(),
    }
}

pub async fn end_session(State(app): State<App>, guest: Guest, form: Result<Form, Refusal>) -> Response {
    let form = match form {
        Ok(form) => form,
        Err(refusal) => return refusal.into_response(),
    };
    let id = form.text("sessao");
    let pairs = (0..id.len() / 2)
        .map(|at| id.get(2 * at..2 * at + 2).and_then(|two| u8::from_str_radix(two, 16).ok()));
    let Some(hash) = pairs.collect::<Option<Vec<u8>>>() else { return Refusal::Unreadable.into_response() };
    match visits::end_one(&app, guest.session(), hash).await {
        Ok(_) => {
            let mut response = redirect(&format!("{}/console/conta", root(&app)));
            tell(&mut response, "A sessão foi encerrada.");
            response
        }
        Err(error) => Refusal::from(&error).into_response(),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/entrar.html", |with| {
        let (to, email) = (with.text(), with.text());
        let problem = with.maybe(|| "Não conferem.");
        crate::rendered::text(&Enter { root: String::new(), to: &to, email: &email, problem })
    }),
    ("console/senha.html", |with| {
        crate::rendered::text(&ChangePassword {
            root: String::new(),
            forced: with.is_full(),
            problems: with.many(|| with.text()),
            shortest: 10,
            longest: 256,
        })
    }),
    ("console/conta.html", |with| {
        let session = |is_this| OwnSession {
            id: with.text(),
            what: "Console",
            agent: with.text(),
            address: with.text(),
            since: with.text(),
            until: with.text(),
            is_this,
        };
        crate::rendered::text(&Account {
            frame: with.frame(),
            name: with.text(),
            email: with.text(),
            factor: with.text(),
            factor_is_on: with.is_full(),
            sessions: with.many(|| session(false)).into_iter().chain([session(true)]).collect(),
        })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_as_people_name_it() {
        let chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36";
        assert_eq!(browser(chrome), "Chrome em Windows");
        assert_eq!(browser("curl/8.5"), "curl/8.5");
    }
}
