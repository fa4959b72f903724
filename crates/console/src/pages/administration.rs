//! Checks for actions that only administrators may perform.

use crate::session::visitor::SignedInUser;
use crate::widgets::form::SubmittedForm;
use crate::widgets::page::Refusal;
use app::Error;
use app::access::Session;
use domain::Role;

pub fn require_administrator(caller: &Session) -> Result<(), Error> {
    caller.require_role(&[Role::Administrator])
}

/// Returns the submitted form if the signed-in user is an administrator.
pub fn accept_administrator_form(
    user: &SignedInUser,
    form: Result<SubmittedForm, Refusal>,
) -> Result<SubmittedForm, Refusal> {
    let form = form?;
    require_administrator(user.session()).map_err(|_| Refusal::Forbidden)?;
    Ok(form)
}
