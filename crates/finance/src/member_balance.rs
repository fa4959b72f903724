//! Whether a member is up to date.

use crate::usable_credit::sum_usable_credit;
use app::audit::access_log::record_access;
use app::register_snapshot::{TenantRegisters, read_with_registers};
use app::session::Session;
use app::{App, Error};
use domain::{AuditedOperation, BenefitCode, Date, InputField, MoneyRight, PersonCode, Scope};
use finance_storage::titles::{PersonDebt, sum_person_debt};
use storage::Tx;
use storage::benefits::find_benefit;
use storage::members::is_person_visible;

const READ: AuditedOperation = AuditedOperation::ShowMemberBalance;

/// What a person owes, and the credit they have. In cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberBalance {
    pub debt: PersonDebt,
    /// What they paid beyond what was due or ahead, over all groups.
    pub credit: i64,
}

#[boxed::future]
pub async fn read_member_balance(
    app: &App,
    caller: &Session,
    person: PersonCode,
) -> Result<MemberBalance, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let now = app.now();
    let build_query = |registers: &TenantRegisters| {
        let groups: Vec<_> = registers.money.groups.iter().map(|group| group.code).collect();
        (caller.scope.clone(), person, now.date_in(&registers.zone), groups)
    };
    let tenant = caller.scope.tenant();
    let (balance, _) = read_with_registers(app, tenant, build_query, |tx, (scope, person, today, groups)| {
        Box::pin(async move {
            if !is_person_visible(tx, scope, *person).await? {
                return Err(Error::NotFound { field: InputField::Person, code: person.get() });
            }
            let debt = sum_person_debt(tx, scope, (*person, None), *today).await?;
            let mut credit = 0;
            for group in groups {
                credit += sum_usable_credit(tx, scope, *person, *group).await?;
            }
            Ok(MemberBalance { debt, credit })
        })
    })
    .await?;
    record_access(app, caller, READ, std::iter::once(person))?;
    Ok(balance)
}

/// What is open of the titles of one benefit.
#[boxed::future]
pub async fn read_benefit_balance(
    app: &App,
    caller: &Session,
    benefit: BenefitCode,
) -> Result<PersonDebt, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let now = app.now();
    let build_query =
        |registers: &TenantRegisters| (caller.scope.clone(), benefit, now.date_in(&registers.zone));
    let tenant = caller.scope.tenant();
    let ((person, debt), _) = read_with_registers(app, tenant, build_query, |tx, (scope, benefit, today)| {
        Box::pin(sum_benefit_debt(tx, scope, *benefit, *today))
    })
    .await?;
    record_access(app, caller, READ, std::iter::once(person))?;
    Ok(debt)
}

async fn sum_benefit_debt(
    tx: &mut Tx,
    scope: &Scope,
    code: BenefitCode,
    today: Date,
) -> Result<(PersonCode, PersonDebt), Error> {
    let unknown = || Error::NotFound { field: InputField::Benefit, code: code.get() };
    let benefit = find_benefit(&mut *tx, scope, code).await?.ok_or_else(unknown)?;
    let debt = sum_person_debt(tx, scope, (benefit.person, Some(code)), today).await?;
    Ok((benefit.person, debt))
}
