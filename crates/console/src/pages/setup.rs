//! `/console/comecar`: the first page of an empty server, opened with the link that is printed at startup.

use super::sign_in::respond_to_admission;
use crate::http::form::SubmittedForm;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::session::signed_in_user::BrowserOrigin;
use crate::widgets::form_problems::FormProblems;
use crate::widgets::page::{HandlerResult, render_frameless_page};
use app::access::sessions;
use app::tenants::setup::{self, ServerSetupRequest, SetupLinkState};
use app::{App, Error};
use askama::Template;
use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use domain::{Password, Rejection};

#[derive(Template)]
#[template(path = "console/comecar.html")]
struct FirstSetupPage<'p> {
    root: String,
    request: &'p ServerSetupRequest,
    problems: FormProblems,
    shortest: usize,
    longest: usize,
}

/// The API's field names, and the page's names for them.
const FIELDS: [(&str, &str); 5] = [
    ("nome", "associacao"),
    ("codLoja", "loja"),
    ("nomePessoa", "nome"),
    ("email", "email"),
    ("senha", "senha"),
];

fn render_setup_form(app: &App, request: &ServerSetupRequest, problems: FormProblems) -> HandlerResult {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let (shortest, longest) = (Password::SHORTEST, Password::LONGEST);
    render_frameless_page(
        status,
        &FirstSetupPage { root: derive_root_path(app), request, problems, shortest, longest },
    )
}

fn read_setup_code(path: &RawPathParams) -> &str {
    path.iter().find(|(name, _)| *name == "codigo").map_or("", |(_, value)| value)
}

/// Says why a link does not open the form, and where to continue.
#[derive(Template)]
#[template(path = "console/comecar_depois.html")]
struct ClosedSetupPage {
    root: String,
    is_done: bool,
}

/// Answers a link that is expired or already used, for example after a double submit.
fn render_closed_setup(app: &App, is_done: bool) -> HandlerResult {
    let status = if is_done { StatusCode::OK } else { StatusCode::GONE };
    render_frameless_page(status, &ClosedSetupPage { root: derive_root_path(app), is_done })
}

pub async fn show_setup_form(State(app): State<App>, path: RawPathParams) -> HandlerResult {
    match setup::check_setup_link(&app, read_setup_code(&path)).await? {
        SetupLinkState::Open => {}
        SetupLinkState::Done => {
            return Ok(redirect_to(&format!("{}/console/entrar", derive_root_path(&app))));
        }
        SetupLinkState::Expired => return render_closed_setup(&app, false),
    }
    let none = String::new;
    let request = ServerSetupRequest {
        association: none(),
        branch: "Matriz".to_owned(),
        name: none(),
        email: none(),
        password: none(),
    };
    render_setup_form(&app, &request, FormProblems::default())
}

pub async fn create_association(
    State(app): State<App>,
    path: RawPathParams,
    sender: BrowserOrigin,
    form: SubmittedForm,
) -> HandlerResult {
    let link = setup::check_setup_link(&app, read_setup_code(&path)).await?;
    if link != SetupLinkState::Open {
        return render_closed_setup(&app, link == SetupLinkState::Done);
    }
    let text = |name: &str| form.text(name).trim().to_owned();
    let request = ServerSetupRequest {
        association: text("associacao"),
        branch: text("loja"),
        name: text("nome"),
        email: text("email"),
        password: form.text("senha").to_owned(),
    };
    if form.text("senha") != form.text("repetida") {
        let mut problems = FormProblems::default();
        problems.add_problem("repetida", "As duas senhas não são iguais; digite-as de novo.".to_owned());
        return render_setup_form(&app, &request, problems);
    }
    match setup::set_up_server(&app, read_setup_code(&path), &request).await {
        Ok(_) => {}
        Err(Error::Refused(problems)) if problems == [Rejection::BadSetupLink] => {
            return render_closed_setup(&app, true);
        }
        Err(Error::Refused(problems)) => {
            return render_setup_form(
                &app,
                &request,
                FormProblems::with_field_names(
                    problems.iter().map(wire::refusal::describe_rejection).collect(),
                    &FIELDS,
                ),
            );
        }
        Err(error) => return Err(error.into()),
    }
    let origin = (sender.address, sender.agent.as_deref());
    let admission = sessions::sign_in(&app, &request.email, &request.password, origin).await?;
    let notice = "Pronto: a associação está criada, e você é o administrador.";
    Ok(respond_to_admission(&app, admission, "/console", Some(notice)))
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/comecar_depois.html", |_| {
        crate::template_tests::render_template(&ClosedSetupPage { root: String::new(), is_done: true })
    }),
    ("console/comecar.html", |with| {
        let request = ServerSetupRequest {
            association: with.text(),
            branch: with.text(),
            name: with.text(),
            email: with.text(),
            password: with.text(),
        };
        let problems = FormProblems::with_field_names(
            FIELDS.iter().map(|(name, _)| wire::refusal::RequestProblem::of(*name, with.text())).collect(),
            &FIELDS,
        );
        crate::template_tests::render_template(&FirstSetupPage {
            root: String::new(),
            request: &request,
            problems,
            shortest: 10,
            longest: 256,
        })
    }),
];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::InputField;

    #[test]
    fn what_is_wrong_stands_beside_its_field() {
        let missing = [InputField::Name, InputField::Branch, InputField::PersonName, InputField::Email]
            .map(Rejection::Missing);
        let problems = FormProblems::with_field_names(
            missing.iter().map(wire::refusal::describe_rejection).collect(),
            &FIELDS,
        );
        for field in ["associacao", "loja", "nome", "email"] {
            assert!(problems.of(field).is_some(), "{field}: {:?}", problems.others);
        }
        let short = Rejection::PasswordLength { shortest: 10, longest: 256 };
        assert!(
            FormProblems::with_field_names(vec![wire::refusal::describe_rejection(&short)], &FIELDS)
                .of("senha")
                .is_some()
        );
    }
}
