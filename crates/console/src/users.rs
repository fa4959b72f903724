//! `/console/usuarios`: who may enter, what he may do, which branches he sees.

use crate::admin::must_administer;
use crate::form::Form;
use crate::frame::Frame;
use crate::page::{Refusal, page, show};
use crate::visitor::{Guest, Number, redirect, root, tell};
use app::base::Registers;
use app::once::Once;
use app::users::{self, Changes, Initial, Kept, NewUser, User};
use app::{App, Error, collect};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{BranchCode, Email, Field, Name, Role, UserCode};

struct Row {
    code: i32,
    name: String,
    email: String,
    role: &'static str,
    branches: String,
    active: bool,
}

#[derive(Template)]
#[template(path = "console/usuarios.html")]
struct List {
    frame: Frame,
    rows: Vec<Row>,
}

pub async fn list(State(app): State<App>, guest: Guest) -> Response {
    show(&guest, list_page(&app, &guest).await)
}

async fn list_page(app: &App, guest: &Guest) -> Result<List, Error> {
    must_administer(guest.session())?;
    let frame = Frame::of(app, guest, "usuarios").await?;
    let registers = app::base::registers(app, guest.session().scope.tenant()).await?;
    let mut all = users::list(app, &guest.session().scope).await?;
    all.sort_by_cached_key(|user| (!user.active, domain::fold(&user.name), user.code));
    let rows = all.into_iter().map(|user| {
        let names: Vec<&str> = user.branches.iter().map(|code| registers.branch_name(*code)).collect();
        Row {
            code: user.code.get(),
            branches: if user.role.has_every_branch() { "Todas".to_owned() } else { names.join(", ") },
            name: user.name,
            email: user.email,
            role: role_name(user.role),
            active: user.active,
        }
    });
    Ok(List { frame, rows: rows.collect() })
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Administrator => "Administrador",
        Role::Operator => "Operador",
        Role::Integration => "Integração",
    }
}

fn role_told(role: Role) -> &'static str {
    match role {
        Role::Administrator => "faz tudo, em todas as lojas",
        Role::Operator => "trabalha no console, nas lojas marcadas",
        Role::Integration => "um programa que usa a API, nas lojas marcadas",
    }
}

struct RoleChoice {
    value: &'static str,
    name: &'static str,
    told: &'static str,
    is_chosen: bool,
}

struct BranchChoice {
    code: i32,
    name: String,
    is_chosen: bool,
}

/// What stands in the form.
#[derive(Default)]
struct Fields {
    name: String,
    email: String,
    role: Option<Role>,
    branches: Vec<i32>,
    active: bool,
    version: i64,
}

#[derive(Template)]
#[template(path = "console/usuario.html")]
struct Page {
    frame: Frame,
    /// None for somebody new.
    code: Option<i32>,
    fields: Fields,
    roles: Vec<RoleChoice>,
    branches: Vec<BranchChoice>,
    problems: Vec<String>,
    is_self: bool,
}

async fn form(
    app: &App,
    guest: &Guest,
    code: Option<i32>,
    fields: Fields,
    problems: Vec<String>,
) -> Response {
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let frame = match Frame::of(app, guest, "usuarios").await {
        Ok(frame) => frame,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let registers = match app::base::registers(app, guest.session().scope.tenant()).await {
        Ok(registers) => registers,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let roles = Role::ALL.iter().map(|role| RoleChoice {
        value: wire::role(*role),
        name: role_name(*role),
        told: role_told(*role),
        is_chosen: fields.role == Some(*role),
    });
    let branches = branches(&registers, &fields);
    let is_self = code == Some(guest.session().user.get());
    page(status, &Page { frame, code, roles: roles.collect(), branches, problems, is_self, fields })
}

fn branches(registers: &Registers, fields: &Fields) -> Vec<BranchChoice> {
    let shown =
        registers.branches.iter().filter(|one| one.active || fields.branches.contains(&one.code.get()));
    let choice = |one: &app::base::Branch| BranchChoice {
        code: one.code.get(),
        name: one.name.clone(),
        is_chosen: fields.branches.contains(&one.code.get()),
    };
    shown.map(choice).collect()
}

fn typed(form: &Form) -> Fields {
    Fields {
        name: form.text("nome").trim().to_owned(),
        email: form.text("email").trim().to_owned(),
        role: wire::role_from(form.text("perfil")),
        branches: form.all("lojas").filter_map(|text| text.parse().ok()).collect(),
        active: form.text("ativo") == "sim",
        version: form.text("versao").parse().unwrap_or_default(),
    }
}

pub async fn new(State(app): State<App>, guest: Guest) -> Response {
    if let Err(error) = must_administer(guest.session()) {
        return show::<Page>(&guest, Err(error));
    }
    let fields = Fields { role: Some(Role::Operator), active: true, ..Fields::default() };
    form(&app, &guest, None, fields, Vec::new()).await
}

pub async fn create(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let fields = match administered(&guest, sent) {
        Ok(sent) => typed(&sent),
        Err(refusal) => return refusal.into_response(),
    };
    let made = match new_user(&guest, &fields) {
        Ok(new) => {
            let kept = Kept { code: None, by: Some(guest.session().user) };
            users::create_once(&app, new, kept, Once::each_time()).await.map(drop)
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(()) => {
            let mut response = redirect(&format!("{}/console/usuarios", root(&app)));
            tell(&mut response, &format!("Usuário criado. A senha foi enviada para {}.", fields.email));
            response
        }
        Err(Error::Refused(problems)) => {
            let problems = problems.iter().map(wire::refusal::text).collect();
            form(&app, &guest, None, fields, problems).await
        }
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

fn new_user(guest: &Guest, fields: &Fields) -> Result<NewUser, Error> {
    let mut problems = Vec::new();
    let name = collect(&mut problems, Name::parse(Field::PersonName, &fields.name));
    let email = collect(&mut problems, Email::parse(&fields.email));
    let role = fields.role.unwrap_or(Role::Operator);
    let branches: Vec<BranchCode> = fields.branches.iter().copied().map(BranchCode::new).collect();
    collect(&mut problems, users::check_branches(role, &branches));
    match (name, email, &problems[..]) {
        (Some(name), Some(email), []) => Ok(NewUser {
            tenant: guest.session().scope.tenant(),
            name,
            email,
            role,
            branches,
            password: Initial::Mailed,
        }),
        _ => Err(Error::Refused(problems)),
    }
}

/// A form that an administrator sent.
fn administered(guest: &Guest, sent: Result<Form, Refusal>) -> Result<Form, Refusal> {
    let sent = sent?;
    must_administer(guest.session()).map_err(|_| Refusal::Forbidden)?;
    Ok(sent)
}

fn shown(user: &User) -> Fields {
    Fields {
        name: user.name.clone(),
        email: user.email.clone(),
        role: Some(user.role),
        branches: user.branches.iter().map(|branch| branch.get()).collect(),
        active: user.active,
        version: user.version,
    }
}

pub async fn one(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    let found = match must_administer(guest.session()) {
        Ok(()) => users::one(&app, guest.session(), UserCode::new(code)).await,
        Err(error) => Err(error),
    };
    match found {
        Ok(user) => form(&app, &guest, Some(code), shown(&user), Vec::new()).await,
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

pub async fn change(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let fields = match administered(&guest, sent) {
        Ok(sent) => typed(&sent),
        Err(refusal) => return refusal.into_response(),
    };
    let changed = match new_user(&guest, &fields) {
        Ok(new) => {
            let changes = Changes {
                version: fields.version,
                name: Some(new.name),
                email: Some(new.email),
                role: Some(new.role),
                branches: Some(new.branches),
                active: Some(fields.active),
            };
            users::change(&app, guest.session(), UserCode::new(code), changes, Once::each_time())
                .await
                .map(drop)
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(()) => {
            let mut response = redirect(&format!("{}/console/usuarios", root(&app)));
            tell(&mut response, &format!("{} foi alterado.", fields.name));
            response
        }
        Err(Error::Refused(problems)) => {
            let problems = problems.iter().map(wire::refusal::text).collect();
            form(&app, &guest, Some(code), fields, problems).await
        }
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

pub async fn send_password(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    if let Err(refusal) = administered(&guest, sent) {
        return refusal.into_response();
    }
    let done =
        users::send_password(&app, guest.session(), UserCode::new(code), None, Once::each_time()).await;
    after(
        &app,
        &guest,
        code,
        done.map(drop),
        "Uma nova senha foi enviada por e-mail, e as sessões dele foram encerradas.",
    )
}

pub async fn end_sessions(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    if let Err(refusal) = administered(&guest, sent) {
        return refusal.into_response();
    }
    let done =
        users::end_sessions_of(&app, guest.session(), UserCode::new(code), None, Once::each_time()).await;
    after(&app, &guest, code, done.map(drop), "As sessões foram encerradas.")
}

fn after(app: &App, guest: &Guest, code: i32, done: Result<(), Error>, text: &str) -> Response {
    let text = match done {
        Ok(()) => text.to_owned(),
        Err(Error::Refused(problems)) => wire::refusal::texts(&problems),
        Err(error) => return show::<Page>(guest, Err(error)),
    };
    let mut response = redirect(&format!("{}/console/usuarios/{code}", root(app)));
    tell(&mut response, &text);
    response
}
