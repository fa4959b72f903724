//! Issues titles: one, or several instalments of one value.

use crate::benefit_group::{find_benefit_group, find_first_group};
use crate::booking::{
    BookDays, BookedFact, build_calendar, is_too_far, is_too_old, prepare_entry, refuse, report_imbalance,
};
use crate::claimed_month::prepare_claim;
use crate::full_title::{FullTitle, read_written_title};
use crate::title_history::{TitleChange, prepare_title_changes};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::{TenantRegisters, confirm_registers};
use app::session::Session;
use app::{ActorContext, App, Error};
use domain::finance::{
    BankCalendar, ChargeLine, EarlyDiscountRule, FinanceProblem, LateChargeRates, LaunchKind,
    LedgerEntryKind, ShortfallTreatment, TitleSituation, allocate_by_largest_remainder, book_issue,
    find_due_date, find_next_due_date,
};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Benefit, BenefitCode, BranchCode,
    Date, GroupCode, InputField, Money, MoneyRight, PersonCode, Rejection, TitleCode, TitleTypeCode,
};
use finance_storage::charging::charged_months::ChargedMonthOrigin;
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;
use storage::benefits::find_benefit;
use storage::history::audit;
use storage::members::{find_person, is_person_visible};
use storage::registers::finance::StoredTitleType;
use storage::server::counters::{self, Counter};

/// A title to issue.
#[derive(Clone, Debug)]
pub struct NewTitleInput {
    pub person: PersonCode,
    /// Benefits of the person, of one group and branch; may be empty.
    pub benefits: Vec<BenefitCode>,
    pub title_type: TitleTypeCode,
    /// The value of all instalments together.
    pub amount: Money,
    pub description: Option<String>,
    pub note: Option<String>,
    /// Of the first instalment; the others follow month by month.
    pub due_on: Option<Date>,
    pub issued_on: Option<Date>,
    pub instalments: i32,
    /// What the association owes may wait for release before it is posted.
    pub waits_for_release: bool,
}

/// Bank days until a title without a benefit is due.
pub(crate) const DEFAULT_BANK_DAYS: u32 = 5;

/// Issues one title, as `/ext` does.
#[boxed::future]
pub async fn issue_title(
    app: &App,
    caller: &Session,
    input: NewTitleInput,
    once: IdempotentWrite<FullTitle>,
) -> Result<WriteOutcome<FullTitle>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, AuditedOperation::IssueTitle, input, once, |tx, command| {
        Box::pin(async move {
            let mut issued = write_titles(tx, command).await?;
            issued.pop().ok_or_else(|| Error::Defect("no title was issued".to_owned()))
        })
    })
    .await
}

/// Issues a title for each instalment.
#[boxed::future]
pub async fn issue_titles(
    app: &App,
    caller: &Session,
    input: NewTitleInput,
    once: IdempotentWrite<Vec<FullTitle>>,
) -> Result<WriteOutcome<Vec<FullTitle>>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, AuditedOperation::IssueTitles, input, once, |tx, command| {
        Box::pin(write_titles(tx, command))
    })
    .await
}

async fn write_titles(tx: &mut Tx, command: &WriteCommand<NewTitleInput>) -> Result<Vec<FullTitle>, Error> {
    let (tenant, registers, input) = (command.scope.tenant(), &command.registers, &command.input);
    confirm_registers(tx, tenant, registers).await?;
    let days = BookDays::load(tx, &command.actor_context()).await?;
    let mut problems = Vec::new();
    let title_type = find_usable_type(registers, input.title_type).unwrap_or_else(|problem| {
        problems.push(problem);
        None
    });
    let holder = find_title_holder(tx, command, &mut problems).await?;
    let issued_on = find_issue_day(input.issued_on, days.today, command.now.date_in_utc());
    check_amount(input, &mut problems);
    if issued_on > days.today {
        problems.push(Rejection::Finance(FinanceProblem::IssueInFuture));
    } else if is_too_old(issued_on) {
        problems.push(Rejection::Finance(FinanceProblem::IssueTooOld));
    }
    let calendar = build_calendar(registers);
    let due_days = holder.as_ref().map(|holder| list_due_days(input, holder.due_day, days.today, &calendar));
    if due_days.as_ref().and_then(|days| days.first()).is_some_and(|due| *due < issued_on) {
        problems.push(Rejection::Finance(FinanceProblem::DueBeforeIssue));
    }
    if due_days.iter().flatten().any(|due| is_too_far(*due, days.today)) {
        problems.push(Rejection::Finance(FinanceProblem::DueTooFar));
    }
    let (Some(title_type), Some(holder), Some(due_days), []) = (title_type, holder, due_days, &problems[..])
    else {
        return Err(Error::Refused(problems));
    };
    days.refuse_closed_month(issued_on)?;
    let missing = || Error::Defect(format!("charge item {} is not registered", title_type.charge_item));
    let item = registers.money.charge_item(title_type.charge_item).ok_or_else(missing)?;
    let shares = vec![1; due_days.len()];
    let amounts = allocate_by_largest_remainder(input.amount.cents(), &shares)
        .ok_or_else(|| refuse(FinanceProblem::TooManyInstalments))?;
    let mut issued = Vec::with_capacity(due_days.len());
    for (number, (due_on, amount)) in (1..).zip(due_days.iter().zip(amounts)) {
        let plan = TitlePlan {
            title_type,
            holder: &holder,
            person: input.person,
            description: input.description.clone().unwrap_or_else(|| title_type.name.clone()),
            note: input.note.clone(),
            line: ChargeLine {
                item: item.code,
                nature: item.nature,
                benefit: holder.benefits.first().copied().filter(|_| holder.benefits.len() == 1),
                price: None,
                amount,
                description: None,
            },
            waits: input.waits_for_release && title_type.launch_kind == LaunchKind::Debit,
            issued_on,
            due_on: *due_on,
            effective_due_on: calendar.next_bank_day_from(*due_on),
            calendar: &calendar,
            instalment: (number, input.instalments),
        };
        let code = write_title(tx, &command.actor_context(), plan).await?;
        let written = read_written_title(tx, command, code).await?;
        // Instalments are as likely those of a debt as those of the contribution.
        if input.instalments <= 1 {
            let (by, claiming) = ((tenant, &**registers), (code, &written.title));
            let origin = ChargedMonthOrigin::Hand;
            let claims = prepare_claim(tx, by, claiming, &holder.benefits, origin).await?;
            tx.execute_batch(claims).await?;
        }
        issued.push(written);
    }
    Ok(issued)
}

/// Today, also where it is tomorrow in UTC: programs that keep that time send it in the evening.
fn find_issue_day(asked: Option<Date>, today: Date, today_in_utc: Date) -> Date {
    asked.filter(|day| *day <= today || *day > today_in_utc).unwrap_or(today)
}

/// The type, if titles of it may be issued one by one.
pub(crate) fn find_usable_type(
    registers: &TenantRegisters,
    code: TitleTypeCode,
) -> Result<Option<&StoredTitleType>, Rejection> {
    let unknown = Rejection::UnknownCode { field: InputField::TitleType, code: code.get() };
    let found = registers.money.title_type(code).filter(|one| one.active).ok_or(unknown)?;
    if found.launch_kind == LaunchKind::CostSharing {
        return Err(Rejection::Finance(FinanceProblem::CostSharingType));
    }
    Ok(Some(found))
}

fn check_amount(input: &NewTitleInput, problems: &mut Vec<Rejection>) {
    if input.amount.cents() < 1 {
        problems.push(Rejection::Finance(FinanceProblem::NoAmount));
    } else if i64::from(input.instalments) > input.amount.cents() {
        problems.push(Rejection::Finance(FinanceProblem::TooManyInstalments));
    }
}

/// Whose title it is, and what follows from that.
pub(crate) struct TitleHolder {
    pub branch: BranchCode,
    pub group: GroupCode,
    pub due_day: Option<i32>,
    pub benefits: Vec<BenefitCode>,
}

async fn find_title_holder(
    tx: &mut Tx,
    command: &WriteCommand<NewTitleInput>,
    problems: &mut Vec<Rejection>,
) -> Result<Option<TitleHolder>, Error> {
    let (tenant, input, found_before) = (command.scope.tenant(), &command.input, problems.len());
    let mut benefits: Vec<(BenefitCode, Benefit)> = Vec::new();
    for code in &input.benefits {
        match find_benefit(&mut *tx, &command.scope, *code).await? {
            None => {
                problems.push(Rejection::UnknownCode { field: InputField::Benefit, code: code.get() });
            }
            Some(benefit) if benefit.person != input.person => {
                problems.push(Rejection::BenefitOfAnother(*code));
            }
            Some(benefit) => benefits.push((*code, benefit)),
        }
    }
    let person = match is_person_visible(tx, &command.scope, input.person).await? {
        true => find_person(&mut *tx, tenant, input.person).await?,
        false => None,
    };
    let Some(person) = person else {
        problems.push(Rejection::UnknownCode { field: InputField::Person, code: input.person.get() });
        return Ok(None);
    };
    if problems.len() > found_before {
        return Ok(None);
    }
    benefits.sort_by_key(|(code, _)| *code);
    benefits.dedup_by_key(|(code, _)| *code);
    let Some((_, first)) = benefits.first() else {
        if !command.scope.can_see(person.branch) {
            problems.push(Rejection::UnknownCode { field: InputField::Person, code: input.person.get() });
            return Ok(None);
        }
        let group = find_first_group(&command.registers)?;
        return Ok(Some(TitleHolder { branch: person.branch, group, due_day: None, benefits: Vec::new() }));
    };
    let mut groups = Vec::new();
    for (code, _) in &benefits {
        groups.push(find_benefit_group(tx, tenant, &command.registers, *code).await?);
    }
    let is_mixed = groups.iter().any(|group| *group != groups[0])
        || benefits.iter().any(|(_, benefit)| benefit.branch != first.branch);
    if is_mixed {
        problems.push(Rejection::Finance(FinanceProblem::MixedBenefits));
        return Ok(None);
    }
    Ok(Some(TitleHolder {
        branch: first.branch,
        group: groups[0],
        due_day: first.due_day,
        benefits: benefits.iter().map(|(code, _)| *code).collect(),
    }))
}

/// The due days of all instalments.
fn list_due_days(
    input: &NewTitleInput,
    due_day: Option<i32>,
    today: Date,
    calendar: &BankCalendar,
) -> Vec<Date> {
    let due_day = due_day.and_then(|day| i16::try_from(day).ok());
    let first = input.due_on.unwrap_or_else(|| match due_day {
        Some(day) => find_next_due_date(today, day),
        None => calendar.plus_bank_days(today, DEFAULT_BANK_DAYS),
    });
    let day = due_day.filter(|_| input.due_on.is_none()).unwrap_or_else(|| first.day());
    let (year, month) = (first.year(), first.month() - 1);
    (0..input.instalments.max(1))
        .map(|number| {
            let months = i32::from(month) + number;
            match number {
                0 => first,
                _ => {
                    let later_year = year.saturating_add(i16::try_from(months / 12).unwrap_or(i16::MAX));
                    find_due_date(later_year, i16::try_from(months % 12).unwrap_or(0) + 1, day)
                }
            }
        })
        .collect()
}

/// One title that is about to be written.
pub(crate) struct TitlePlan<'p> {
    pub title_type: &'p StoredTitleType,
    pub holder: &'p TitleHolder,
    pub person: PersonCode,
    pub description: String,
    pub note: Option<String>,
    pub line: ChargeLine,
    /// It is posted when it is released.
    pub waits: bool,
    pub issued_on: Date,
    pub due_on: Date,
    pub effective_due_on: Date,
    pub calendar: &'p BankCalendar,
    /// Number and total.
    pub instalment: (i32, i32),
}

pub(crate) async fn write_title(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    plan: TitlePlan<'_>,
) -> Result<TitleCode, Error> {
    let (tenant, title_type, holder) = (context.tenant, plan.title_type, plan.holder);
    let code = TitleCode::new(counters::reserve_number(tx, tenant, Counter::Title).await?);
    let amount = plan.line.amount;
    let lines = [plan.line];
    let mut statements = Vec::new();
    let issue_entry = if plan.waits {
        None
    } else {
        let booked = book_issue(holder.group, title_type.launch_kind, &lines).map_err(report_imbalance)?;
        let fact = BookedFact {
            kind: LedgerEntryKind::TitleIssue,
            booked_on: plan.issued_on,
            happened_on: plan.issued_on,
            title: code,
            settlement: None,
            reverses: None,
        };
        let (entry, inserts) = prepare_entry(tx, context, &fact, &booked).await?;
        statements.extend(inserts);
        Some(entry)
    };
    let rule = title_type.late_charge_rule.and_then(|rule| context.registers.money.late_charge_rule(rule));
    let early_discount = rule.map_or_else(EarlyDiscountRule::default, |rule| rule.early_discount);
    let title = StoredTitle {
        person: plan.person,
        branch: holder.branch,
        group: holder.group,
        title_type: title_type.code,
        launch_kind: title_type.launch_kind,
        description: plan.description,
        note: plan.note,
        issued_on: plan.issued_on,
        due_on: plan.due_on,
        original_due_on: plan.due_on,
        effective_due_on: plan.effective_due_on,
        posted_on: (!plan.waits).then_some(plan.issued_on),
        instalment: plan.instalment.0,
        instalments: plan.instalment.1.max(1),
        rates: rule.map_or_else(LateChargeRates::default, |rule| rule.rates),
        shortfall: rule.map_or(ShortfallTreatment::NextCharge, |rule| rule.shortfall),
        early_discount,
        early_discount_until: early_discount.find_last_day(plan.due_on, plan.calendar),
        amount,
        open_amount: amount,
        settled_total: 0,
        settled_on: None,
        situation: if plan.waits { TitleSituation::Pending } else { TitleSituation::Open },
        cancelled_on: None,
        cancelled_because: None,
        issue_entry,
        user: context.user,
        version: 1,
        created_at: context.now,
        updated_at: context.now,
    };
    statements.splice(0..0, titles::insert_title(tenant, code, &title, &lines, &holder.benefits));
    let issued = TitleChange { code, title: &title, benefits: &holder.benefits, from: None, reason: None };
    statements.extend(prepare_title_changes(tx, context, &[issued]).await?);
    let change = AuditedChange::new(AuditedAction::Create, AuditedRecordKind::Title, code.get());
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(plan.person), change), audit_code));
    tx.execute_batch(statements).await?;
    Ok(code)
}
