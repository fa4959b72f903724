//! What every change of a benefit needs first.

use crate::Error;
use crate::register_snapshot::TenantRegisters;
use domain::{Benefit, BenefitCode, PersonProfile, Rejection, SituationKind, TenantId};
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

/// A cancelled benefit cannot be changed.
pub(crate) fn refuse_cancelled_benefit(
    registers: &TenantRegisters,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<(), Error> {
    match registers.situation_kind(benefit.situation) {
        Some(SituationKind::Cancelled) => Err(Rejection::CancelledBenefit(code).into()),
        _ => Ok(()),
    }
}
