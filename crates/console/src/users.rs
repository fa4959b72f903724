//! `/console/usuarios`: who may enter, what he may do, which branches he sees.

use crate::admin::{administered, must_administer};
use crate::exporting::Links;
use crate::form::Form;
use crate::frame::Frame;
use crate::notice::tell;
use crate::page::{Refusal, page, show};
use crate::records::{Conflict, Problems, told};
use crate::show::moment;
use crate::visitor::{Guest, Number, redirect, root};
use app::base::Registers;
use app::once::Once;
use app::users::{self, Changes, Habit, Initial, Kept, NewUser, User};
use app::{App, Error, collect, second_factor, tenants};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::{BranchCode, Email, Field, Moment, Name, Rejection, Role, UserCode};
use std::collections::HashMap;
use wire::read::Given;

struct Row {
    code: i32,
    name: String,
    email: String,
    role: &'static str,
    branches: String,
    active: bool,
    last_entered: String,
    /// It never enters the console.
    is_program: bool,
    /// Since when he has a second factor.
    factor_since: String,
}

#[derive(Template)]
#[template(path = "console/usuarios.html")]
struct List {
    frame: Frame,
    rows: Vec<Row>,
    /// Of those who may enter the console, how many have a second factor.
    people: usize,
    with_factor: usize,
    /// Of whom a second factor may be demanded.
    demands: Vec<RoleChoice>,
    /// Of the association, for the form that changes them.
    version: i64,
    export: Links,
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
    let habits = users::habits(app, guest.session()).await?;
    let mut enters = all.iter().filter(|user| user.active && user.role != Role::Integration);
    let people = enters.clone().count();
    let with_factor = enters.by_ref().filter(|user| factor_of(&habits, user.code).is_some()).count();
    let rows = all.into_iter().map(|user| {
        let habit = habits.get(&user.code).copied().unwrap_or_default();
        let told = |at: Option<Moment>| at.map(|at| moment(at, &registers.zone)).unwrap_or_default();
        let names: Vec<&str> = user.branches.iter().map(|code| registers.branch_name(*code)).collect();
        Row {
            code: user.code.get(),
            branches: if user.role.has_every_branch() { "Todas".to_owned() } else { names.join(", ") },
            name: user.name,
            email: user.email,
            role: role_name(user.role),
            is_program: user.role == Role::Integration,
            active: user.active,
            last_entered: told(habit.last_entered),
            factor_since: told(habit.second_factor_since),
        }
    });
    let export = Links::new(&frame.root, "usuario", []);
    let own = tenants::own(app, guest.session()).await?.tenant;
    let demands = [Role::Administrator, Role::Operator].into_iter().map(|role| RoleChoice {
        value: wire::role(role),
        name: role_name(role),
        told: role_told(role),
        is_chosen: own.second_factor_roles.contains(&role),
    });
    let (demands, version) = (demands.collect(), own.version);
    Ok(List { frame, rows: rows.collect(), people, with_factor, demands, version, export })
}

/// Says of which roles a second factor is demanded.
pub async fn demand_factor(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let sent = match administered(&guest, sent) {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let changes = tenants::Changes {
        second_factor_roles: Given::Set(sent.all("perfil").filter_map(wire::role_from).collect()),
        ..tenants::Changes::of_version(sent.text("versao").parse().unwrap_or_default())
    };
    let text = match tenants::change(&app, guest.session(), changes, Once::each_time()).await {
        Ok(_) => {
            "Pronto. Quem é desses perfis e não tem o segundo fator vai ligá-lo na próxima página que abrir."
                .to_owned()
        }
        Err(Error::Refused(problems)) => problems.iter().map(told).collect::<Vec<_>>().join(" "),
        Err(error) => return show::<List>(&guest, Err(error)),
    };
    let mut response = redirect(&format!("{}/console/usuarios", root(&app)));
    tell(&mut response, &text);
    response
}

fn factor_of(habits: &HashMap<UserCode, Habit>, user: UserCode) -> Option<Moment> {
    habits.get(&user).and_then(|habit| habit.second_factor_since)
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

/// What a refusal calls a field, and what the page does.
const FIELDS: [(&str, &str); 4] =
    [("nomePessoa", "nome"), ("email", "email"), ("perfil", "perfil"), ("lojas", "lojas")];

#[derive(Template)]
#[template(path = "console/usuario.html")]
struct Page {
    frame: Frame,
    /// None for somebody new.
    code: Option<i32>,
    fields: Fields,
    roles: Vec<RoleChoice>,
    branches: Vec<BranchChoice>,
    problems: Problems,
    is_self: bool,
    last_entered: String,
    factor_since: String,
}

/// What was refused, beside its fields.
fn refused(rejections: &[Rejection]) -> Problems {
    let others = rejections.iter().filter(|one| !matches!(one, Rejection::OldVersion { .. }));
    let conflict = Conflict::among(rejections, str::to_owned);
    let mut problems = Problems::renamed(others.map(wire::refusal::text).collect(), &FIELDS);
    problems.conflict = conflict;
    problems
}

async fn form(
    app: &App,
    guest: &Guest,
    code: Option<i32>,
    mut fields: Fields,
    mut problems: Problems,
) -> Response {
    if let Some(conflict) = &problems.conflict {
        // Whoever has seen both may save his own.
        fields.version = conflict.version;
    }
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
    problems.conflict = problems.conflict.map(|one| one.named(label, |name| chosen(&registers, name)));
    let branches = branches(&registers, &fields);
    let is_self = code == Some(guest.session().user.get());
    let habits = match users::habits(app, guest.session()).await {
        Ok(habits) => habits,
        Err(error) => return Refusal::from(&error).into_response(),
    };
    let habit = code.and_then(|code| habits.get(&UserCode::new(code)).copied()).unwrap_or_default();
    let told = |at: Option<Moment>| at.map(|at| moment(at, &registers.zone)).unwrap_or_default();
    let (last_entered, factor_since) = (told(habit.last_entered), told(habit.second_factor_since));
    let roles = roles.collect();
    page(
        status,
        &Page { frame, code, roles, branches, problems, is_self, last_entered, factor_since, fields },
    )
}

fn label(name: &str) -> Option<&'static str> {
    let labels = [
        ("nome", "Nome"),
        ("email", "E-mail"),
        ("perfil", "Perfil"),
        ("lojas", "Lojas que vê"),
        ("ativo", "Pode entrar"),
    ];
    labels.iter().find(|(known, _)| *known == name).map(|(_, label)| *label)
}

/// What may be chosen in a field, by its names.
fn chosen(registers: &Registers, name: &str) -> Vec<(String, String)> {
    match name {
        "perfil" => {
            Role::ALL.iter().map(|role| (wire::role(*role).to_owned(), role_name(*role).to_owned())).collect()
        }
        "lojas" => registers.branches.iter().map(|one| (one.code.to_string(), one.name.clone())).collect(),
        _ => Vec::new(),
    }
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
    form(&app, &guest, None, fields, Problems::default()).await
}

pub async fn create(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let fields = match administered(&guest, sent) {
        Ok(sent) => typed(&sent),
        Err(refusal) => return refusal.into_response(),
    };
    let made = match new_user(&guest, &fields) {
        Ok(new) => {
            let kept = Kept { code: None, by: guest.session().actor(users::BY_ADMINISTRATOR) };
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
        Err(Error::Refused(problems)) => form(&app, &guest, None, fields, refused(&problems)).await,
        Err(error) => show::<Page>(&guest, Err(error)),
    }
}

fn new_user(guest: &Guest, fields: &Fields) -> Result<NewUser, Error> {
    let mut problems = Vec::new();
    let name = collect(&mut problems, Name::parse(Field::PersonName, &fields.name));
    let email = collect(&mut problems, Email::parse(&fields.email));
    let role = collect(&mut problems, fields.role.ok_or(Rejection::Missing(Field::Role)));
    let branches: Vec<BranchCode> = fields.branches.iter().copied().map(BranchCode::new).collect();
    if let Some(role) = role {
        collect(&mut problems, users::check_branches(role, &branches));
    }
    match (name, email, role, &problems[..]) {
        (Some(name), Some(email), Some(role), []) => Ok(NewUser {
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
        Ok(user) => form(&app, &guest, Some(code), shown(&user), Problems::default()).await,
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
        Err(Error::Refused(problems)) => form(&app, &guest, Some(code), fields, refused(&problems)).await,
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

/// For somebody who lost his phone and his codes.
pub async fn remove_second_factor(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    if let Err(refusal) = administered(&guest, sent) {
        return refusal.into_response();
    }
    let done = second_factor::remove_of(&app, guest.session(), UserCode::new(code)).await;
    let text = match done {
        Ok(false) => "Este usuário já não tem segundo fator.",
        _ => "O segundo fator foi retirado: para entrar, basta a senha. Um e-mail avisa o dono da conta.",
    };
    after(&app, &guest, code, done.map(drop), text)
}

fn after(app: &App, guest: &Guest, code: i32, done: Result<(), Error>, text: &str) -> Response {
    let text = match done {
        Ok(()) => text.to_owned(),
        Err(Error::Refused(problems)) => problems.iter().map(told).collect::<Vec<_>>().join(" "),
        Err(error) => return show::<Page>(guest, Err(error)),
    };
    let mut response = redirect(&format!("{}/console/usuarios/{code}", root(app)));
    tell(&mut response, &text);
    response
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[
    ("console/usuarios.html", |with| {
        let row = || Row {
            code: 7,
            name: with.text(),
            email: with.text(),
            role: "Operador",
            is_program: false,
            branches: with.text(),
            active: true,
            last_entered: with.text(),
            factor_since: with.text(),
        };
        let role = || RoleChoice { value: "operador", name: "Operador", told: "trabalha", is_chosen: true };
        crate::rendered::text(&List {
            export: with.links(),
            frame: with.frame(),
            rows: with.many(row),
            people: 3,
            with_factor: 1,
            demands: with.many(role),
            version: 1,
        })
    }),
    ("console/usuario.html", |with| {
        let fields = Fields { name: with.text(), email: with.text(), ..Fields::default() };
        let lines = FIELDS.iter().map(|(name, _)| format!("{name}: {}", with.text())).chain([with.text()]);
        let mut problems = Problems::renamed(lines.collect(), &FIELDS);
        problems.conflict = with.maybe(|| with.conflict());
        let role = || RoleChoice { value: "operador", name: "Operador", told: "trabalha", is_chosen: true };
        crate::rendered::text(&Page {
            frame: with.frame(),
            code: with.maybe(|| 7),
            fields,
            roles: with.many(role),
            branches: with.many(|| BranchChoice { code: 1, name: with.text(), is_chosen: true }),
            problems,
            is_self: false,
            last_entered: with.text(),
            factor_since: with.text(),
        })
    }),
];
