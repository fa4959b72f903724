//! Import of open titles from another system. A line becomes a title that is booked against the opening balance, since
//! its income belongs to months of the other system; what had been paid of it becomes its first settlement. Undoing the
//! import reverses both.

use crate::benefit_group::{find_benefit_group, find_first_group};
use crate::booking::{
    BookDays, BookedFact, build_calendar, is_too_far, is_too_old, prepare_entry, prepare_reversal,
    report_imbalance,
};
use crate::imported_owner::{find_imported_owner, find_owned_benefit};
use crate::issue_title::find_usable_type;
use crate::line_refusal::refuse_line;
use crate::title_history::{TitleChange, prepare_stored_title_change, prepare_title_changes};
use app::Error;
use app::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext};
use domain::finance::{
    ChargeLine, EarlyDiscountRule, FinanceProblem, LateChargeRates, LedgerAccountKind, LedgerEntryKind,
    OpeningImportProblem, ShortfallTreatment, TitleSituation, book_opening_payment, book_opening_title,
};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, BenefitCode, BranchCode, Date, GroupCode,
    ImportUndoObstacle, Money, PersonCode, ReferenceKind, Rejection, SettlementCode, TenantId, TitleCode,
};
use finance_storage::ledger::load_entry_lines;
use finance_storage::opening::{delete_title_key, find_imported_title, insert_title_key};
use finance_storage::settlements::{self, ReversalRecord, StoredSettlement};
use finance_storage::titles::{self, StoredTitle};
use storage::exchange::imports::StoredLineResult;
use storage::history::audit;
use storage::registers::finance::StoredTitleType;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};
use wire::import_sheet::{IMPORT_UNDONE, PAID_BEFORE};
use wire::records::TituloImportadoInput;

/// One row of an imported file.
#[derive(Clone, Debug)]
pub struct TitleImportRow {
    pub input: TituloImportadoInput,
}

impl TitleImportRow {
    /// Two rows about the same title have the same key.
    pub fn duplicate_key(&self) -> String {
        match self.input.external_key.as_set() {
            Some(key) => format!("k{}", key.as_str()),
            None => format!("{:?}", self.input),
        }
    }
}

/// A row whose references are resolved.
struct OpeningTitle {
    person: PersonCode,
    branch: BranchCode,
    group: GroupCode,
    benefit: Option<BenefitCode>,
    title_type: StoredTitleType,
    line: ChargeLine,
    paid: i64,
    paid_on: Date,
    issued_on: Date,
    due_on: Date,
    /// Number and total.
    instalment: (i32, i32),
    key: String,
}

/// Issues the title of a row, unless it came with an earlier import.
#[boxed::future]
pub async fn import_title(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &TitleImportRow,
) -> Result<ImportRowOutcome, Error> {
    let tenant = context.scope.tenant();
    let days = BookDays::load(tx, &context.change_context()).await?;
    let opening = prepare_title(tx, context, row, days.today).await?;
    if let Some(code) = find_imported_title(tx, tenant, &opening.key).await? {
        context.refuse_repeated_record(code.get())?;
        return compare_imported_title(tx, context, code, &opening).await;
    }
    let code = TitleCode::new(counters::reserve_number(tx, tenant, Counter::Title).await?);
    let title = write_opening_title(tx, context, (code, row), &opening, &days).await?;
    Ok(ImportRowOutcome::Created { record: code.get(), version: title.version, joined: None })
}

async fn prepare_title(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &TitleImportRow,
    today: Date,
) -> Result<OpeningTitle, Error> {
    let (tenant, registers, input) = (context.scope.tenant(), &context.registers, &row.input);
    let mut problems = Vec::new();
    let title_type = find_usable_type(registers, input.title_type).unwrap_or_else(|problem| {
        problems.push(problem);
        None
    });
    let named = (input.document.as_set(), input.person.as_set().copied());
    let owner = find_imported_owner(tx, &context.scope, named, &mut problems).await?;
    let benefit = match &owner {
        Some(owner) => find_owned_benefit(tx, context, owner, input, &mut problems).await?,
        None => None,
    };
    let due_on = input.due;
    // Without a day of issue, the latest on which everything else can have happened.
    let earliest_paid = input.paid_on.as_set().copied().unwrap_or(due_on);
    let issued_on = input.issued.as_set().copied().unwrap_or(due_on.min(today).min(earliest_paid));
    let paid_on = input.paid_on.as_set().copied().unwrap_or(issued_on);
    let paid = input.paid.as_set().copied().map_or(0, Money::cents);
    check_days((issued_on, due_on, today), &mut problems);
    check_amounts(input, paid, &mut problems);
    if paid > 0 && paid_on > today {
        problems.push(Rejection::Finance(FinanceProblem::PaidInFuture));
    } else if paid > 0 && paid_on < issued_on {
        problems.push(Rejection::Finance(FinanceProblem::PaidBeforeIssue));
    }
    let number = input.instalment.as_set().map_or(1, |number| number.get());
    let total = input.instalments.as_set().map_or(number, |total| total.get());
    if number > total {
        problems.push(refuse_line(OpeningImportProblem::InstalmentAboveTotal));
    }
    let (Some(title_type), Some(owner), []) = (title_type, owner, &problems[..]) else {
        return Err(Error::Refused(problems));
    };
    let group = match &benefit {
        Some((code, _)) => find_benefit_group(tx, tenant, registers, *code).await?,
        None => find_first_group(registers)?,
    };
    let missing = || Error::Defect(format!("charge item {} is not registered", title_type.charge_item));
    let item = registers.money.charge_item(title_type.charge_item).ok_or_else(missing)?;
    let benefit_code = benefit.as_ref().map(|(code, _)| *code);
    let line = ChargeLine {
        item: item.code,
        nature: item.nature,
        benefit: benefit_code,
        amount: input.amount.cents(),
        description: None,
    };
    let mut opening = OpeningTitle {
        person: owner.code,
        branch: benefit.map_or(owner.branch, |(_, benefit)| benefit.branch),
        group,
        benefit: benefit_code,
        title_type: title_type.clone(),
        line,
        paid,
        paid_on,
        issued_on,
        due_on,
        instalment: (number, total),
        key: String::new(),
    };
    opening.key = build_title_key(input, &opening);
    Ok(opening)
}

fn check_days((issued_on, due_on, today): (Date, Date, Date), problems: &mut Vec<Rejection>) {
    let mut refuse = |problem| problems.push(Rejection::Finance(problem));
    if issued_on > today {
        refuse(FinanceProblem::IssueInFuture);
    } else if is_too_old(issued_on) {
        refuse(FinanceProblem::IssueTooOld);
    }
    if due_on < issued_on {
        refuse(FinanceProblem::DueBeforeIssue);
    }
    if is_too_far(due_on, today) {
        refuse(FinanceProblem::DueTooFar);
    }
}

fn check_amounts(input: &TituloImportadoInput, paid: i64, problems: &mut Vec<Rejection>) {
    if input.amount.cents() < 1 {
        problems.push(Rejection::Finance(FinanceProblem::NoAmount));
    } else if paid >= input.amount.cents() {
        problems.push(refuse_line(OpeningImportProblem::NothingOpen));
    }
}

/// The key of the other system; without one, what makes the title different from the person's others.
fn build_title_key(input: &TituloImportadoInput, opening: &OpeningTitle) -> String {
    if let Some(key) = input.external_key.as_set() {
        return key.as_str().to_owned();
    }
    let (number, total) = opening.instalment;
    let benefit = opening.benefit.map(BenefitCode::get).unwrap_or_default();
    let description = input.description.as_set().map(domain::BoundedText::as_str).unwrap_or_default();
    format!(
        "{}|{}|{}|{}|{number}/{total}|{benefit}|{description}",
        opening.person,
        opening.title_type.code,
        opening.due_on.to_iso(),
        opening.line.amount,
    )
}

/// A title that came before stays as it is; another one under its key is a mistake.
async fn compare_imported_title(
    tx: &mut Tx,
    context: &ImportUnitContext,
    code: TitleCode,
    opening: &OpeningTitle,
) -> Result<ImportRowOutcome, Error> {
    let found = titles::list_titles_by_code(&mut *tx, context.scope.tenant(), &[code]).await?.pop();
    let is_same = found.is_some_and(|(_, title)| {
        title.person == opening.person
            && title.title_type == opening.title_type.code
            && title.amount == opening.line.amount
            && title.original_due_on == opening.due_on
            // More may have been paid since, but not less.
            && title.settled_total >= opening.paid
    });
    if is_same {
        return Ok(ImportRowOutcome::Same { record: code.get() });
    }
    Err(refuse_line(OpeningImportProblem::ImportedDifferently(code)).into())
}

async fn write_opening_title(
    tx: &mut Tx,
    context: &ImportUnitContext,
    (code, row): (TitleCode, &TitleImportRow),
    opening: &OpeningTitle,
    days: &BookDays,
) -> Result<StoredTitle, Error> {
    let (tenant, actor) = (context.scope.tenant(), context.change_context());
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
    let (entry, entry_statements) = prepare_entry(tx, &actor, &fact, &booked).await?;
    let title = StoredTitle {
        posted_on: Some(opening.issued_on),
        issue_entry: Some(entry),
        ..build_title(context, row, opening)
    };
    let mut statements = titles::insert_title(tenant, code, &title, &lines, opening.benefit.as_slice());
    statements.extend(entry_statements);
    if opening.paid > 0 {
        statements.extend(prepare_opening_payment(tx, context, (code, opening), days).await?);
    }
    let benefits = opening.benefit.as_slice();
    let issued = TitleChange { code, title: &title, benefits, from: None, reason: None };
    statements.extend(prepare_title_changes(tx, &actor, &[issued]).await?);
    let is_given = row.input.external_key.as_set().is_some();
    statements.push(insert_title_key(tenant, code, (&opening.key, is_given)));
    let change = AuditedChange::new(AuditedAction::Create, AuditedRecordKind::Title, code.get());
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements.push(audit::insert_audit_entry(&actor.audit_entry(Some(opening.person), change), audit_code));
    tx.execute_batch(statements).await?;
    Ok(title)
}

/// The title with what had been paid of it, not yet booked.
fn build_title(context: &ImportUnitContext, row: &TitleImportRow, opening: &OpeningTitle) -> StoredTitle {
    let (input, title_type) = (&row.input, &opening.title_type);
    let money = &context.registers.money;
    let rule = title_type.late_charge_rule.and_then(|rule| money.late_charge_rule(rule));
    let description = input.description.as_set().map_or(title_type.name.as_str(), |text| text.as_str());
    let calendar = build_calendar(&context.registers);
    let early_discount = rule.map_or_else(EarlyDiscountRule::default, |rule| rule.early_discount);
    StoredTitle {
        person: opening.person,
        branch: opening.branch,
        group: opening.group,
        title_type: title_type.code,
        launch_kind: title_type.launch_kind,
        description: description.to_owned(),
        note: input.note.as_set().map(|note| note.as_str().to_owned()),
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
        open_amount: opening.line.amount - opening.paid,
        settled_total: opening.paid,
        settled_on: (opening.paid > 0).then_some(opening.paid_on),
        situation: TitleSituation::Open,
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
async fn prepare_opening_payment(
    tx: &mut Tx,
    context: &ImportUnitContext,
    (code, opening): (TitleCode, &OpeningTitle),
    days: &BookDays,
) -> Result<Vec<Statement>, Error> {
    let (tenant, actor) = (context.scope.tenant(), context.change_context());
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

/// Cancels the title of an import row by counter-entries, unless money came for it or it was changed since.
#[boxed::future]
pub async fn undo_title_import(
    tx: &mut Tx,
    context: &ImportUnitContext,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    let code = TitleCode::new(line.record.unwrap_or_default());
    let kept = |obstacle| Ok(ImportUndoOutcome::Kept(obstacle));
    let Some((_, title)) = titles::list_titles_by_code(&mut *tx, tenant, &[code]).await?.pop() else {
        return kept(ImportUndoObstacle::RecordGone);
    };
    if !context.scope.can_see(title.branch) {
        return kept(ImportUndoObstacle::OtherBranch);
    }
    let all = settlements::list_settlements(&mut *tx, tenant, code).await?;
    let mut paid_before = Vec::new();
    for settlement in all.iter().filter(|one| one.reversal.is_none()) {
        if !is_opening_payment(tx, tenant, settlement).await? {
            return kept(ImportUndoObstacle::ReferencedBy(ReferenceKind::Settlements));
        }
        paid_before.push(settlement);
    }
    if line.version != Some(title.version) || title.situation == TitleSituation::Cancelled {
        return kept(ImportUndoObstacle::ChangedSince);
    }
    cancel_opening_title(tx, context, (code, title), &paid_before).await?;
    Ok(ImportUndoOutcome::Removed)
}

/// Whether the settlement is what had been paid in the other system: no account of this one got its money.
async fn is_opening_payment(
    tx: &mut Tx,
    tenant: TenantId,
    settlement: &StoredSettlement,
) -> Result<bool, Error> {
    let booked = load_entry_lines(tx, tenant, settlement.entry).await?;
    Ok(booked.lines().iter().any(|line| line.account.kind == LedgerAccountKind::OpeningBalance))
}

async fn cancel_opening_title(
    tx: &mut Tx,
    context: &ImportUnitContext,
    (code, title): (TitleCode, StoredTitle),
    paid_before: &[&StoredSettlement],
) -> Result<(), Error> {
    let (tenant, actor) = (context.scope.tenant(), context.change_context());
    let days = BookDays::load(tx, &actor).await?;
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
        let (entry, inserts) = prepare_reversal(tx, &actor, &fact, settlement.entry).await?;
        statements.extend(inserts);
        let reversal = ReversalRecord {
            booked_on,
            reason: IMPORT_UNDONE.to_owned(),
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
        statements.extend(prepare_reversal(tx, &actor, &fact, entry).await?.1);
    }
    let person = title.person;
    let after = StoredTitle {
        open_amount: 0,
        settled_total: 0,
        settled_on: None,
        situation: TitleSituation::Cancelled,
        cancelled_on: Some(days.today),
        cancelled_because: Some(IMPORT_UNDONE.to_owned()),
        updated_at: context.now,
        ..title
    };
    statements.push(titles::update_title(tenant, code, &after));
    statements.push(delete_title_key(tenant, code));
    let open = TitleSituation::Open;
    let changed = prepare_stored_title_change(tx, &actor, (code, &after), open, Some(IMPORT_UNDONE)).await?;
    statements.extend(changed);
    let change = AuditedChange::new(AuditedAction::Cancel, AuditedRecordKind::Title, code.get())
        .with_reason(Some(IMPORT_UNDONE));
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements.push(audit::insert_audit_entry(&actor.audit_entry(Some(person), change), audit_code));
    tx.execute_batch(statements).await?;
    Ok(())
}
