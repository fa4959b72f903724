//! What only administrators do.

use crate::form::Form;
use crate::page::Refusal;
use crate::visitor::Guest;
use app::Error;
use app::access::Session;
use domain::Role;

pub fn must_administer(caller: &Session) -> Result<(), Error> {
    caller.must_be(&[Role::Administrator])
}

/// A form that an administrator sent.
pub fn administered(guest: &Guest, sent: Result<Form, Refusal>) -> Result<Form, Refusal> {
    let sent = sent?;
    must_administer(guest.session()).map_err(|_| Refusal::Forbidden)?;
    Ok(sent)
}
