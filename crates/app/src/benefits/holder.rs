//! The holder of a benefit.

use crate::Error;
use domain::{Benefit, BenefitCode, PersonProfile, TenantId};
use storage::Tx;

/// Loads the holder of a benefit; a missing holder means broken data.
pub(crate) async fn load_holder(
    tx: &mut Tx,
    tenant: TenantId,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<PersonProfile, Error> {
    let missing = || storage::Error::Broken(format!("the holder of benefit {code} is gone"));
    Ok(storage::members::find_person(&mut *tx, tenant, benefit.person).await?.ok_or_else(missing)?)
}
