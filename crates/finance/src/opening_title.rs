//! Titles that another system issued. They are booked against the opening balance: their income belongs to months of that
//! system, and what was paid there is no money of the accounts here. Imports and mirrors write and cancel them alike.

use crate::booking::{
    BookDays, BookedFact, build_calendar, prepare_entry, prepare_reversal, report_imbalance,
};
use crate::claimed_month::prepare_claim;
use crate::title_history::{TitleChange, prepare_stored_title_change, prepare_title_changes};
use app::{ActorContext, Error};
use domain::finance::{
    ChargeLine, EarlyDiscountRule, LateChargeRates, LedgerAccountKind, LedgerEntryKind, ShortfallTreatment,
    TitleSituation, book_opening_payment, book_opening_title, derive_situation,
};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, BenefitCode, BranchCode, Date, GroupCode, PersonCode,
    SettlementCode, TenantId, TitleCode,
};
use finance_storage::charging::charged_months::{ChargedMonthOrigin, release_months};
use finance_storage::ledger::load_entry_lines;
use finance_storage::opening::{ImportedTitleKey, delete_title_key, insert_title_key};
use finance_storage::pending_charges::release_pending_charges;
use finance_storage::settlements::{self, ReversalRecord, StoredSettlement};
use finance_storage::titles::{self, StoredTitle};
use storage::history::audit;
use storage::registers::finance::StoredTitleType;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};
use wire::import_sheet::PAID_BEFORE;

/// A title of another system, whose references are those of this one.
pub(crate) struct OpeningTitle {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub group: GroupCode,
    pub benefits: Vec<BenefitCode>,
    /// The other system names benefits, but none that is here: the title is for none, and charges no month. Without any
    /// name it is for all that its person has in its branch and group.
    pub has_only_unknown_benefits: bool,
    pub title_type: StoredTitleType,
    pub line: ChargeLine,
    pub paid: i64,
    pub paid_on: Date,
    pub issued_on: Date,
    pub due_on: Date,
    /// Number and total.
    pub instalment: (i32, i32),
    pub description: String,
    pub note: Option<String>,
    pub key: String,
    /// Whether people know the title by this key.
    pub is_key_given: bool,
}

/// Inserts the title with its booking, and what had been paid of it as its first settlement.
pub(crate) async fn write_opening_title(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, opening): (TitleCode, &OpeningTitle),
    days: &BookDays,
) -> Result<StoredTitle, Error> {
    let tenant = context.tenant;
    let launch_kind = opening.title_type.launch_kind;
    let lines = [opening.line.clone()];
    let booked = book_opening_title(opening.group, launch_kind, &lines).map_err(report_imbalance)?;
    let fact = BookedFact {
        kind: LedgerEntryKind::TitleIssue,
        booked_on: days.find_booking_day(opening.issued_on),
        happened_on: opening.issued_on,
        title: code,
        settlement: None,
        reverses: None,
    };
    let (entry, entry_statements) = prepare_entry(tx, context, &fact, &booked).await?;
    let title = StoredTitle {
        posted_on: Some(opening.issued_on),
        issue_entry: Some(entry),
        ..build_title(context, opening)
    };
    let mut statements = titles::insert_title(tenant, code, &title, &lines, &opening.benefits);
    statements.extend(entry_statements);
    if opening.paid > 0 {
        statements.extend(prepare_opening_payment(tx, context, (code, opening), days).await?);
    }
    if !opening.has_only_unknown_benefits {
        let (by, claiming) = ((tenant, context.registers), (code, &title));
        let origin = ChargedMonthOrigin::Import;
        statements.extend(prepare_claim(tx, by, claiming, &opening.benefits, origin).await?);
    }
    let issued = TitleChange { code, title: &title, benefits: &opening.benefits, from: None, reason: None };
    statements.extend(prepare_title_changes(tx, context, &[issued]).await?);
    let imported = ImportedTitleKey {
        key: &opening.key,
        is_given: opening.is_key_given,
        has_only_unknown_benefits: opening.has_only_unknown_benefits,
    };
    statements.push(insert_title_key(tenant, code, &imported));
    let change = AuditedChange::new(AuditedAction::Create, AuditedRecordKind::Title, code.get());
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements
        .push(audit::insert_audit_entry(&context.audit_entry(Some(opening.person), change), audit_code));
    tx.execute_batch(statements).await?;
    Ok(title)
}

/// The title with what had been paid of it, not yet booked.
fn build_title(context: &ActorContext<'_>, opening: &OpeningTitle) -> StoredTitle {
    let title_type = &opening.title_type;
    let money = &context.registers.money;
    let rule = title_type.late_charge_rule.and_then(|rule| money.late_charge_rule(rule));
    let calendar = build_calendar(context.registers);
    let early_discount = rule.map_or_else(EarlyDiscountRule::default, |rule| rule.early_discount);
    let open_amount = opening.line.amount - opening.paid;
    StoredTitle {
        person: opening.person,
        branch: opening.branch,
        group: opening.group,
        title_type: title_type.code,
        launch_kind: title_type.launch_kind,
        description: opening.description.clone(),
        note: opening.note.clone(),
        issued_on: opening.issued_on,
        due_on: opening.due_on,
        original_due_on: opening.due_on,
        effective_due_on: calendar.next_bank_day_from(opening.due_on),
        posted_on: None,
        instalment: opening.instalment.0,
        instalments: opening.instalment.1,
        rates: rule.map_or_else(LateChargeRates::default, |rule| rule.rates),
        shortfall: rule.map_or(ShortfallTreatment::NextCharge, |rule| rule.shortfall),
        early_discount,
        early_discount_until: early_discount.find_last_day(opening.due_on, &calendar),
        amount: opening.line.amount,
        open_amount,
        settled_total: opening.paid,
        settled_on: (opening.paid > 0).then_some(opening.paid_on),
        situation: derive_situation(true, false, open_amount, opening.paid > 0),
        cancelled_on: None,
        cancelled_because: None,
        issue_entry: None,
        user: context.user,
        version: 1,
        created_at: context.now,
        updated_at: context.now,
    }
}

/// What had been paid: a settlement like any other, but its money went into the accounts of the other system.
pub(crate) async fn prepare_opening_payment(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, opening): (TitleCode, &OpeningTitle),
    days: &BookDays,
) -> Result<Vec<Statement>, Error> {
    let (tenant, actor) = (context.tenant, *context);
    let known = context.registers.money.settlement_types.iter().min_by_key(|one| (!one.active, one.code));
    let settlement_type =
        known.ok_or_else(|| Error::Defect("the association has no settlement type".to_owned()))?;
    let paid_line = ChargeLine { amount: opening.paid, ..opening.line.clone() };
    let launch_kind = opening.title_type.launch_kind;
    let booked = book_opening_payment(opening.group, launch_kind, &[paid_line]).map_err(report_imbalance)?;
    let settlement = SettlementCode::new(counters::reserve_number(tx, tenant, Counter::Settlement).await?);
    let fact = BookedFact {
        kind: LedgerEntryKind::Receipt,
        booked_on: days.find_booking_day(opening.paid_on),
        happened_on: opening.paid_on,
        title: code,
        settlement: Some(settlement),
        reverses: None,
    };
    let (entry, mut statements) = prepare_entry(tx, &actor, &fact, &booked).await?;
    let stored = StoredSettlement {
        code: settlement,
        title: code,
        money: Some((settlement_type.code, settlement_type.account)),
        paid_on: opening.paid_on,
        credited_on: opening.paid_on,
        booked_on: fact.booked_on,
        principal: opening.paid,
        interest: 0,
        fine: 0,
        discount: 0,
        total: opening.paid,
        credit: 0,
        late_charges_left: 0,
        note: Some(PAID_BEFORE.to_owned()),
        entry,
        user: context.user,
        created_at: context.now,
        reversal: None,
    };
    statements.push(settlements::insert_settlement(tenant, &stored));
    Ok(statements)
}

/// Whether the settlement is what had been paid in the other system: no account of this one got its money.
pub(crate) async fn is_opening_payment(
    tx: &mut Tx,
    tenant: TenantId,
    settlement: &StoredSettlement,
) -> Result<bool, Error> {
    let booked = load_entry_lines(tx, tenant, settlement.entry).await?;
    Ok(booked.lines().iter().any(|line| line.account.kind == LedgerAccountKind::OpeningBalance))
}

/// Takes back the booking of a title and of what had been paid of it, and frees its key.
pub(crate) async fn cancel_opening_title(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, title): (TitleCode, StoredTitle),
    (paid_before, reason): (&[&StoredSettlement], &str),
    days: &BookDays,
) -> Result<(), Error> {
    let tenant = context.tenant;
    let booked_on = days.find_booking_day(days.today);
    let mut statements = Vec::new();
    for settlement in paid_before {
        let fact = BookedFact {
            kind: LedgerEntryKind::ReceiptReversal,
            booked_on,
            happened_on: days.today,
            title: code,
            settlement: Some(settlement.code),
            reverses: Some(settlement.entry),
        };
        let (entry, inserts) = prepare_reversal(tx, context, &fact, settlement.entry).await?;
        statements.extend(inserts);
        let reversal = ReversalRecord {
            booked_on,
            reason: reason.to_owned(),
            entry,
            user: context.user,
            created_at: context.now,
        };
        statements.push(settlements::insert_reversal(tenant, settlement.code, &reversal));
    }
    if let Some(entry) = title.issue_entry {
        let fact = BookedFact {
            kind: LedgerEntryKind::TitleCancellation,
            booked_on,
            happened_on: days.today,
            title: code,
            settlement: None,
            reverses: Some(entry),
        };
        statements.extend(prepare_reversal(tx, context, &fact, entry).await?.1);
    }
    let (person, from) = (title.person, title.situation);
    let after = StoredTitle {
        open_amount: 0,
        settled_total: 0,
        settled_on: None,
        situation: TitleSituation::Cancelled,
        cancelled_on: Some(days.today),
        cancelled_because: Some(reason.to_owned()),
        updated_at: context.now,
        ..title
    };
    statements.push(titles::update_title(tenant, code, &after));
    statements.push(delete_title_key(tenant, code));
    statements.extend(release_months(tenant, &[code]));
    statements.extend(release_pending_charges(tenant, code, days.today, context.now));
    statements.extend(prepare_stored_title_change(tx, context, (code, &after), from, Some(reason)).await?);
    let change = AuditedChange::new(AuditedAction::Cancel, AuditedRecordKind::Title, code.get())
        .with_reason(Some(reason));
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(person), change), audit_code));
    tx.execute_batch(statements).await?;
    Ok(())
}
