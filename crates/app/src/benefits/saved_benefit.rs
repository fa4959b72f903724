//! The answer to a saved or cancelled benefit.

use crate::audit::access_log::record_access;
use crate::idempotency::WriteOutcome;
use crate::register_snapshot::TenantRegisters;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, Benefit, BenefitCode, SituationKind};

/// The benefit after a save or a cancellation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedBenefit {
    pub code: BenefitCode,
    pub benefit: Benefit,
    pub situation: String,
    pub kind: SituationKind,
    /// False if the benefit already was as requested: the request then counts as read access.
    pub changed: bool,
}

impl SavedBenefit {
    pub(super) fn new(
        registers: &TenantRegisters,
        code: BenefitCode,
        benefit: Benefit,
        changed: bool,
    ) -> Result<SavedBenefit, Error> {
        let situation = registers.require_situation(benefit.situation)?;
        Ok(SavedBenefit { code, situation: situation.name.clone(), kind: situation.kind, benefit, changed })
    }
}

/// An answer without a change still shows personal data, so it is recorded as read access.
pub(super) fn record_unchanged_access(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    outcome: &WriteOutcome<SavedBenefit>,
) -> Result<(), Error> {
    match outcome {
        WriteOutcome::Fresh(SavedBenefit { benefit, changed: false, .. }) => {
            record_access(app, caller, operation, std::iter::once(benefit.person))
        }
        _ => Ok(()),
    }
}
