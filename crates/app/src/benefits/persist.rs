//! The one writer of benefits. Everything that belongs together is written in the caller's transaction: the benefit, its
//! items, the history entry with its deliveries, the field changes, the audit entry, the listing row and its counts.
//! Mirrored benefits are written in `mirror_rows.rs`.

use super::field_changes::compare_benefits;
use crate::Error;
use crate::actor_context::ActorContext;
use crate::listing_rows::{ListedDays, build_benefit_row};
use crate::situations::{
    RecordSituationChange, insert_situation_change, refuse_situation_change, render_benefit_trigger_body,
};
use domain::{
    AuditedChange, AuditedRecordKind, Benefit, BenefitCode, BenefitItem, BranchCode, CardNumber, Entity,
    HistoryCode, ItemCode, PersonCode, PersonProfile, Plate, SituationKind, TenantId, is_situation_change,
};
use storage::Statement;
use storage::Tx;
use storage::benefits;
use storage::benefits::monthly_counts::{BenefitCountChanges, BenefitMovement};
use storage::benefits::title_revisions::insert_title_revision;
use storage::history::audit;
use storage::search::rows::{self, PreviousRowState};
use storage::server::counters;
use storage::server::counters::Counter;
use wire::field_differences::BENEFIT;

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
    pub before: Option<(BenefitCode, &'a Benefit)>,
    pub after: Benefit,
    pub holder: (PersonCode, &'a PersonProfile),
    /// The first item, an additional one or a replacement; with the code of the item that ends.
    pub item: Option<(BenefitItem, Option<ItemCode>)>,
    /// The member's row that a first benefit takes over.
    pub free_row: Option<(i32, BranchCode)>,
    pub preset_numbers: PresetNumbers,
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
        before: &'a Benefit,
        after: Benefit,
        holder: &'a PersonProfile,
        audited: impl Into<AuditedChange>,
    ) -> PendingBenefitWrite<'a> {
        PendingBenefitWrite {
            before: Some((code, before)),
            holder: (before.person, holder),
            after,
            item: None,
            free_row: None,
            preset_numbers: PresetNumbers::default(),
            reason: None,
            also: Vec::new(),
            then: None,
            audited: audited.into(),
        }
    }

    fn is_situation_change(&self) -> bool {
        is_situation_change(self.before.map(|(_, before)| before.situation), self.after.situation)
    }
}

/// Builds the statements written with a benefit once its code is known.
pub(crate) type BenefitWriteHook<'a> =
    Box<dyn FnOnce(BenefitCode, &Benefit) -> Vec<Statement> + Send + Sync + 'a>;

/// The benefit as written, and its new item if there is one.
pub(crate) struct WrittenBenefit {
    pub code: BenefitCode,
    pub benefit: Benefit,
    pub item: Option<BenefitItem>,
}

/// The numbers reserved for one write; those not requested are not used.
struct ReservedNumbers {
    code: BenefitCode,
    sequence: i32,
    slot: i32,
    item: ItemCode,
    history: HistoryCode,
    audit: i32,
    first_field_change: i32,
    /// The card of a new benefit that has none yet.
    card: Option<CardNumber>,
}

/// Reserves all numbers of a write in one step, unless the next card is in use.
async fn reserve_numbers(
    tx: &mut Tx,
    tenant: TenantId,
    pending: &PendingBenefitWrite<'_>,
    differences: usize,
) -> Result<ReservedNumbers, Error> {
    let is_new = pending.before.is_none();
    let needs_card = is_new && pending.after.card.is_none();
    let requested = [
        (Counter::Benefit, i32::from(is_new && pending.preset_numbers.code.is_none())),
        (Counter::Sequence, i32::from(is_new && pending.preset_numbers.sequence.is_none())),
        (Counter::Card, i32::from(needs_card)),
        (Counter::Slot, i32::from(is_new && pending.free_row.is_none())),
        (Counter::Item, i32::from(pending.item.is_some())),
        (Counter::History, i32::from(pending.is_situation_change())),
        (Counter::Audit, 1),
        (Counter::FieldChange, i32::try_from(differences).unwrap_or(i32::MAX)),
        (Counter::Listing, 1),
    ];
    pending.preset_numbers.advance_counters(tx, tenant).await?;
    let (numbers, card) = match needs_card {
        true => benefits::reserve_numbers_with_card(tx, tenant, requested).await?,
        false => (counters::reserve_number_blocks(tx, tenant, requested).await?, None),
    };
    let card = match card {
        None if needs_card => Some(reserve_free_card(tx, tenant).await?),
        card => card,
    };
    let [code, sequence, _, slot, item, history, audit, first_field_change, _] = numbers;
    Ok(ReservedNumbers {
        code: pending.preset_numbers.code.unwrap_or(BenefitCode::new(code)),
        sequence: pending.preset_numbers.sequence.unwrap_or(sequence),
        slot: pending.free_row.map_or(slot, |(slot, _)| slot),
        item: ItemCode::new(item),
        history: HistoryCode::new(history),
        audit,
        first_field_change,
        card,
    })
}

/// Writes a new or changed benefit with items, listing row, history, deliveries, field changes and audit entry.
pub(crate) async fn store_benefit(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    mut pending: PendingBenefitWrite<'_>,
) -> Result<WrittenBenefit, Error> {
    let tenant = context.tenant;
    let is_situation_change = pending.is_situation_change();
    if let Some((_, before)) = pending.before.filter(|_| is_situation_change)
        && let Some(refused) =
            refuse_situation_change(context.registers, before.situation, pending.after.situation)
    {
        return Err(refused.into());
    }
    let compare = |(_, before)| compare_benefits(context.registers, before, &pending.after);
    let differences = pending.before.map_or_else(Vec::new, compare);
    let reserved = reserve_numbers(tx, tenant, &pending, differences.len()).await?;
    let after = &mut pending.after;
    let (code, version) = match pending.before {
        Some((code, before)) => (code, before.version + 1),
        None => {
            after.sequence = reserved.sequence;
            after.slot = reserved.slot;
            after.card = after.card.take().or(reserved.card);
            (reserved.code, 1)
        }
    };
    mark_situation_days(context, after);
    let mut statements = match pending.before {
        None => benefits::insert_benefits(tenant, [(code, &*after)]),
        Some(_) => vec![benefits::update_benefit(tenant, code, after)],
    };
    let mut written_item = None;
    if let Some((mut item, ended)) = pending.item {
        item.code = reserved.item;
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
        after,
        pending.holder,
        pending.free_row,
    ));
    let today = context.now.date_in(&context.registers.zone);
    statements.extend(insert_title_revision((tenant, code), (before, after), (today, context.now)));
    let mut months = BenefitCountChanges::default();
    count_cancelled_months(&mut months, before, after);
    statements.extend(months.into_statements(tenant));
    if is_situation_change {
        let change = build_situation_change(code, before, after, pending.reason);
        let body = render_benefit_trigger_body(context, reserved.history, code, after)?;
        statements.extend(insert_situation_change(context, reserved.history, change, body));
    }
    statements.extend(pending.also);
    statements.extend(pending.then.map(|then| then(code, after)).unwrap_or_default());
    let first_change = reserved.first_field_change;
    statements.extend(context.field_change_statements(BENEFIT, code.get(), first_change, differences));
    let change = pending.audited.with_subject(AuditedRecordKind::Benefit, code.get());
    let entry = context.audit_entry(Some(pending.holder.0), change);
    statements.push(audit::insert_audit_entry(&entry, reserved.audit));
    tx.execute_batch(statements).await?;
    Ok(WrittenBenefit { code, benefit: Benefit { version, ..pending.after }, item: written_item })
}

/// The change of a benefit's situation, for its history.
pub(super) fn build_situation_change(
    code: BenefitCode,
    before: Option<&Benefit>,
    after: &Benefit,
    reason: Option<String>,
) -> RecordSituationChange {
    RecordSituationChange {
        entity: Entity::Benefit,
        record: code.get(),
        branch: after.branch,
        from: before.map(|before| before.situation),
        to: after.situation,
        reason,
    }
}

/// Sets the dates that follow from the situation: first activation and cancellation.
fn mark_situation_days(context: &ActorContext<'_>, benefit: &mut Benefit) {
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
pub(super) fn count_cancelled_months(
    months: &mut BenefitCountChanges,
    before: Option<&Benefit>,
    after: &Benefit,
) {
    for (benefit, delta) in before.map(|before| (before, -1)).into_iter().chain([(after, 1)]) {
        if let Some(day) = benefit.cancelled_on {
            months.count(BenefitMovement::Cancelled, day, benefit.branch, delta);
        }
    }
}

/// Inserts the listing row, takes over the member's row or updates the benefit's own.
pub(super) fn build_listing_statements(
    context: &ActorContext<'_>,
    code: BenefitCode,
    before: Option<&Benefit>,
    after: &Benefit,
    holder: (PersonCode, &PersonProfile),
    free_row: Option<(i32, BranchCode)>,
) -> Vec<Statement> {
    let days = ListedDays::of_benefit(after, holder.1, &context.registers.zone);
    let plate_key = after.vehicle.plate.as_ref().map(Plate::comparison_key);
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

/// Reserves the next card number not in use. Numbers of our series may have been sent by callers before, so it retries.
pub(crate) async fn reserve_free_card(tx: &mut Tx, tenant: TenantId) -> Result<CardNumber, Error> {
    loop {
        let requested = [(Counter::Card, 1)];
        if let (_, Some(card)) = benefits::reserve_numbers_with_card(tx, tenant, requested).await? {
            return Ok(card);
        }
    }
}
