//! The command of a write: who acts, within which scope, on what input, and the registers it is validated against.

use crate::actor_context::{ActorContext, IMPORT_ORIGIN};
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::register_snapshot::TenantRegisters;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, ChangeOrigin, Moment, Scope, UserCode};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use storage::Tx;

const API_ORIGIN: &str = wire::set_names::change_origin(ChangeOrigin::Request);

pub struct WriteCommand<I> {
    pub scope: Scope,
    pub registers: Arc<TenantRegisters>,
    pub input: I,
    pub now: Moment,
    pub user: Option<UserCode>,
    pub operation: AuditedOperation,
    pub origin: &'static str,
    pub suppresses_triggers: bool,
}

impl<I> WriteCommand<I> {
    pub fn actor_context(&self) -> ActorContext<'_> {
        ActorContext {
            tenant: self.scope.tenant(),
            registers: &self.registers,
            user: self.user,
            operation: self.operation,
            origin: self.origin,
            suppresses_triggers: self.suppresses_triggers,
            now: self.now,
        }
    }

    pub fn is_import(&self) -> bool {
        self.origin == IMPORT_ORIGIN
    }
}

/// Runs the unit in an idempotent transaction, with the registers current at that time.
pub async fn run_command<I, T, F>(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    input: I,
    once: IdempotentWrite<T>,
    unit: F,
) -> Result<WriteOutcome<T>, Error>
where
    F: for<'t> Fn(&'t mut Tx, &'t WriteCommand<I>) -> BoxFuture<'t, Result<T, Error>>
        + Copy
        + Send
        + Sync
        + 'static,
    I: Clone + Send + Sync + 'static,
    T: Send + 'static,
{
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let build_command = move |registers| {
        let (scope, input) = (scope.clone(), input.clone());
        WriteCommand {
            scope,
            registers,
            input,
            now,
            user: Some(user),
            operation,
            origin: API_ORIGIN,
            suppresses_triggers: false,
        }
    };
    idempotency::write_with_registers(app, caller.scope.tenant(), once, build_command, unit).await
}
