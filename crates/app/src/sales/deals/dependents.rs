//! The dependents of health deals.

use super::save::build_deal_audit_entry;
use super::validate::DealInputValidator;
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, BenefitKind, DealCode, DependentCode, InputField,
    Kinship, PersonCode, ProposedDependent, Rejection,
};
use storage::Tx;
use storage::history::audit;
use storage::sales::deals;
use storage::sales::deals::dependents;
use storage::server::counters::{self, Counter};
use wire::read::FieldPatch;
use wire::records::NegocioDependenteInput;

const CREATE: AuditedOperation = AuditedOperation::CreateDealDependent;
const CHANGE: AuditedOperation = AuditedOperation::UpdateDealDependent;

/// The dependent after the save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedDealDependent {
    pub code: DependentCode,
    pub dependent: ProposedDependent,
    person: PersonCode,
    changed: bool,
}

/// The dependent as sent.
#[derive(Clone)]
struct SubmittedDependent {
    deal: DealCode,
    /// `None` for a new dependent.
    code: Option<DependentCode>,
    fields: NegocioDependenteInput,
}

type SaveDealDependent = WriteCommand<SubmittedDependent>;

/// Creates a dependent of a deal, or changes the one with this code.
#[boxed::future]
pub async fn save_deal_dependent(
    app: &App,
    caller: &Session,
    (deal, code): (DealCode, Option<DependentCode>),
    input: NegocioDependenteInput,
    once: IdempotentWrite<SavedDealDependent>,
) -> Result<WriteOutcome<SavedDealDependent>, Error> {
    let operation = if code.is_some() { CHANGE } else { CREATE };
    let submission = SubmittedDependent { deal, code, fields: input };
    let outcome = run_command(app, caller, operation, submission, once, |tx, command| {
        Box::pin(write_deal_dependent(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(SavedDealDependent { person, changed: false, .. }) = &outcome {
        record_access(app, caller, CHANGE, std::iter::once(*person))?;
    }
    Ok(outcome)
}

async fn write_deal_dependent(tx: &mut Tx, command: &SaveDealDependent) -> Result<SavedDealDependent, Error> {
    let tenant = command.scope.tenant();
    confirm_registers(tx, tenant, &command.registers).await?;
    let deal = deals::find_deal(&mut *tx, &command.scope, command.input.deal).await?;
    let before = match (command.input.code, &deal) {
        (Some(code), Some(_)) => {
            dependents::find_deal_dependent(&mut *tx, tenant, command.input.deal, code).await?
        }
        _ => None,
    };
    let after = validate_dependent(command, before.as_ref())?;
    let unknown = Error::NotFound { field: InputField::Deal, code: command.input.deal.get() };
    let deal = deal.ok_or(unknown)?;
    if let (Some(code), None) = (command.input.code, &before) {
        return Err(Error::NotFound { field: InputField::DealDependent, code: code.get() });
    }
    if deal.kind != Some(BenefitKind::Health) {
        return Err(Rejection::NotAHealthDeal(command.input.deal).into());
    }
    let missing_lead = || storage::Error::Broken(format!("the lead of deal {} is gone", command.input.deal));
    let lead =
        storage::sales::leads::find_lead(&mut *tx, tenant, deal.lead).await?.ok_or_else(missing_lead)?;
    if let (Some(code), Some(before)) = (command.input.code, before)
        && before == after
    {
        return Ok(SavedDealDependent { code, dependent: after, person: lead.person, changed: false });
    }
    let new = i32::from(command.input.code.is_none());
    let blocks = [(Counter::DealDependent, new), (Counter::Audit, 1)];
    let [code, audit_code] = counters::reserve_number_blocks(tx, tenant, blocks).await?;
    let dependent = ProposedDependent { updated_at: command.now, ..after };
    let (code, mut statements, action) = match command.input.code {
        Some(code) => (
            code,
            vec![dependents::update_deal_dependent(tenant, command.input.deal, code, &dependent)],
            AuditedAction::ChangeDependent,
        ),
        None => {
            let code = DependentCode::new(code);
            (
                code,
                dependents::insert_deal_dependents(tenant, [(command.input.deal, code, &dependent)]),
                AuditedAction::CreateDependent,
            )
        }
    };
    let deal = domain::Deal { updated_at: command.now, ..deal };
    statements.push(deals::update_deal(tenant, command.input.deal, &deal));
    let context = command.actor_context();
    let change = AuditedChange::from(action).with_argument(code);
    statements.push(audit::insert_audit_entry(
        &build_deal_audit_entry(&context, command.input.deal, lead.person, change),
        audit_code,
    ));
    tx.execute_batch(statements).await?;
    Ok(SavedDealDependent { code, dependent, person: lead.person, changed: true })
}

/// Builds the dependent; name and kinship are mandatory. The input is validated even if there is no dependent with this
/// code.
fn validate_dependent(
    command: &SaveDealDependent,
    before: Option<&ProposedDependent>,
) -> Result<ProposedDependent, Error> {
    let (input, is_new) = (&command.input.fields, command.input.code.is_none());
    let mut validator = DealInputValidator::new(&command.registers, &command.scope);
    let mut dependent = before.cloned().unwrap_or_else(|| ProposedDependent {
        name: String::new(),
        cpf: None,
        born_on: None,
        sex: None,
        kinship: Kinship::Other,
        plans: Vec::new(),
        price: None,
        phone: None,
        email: None,
        created_at: command.now,
        updated_at: command.now,
    });
    match &input.name {
        FieldPatch::Set(name) => name.as_str().clone_into(&mut dependent.name),
        FieldPatch::Keep if !is_new => {}
        FieldPatch::Keep | FieldPatch::Clear => validator.problems.push(Rejection::Missing(InputField::Name)),
    }
    match input.kinship {
        FieldPatch::Set(kinship) => dependent.kinship = kinship,
        FieldPatch::Keep if !is_new => {}
        FieldPatch::Keep | FieldPatch::Clear => {
            validator.problems.push(Rejection::Missing(InputField::Kinship));
        }
    }
    input.cpf.apply_to(&mut dependent.cpf, Clone::clone);
    input.birth.apply_to(&mut dependent.born_on, |day| *day);
    input.sex.apply_to(&mut dependent.sex, |sex| *sex);
    match &input.plans {
        FieldPatch::Set(plans) => dependent.plans = validator.check_plans(plans, &dependent.plans),
        FieldPatch::Clear => dependent.plans.clear(),
        FieldPatch::Keep => {}
    }
    input.price.apply_to(&mut dependent.price, |money| *money);
    input.phone.apply_to(&mut dependent.phone, Clone::clone);
    input.email.apply_to(&mut dependent.email, Clone::clone);
    if validator.problems.is_empty() { Ok(dependent) } else { Err(Error::Refused(validator.problems)) }
}
