//! `/console/entrar` and the user's own account: sign-out, theme, password, sessions.

use super::second_factor::describe_factor_state;
use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::{derive_root_path, redirect_to, sanitize_return_path};
use crate::http::refusal::Refusal;
use crate::session::colour_theme::ColourTheme;
use crate::session::cookies::{
    find_session_token, set_pending_sign_in, set_session_cookie, set_theme_cookie,
};
use crate::session::notice::{add_notice, redirect_with_notice, redirect_with_problem};
use crate::session::signed_in_user::{BrowserOrigin, SignedInUser};
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_frameless_page, show_page};
use app::access::CallerOrigin;
use app::access::second_factor;
use app::access::sessions::{self, SignInOutcome};
use app::session::TOKEN_LIFE;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use domain::{Password, Rejection};

#[derive(Template)]
#[template(path = "console/entrar.html")]
struct SignInPage<'p> {
    root: String,
    to: &'p str,
    email: &'p str,
    problem: Option<&'static str>,
}

pub async fn show_sign_in_page(State(app): State<App>, query: QueryParams) -> HandlerResult {
    render_frameless_page(
        StatusCode::OK,
        &SignInPage {
            root: derive_root_path(&app),
            to: sanitize_return_path(query.text("para")),
            email: "",
            problem: None,
        },
    )
}

pub async fn sign_in(State(app): State<App>, sender: BrowserOrigin, form: SubmittedForm) -> HandlerResult {
    let to = sanitize_return_path(form.text("para"));
    let email = form.text("usuario").trim();
    let origin = CallerOrigin { address: sender.address, host: sender.host };
    let entered = (email, form.text("senha"));
    let (status, problem) = match sessions::sign_in_from(&app, entered, origin, sender.agent.as_deref()).await
    {
        Ok(admission) => return Ok(respond_to_admission(&app, admission, to, None)),
        Err(Error::Credential) => {
            (StatusCode::UNAUTHORIZED, "E-mail ou senha não conferem; confira os dois e tente de novo.")
        }
        Err(Error::TooManyFailures(_)) => (
            StatusCode::TOO_MANY_REQUESTS,
            "Houve tentativas demais com senha errada; espere alguns minutos e tente de novo.",
        ),
        Err(error) => return Err(error.into()),
    };
    render_frameless_page(
        status,
        &SignInPage { root: derive_root_path(&app), to, email, problem: Some(problem) },
    )
}

/// Redirects after a correct password: into the console, with an optional notice, or to the second factor.
pub fn respond_to_admission(app: &App, admission: SignInOutcome, to: &str, notice: Option<&str>) -> Response {
    let root = derive_root_path(app);
    let mut response = match admission {
        SignInOutcome::Grant(grant) => {
            let mut response = redirect_to(&format!("{root}{to}"));
            set_session_cookie(&mut response, &grant.token, TOKEN_LIFE.as_secs());
            response
        }
        SignInOutcome::Challenge(ticket) => {
            let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
            let mut response = redirect_to(&format!("{root}/console/entrar/codigo?para={to}"));
            set_pending_sign_in(&mut response, &ticket, sessions::CHALLENGE_LIFETIME.as_secs());
            response
        }
    };
    if let Some(notice) = notice {
        add_notice(&mut response, notice);
    }
    response
}

/// Ends this session; also succeeds if it has already ended.
pub async fn sign_out(
    State(app): State<App>,
    headers: axum::http::HeaderMap,
    _: SubmittedForm,
) -> HandlerResult {
    if let Some(token) = find_session_token(&headers) {
        sessions::sign_out(&app, token).await?;
    }
    let mut response = redirect_to(&format!("{}/console/entrar", derive_root_path(&app)));
    set_session_cookie(&mut response, "", 0);
    // The next user of this browser must find no half-filled form. The cache is not cleared: pages are `no-store`, and
    // browsers take seconds to empty it. Cookies stay: the theme is one.
    let site_data = HeaderValue::from_static("\"storage\"");
    response.headers_mut().insert(HeaderName::from_static("clear-site-data"), site_data);
    Ok(response)
}

pub async fn change_theme(State(app): State<App>, form: SubmittedForm) -> Response {
    let mut response =
        redirect_to(&format!("{}{}", derive_root_path(&app), sanitize_return_path(form.text("para"))));
    set_theme_cookie(&mut response, ColourTheme::from_name(form.text("tema")).map_or("", ColourTheme::name));
    response
}

#[derive(Template)]
#[template(path = "console/senha.html")]
struct ChangePasswordPage {
    root: String,
    forced: bool,
    problems: Vec<String>,
    shortest: usize,
    longest: usize,
}

fn render_password_form(
    app: &App,
    user: &SignedInUser,
    status: StatusCode,
    problems: Vec<String>,
) -> HandlerResult {
    let forced = user.visitor.must_change_password;
    let (shortest, longest) = (Password::SHORTEST, Password::LONGEST);
    render_frameless_page(
        status,
        &ChangePasswordPage { root: derive_root_path(app), forced, problems, shortest, longest },
    )
}

pub async fn show_password_form(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    render_password_form(&app, &user, StatusCode::OK, Vec::new())
}

pub async fn change_password(
    State(app): State<App>,
    user: SignedInUser,
    sender: BrowserOrigin,
    form: SubmittedForm,
) -> HandlerResult {
    let (current, chosen) = (form.text("atual"), form.text("senha"));
    let mut problems = Vec::new();
    if chosen != form.text("repetida") {
        problems.push("As duas senhas novas não são iguais; digite-as de novo.".to_owned());
    }
    if chosen == current {
        problems.push("A nova senha deve ser diferente da atual.".to_owned());
    }
    problems.extend(Password::parse(chosen).err().map(|problem| describe_password_problem(&problem)));
    if !problems.is_empty() {
        return render_password_form(&app, &user, StatusCode::BAD_REQUEST, problems);
    }
    match sessions::change_own_password(&app, &user.visitor, (current, chosen), sender.address).await {
        Ok(()) => {}
        Err(Error::Credential) => {
            let problem = "A senha atual não confere.".to_owned();
            return render_password_form(&app, &user, StatusCode::BAD_REQUEST, vec![problem]);
        }
        Err(Error::Refused(problems)) => {
            let problems = problems.iter().map(describe_password_problem).collect();
            return render_password_form(&app, &user, StatusCode::BAD_REQUEST, problems);
        }
        Err(error) => return Err(error.into()),
    }
    // The change ended all sessions of the user, including this one, so a new one starts.
    let origin = (sender.address, sender.agent.as_deref());
    let admission = sessions::sign_in(&app, &user.visitor.email, chosen, origin).await?;
    let notice = "A senha foi trocada. As suas outras sessões foram encerradas.";
    Ok(respond_to_admission(&app, admission, "/console", Some(notice)))
}

/// Removes the field name, which the page already shows.
fn describe_password_problem(problem: &Rejection) -> String {
    let words = wire::refusal::render_sentence(problem);
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

struct OwnSessionLine {
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
struct AccountPage {
    frame: PageFrame,
    name: String,
    email: String,
    factor: String,
    factor_is_on: bool,
    sessions: Vec<OwnSessionLine>,
}

pub async fn show_account_page(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "conta").await?;
    let session = user.session();
    let zone = app::register_snapshot::load_registers(&app, session.scope.tenant()).await?.zone.clone();
    let open = sessions::list_own_sessions(&app, session).await?;
    let sessions = open.iter().map(|one| OwnSessionLine {
        id: one.hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        what: if one.is_console { "Console" } else { "Programa (API)" },
        agent: one.agent.as_deref().map(describe_browser).unwrap_or_default(),
        address: one.address.clone().unwrap_or_default(),
        since: format_moment(one.created_at, &zone),
        until: format_moment(one.expires_at, &zone),
        is_this: sessions::is_session_of_token(one, &user.token),
    });
    let (name, email) = (user.visitor.name.clone(), user.visitor.email.clone());
    let state = second_factor::read_factor_state(&app, session.scope.tenant(), session.user).await?;
    let (factor, factor_is_on) = describe_factor_state(state, &zone);
    show_page(&AccountPage { frame, name, email, factor, factor_is_on, sessions: sessions.collect() })
}

/// Browser and operating system; unknown user agents are truncated.
fn describe_browser(agent: &str) -> String {
    let find_name = |known: &[(&str, &'static str)]| {
        known.iter().find(|(sign, _)| agent.contains(sign)).map(|(_, name)| *name)
    };
    let browser = find_name(&[
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = find_name(&[
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

pub async fn end_session(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    let id = form.text("sessao");
    let pairs = (0..id.len() / 2)
        .map(|at| id.get(2 * at..2 * at + 2).and_then(|two| u8::from_str_radix(two, 16).ok()));
    let hash = pairs.collect::<Option<Vec<u8>>>().ok_or(Refusal::Unreadable)?;
    let account = format!("{}/console/conta", derive_root_path(&app));
    match sessions::end_session(&app, user.session(), hash).await? {
        true => Ok(redirect_with_notice(&account, "A sessão foi encerrada.")),
        false => Ok(redirect_with_problem(&account, "Esta sessão já não estava aberta.")),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/entrar.html", |with| {
        let (to, email) = (with.text(), with.text());
        let problem = with.option_of(|| "Não conferem.");
        crate::template_tests::render_template(&SignInPage {
            root: String::new(),
            to: &to,
            email: &email,
            problem,
        })
    }),
    ("console/senha.html", |with| {
        crate::template_tests::render_template(&ChangePasswordPage {
            root: String::new(),
            forced: with.is_filled(),
            problems: with.list_of(|| with.text()),
            shortest: 10,
            longest: 256,
        })
    }),
    ("console/conta.html", |with| {
        let session = |is_this| OwnSessionLine {
            id: with.text(),
            what: "Console",
            agent: with.text(),
            address: with.text(),
            since: with.text(),
            until: with.text(),
            is_this,
        };
        crate::template_tests::render_template(&AccountPage {
            frame: with.frame(),
            name: with.text(),
            email: with.text(),
            factor: with.text(),
            factor_is_on: with.is_filled(),
            sessions: with.list_of(|| session(false)).into_iter().chain([session(true)]).collect(),
        })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_as_people_name_it() {
        let chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36";
        assert_eq!(describe_browser(chrome), "Chrome em Windows");
        assert_eq!(describe_browser("curl/8.5"), "curl/8.5");
    }
}
