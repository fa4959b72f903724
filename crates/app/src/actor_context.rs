//! Who makes a change, when, and from where.

use crate::register_snapshot::TenantRegisters;
use domain::{AuditedChange, AuditedOperation, ChangeOrigin, Moment, PersonCode, TenantId, UserCode};
use storage::Statement;
use storage::history::audit::AuditEntry;
use storage::history::field_changes::{self, FieldChange, FieldChangeContext};
use wire::field_differences::FieldDifference;

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
    pub suppresses_triggers: bool,
    pub now: Moment,
}

impl ActorContext<'_> {
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
