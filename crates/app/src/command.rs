//! The command of a write: who acts, within which scope, on what input, and the registers it is validated against.

use crate::field_differences::FieldDifference;
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::register_snapshot::TenantRegisters;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedChange, AuditedOperation, ChangeOrigin, Entity, Moment, PersonCode, ReceiverCode, Scope, TenantId,
    UserCode,
};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use storage::history::audit::AuditEntry;
use storage::history::field_changes::{self, FieldChange, FieldChangeContext};
use storage::{Statement, Tx};

const API_ORIGIN: &str = wire::set_names::change_origin(ChangeOrigin::Request);
pub(crate) const IMPORT_ORIGIN: &str = wire::set_names::change_origin(ChangeOrigin::Import);

/// Actor, time and origin of a change.
#[derive(Clone, Copy)]
pub struct ActorContext<'a> {
    pub tenant: TenantId,
    pub registers: &'a TenantRegisters,
    pub user: Option<UserCode>,
    /// Method and route.
    pub operation: AuditedOperation,
    /// Origin shown in the history.
    pub origin: &'static str,
    /// Receivers are not notified.
    pub quiet: bool,
    pub now: Moment,
}

impl ActorContext<'_> {
    /// The receivers to notify about an entity.
    pub fn receivers_for(&self, entity: Entity) -> Vec<ReceiverCode> {
        if self.quiet { Vec::new() } else { self.registers.receivers_for(entity) }
    }

    pub fn audit_entry(&self, person: Option<PersonCode>, change: AuditedChange) -> AuditEntry {
        AuditEntry {
            tenant: self.tenant,
            at: self.now,
            user: self.user,
            operation: self.operation,
            person,
            change,
        }
    }

    /// Statements that store field changes, numbered from `first`.
    pub fn field_change_statements(
        &self,
        subject: &'static str,
        record: i32,
        first: i32,
        changes: Vec<FieldDifference>,
    ) -> Vec<Statement> {
        let change = |one: FieldDifference| FieldChange {
            field: one.field.to_owned(),
            before: one.before,
            after: one.after,
        };
        let changes: Vec<FieldChange> = changes.into_iter().map(change).collect();
        let change_context =
            FieldChangeContext { tenant: self.tenant, subject, record, user: self.user, at: self.now };
        field_changes::insert_field_changes(change_context, first, &changes)
    }
}

pub(crate) struct WriteCommand<I> {
    pub scope: Scope,
    pub registers: Arc<TenantRegisters>,
    pub input: I,
    pub now: Moment,
    pub user: Option<UserCode>,
    pub operation: AuditedOperation,
    pub origin: &'static str,
    pub quiet: bool,
}

impl<I> WriteCommand<I> {
    pub fn actor_context(&self) -> ActorContext<'_> {
        ActorContext {
            tenant: self.scope.tenant(),
            registers: &self.registers,
            user: self.user,
            operation: self.operation,
            origin: self.origin,
            quiet: self.quiet,
            now: self.now,
        }
    }

    pub fn is_import(&self) -> bool {
        self.origin == IMPORT_ORIGIN
    }
}

/// Runs the unit in an idempotent transaction, with the registers current at that time.
pub(crate) async fn run_command<I, T, F>(
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
            quiet: false,
        }
    };
    idempotency::write_with_registers(app, caller.scope.tenant(), once, build_command, unit).await
}
