//! Writes a changed person: the row, the telephones, the search rows, the audit entry and the field changes.

use super::field_changes;
use crate::Error;
use crate::actor_context::ActorContext;
use crate::listing_rows::{ListedDays, build_listed_member, build_member_row};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, ContactPhone, PersonCode, PersonProfile, PhoneKind,
};
use storage::Tx;
use storage::history::audit;
use storage::members;
use storage::members::phones::{self};
use storage::search::rows::{self, ChangedMemberFields, SearchListingRow};
use storage::server::counters::{self, Counter};
use wire::field_differences::{FieldDifference, PERSON};

/// The person after the save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedPerson {
    pub code: PersonCode,
    pub profile: PersonProfile,
    pub phones: Vec<ContactPhone>,
    /// False if nothing differed: the request then counts as read access.
    pub changed: bool,
}

impl SavedPerson {
    /// The first phone of a kind.
    pub fn phone(&self, kind: PhoneKind) -> Option<&ContactPhone> {
        self.phones.iter().find(|phone| phone.kind == kind)
    }
}

/// Updates a stored person with phones, listing rows, audit entry and field changes.
pub(super) async fn store_person_change(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, before, old_phones): (PersonCode, &PersonProfile, &[ContactPhone]),
    (mut profile, phones): (PersonProfile, Vec<ContactPhone>),
) -> Result<SavedPerson, Error> {
    let tenant = context.tenant;
    let changes = field_changes::compare_people((before, old_phones), (&profile, &phones));
    profile.updated_at = context.now;
    members::update_person(tx, tenant, code, &profile).await?;
    profile.version = before.version + 1;
    if phones != old_phones {
        phones::replace_phones(tx, tenant, code, &phones).await?;
    }
    let saved = SavedPerson { code, profile, phones, changed: true };
    update_search_rows(tx, context, &saved, before.is_member.then_some(before)).await?;
    record_person_change(tx, context, code, AuditedAction::Change, changes).await?;
    Ok(saved)
}

/// Inserts the first listing row, or updates the existing ones.
pub(super) async fn update_search_rows(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    saved: &SavedPerson,
    before: Option<&PersonProfile>,
) -> Result<(), Error> {
    let tenant = context.tenant;
    let days = ListedDays::of_member(&saved.profile, &context.registers.zone);
    let (member, row_fields) =
        (build_listed_member(saved.code, &saved.profile), build_member_row(&saved.profile, days));
    match before {
        Some(before) => {
            let moved = ChangedMemberFields {
                name: before.name != saved.profile.name,
                branch: before.branch != saved.profile.branch,
            };
            rows::update_member_rows(tx, tenant, &member, &row_fields, moved).await?;
        }
        None => {
            let [slot, _] =
                counters::reserve_number_blocks(tx, tenant, [(Counter::Slot, 1), (Counter::Listing, 1)])
                    .await?;
            tx.execute_batch(rows::insert_listing_rows(
                tenant,
                &[SearchListingRow { slot, member, row_fields }],
            ))
            .await?;
        }
    }
    Ok(())
}

/// Writes the audit entry and the field changes.
pub(super) async fn record_person_change(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    person: PersonCode,
    action: AuditedAction,
    changes: Vec<FieldDifference>,
) -> Result<(), Error> {
    let change = AuditedChange::new(action, AuditedRecordKind::Member, person.get());
    let entry = context.audit_entry(Some(person), change);
    if changes.is_empty() {
        return Ok(audit::append_audit_entry(tx, &entry).await?);
    }
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let blocks = [(Counter::Audit, 1), (Counter::FieldChange, count)];
    let [audit_code, first] = counters::reserve_number_blocks(tx, context.tenant, blocks).await?;
    let mut statements = vec![audit::insert_audit_entry(&entry, audit_code)];
    statements.extend(context.field_change_statements(PERSON, person.get(), first, changes));
    Ok(tx.execute_batch(statements).await?)
}
