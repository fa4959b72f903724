//! `/ext/administracao`: what the association registered.

use crate::State;
use crate::answer::Answer;
use crate::extract::Caller;
use crate::failure::Failure;
use app::base::registers;
use axum::extract;
use wire::records::CodigoNomeTO;

/// `GET /ext/administracao/loja`
pub async fn branches(
    extract::State(state): extract::State<State>,
    Caller(caller): Caller,
) -> Result<Answer<Vec<CodigoNomeTO>>, Failure> {
    let registers = registers(&state.app, caller.scope.tenant()).await?;
    let branches = registers.branches_of(&caller.scope);
    Ok(Answer(branches.map(|branch| CodigoNomeTO::new(branch.code, &branch.name)).collect()))
}
