//! `/gestao/usuario`: the users of the base, for its administrators.

use crate::State;
use crate::answer::Answer;
use crate::extract::{Caller, Code, Query};
use crate::failure::Failure;
use crate::write::Write;
use app::users::{self, Changed, Changes, Kept, NewUser, User, Wanted};
use axum::extract;
use axum::response::Response;
use domain::UserCode;
use wire::read::{self, Between};
use wire::records::{MotivoInput, Pagina, UsuarioAlteracaoInput, UsuarioInput, UsuarioQuery, UsuarioTO};

/// `GET /gestao/usuario`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    Query(query): Query<UsuarioQuery>,
) -> Result<Answer<Pagina<UsuarioTO>>, Failure> {
    let wanted = Wanted {
        filter: query.filter.set(),
        active: query.active.set(),
        role: query.role.set(),
        branch: query.branch.set(),
        page: query.page.set().map_or(1, Between::get),
    };
    let page = users::page(&state.app, &caller, wanted).await?;
    Ok(Answer(Pagina::new(page.rows.iter().map(record).collect(), page.number, page.total)))
}

/// `GET /gestao/usuario/{codUsuario}`
pub async fn one(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<UserCode>,
) -> Result<Answer<UsuarioTO>, Failure> {
    let user = users::one(&state.app, &caller, code.get()?).await?;
    Ok(Answer(record(&user)))
}

/// `POST /gestao/usuario`
pub async fn create(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    write: Write,
) -> Result<Response, Failure> {
    let act = |input: UsuarioInput, once| {
        let new = NewUser {
            tenant: caller.scope.tenant(),
            name: input.name,
            email: input.email,
            role: input.role,
            branches: input.branches.set().unwrap_or_default(),
            password: users::Initial::Mailed,
        };
        let code = input.code.set().map(|code| UserCode::new(code.get()));
        users::create_once(&state.app, new, Kept { code, by: caller.actor(users::BY_ADMINISTRATOR) }, once)
    };
    write.answer(&state, &caller, read::body, act, record).await
}

/// `PUT /gestao/usuario/{codUsuario}`
pub async fn change(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<UserCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body(body));
    let act = |(code, input): (UserCode, UsuarioAlteracaoInput), once| {
        let changes = Changes {
            version: input.version.get().into(),
            name: input.name.set(),
            email: input.email.set(),
            role: input.role.set(),
            branches: input.branches.set(),
            active: input.active.set(),
        };
        users::change(&state.app, &caller, code, changes, once)
    };
    write.answer(&state, &caller, read, act, changed).await
}

/// `POST /gestao/usuario/{codUsuario}/senha`
pub async fn send_password(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<UserCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (UserCode, MotivoInput), once| {
        users::send_password(&state.app, &caller, code, reason(input), once)
    };
    write.answer(&state, &caller, read, act, changed).await
}

/// `POST /gestao/usuario/{codUsuario}/encerrarSessoes`
pub async fn end_sessions(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
    code: Code<UserCode>,
    write: Write,
) -> Result<Response, Failure> {
    let read = |body: &[u8]| code.and(read::body_or_nothing(body));
    let act = |(code, input): (UserCode, MotivoInput), once| {
        users::end_sessions_of(&state.app, &caller, code, reason(input), once)
    };
    write.answer(&state, &caller, read, act, changed).await
}

fn reason(input: MotivoInput) -> Option<String> {
    input.reason.set().map(domain::Note::into_string)
}

fn changed(changed: &Changed) -> UsuarioTO {
    record(&changed.user)
}

fn record(user: &User) -> UsuarioTO {
    UsuarioTO {
        cod_usuario: user.code.get(),
        nome: user.name.clone(),
        email: user.email.clone(),
        perfil: wire::role(user.role),
        lojas: user.branches.iter().map(|branch| branch.get()).collect(),
        ativo: user.active,
        versao: user.version,
    }
}
