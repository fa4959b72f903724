//! `/gestao/usuario`: the users of the base, for its administrators.

use crate::State;
use crate::answer::Answer;
use crate::extract::Caller;
use crate::failure::Failure;
use crate::write::Write;
use app::users::{self, NewUser, User};
use axum::extract;
use axum::response::Response;
use wire::read;
use wire::records::{UsuarioInput, UsuarioTO};

/// `GET /gestao/usuario`
pub async fn list(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
) -> Result<Answer<Vec<UsuarioTO>>, Failure> {
    let users = users::list(&state.app, &caller.scope).await?;
    Ok(Answer(users.iter().map(record).collect()))
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
        users::create_once(&state.app, new, once)
    };
    write.answer(&state, &caller, read::body, act, record).await
}

fn record(user: &User) -> UsuarioTO {
    UsuarioTO {
        cod_usuario: user.code.get(),
        nome: user.name.clone(),
        email: user.email.clone(),
        perfil: wire::role(user.role),
        lojas: user.branches.iter().map(|branch| branch.get()).collect(),
        ativo: user.active,
    }
}
