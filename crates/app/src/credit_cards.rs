//! The credit cards of a member.

use crate::access::Session;
use crate::audit::saw;
use crate::{App, Error};
use domain::{Field, PersonCode, Scope, fold};
use storage::credit_cards;
pub use storage::credit_cards::CreditCard;
use storage::{Tx, people};

/// The cards of a person whom the caller may see, also those no longer used; by the name on them, then by code.
pub async fn of(app: &App, caller: &Session, person: PersonCode) -> Result<Vec<CreditCard>, Error> {
    let asked = (caller.scope.clone(), person);
    let read = app.db.read(asked, |tx, (scope, person)| Box::pin(read(tx, scope, *person)));
    let unknown = Error::NoSuch { field: Field::Person, code: person.get() };
    let mut cards = read.await?.ok_or(unknown)?;
    // That he has none is something about him too.
    saw(app, caller, "GET /ext/associado/{codPessoa}/cartaoCredito", std::iter::once(person))?;
    cards.sort_by_cached_key(|card| (fold(&card.holder), card.code));
    Ok(cards)
}

async fn read(tx: &mut Tx, scope: &Scope, person: PersonCode) -> Result<Option<Vec<CreditCard>>, Error> {
    if !people::is_visible(tx, scope, person).await? {
        return Ok(None);
    }
    Ok(Some(credit_cards::of(tx, scope.tenant(), person).await?))
}
