//! What somebody asks of benefits: who he is, what he sent, and the registers that it is judged by.

use crate::access::Session;
use crate::base::Registers;
use crate::importing::{self, Doing};
use crate::once::{self, Done, Once};
use crate::situations::Acting;
use crate::{App, Error};
use domain::{BenefitCode, Moment, Rejection, Scope, SituationKind, TenantId, UserCode};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use storage::Tx;
use storage::benefits::Benefit;
use storage::people::Profile;

pub(crate) const ORIGIN: &str = "API";

pub(crate) struct Asked<I> {
    pub scope: Scope,
    pub registers: Arc<Registers>,
    pub input: I,
    pub now: Moment,
    user: Option<UserCode>,
    operation: &'static str,
    origin: &'static str,
    quiet: bool,
}

impl<I> Asked<I> {
    pub fn acting(&self) -> Acting<'_> {
        Acting {
            tenant: self.scope.tenant(),
            registers: &self.registers,
            user: self.user,
            operation: self.operation,
            origin: self.origin,
            quiet: self.quiet,
            now: self.now,
        }
    }

    /// What an import asks for.
    pub fn importing(doing: &Doing, input: I) -> Asked<I> {
        let Acting { user, operation, origin, quiet, now, .. } = doing.acting();
        let registers = Arc::clone(&doing.registers);
        Asked { scope: doing.scope.clone(), registers, input, now, user, operation, origin, quiet }
    }

    pub fn is_import(&self) -> bool {
        self.origin == importing::ORIGIN
    }
}

/// Runs the unit that does what was asked for, by the registers as they are then.
pub(crate) async fn ask<I, T, F>(
    app: &App,
    caller: &Session,
    operation: &'static str,
    input: I,
    once: Once<T>,
    unit: F,
) -> Result<Done<T>, Error>
where
    F: for<'t> Fn(&'t mut Tx, &'t Asked<I>) -> BoxFuture<'t, Result<T, Error>> + Copy + Send + Sync + 'static,
    I: Clone + Send + Sync + 'static,
    T: Send + 'static,
{
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let asked = move |registers| {
        let (scope, input) = (scope.clone(), input.clone());
        Asked { scope, registers, input, now, user: Some(user), operation, origin: ORIGIN, quiet: false }
    };
    once::write_by_registers(app, caller.scope.tenant(), once, asked, unit).await
}

/// Who holds a benefit.
pub(crate) async fn holder_of(
    tx: &mut Tx,
    tenant: TenantId,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<Profile, Error> {
    let gone = || storage::Error::Broken(format!("the holder of benefit {code} is gone"));
    Ok(storage::people::by_code(&mut *tx, tenant, benefit.person).await?.ok_or_else(gone)?)
}

/// What is cancelled stays as it is.
pub(crate) fn refuse_cancelled(
    registers: &Registers,
    code: BenefitCode,
    benefit: &Benefit,
) -> Result<(), Error> {
    match registers.kind_of(benefit.situation) {
        Some(SituationKind::Cancelled) => Err(Rejection::CancelledBenefit(code).into()),
        _ => Ok(()),
    }
}
