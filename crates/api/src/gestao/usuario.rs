//! `/gestao/usuario`: the users of the tenant, for its administrators.

use crate::ServerState;
use crate::answer::JsonAnswer;
use crate::extract::{AuthenticatedCaller, PathCode, QueryRecord};
use crate::failure::RequestFailure;
use crate::write::IncomingWrite;
use app::access::users::{
    self, ChangeUser, ChangeUserOutcome, NewUserInput, UserCreationContext, UserSearchQuery,
};
use axum::extract;
use axum::response::Response;
use domain::{MoneyRight, MoneyRights, User, UserCode};
use wire::read::{self, BoundedInt};
use wire::records::{ListPage, MotivoInput, UsuarioAlteracaoInput, UsuarioInput, UsuarioQuery, UsuarioTO};

/// `GET /gestao/usuario`
pub async fn list_users(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    QueryRecord(query): QueryRecord<UsuarioQuery>,
) -> Result<JsonAnswer<ListPage<UsuarioTO>>, RequestFailure> {
    let criteria = UserSearchQuery {
        filter: query.filter.into_set(),
        active: query.active.into_set(),
        role: query.role.into_set(),
        branch: query.branch.into_set(),
        page: query.page.into_set().map_or(1, BoundedInt::get),
    };
    let page = users::list_user_page(&state.app, &caller, criteria).await?;
    Ok(JsonAnswer(ListPage::new(page.rows.iter().map(render_user).collect(), page.number, page.total)))
}

/// `GET /gestao/usuario/{codUsuario}`
pub async fn show_user(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<UserCode>,
) -> Result<JsonAnswer<UsuarioTO>, RequestFailure> {
    let user = users::read_user(&state.app, &caller, code.get()?).await?;
    Ok(JsonAnswer(render_user(&user)))
}

/// `POST /gestao/usuario`
pub async fn create_user(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let act = |input: UsuarioInput, once| {
        let new = NewUserInput {
            tenant: caller.scope.tenant(),
            name: input.name,
            email: input.email,
            role: input.role,
            branches: input.branches.into_set().unwrap_or_default(),
            money_rights: read_money_rights(input.money_rights.into_set())
                .unwrap_or(MoneyRights::for_new_user(input.role)),
            gets_old_search_answer: input.gets_old_search_answer.into_set().unwrap_or_default(),
            password: users::InitialPassword::Mailed,
        };
        let code = input.code.into_set().map(|code| UserCode::new(code.get()));
        users::create_user_once(
            &state.app,
            new,
            UserCreationContext { code, by: caller.actor(users::BY_ADMINISTRATOR) },
            once,
        )
    };
    write.answer(&state, &caller, read::read_body, act, render_user).await
}

/// `PUT /gestao/usuario/{codUsuario}`
pub async fn change_user(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<UserCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_body(body));
    let act = |(code, input): (UserCode, UsuarioAlteracaoInput), once| {
        let changes = ChangeUser {
            version: input.version.get().into(),
            name: input.name.into_set(),
            email: input.email.into_set(),
            role: input.role.into_set(),
            branches: input.branches.into_set(),
            money_rights: read_money_rights(input.money_rights.into_set()),
            gets_old_search_answer: input.gets_old_search_answer.into_set(),
            active: input.active.into_set(),
        };
        users::change_user(&state.app, &caller, code, changes, once)
    };
    write.answer(&state, &caller, read, act, render_changed_user).await
}

/// `POST /gestao/usuario/{codUsuario}/senha`
pub async fn send_password(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<UserCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (UserCode, MotivoInput), once| {
        users::send_new_password(&state.app, &caller, code, extract_reason(input), once)
    };
    write.answer(&state, &caller, read, act, render_changed_user).await
}

/// `POST /gestao/usuario/{codUsuario}/encerrarSessoes`
pub async fn end_sessions(
    extract::State(state): extract::State<ServerState>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    code: PathCode<UserCode>,
    write: IncomingWrite,
) -> Result<Response, RequestFailure> {
    let read = |body: &[u8]| code.join_body(read::read_optional_body(body));
    let act = |(code, input): (UserCode, MotivoInput), once| {
        users::end_user_sessions(&state.app, &caller, code, extract_reason(input), once)
    };
    write.answer(&state, &caller, read, act, render_changed_user).await
}

fn extract_reason(input: MotivoInput) -> Option<String> {
    input.reason.into_set().map(domain::NoteText::into_string)
}

fn read_money_rights(rights: Option<Vec<MoneyRight>>) -> Option<MoneyRights> {
    rights.map(|rights| rights.into_iter().collect())
}

fn render_changed_user(changed: &ChangeUserOutcome) -> UsuarioTO {
    render_user(&changed.user)
}

fn render_user(user: &User) -> UsuarioTO {
    UsuarioTO {
        cod_usuario: user.code.get(),
        nome: user.name.clone(),
        email: user.email.clone(),
        perfil: wire::role(user.role),
        lojas: user.branches.iter().map(|branch| branch.get()).collect(),
        permissoes_financeiras: user.money_rights().iter().map(wire::money_right).collect(),
        resposta_antiga_pesquisa: user.gets_old_search_answer,
        ativo: user.active,
        versao: user.version,
    }
}
