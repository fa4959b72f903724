//! The only place that changes situations. Everything that belongs together is written in the caller's transaction: the
//! record, the history entry with the trigger body of this moment, the deliveries, the audit entry, the listing row and
//! its counts. Benefits are written here, cases in `cases.rs`, mirrored benefits in `mirror_rows.rs`.

pub mod cases;
pub mod mirror_rows;

use crate::Error;
use crate::benefits::{field_changes as benefit_fields, reserve_free_card};
use crate::field_differences::FieldDifference;
use crate::registers::snapshot::TenantRegisters;
use domain::{
    AuditedChange, AuditedOperation, AuditedRecordKind, BenefitCode, Date, Document, Entity, HistoryCode,
    ItemCode, Moment, PersonCode, ReceiverCode, Rejection, SituationCode, SituationKind, TenantId, UserCode,
};
use storage::benefits::items::StoredItem;
use storage::benefits::monthly_counts;
use storage::benefits::{self, StoredBenefit};
use storage::history::audit;
use storage::history::field_changes::{self, FieldChange, FieldChangeContext};
use storage::history::situation_changes::{self, NewHistoryRow};
use storage::members::PersonProfile;
use storage::search::rows::{self, MemberRowFields, OwnRowFields, PreviousRowState, SearchListingRow};
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};
use wire::trigger::{BenefitTrigger, describe_benefit};

/// Subjects of stored field changes.
pub(crate) const PERSON: &str = "person";
pub(crate) const BENEFIT: &str = "benefit";
pub(crate) const LEAD: &str = "lead";
pub(crate) const DEAL: &str = "deal";

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

/// Prescribed numbers of a new benefit; the caller has checked that they are free.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PresetNumbers {
    pub code: Option<BenefitCode>,
    pub sequence: Option<i32>,
}

impl PresetNumbers {
    /// Advances the counters past these numbers.
    async fn advance_counters(&self, tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
        if let Some(code) = self.code {
            counters::advance_counter(tx, tenant, Counter::Benefit, code.get()).await?;
        }
        if let Some(sequence) = self.sequence {
            counters::advance_counter(tx, tenant, Counter::Sequence, sequence).await?;
        }
        Ok(())
    }
}

/// A validated benefit that is not yet written.
pub(crate) struct PendingBenefitWrite<'a> {
    /// `None` for a new benefit, which gets a card unless it has one.
    pub before: Option<(BenefitCode, &'a StoredBenefit)>,
    pub after: StoredBenefit,
    pub holder: (PersonCode, &'a PersonProfile),
    /// The first item, an additional one or a replacement; with the code of the item that ends.
    pub item: Option<(StoredItem, Option<ItemCode>)>,
    /// The member's row that a first benefit takes over.
    pub free_row: Option<(i32, domain::BranchCode)>,
    pub kept: PresetNumbers,
    pub reason: Option<String>,
    /// Further statements of the same write.
    pub also: Vec<Statement>,
    /// Further statements that need the code and the slot.
    pub then: Option<BenefitWriteHook<'a>>,
    /// What the audit entry says; the benefit is added when it has its code.
    pub audited: AuditedChange,
}

impl<'a> PendingBenefitWrite<'a> {
    pub fn for_change(
        code: BenefitCode,
        before: &'a StoredBenefit,
        after: StoredBenefit,
        holder: &'a PersonProfile,
        audited: impl Into<AuditedChange>,
    ) -> PendingBenefitWrite<'a> {
        PendingBenefitWrite {
            before: Some((code, before)),
            holder: (before.person, holder),
            after,
            item: None,
            free_row: None,
            kept: PresetNumbers::default(),
            reason: None,
            also: Vec::new(),
            then: None,
            audited: audited.into(),
        }
    }
}

/// Builds the statements written with a benefit once its code is known.
pub(crate) type BenefitWriteHook<'a> =
    Box<dyn FnOnce(BenefitCode, &StoredBenefit) -> Vec<Statement> + Send + 'a>;

/// The benefit as written, and its new item if there is one.
pub(crate) struct WrittenBenefit {
    pub code: BenefitCode,
    pub benefit: StoredBenefit,
    pub item: Option<StoredItem>,
}

/// Writes a new or changed benefit with items, listing row, history, deliveries, field changes and audit entry.
pub(crate) async fn store_benefit(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    pending: PendingBenefitWrite<'_>,
) -> Result<WrittenBenefit, Error> {
    let tenant = context.tenant;
    let mut after = pending.after;
    let new = i32::from(pending.before.is_none());
    let new_row = i32::from(pending.before.is_none() && pending.free_row.is_none());
    let is_situation_change = pending.before.is_none_or(|(_, before)| before.situation != after.situation);
    if let Some((_, before)) = pending.before.filter(|_| is_situation_change)
        && let Some(refused) = refuse_situation_change(context.registers, before.situation, after.situation)
    {
        return Err(refused.into());
    }
    let differences = pending.before.map_or_else(Vec::new, |(_, before)| {
        benefit_fields::compare_benefits(context.registers, before, &after)
    });
    let gets_card = pending.before.is_none() && after.card.is_none();
    let requested = [
        (Counter::Benefit, if pending.kept.code.is_some() { 0 } else { new }),
        (Counter::Sequence, if pending.kept.sequence.is_some() { 0 } else { new }),
        (Counter::Card, i32::from(gets_card)),
        (Counter::Slot, new_row),
        (Counter::Item, i32::from(pending.item.is_some())),
        (Counter::History, i32::from(is_situation_change)),
        (Counter::Audit, 1),
        (Counter::FieldChange, i32::try_from(differences.len()).unwrap_or(i32::MAX)),
        (Counter::Listing, 1),
    ];
    pending.kept.advance_counters(tx, tenant).await?;
    let reserved = if gets_card {
        let (reserved, card) = benefits::reserve_numbers_with_card(tx, tenant, requested).await?;
        after.card = Some(match card {
            Some(card) => card,
            None => reserve_free_card(tx, tenant).await?,
        });
        reserved
    } else {
        counters::reserve_number_blocks(tx, tenant, requested).await?
    };
    let [code, sequence, _, slot, item_code, history_code, audit_code, first_change, _] = reserved;
    let new_code = pending.kept.code.unwrap_or(BenefitCode::new(code));
    let code = pending.before.map_or(new_code, |(code, _)| code);
    if pending.before.is_none() {
        after.sequence = pending.kept.sequence.unwrap_or(sequence);
        after.slot = pending.free_row.map_or(slot, |(slot, _)| slot);
    }
    let version = pending.before.map_or(1, |(_, before)| before.version + 1);
    mark_situation_days(context, &mut after);
    let mut statements = Vec::new();
    match pending.before {
        None => statements.extend(benefits::insert_benefits(tenant, [(code, &after)])),
        Some(_) => statements.push(benefits::update_benefit(tenant, code, &after)),
    }
    let mut written_item = None;
    if let Some((mut item, ended)) = pending.item {
        item.code = ItemCode::new(item_code);
        let ended = ended.map(|ended| benefits::items::deactivate_item(tenant, code, ended, context.now));
        statements.extend(ended);
        statements.extend(benefits::items::insert_items(tenant, context.now, [(code, after.slot, &item)]));
        written_item = Some(item);
    }
    let before = pending.before.map(|(_, before)| before);
    statements.extend(build_listing_statements(
        context,
        code,
        before,
        &after,
        pending.holder,
        pending.free_row,
    ));
    statements.extend(count_cancelled_months(before, &after).into_statements(tenant));
    if is_situation_change {
        let change = NewHistoryRow {
            tenant,
            entity: Entity::Benefit,
            record: code.get(),
            branch: after.branch,
            from: before.map(|before| before.situation),
            to: after.situation,
            user: context.user,
            reason: pending.reason,
            origin: context.origin,
            at: context.now,
        };
        let history_code = HistoryCode::new(history_code);
        let body = render_trigger_body(context, history_code, code, &after)?;
        let receivers = context.receivers_for(Entity::Benefit);
        statements.extend(situation_changes::insert_history_entry(&change, history_code, &receivers, body));
    }
    let entry = audit::AuditEntry {
        tenant,
        at: context.now,
        user: context.user,
        operation: context.operation,
        person: Some(pending.holder.0),
        change: pending.audited.with_subject(AuditedRecordKind::Benefit, code.get()),
    };
    statements.extend(pending.also);
    statements.extend(pending.then.map(|then| then(code, &after)).unwrap_or_default());
    statements.extend(context.field_change_statements(BENEFIT, code.get(), first_change, differences));
    statements.push(audit::insert_audit_entry(&entry, audit_code));
    tx.execute_batch(statements).await?;
    after.version = version;
    Ok(WrittenBenefit { code, benefit: after, item: written_item })
}

/// Refuses a situation change that the tenant's situation register does not allow.
pub(crate) fn refuse_situation_change(
    registers: &TenantRegisters,
    from: SituationCode,
    to: SituationCode,
) -> Option<Rejection> {
    let name = |code: &SituationCode| registers.situation(*code).map(|one| one.name.to_uppercase());
    let next = registers.situation(from).map_or(&[][..], |one| &one.next);
    (!registers.may_change_situation(from, to)).then(|| Rejection::MayNotMove {
        from: name(&from).unwrap_or_default(),
        to: name(&to).unwrap_or_default(),
        allowed: next.iter().filter_map(name).collect(),
    })
}

/// Sets the dates that follow from the situation: first activation and cancellation.
pub(crate) fn mark_situation_days(context: &ActorContext<'_>, benefit: &mut StoredBenefit) {
    let today = || context.now.date_in(&context.registers.zone);
    let kind = context.registers.situation_kind(benefit.situation);
    if kind == Some(SituationKind::Active) && benefit.activated_on.is_none() {
        benefit.activated_on = Some(today());
    }
    benefit.cancelled_on = match kind {
        Some(SituationKind::Cancelled) => benefit.cancelled_on.or_else(|| Some(today())),
        _ => None,
    };
}

/// Count changes if the cancellation date or the branch has changed.
fn count_cancelled_months(
    before: Option<&StoredBenefit>,
    after: &StoredBenefit,
) -> monthly_counts::BenefitCountChanges {
    let mut months = monthly_counts::BenefitCountChanges::default();
    for (benefit, delta) in before.map(|before| (before, -1)).into_iter().chain([(after, 1)]) {
        if let Some(day) = benefit.cancelled_on {
            months.count(monthly_counts::BenefitMovement::Cancelled, day, benefit.branch, delta);
        }
    }
    months
}

/// Inserts the listing row, takes over the member's row or updates the benefit's own.
fn build_listing_statements(
    context: &ActorContext<'_>,
    code: BenefitCode,
    before: Option<&StoredBenefit>,
    after: &StoredBenefit,
    holder: (PersonCode, &PersonProfile),
    free_row: Option<(i32, domain::BranchCode)>,
) -> Vec<Statement> {
    let days = compute_listed_days(context.registers, holder.1, after);
    let plate_key = after.vehicle.plate.as_ref().map(domain::Plate::comparison_key);
    let row = build_benefit_row(code, after, holder, days, plate_key.as_deref());
    let before = match (before, free_row) {
        (Some(before), _) => {
            Some(PreviousRowState { branch: before.branch, benefit: Some((code, before.situation)) })
        }
        (None, Some((_, branch))) => Some(PreviousRowState { branch, benefit: None }),
        (None, None) => None,
    };
    match before {
        Some(before) => rows::update_listing_row(context.tenant, before, &row),
        None => rows::insert_listing_rows(context.tenant, &[row]),
    }
}

/// The dates of registration and of the last change of the benefit or its holder.
pub fn compute_listed_days(
    registers: &TenantRegisters,
    holder: &PersonProfile,
    benefit: &StoredBenefit,
) -> (Date, Date) {
    let day = |moment: Moment| moment.date_in(&registers.zone);
    (day(benefit.created_at), day(benefit.updated_at.max(holder.updated_at)))
}

/// The member fields shared by all listing rows of a person.
pub fn build_listed_member(code: PersonCode, person: &PersonProfile) -> MemberRowFields<'_> {
    MemberRowFields {
        person: code,
        name: &person.name,
        document: person.document.as_ref().map_or("", Document::as_str),
        company_document: person.company_document.as_ref().map(domain::Cnpj::as_str),
        state: person.address.state.as_deref(),
        born_on: person.born_on,
    }
}

/// The listing row of a benefit.
pub fn build_benefit_row<'r>(
    code: BenefitCode,
    benefit: &'r StoredBenefit,
    (person, profile): (PersonCode, &'r PersonProfile),
    (registered_on, updated_on): (Date, Date),
    plate_key: Option<&'r str>,
) -> SearchListingRow<'r> {
    let row_fields = OwnRowFields {
        branch: benefit.branch,
        benefit: Some((code, benefit.situation)),
        plate_key,
        chassis: benefit.vehicle.chassis.as_ref().map(domain::Chassis::as_str),
        consultant: benefit.consultant.or(profile.consultant),
        representative: benefit.representative.or(profile.representative),
        registered_on,
        updated_on,
    };
    SearchListingRow { slot: benefit.slot, member: build_listed_member(person, profile), own: row_fields }
}

/// The body sent to receivers; retries send the same body.
pub fn render_trigger_body(
    context: &ActorContext<'_>,
    history: HistoryCode,
    code: BenefitCode,
    benefit: &StoredBenefit,
) -> Result<String, Error> {
    let registers = context.registers;
    let missing = || Error::Defect(format!("the situation {} is not registered", benefit.situation));
    let situation = registers.situation(benefit.situation).ok_or_else(missing)?;
    let first_plan = benefit.plans.first().and_then(|(plan, _)| registers.plan(*plan));
    let vehicle = &benefit.vehicle;
    let description = describe_benefit(
        vehicle.plate.as_ref(),
        vehicle.brand.as_deref(),
        vehicle.model.as_deref(),
        first_plan.map_or("", |plan| &plan.name),
    );
    let trigger = BenefitTrigger {
        history,
        changed: context.now,
        benefit: code,
        person: benefit.person,
        branch: benefit.branch,
        branch_name: registers.branch_name(benefit.branch),
        situation: &situation.name,
        colour: situation.colour,
        description: &description,
        registered: benefit.created_at,
        sequence: benefit.sequence,
        kind: benefit.kind,
        joined: benefit.joined_on,
    };
    trigger.render_body(&registers.zone).map_err(|error| Error::Defect(error.to_string()))
}
