//! Adds a line that the next charge of a person or benefit takes.

use crate::benefit_group::{find_benefit_group, find_first_group, list_charged_places};
use crate::pending_charge_list::{FullPendingCharge, read_written_charge};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::{TenantRegisters, confirm_registers};
use app::session::Session;
use app::{App, Error};
use domain::finance::{ChargeItemKind, FinanceProblem, PendingChargeSituation, PendingChargeSource};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, BenefitCode, BranchCode,
    ChargeItemCode, GroupCode, InputField, Money, MoneyRight, PendingChargeCode, PersonCode, Rejection,
};
use finance_storage::pending_charges::{StoredPendingCharge, insert_pending_charge};
use storage::Tx;
use storage::benefits::find_benefit;
use storage::history::audit;
use storage::members::{find_person, is_person_visible};
use storage::server::counters::{self, Counter};

/// A line to charge once. One of person and benefit is enough.
#[derive(Clone, Debug)]
pub struct NewPendingCharge {
    pub person: Option<PersonCode>,
    pub benefit: Option<BenefitCode>,
    pub item: ChargeItemCode,
    pub amount: Money,
    pub description: Option<String>,
}

#[boxed::future]
pub async fn add_pending_charge(
    app: &App,
    caller: &Session,
    charge: NewPendingCharge,
    once: IdempotentWrite<FullPendingCharge>,
) -> Result<WriteOutcome<FullPendingCharge>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, AuditedOperation::AddPendingCharge, charge, once, |tx, command| {
        Box::pin(write_pending_charge(tx, command))
    })
    .await
}

async fn write_pending_charge(
    tx: &mut Tx,
    command: &WriteCommand<NewPendingCharge>,
) -> Result<FullPendingCharge, Error> {
    let (tenant, context, input) = (command.scope.tenant(), command.actor_context(), &command.input);
    confirm_registers(tx, tenant, &command.registers).await?;
    let mut problems = Vec::new();
    problems.extend(refuse_unusable_item(&command.registers, input.item));
    if input.amount.cents() < 1 {
        problems.push(Rejection::Finance(FinanceProblem::NoAmount));
    }
    let debtor = find_debtor(tx, command, &mut problems).await?;
    let (Some(debtor), []) = (debtor, &problems[..]) else { return Err(Error::Refused(problems)) };
    let [code, audit_code] =
        counters::reserve_number_blocks(tx, tenant, [(Counter::PendingCharge, 1), (Counter::Audit, 1)])
            .await?;
    let charge = StoredPendingCharge {
        code: PendingChargeCode::new(code),
        person: debtor.person,
        benefit: input.benefit,
        branch: debtor.branch,
        group: debtor.group,
        item: input.item,
        amount: input.amount.cents(),
        description: input.description.clone(),
        source: PendingChargeSource::ByHand,
        settlement: None,
        situation: PendingChargeSituation::Waiting,
        title: None,
        cancelled_on: None,
        cancelled_because: None,
        user: command.user,
        created_at: command.now,
    };
    let change = AuditedChange::new(AuditedAction::Create, AuditedRecordKind::PendingCharge, code)
        .with_argument(charge.amount);
    let statements = vec![
        insert_pending_charge(tenant, &charge),
        audit::insert_audit_entry(&context.audit_entry(Some(debtor.person), change), audit_code),
    ];
    tx.execute_batch(statements).await?;
    read_written_charge(tx, command, charge.code).await
}

fn refuse_unusable_item(registers: &TenantRegisters, code: ChargeItemCode) -> Option<Rejection> {
    match registers.money.charge_item(code).filter(|one| one.active) {
        None => Some(Rejection::UnknownCode { field: InputField::ChargeItem, code: code.get() }),
        Some(item) if item.kind == ChargeItemKind::Expense => {
            Some(Rejection::Finance(FinanceProblem::ExpenseItem))
        }
        Some(_) => None,
    }
}

/// Who owes it, and in which branch and group.
struct PendingDebtor {
    person: PersonCode,
    branch: BranchCode,
    group: GroupCode,
}

async fn find_debtor(
    tx: &mut Tx,
    command: &WriteCommand<NewPendingCharge>,
    problems: &mut Vec<Rejection>,
) -> Result<Option<PendingDebtor>, Error> {
    let (tenant, input) = (command.scope.tenant(), &command.input);
    if let Some(code) = input.benefit {
        let Some(benefit) = find_benefit(&mut *tx, &command.scope, code).await? else {
            problems.push(Rejection::UnknownCode { field: InputField::Benefit, code: code.get() });
            return Ok(None);
        };
        if input.person.is_some_and(|person| person != benefit.person) {
            problems.push(Rejection::BenefitOfAnother(code));
            return Ok(None);
        }
        let group = find_benefit_group(tx, tenant, &command.registers, code).await?;
        return Ok(Some(PendingDebtor { person: benefit.person, branch: benefit.branch, group }));
    }
    let Some(code) = input.person else {
        problems.push(Rejection::Missing(InputField::Person));
        return Ok(None);
    };
    let person = match is_person_visible(tx, &command.scope, code).await? {
        true => find_person(&mut *tx, tenant, code).await?,
        false => None,
    };
    match person.filter(|person| command.scope.can_see(person.branch)) {
        Some(person) => match *list_charged_places(tx, tenant, &command.registers, code).await?.as_slice() {
            [] => {
                let group = find_first_group(&command.registers)?;
                Ok(Some(PendingDebtor { person: code, branch: person.branch, group }))
            }
            [(branch, group)] if command.scope.can_see(branch) => {
                Ok(Some(PendingDebtor { person: code, branch, group }))
            }
            [..] => {
                problems.push(Rejection::Finance(FinanceProblem::BenefitToBeNamed));
                Ok(None)
            }
        },
        None => {
            problems.push(Rejection::UnknownCode { field: InputField::Person, code: code.get() });
            Ok(None)
        }
    }
}
