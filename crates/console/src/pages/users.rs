//! `/console/usuarios`: users, their roles and the branches they see.

use super::administration::require_administrator;
use crate::http::form::SubmittedForm;
use crate::http::parameters::PathNumber;
use crate::http::redirect::derive_root_path;
use crate::session::notice::{redirect_with_notice, redirect_with_problem};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::form_problems::{FormProblems, describe_rejection};
use crate::widgets::formats::format_moment;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, render_page, show_page};
use crate::widgets::version_conflict::VersionConflict;
use app::access::second_factor;
use app::access::users::{
    self, AccountActivity, ChangeUser, InitialPassword, NewUserInput, UserCreationContext,
};
use app::idempotency::IdempotentWrite;
use app::register_snapshot::TenantRegisters;
use app::{App, Error, collect_problem, tenants};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{
    BranchCode, DisplayName, Email, InputField, Moment, MoneyRight, MoneyRights, Rejection, Role, User,
    UserCode,
};
use std::collections::HashMap;
use wire::read::FieldPatch;

struct UserAccountLine {
    code: i32,
    name: String,
    email: String,
    role: &'static str,
    branches: String,
    active: bool,
    last_entered: String,
    /// Program users never sign in to the console.
    is_program: bool,
    /// Time at which the second factor was enabled.
    factor_since: String,
}

#[derive(Template)]
#[template(path = "console/usuarios.html")]
struct BrowseUsersPage {
    frame: PageFrame,
    rows: Vec<UserAccountLine>,
    /// Users who may sign in to the console, and how many of them have a second factor.
    people: usize,
    with_factor: usize,
    /// Roles for which a second factor can be required.
    demands: Vec<RoleChoice>,
    /// The tenant's version, for the form that changes the required roles.
    version: i64,
    export: ExportLinks,
}

pub async fn show_user_list(State(app): State<App>, signed_in: SignedInUser) -> HandlerResult {
    require_administrator(signed_in.session())?;
    let frame = PageFrame::load(&app, &signed_in, "usuarios").await?;
    let registers = app::register_snapshot::load_registers(&app, signed_in.session().scope.tenant()).await?;
    let mut all = users::list_users(&app, &signed_in.session().scope).await?;
    all.sort_by_cached_key(|user| (!user.active, domain::fold_text(&user.name), user.code));
    let activities = users::list_account_activity(&app, signed_in.session()).await?;
    let mut console_users = all.iter().filter(|user| user.active && user.role != Role::Integration);
    let people = console_users.clone().count();
    let with_factor =
        console_users.by_ref().filter(|user| find_factor_start(&activities, user.code).is_some()).count();
    let rows = all.into_iter().map(|user| {
        let activity = activities.get(&user.code).copied().unwrap_or_default();
        let format_time =
            |at: Option<Moment>| at.map(|at| format_moment(at, &registers.zone)).unwrap_or_default();
        let names: Vec<&str> = user.branches.iter().map(|code| registers.branch_name(*code)).collect();
        UserAccountLine {
            code: user.code.get(),
            branches: if user.role.has_every_branch() { "Todas".to_owned() } else { names.join(", ") },
            name: user.name,
            email: user.email,
            role: label_role(user.role),
            is_program: user.role == Role::Integration,
            active: user.active,
            last_entered: format_time(activity.last_entered),
            factor_since: format_time(activity.second_factor_since),
        }
    });
    let export = ExportLinks::new(&frame.root, "usuario", []);
    let tenant = tenants::read_own_tenant(&app, signed_in.session()).await?.tenant;
    let demands = Role::STAFF.into_iter().map(|role| RoleChoice {
        value: wire::role(role),
        name: label_role(role),
        description: describe_role(role),
        is_chosen: tenant.second_factor_roles.contains(&role),
    });
    let (demands, version) = (demands.collect(), tenant.version);
    show_page(&BrowseUsersPage { frame, rows: rows.collect(), people, with_factor, demands, version, export })
}

/// Sets the roles for which a second factor is required.
pub async fn demand_second_factor(
    State(app): State<App>,
    user: SignedInUser,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let changes = tenants::ChangeTenant {
        second_factor_roles: FieldPatch::Set(form.all_texts("perfil").filter_map(wire::parse_role).collect()),
        ..tenants::ChangeTenant::from_version(form.text("versao").parse().unwrap_or_default())
    };
    let done =
        tenants::change_own_tenant(&app, user.session(), changes, IdempotentWrite::without_key()).await;
    let text =
        "Pronto. Quem é desses perfis e não tem o segundo fator vai ligá-lo na próxima página que abrir.";
    redirect_after_action(&format!("{}/console/usuarios", derive_root_path(&app)), done.map(drop), text)
}

fn find_factor_start(activities: &HashMap<UserCode, AccountActivity>, user: UserCode) -> Option<Moment> {
    activities.get(&user).and_then(|activity| activity.second_factor_since)
}

fn label_role(role: Role) -> &'static str {
    match role {
        Role::Administrator => "Administrador",
        Role::Operator => "Operador",
        Role::Integration => "Integração",
    }
}

fn describe_role(role: Role) -> &'static str {
    match role {
        Role::Administrator => "faz tudo, em todas as lojas",
        Role::Operator => "trabalha no console, nas lojas marcadas",
        Role::Integration => "um programa que usa a API, nas lojas marcadas",
    }
}

struct RoleChoice {
    value: &'static str,
    name: &'static str,
    description: &'static str,
    is_chosen: bool,
}

struct BranchChoice {
    code: i32,
    name: String,
    is_chosen: bool,
}

struct MoneyRightChoice {
    value: &'static str,
    label: &'static str,
    is_chosen: bool,
}

#[derive(Default)]
struct UserFormFields {
    name: String,
    email: String,
    role: Option<Role>,
    branches: Vec<i32>,
    /// `None` if the form did not offer them: it showed an administrator, who has all.
    money_rights: Option<MoneyRights>,
    gets_old_search_answer: bool,
    active: bool,
    version: i64,
}

/// The API's field names, and the page's names for them.
const FIELDS: [(&str, &str); 4] =
    [("nomePessoa", "nome"), ("email", "email"), ("perfil", "perfil"), ("lojas", "lojas")];

#[derive(Template)]
#[template(path = "console/usuario.html")]
struct EditUserPage {
    frame: PageFrame,
    /// `None` for a new user.
    code: Option<i32>,
    fields: UserFormFields,
    roles: Vec<RoleChoice>,
    branches: Vec<BranchChoice>,
    money_rights: Vec<MoneyRightChoice>,
    is_administrator: bool,
    problems: FormProblems,
    is_self: bool,
    last_entered: String,
    factor_since: String,
}

/// Assigns the problems to their fields.
fn collect_field_problems(rejections: &[Rejection]) -> FormProblems {
    let others = rejections.iter().filter(|one| !matches!(one, Rejection::OldVersion { .. }));
    let conflict = VersionConflict::find_in_rejections(rejections, str::to_owned);
    let mut problems = FormProblems::with_field_names(wire::refusal::describe_rejections(others), &FIELDS);
    problems.conflict = conflict;
    problems
}

async fn render_user_form(
    app: &App,
    user: &SignedInUser,
    code: Option<i32>,
    mut fields: UserFormFields,
    mut problems: FormProblems,
) -> HandlerResult {
    if let Some(conflict) = &problems.conflict {
        // The user now sees both versions, so the next save may overwrite.
        fields.version = conflict.version;
    }
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let frame = PageFrame::load(app, user, "usuarios").await?;
    let registers = app::register_snapshot::load_registers(app, user.session().scope.tenant()).await?;
    let roles = Role::ALL.iter().map(|role| RoleChoice {
        value: wire::role(*role),
        name: label_role(*role),
        description: describe_role(*role),
        is_chosen: fields.role == Some(*role),
    });
    problems.conflict = problems
        .conflict
        .map(|one| one.with_labels(find_field_label, |name| list_field_choices(&registers, name)));
    let branches = list_branch_choices(&registers, &fields);
    let money_rights = list_money_right_choices(&fields);
    let is_administrator = fields.role == Some(Role::Administrator);
    let is_self = code == Some(user.session().user.get());
    let activities = users::list_account_activity(app, user.session()).await?;
    let activity = code.and_then(|code| activities.get(&UserCode::new(code)).copied()).unwrap_or_default();
    let format_time =
        |at: Option<Moment>| at.map(|at| format_moment(at, &registers.zone)).unwrap_or_default();
    let (last_entered, factor_since) =
        (format_time(activity.last_entered), format_time(activity.second_factor_since));
    let roles = roles.collect();
    render_page(
        status,
        &EditUserPage {
            frame,
            code,
            fields,
            roles,
            branches,
            money_rights,
            is_administrator,
            problems,
            is_self,
            last_entered,
            factor_since,
        },
    )
}

fn find_field_label(name: &str) -> Option<&'static str> {
    let labels = [
        ("nome", "Nome"),
        ("email", "E-mail"),
        ("perfil", "Perfil"),
        ("lojas", "Lojas que vê"),
        ("permissoesFinanceiras", "Financeiro"),
        ("respostaAntigaPesquisa", "Resposta antiga da pesquisa"),
        ("ativo", "Pode entrar"),
    ];
    labels.iter().find(|(known, _)| *known == name).map(|(_, label)| *label)
}

fn list_field_choices(registers: &TenantRegisters, name: &str) -> Vec<(String, String)> {
    match name {
        "perfil" => Role::ALL
            .iter()
            .map(|role| (wire::role(*role).to_owned(), label_role(*role).to_owned()))
            .collect(),
        "lojas" => registers.branches.iter().map(|one| (one.code.to_string(), one.name.clone())).collect(),
        "permissoesFinanceiras" => MoneyRight::ALL
            .iter()
            .map(|right| (wire::money_right(*right).to_owned(), label_money_right(*right).to_owned()))
            .collect(),
        _ => Vec::new(),
    }
}

fn list_branch_choices(registers: &TenantRegisters, fields: &UserFormFields) -> Vec<BranchChoice> {
    let listed =
        registers.branches.iter().filter(|one| one.active || fields.branches.contains(&one.code.get()));
    let choice = |one: &app::register_snapshot::StoredBranch| BranchChoice {
        code: one.code.get(),
        name: one.name.clone(),
        is_chosen: fields.branches.contains(&one.code.get()),
    };
    listed.map(choice).collect()
}

fn list_money_right_choices(fields: &UserFormFields) -> Vec<MoneyRightChoice> {
    let stored = fields.money_rights.unwrap_or(MoneyRights::NONE);
    let rights = fields.role.map_or(stored, |role| MoneyRights::for_role(role, stored));
    let choice = |right| MoneyRightChoice {
        value: wire::money_right(right),
        label: label_money_right(right),
        is_chosen: rights.contains(right),
    };
    MoneyRight::ALL.into_iter().map(choice).collect()
}

fn label_money_right(right: MoneyRight) -> &'static str {
    match right {
        MoneyRight::SeeMoney => "Ver valores e títulos",
        MoneyRight::SettleTitles => "Receber e estornar pagamentos",
        MoneyRight::ApproveRuns => "Aprovar a cobrança do mês",
        MoneyRight::ClosePeriods => "Fechar e reabrir meses",
    }
}

/// The chosen rights. A disabled box is not sent, so the form says with `financeiro` that it offered them.
fn read_money_rights(form: &SubmittedForm) -> Option<MoneyRights> {
    let chosen = || form.all_texts("permissoesFinanceiras").filter_map(wire::parse_money_right).collect();
    (form.text("financeiro") == "sim").then(chosen)
}

fn read_user_fields(form: &SubmittedForm) -> UserFormFields {
    UserFormFields {
        name: form.text("nome").trim().to_owned(),
        email: form.text("email").trim().to_owned(),
        role: wire::parse_role(form.text("perfil")),
        branches: form.all_texts("lojas").filter_map(|text| text.parse().ok()).collect(),
        money_rights: read_money_rights(form),
        gets_old_search_answer: form.text("respostaAntigaPesquisa") == "sim",
        active: form.text("ativo") == "sim",
        version: form.text("versao").parse().unwrap_or_default(),
    }
}

pub async fn show_new_user_form(State(app): State<App>, user: SignedInUser) -> HandlerResult {
    require_administrator(user.session())?;
    let fields = UserFormFields { role: Some(Role::Operator), active: true, ..UserFormFields::default() };
    render_user_form(&app, &user, None, fields, FormProblems::default()).await
}

pub async fn create_user(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    require_administrator(user.session())?;
    let fields = read_user_fields(&form);
    let created = match parse_new_user(&user, &fields) {
        Ok(new) => {
            let context =
                UserCreationContext { code: None, by: user.session().actor(users::BY_ADMINISTRATOR) };
            users::create_user_once(&app, new, context, IdempotentWrite::without_key()).await.map(drop)
        }
        Err(error) => Err(error),
    };
    match created {
        Ok(()) => Ok(redirect_with_notice(
            &format!("{}/console/usuarios", derive_root_path(&app)),
            &format!("Usuário criado. A senha foi enviada para {}.", fields.email),
        )),
        Err(Error::Refused(problems)) => {
            render_user_form(&app, &user, None, fields, collect_field_problems(&problems)).await
        }
        Err(error) => Err(error.into()),
    }
}

fn parse_new_user(user: &SignedInUser, fields: &UserFormFields) -> Result<NewUserInput, Error> {
    let mut problems = Vec::new();
    let name = collect_problem(&mut problems, DisplayName::parse(InputField::PersonName, &fields.name));
    let email = collect_problem(&mut problems, Email::parse(&fields.email));
    let role = collect_problem(&mut problems, fields.role.ok_or(Rejection::Missing(InputField::Role)));
    let branches: Vec<BranchCode> = fields.branches.iter().copied().map(BranchCode::new).collect();
    if let Some(role) = role {
        collect_problem(&mut problems, users::check_branches(role, &branches));
    }
    match (name, email, role, &problems[..]) {
        (Some(name), Some(email), Some(role), []) => Ok(NewUserInput {
            tenant: user.session().scope.tenant(),
            name,
            email,
            role,
            branches,
            money_rights: fields.money_rights.unwrap_or(MoneyRights::NONE),
            gets_old_search_answer: fields.gets_old_search_answer,
            password: InitialPassword::Mailed,
        }),
        _ => Err(Error::Refused(problems)),
    }
}

fn fill_user_fields(user: &User) -> UserFormFields {
    UserFormFields {
        name: user.name.clone(),
        email: user.email.clone(),
        role: Some(user.role),
        branches: user.branches.iter().map(|branch| branch.get()).collect(),
        money_rights: Some(user.stored_money_rights),
        gets_old_search_answer: user.gets_old_search_answer,
        active: user.active,
        version: user.version,
    }
}

pub async fn show_user_page(
    State(app): State<App>,
    signed_in: SignedInUser,
    PathNumber(code): PathNumber,
) -> HandlerResult {
    require_administrator(signed_in.session())?;
    let user = users::read_user(&app, signed_in.session(), UserCode::new(code)).await?;
    render_user_form(&app, &signed_in, Some(code), fill_user_fields(&user), FormProblems::default()).await
}

pub async fn change_user(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let fields = read_user_fields(&form);
    let changed = match parse_new_user(&user, &fields) {
        Ok(new) => {
            let changes = ChangeUser {
                version: fields.version,
                name: Some(new.name),
                email: Some(new.email),
                role: Some(new.role),
                branches: Some(new.branches),
                money_rights: fields.money_rights,
                gets_old_search_answer: Some(fields.gets_old_search_answer),
                active: Some(fields.active),
            };
            users::change_user(
                &app,
                user.session(),
                UserCode::new(code),
                changes,
                IdempotentWrite::without_key(),
            )
            .await
            .map(drop)
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(()) => Ok(redirect_with_notice(
            &format!("{}/console/usuarios", derive_root_path(&app)),
            &format!("{} foi alterado.", fields.name),
        )),
        Err(Error::Refused(problems)) => {
            render_user_form(&app, &user, Some(code), fields, collect_field_problems(&problems)).await
        }
        Err(error) => Err(error.into()),
    }
}

pub async fn send_password(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let done = users::send_new_password(
        &app,
        user.session(),
        UserCode::new(code),
        None,
        IdempotentWrite::without_key(),
    )
    .await;
    respond_to_user_action(
        &app,
        code,
        done.map(drop),
        "Uma nova senha foi enviada por e-mail, e as sessões dele foram encerradas.",
    )
}

pub async fn end_user_sessions(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let done = users::end_user_sessions(
        &app,
        user.session(),
        UserCode::new(code),
        None,
        IdempotentWrite::without_key(),
    )
    .await;
    respond_to_user_action(&app, code, done.map(drop), "As sessões foram encerradas.")
}

/// For a user who lost both the phone and the recovery codes.
pub async fn remove_second_factor(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    require_administrator(user.session())?;
    let done = second_factor::remove_factor_of_user(&app, user.session(), UserCode::new(code)).await;
    let text = match done {
        Ok(false) => "Este usuário já não tem segundo fator.",
        _ => "O segundo fator foi retirado: para entrar, basta a senha. Um e-mail avisa o dono da conta.",
    };
    respond_to_user_action(&app, code, done.map(drop), text)
}

fn respond_to_user_action(app: &App, code: i32, done: Result<(), Error>, text: &str) -> HandlerResult {
    redirect_after_action(&format!("{}/console/usuarios/{code}", derive_root_path(app)), done, text)
}

/// The next page shows the text, or why the action was refused.
fn redirect_after_action(to: &str, done: Result<(), Error>, text: &str) -> HandlerResult {
    match done {
        Ok(()) => Ok(redirect_with_notice(to, text)),
        Err(Error::Refused(problems)) => {
            let problems: Vec<String> = problems.iter().map(describe_rejection).collect();
            Ok(redirect_with_problem(to, &problems.join(" ")))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[
    ("console/usuarios.html", |with| {
        let row = || UserAccountLine {
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
        let role =
            || RoleChoice { value: "operador", name: "Operador", description: "trabalha", is_chosen: true };
        crate::template_tests::render_template(&BrowseUsersPage {
            export: with.links(),
            frame: with.frame(),
            rows: with.list_of(row),
            people: 3,
            with_factor: 1,
            demands: with.list_of(role),
            version: 1,
        })
    }),
    ("console/usuario.html", |with| {
        let fields = UserFormFields { name: with.text(), email: with.text(), ..UserFormFields::default() };
        let found = FIELDS.iter().map(|(name, _)| wire::refusal::RequestProblem::of(*name, with.text()));
        let found = found.chain([wire::refusal::RequestProblem::general(with.text())]).collect();
        let mut problems = FormProblems::with_field_names(found, &FIELDS);
        problems.conflict = with.option_of(|| with.conflict());
        let role =
            || RoleChoice { value: "operador", name: "Operador", description: "trabalha", is_chosen: true };
        crate::template_tests::render_template(&EditUserPage {
            frame: with.frame(),
            code: with.option_of(|| 7),
            fields,
            roles: with.list_of(role),
            branches: with.list_of(|| BranchChoice { code: 1, name: with.text(), is_chosen: true }),
            money_rights: list_money_right_choices(&UserFormFields::default()),
            is_administrator: with.option_of(|| ()).is_some(),
            problems,
            is_self: false,
            last_entered: with.text(),
            factor_since: with.text(),
        })
    }),
];
