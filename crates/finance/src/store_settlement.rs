//! Writes a settlement with everything that follows from it, whether money or a credit paid.

use crate::booking::{BookDays, BookedFact, prepare_entry};
use crate::late_charges_left::prepare_left_charges;
use crate::title_history::prepare_stored_title_change;
use app::{ActorContext, Error};
use domain::finance::{BalancedLines, LedgerEntryKind, ReceiptSplit, derive_situation};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, Date, Moment, MoneyAccountCode, SettlementCode,
    SettlementTypeCode, TitleCode,
};
use finance_storage::settlements::{self, StoredSettlement};
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// What settles a title, and how it is booked.
pub(crate) struct PreparedSettlement {
    pub kind: LedgerEntryKind,
    pub action: AuditedAction,
    /// In cents.
    pub received: i64,
    pub paid_on: Date,
    /// `None` if a credit pays.
    pub money: Option<(SettlementTypeCode, MoneyAccountCode)>,
    pub split: ReceiptSplit,
    pub booked: BalancedLines,
    pub note: Option<String>,
}

pub(crate) async fn store_settlement(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    days: &BookDays,
    (code, title): (TitleCode, StoredTitle),
    prepared: PreparedSettlement,
) -> Result<(), Error> {
    let (tenant, split) = (context.tenant, &prepared.split);
    let [settlement_code, audit_code] =
        counters::reserve_number_blocks(tx, tenant, [(Counter::Settlement, 1), (Counter::Audit, 1)]).await?;
    let settlement_code = SettlementCode::new(settlement_code);
    let fact = BookedFact {
        kind: prepared.kind,
        booked_on: days.find_booking_day(prepared.paid_on),
        happened_on: prepared.paid_on,
        title: code,
        settlement: Some(settlement_code),
        reverses: None,
    };
    let (entry, mut statements) = prepare_entry(tx, context, &fact, &prepared.booked).await?;
    let discount = split.discount.map_or(0, |discount| discount.amount);
    let settlement = StoredSettlement {
        code: settlement_code,
        title: code,
        money: prepared.money,
        paid_on: prepared.paid_on,
        credited_on: prepared.paid_on,
        booked_on: fact.booked_on,
        principal: split.principal,
        interest: split.interest,
        fine: split.fine,
        discount,
        total: split.principal + split.interest + split.fine - discount,
        credit: split.excess,
        late_charges_left: split.unpaid_late_charges,
        note: prepared.note,
        entry,
        user: context.user,
        created_at: context.now,
        reversal: None,
    };
    let before = title.situation;
    let after = apply_settlement(title, &settlement, context.now);
    statements.push(settlements::insert_settlement(tenant, &settlement));
    statements.extend(prepare_left_charges(tx, context, &after, &settlement).await?);
    statements.push(titles::update_title(tenant, code, &after));
    let note = settlement.note.as_deref();
    statements.extend(prepare_stored_title_change(tx, context, (code, &after), before, note).await?);
    let change = AuditedChange::new(prepared.action, AuditedRecordKind::Title, code.get())
        .with_argument(prepared.received);
    let audited = context.audit_entry(Some(after.person), change);
    statements.push(audit::insert_audit_entry(&audited, audit_code));
    tx.execute_batch(statements).await?;
    Ok(())
}

/// The title after a settlement.
fn apply_settlement(title: StoredTitle, settlement: &StoredSettlement, now: Moment) -> StoredTitle {
    let open_amount = title.open_amount - settlement.principal;
    StoredTitle {
        open_amount,
        settled_total: title.settled_total + settlement.total,
        settled_on: Some(title.settled_on.map_or(settlement.paid_on, |last| last.max(settlement.paid_on))),
        situation: derive_situation(true, false, open_amount, true),
        updated_at: now,
        ..title
    }
}
