//! The dependents of a deal about health.

use super::given::Wish;
use super::{DealDependent, told};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::benefits::ORIGIN;
use crate::once::{self, Done, Once};
use crate::situations::Acting;
use crate::{App, Error};
use domain::{
    BenefitKind, DealCode, DependentCode, Field, Kinship, Moment, PersonCode, Rejection, Scope, UserCode,
};
use std::sync::Arc;
use storage::counters::{self, Counter};
use storage::deals::dependents;
use storage::{Tx, audit, deals};
use wire::read::Given;
use wire::records::NegocioDependenteInput;

const CREATE: &str = "POST /ext/crm/negocio/{codNegocio}/dependente";
const CHANGE: &str = "PUT /ext/crm/negocio/{codNegocio}/dependente/{codDependente}";

/// A dependent as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    pub code: DependentCode,
    pub dependent: DealDependent,
    person: PersonCode,
    changed: bool,
}

struct Entry {
    scope: Scope,
    user: UserCode,
    registers: Arc<Registers>,
    deal: DealCode,
    /// None for a new one.
    code: Option<DependentCode>,
    input: NegocioDependenteInput,
    now: Moment,
}

/// Creates a dependent of a deal, or changes the one of this code.
#[boxed::future]
pub async fn save(
    app: &App,
    caller: &Session,
    (deal, code): (DealCode, Option<DependentCode>),
    input: NegocioDependenteInput,
    once: Once<Saved>,
) -> Result<Done<Saved>, Error> {
    let (scope, user, now) = (caller.scope.clone(), caller.user, app.now());
    let entry = move |registers| {
        let (scope, input) = (scope.clone(), input.clone());
        Entry { scope, user, registers, deal, code, input, now }
    };
    let tenant = caller.scope.tenant();
    let done =
        once::write_by_registers(app, tenant, once, entry, |tx, entry| Box::pin(write(tx, entry))).await?;
    if let Done::Now(Saved { person, changed: false, .. }) = &done {
        saw(app, caller, CHANGE, std::iter::once(*person))?;
    }
    Ok(done)
}

async fn write(tx: &mut Tx, entry: &Entry) -> Result<Saved, Error> {
    let tenant = entry.scope.tenant();
    confirm(tx, tenant, &entry.registers).await?;
    let deal = deals::find(&mut *tx, &entry.scope, entry.deal).await?;
    let before = match (entry.code, &deal) {
        (Some(code), Some(_)) => dependents::find(&mut *tx, tenant, entry.deal, code).await?,
        _ => None,
    };
    let after = judged(entry, before.as_ref())?;
    let unknown = Error::NoSuch { field: Field::Deal, code: entry.deal.get() };
    let deal = deal.ok_or(unknown)?;
    if let (Some(code), None) = (entry.code, &before) {
        return Err(Error::NoSuch { field: Field::DealDependent, code: code.get() });
    }
    if deal.kind != Some(BenefitKind::Health) {
        return Err(Rejection::NotAHealthDeal(entry.deal).into());
    }
    let gone = || storage::Error::Broken(format!("the lead of deal {} is gone", entry.deal));
    let lead = storage::leads::by_code(&mut *tx, tenant, deal.lead).await?.ok_or_else(gone)?;
    if let (Some(code), Some(before)) = (entry.code, before)
        && before == after
    {
        return Ok(Saved { code, dependent: after, person: lead.person, changed: false });
    }
    let new = i32::from(entry.code.is_none());
    let wanted = [(Counter::DealDependent, new), (Counter::Audit, 1)];
    let [code, audit_code] = counters::take_all(tx, tenant, wanted).await?;
    let dependent = DealDependent { updated_at: entry.now, ..after };
    let (code, mut statements, done) = match entry.code {
        Some(code) => (code, vec![dependents::update(tenant, entry.deal, code, &dependent)], "alterado"),
        None => {
            let code = DependentCode::new(code);
            (code, dependents::insert(tenant, [(entry.deal, code, &dependent)]), "criado")
        }
    };
    let deal = deals::Deal { updated_at: entry.now, ..deal };
    statements.push(deals::update(tenant, entry.deal, &deal));
    let acting = Acting {
        tenant,
        registers: &entry.registers,
        user: Some(entry.user),
        operation: if entry.code.is_some() { CHANGE } else { CREATE },
        origin: ORIGIN,
        quiet: false,
        now: entry.now,
    };
    let done = format!("dependente {code} {done}");
    statements.push(audit::insert(&told(&acting, entry.deal, lead.person, &done), audit_code));
    tx.batch(statements).await?;
    Ok(Saved { code, dependent, person: lead.person, changed: true })
}

/// The dependent as it becomes; name and kinship are always known. Where there is none of its code, what was sent is judged
/// all the same.
fn judged(entry: &Entry, before: Option<&DealDependent>) -> Result<DealDependent, Error> {
    let (input, is_new) = (&entry.input, entry.code.is_none());
    let mut wish = Wish::new(&entry.registers, &entry.scope);
    let mut dependent = before.cloned().unwrap_or_else(|| DealDependent {
        name: String::new(),
        cpf: None,
        born_on: None,
        sex: None,
        kinship: Kinship::Other,
        plans: Vec::new(),
        price: None,
        phone: None,
        email: None,
        created_at: entry.now,
        updated_at: entry.now,
    });
    match &input.name {
        Given::Set(name) => name.as_str().clone_into(&mut dependent.name),
        Given::Keep if !is_new => {}
        Given::Keep | Given::Clear => wish.problems.push(Rejection::Missing(Field::Name)),
    }
    match input.kinship {
        Given::Set(kinship) => dependent.kinship = kinship,
        Given::Keep if !is_new => {}
        Given::Keep | Given::Clear => wish.problems.push(Rejection::Missing(Field::Kinship)),
    }
    input.cpf.change(&mut dependent.cpf, Clone::clone);
    input.birth.change(&mut dependent.born_on, |day| day.to_iso());
    input.sex.change(&mut dependent.sex, |sex| *sex);
    match &input.plans {
        Given::Set(plans) => dependent.plans = wish.plans(plans, &dependent.plans),
        Given::Clear => dependent.plans.clear(),
        Given::Keep => {}
    }
    input.price.change(&mut dependent.price, |money| money.cents());
    input.phone.change(&mut dependent.phone, Clone::clone);
    input.email.change(&mut dependent.email, Clone::clone);
    if wish.problems.is_empty() { Ok(dependent) } else { Err(Error::Refused(wish.problems)) }
}
