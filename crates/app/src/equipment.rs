//! What is installed on the vehicle of a benefit.

use crate::access::Session;
use crate::audit::saw;
use crate::{App, Error};
use domain::{BenefitCode, Field, PersonCode, Scope, fold};
pub use storage::installations::Installation;
use storage::{Tx, benefits, installations};

/// Each with the name of its supplier.
type Installed = Vec<(Installation, Option<String>)>;

/// What is and was installed for a benefit that the caller may see; by model, then by code.
#[boxed::future]
pub async fn of(app: &App, caller: &Session, benefit: BenefitCode) -> Result<Installed, Error> {
    let asked = (caller.scope.clone(), benefit);
    let read = app.db.read(asked, |tx, (scope, benefit)| Box::pin(read(tx, scope, *benefit)));
    let unknown = Error::NoSuch { field: Field::Benefit, code: benefit.get() };
    let (holder, mut all) = read.await?.ok_or(unknown)?;
    saw(app, caller, "GET /ext/beneficio/{codBeneficio}/equipamentos", std::iter::once(holder))?;
    all.sort_by_cached_key(|(one, _)| (one.model.as_deref().map(fold), one.code));
    Ok(all)
}

async fn read(
    tx: &mut Tx,
    scope: &Scope,
    benefit: BenefitCode,
) -> Result<Option<(PersonCode, Installed)>, Error> {
    let Some(found) = benefits::find(&mut *tx, scope, benefit).await? else { return Ok(None) };
    Ok(Some((found.person, installations::of(tx, scope.tenant(), benefit).await?)))
}
