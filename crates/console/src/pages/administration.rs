//! The check for actions that only administrators may perform.

use app::Error;
use app::session::Session;
use domain::Role;

pub fn require_administrator(caller: &Session) -> Result<(), Error> {
    caller.require_role(&Role::ADMINISTRATORS)
}
