//! The additional fields of a benefit, written by themselves.

use super::{Asked, ask, fields, holder_of, refuse_cancelled};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::once::{Done, Once};
use crate::situations::{self, Store};
use crate::{App, Error};
use domain::{BenefitCode, Field, PersonCode};
use std::sync::Arc;
use storage::Tx;
use storage::benefits::{Benefit, FieldValues};
use wire::records::CampoAdicionalInput;

const OPERATION: &str = "PUT /ext/beneficio/{codBeneficio}/dadosAdicionais";

/// All values that a benefit has now.
#[derive(Clone, Debug)]
pub struct Additional {
    pub values: FieldValues,
    pub registers: Arc<Registers>,
    holder: PersonCode,
    changed: bool,
}

/// Writes the fields that are named, all of them or none; the others stay.
#[boxed::future]
pub async fn save_fields(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: Vec<CampoAdicionalInput>,
    once: Once<Additional>,
) -> Result<Done<Additional>, Error> {
    let done =
        ask(app, caller, OPERATION, (code, input), once, |tx, asked| Box::pin(write(tx, asked))).await?;
    if let Done::Now(Additional { holder, changed: false, .. }) = &done {
        saw(app, caller, OPERATION, std::iter::once(*holder))?;
    }
    Ok(done)
}

async fn write(
    tx: &mut Tx,
    asked: &Asked<(BenefitCode, Vec<CampoAdicionalInput>)>,
) -> Result<Additional, Error> {
    let (tenant, registers, (code, input)) = (asked.scope.tenant(), &asked.registers, &asked.input);
    let code = *code;
    confirm(tx, tenant, registers).await?;
    let Some(before) = storage::benefits::find(&mut *tx, &asked.scope, code).await? else {
        // What would do for no benefit is told first.
        let problems = fields::never(registers, input);
        let unknown = Error::NoSuch { field: Field::Benefit, code: code.get() };
        return Err(if problems.is_empty() { unknown } else { Error::Refused(problems) });
    };
    let (mut after, mut problems) = (before.clone(), Vec::new());
    fields::apply(registers, before.kind, input, &mut after.fields, &mut problems);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    refuse_cancelled(registers, code, &before)?;
    let changed = after.fields != before.fields;
    let (holder, values) = (before.person, after.fields.clone());
    if changed {
        let profile = holder_of(tx, tenant, code, &before).await?;
        let after = Benefit { updated_at: asked.now, ..after };
        let store = Store::change(code, &before, after, &profile, "alterado: dados adicionais");
        situations::store(tx, &asked.acting(), store).await?;
    }
    Ok(Additional { values, registers: Arc::clone(registers), holder, changed })
}
