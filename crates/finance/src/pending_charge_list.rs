//! Lists what the next charges take, and what became of it.

use app::audit::access_log::record_access;
use app::command::WriteCommand;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::session::Session;
use app::{App, Error};
use domain::{AuditedOperation, InputField, MoneyRight, PendingChargeCode, PersonCode, Scope};
use finance_storage::pending_charges::{
    PendingChargeCriteria, StoredPendingCharge, find_pending_charge, list_pending_charges,
};
use finance_storage::title_search::list_title_people;
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;

/// A charge with the name of its person.
#[derive(Clone, Debug)]
pub struct FullPendingCharge {
    pub charge: StoredPendingCharge,
    pub person_name: String,
    pub registers: Arc<TenantRegisters>,
}

/// A page of charges, newest first, with the number of all that match.
pub struct PendingChargePage {
    pub rows: Vec<FullPendingCharge>,
    pub total: i64,
    pub registers: Arc<TenantRegisters>,
}

pub(crate) fn reject_unknown_charge(code: PendingChargeCode) -> Error {
    Error::NotFound { field: InputField::PendingCharge, code: code.get() }
}

/// Charges that the caller may see, from `offset`.
#[boxed::future]
pub async fn list_charges(
    app: &App,
    caller: &Session,
    criteria: PendingChargeCriteria,
    (offset, limit): (i64, i64),
) -> Result<PendingChargePage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let input = (caller.scope.clone(), criteria, offset, limit);
    let (charges, names, total) = app
        .db
        .read(input, |tx, (scope, criteria, offset, limit)| {
            Box::pin(async move {
                let (charges, total) = list_pending_charges(tx, scope, criteria, (*offset, *limit)).await?;
                let names = load_person_names(tx, scope, charges.iter().map(|one| one.person)).await?;
                Ok::<_, Error>((charges, names, total))
            })
        })
        .await?;
    let people = charges.iter().map(|one| one.person);
    record_access(app, caller, AuditedOperation::ListPendingCharges, people)?;
    let build_row = |charge: StoredPendingCharge| FullPendingCharge {
        person_name: names.get(&charge.person).cloned().unwrap_or_default(),
        charge,
        registers: Arc::clone(&registers),
    };
    Ok(PendingChargePage { rows: charges.into_iter().map(build_row).collect(), total, registers })
}

/// A charge as it was just written.
pub(crate) async fn read_written_charge<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    code: PendingChargeCode,
) -> Result<FullPendingCharge, Error> {
    let charge =
        find_pending_charge(tx, &command.scope, code).await?.ok_or_else(|| reject_unknown_charge(code))?;
    let mut names = load_person_names(tx, &command.scope, [charge.person]).await?;
    let person_name = names.remove(&charge.person).unwrap_or_default();
    Ok(FullPendingCharge { charge, person_name, registers: Arc::clone(&command.registers) })
}

async fn load_person_names(
    tx: &mut Tx,
    scope: &Scope,
    people: impl IntoIterator<Item = PersonCode> + Send,
) -> Result<HashMap<PersonCode, String>, Error> {
    let found = list_title_people(&mut *tx, scope.tenant(), people.into_iter().collect::<Vec<_>>()).await?;
    Ok(found.into_iter().map(|one| (one.code, one.name)).collect())
}
