//! What only administrators do.

use app::Error;
use app::access::Session;
use domain::Role;

pub fn must_administer(caller: &Session) -> Result<(), Error> {
    caller.must_be(&[Role::Administrator])
}
