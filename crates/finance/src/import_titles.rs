//! Import of open titles from another system. A line becomes a title that is booked against the opening balance, since
//! its income belongs to months of the other system; what had been paid of it becomes its first settlement. Undoing the
//! import reverses both.

use crate::benefit_group::{find_benefit_group, find_first_group};
use crate::booking::{BookDays, is_too_far, is_too_old};
use crate::imported_owner::{find_imported_owner, find_owned_benefit};
use crate::issue_title::find_usable_type;
use crate::line_refusal::refuse_line;
use crate::mirrored_title::{KEY_PREFIX, build_mirror_key};
use crate::opening_title::{OpeningTitle, cancel_opening_title, is_opening_payment, write_opening_title};
use app::Error;
use app::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext};
use domain::finance::{ChargeLine, FinanceProblem, OpeningImportProblem, TitleSituation};
use domain::{Date, ImportUndoObstacle, Money, ReferenceKind, Rejection, TitleCode};
use finance_storage::opening::find_imported_title;
use finance_storage::settlements;
use finance_storage::titles;
use storage::Tx;
use storage::exchange::imports::StoredLineResult;
use storage::server::counters::{self, Counter};
use wire::import_sheet::IMPORT_UNDONE;
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
    let mut known = find_imported_title(tx, tenant, &opening.key).await?;
    if known.is_none() && opening.is_key_given {
        known = find_imported_title(tx, tenant, &build_mirror_key(&opening.key)).await?;
    }
    if let Some(code) = known {
        context.refuse_repeated_record(code.get())?;
        return compare_imported_title(tx, context, code, &opening).await;
    }
    let code = TitleCode::new(counters::reserve_number(tx, tenant, Counter::Title).await?);
    let title = write_opening_title(tx, &context.change_context(), (code, &opening), &days).await?;
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
    if input.external_key.as_set().is_some_and(|key| key.as_str().starts_with(KEY_PREFIX)) {
        problems.push(refuse_line(OpeningImportProblem::ReservedKey));
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
        price: None,
        amount: input.amount.cents(),
        description: None,
    };
    let description = input.description.as_set().map_or(title_type.name.as_str(), |text| text.as_str());
    let mut opening = OpeningTitle {
        person: owner.code,
        branch: benefit.map_or(owner.branch, |(_, benefit)| benefit.branch),
        group,
        benefits: benefit_code.into_iter().collect(),
        has_only_unknown_benefits: false,
        title_type: title_type.clone(),
        line,
        paid,
        paid_on,
        issued_on,
        due_on,
        instalment: (number, total),
        description: description.to_owned(),
        note: input.note.as_set().map(|note| note.as_str().to_owned()),
        key: String::new(),
        is_key_given: input.external_key.as_set().is_some(),
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
    let benefit = opening.benefits.first().map_or(0, |code| code.get());
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
    let actor = context.change_context();
    let days = BookDays::load(tx, &actor).await?;
    cancel_opening_title(tx, &actor, (code, title), (&paid_before, IMPORT_UNDONE), &days).await?;
    Ok(ImportUndoOutcome::Removed)
}
