//! Benefit validation: a clinic, a petrol station or the member asks whether a person has a benefit. No credential is
//! needed unless the tenant has closed the operation. A credential shows full data for its branches; all other data
//! comes with document and card masked, as for anonymous callers. So a credential never shows less than none.
//!
//! Masked data must not be found by repeated guessing. Therefore lookups are counted: per address (misses in the
//! database, next to failed logins, visible to all processes), per record over all addresses, and unknown documents per
//! tenant. The network of a partner registered by the administrator has its own quota instead (`quota.rs`).

pub mod quota;

pub(crate) use quota::LookupQuotas;

use crate::audit::access_log::{record_access, record_anonymous_access};
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, CallerAddress, Document, Entity, Moment, PlanCode, Rejection, Scope, SituationCode,
    SituationKind, TenantId, ValidationKeys, ValidationPartner, VisibleBranches,
};
use quota::{LookupSubject, ReservedLookup, reserve_lookup, reserve_record_lookups};
use std::sync::Arc;
use storage::access::logins;
use storage::history::access_log::AccessActor;
use storage::search::members::{self, FoundBenefit};
use storage::{Tx, WriteLane};
use wire::read::{BoundedInt, CardOrDocument};
use wire::records::ValidacaoBeneficioInput;

const OPERATION: AuditedOperation = AuditedOperation::ValidateBenefit;

/// The benefit found.
pub struct ValidatedBenefit {
    pub found_benefit: FoundBenefit,
    pub registers: Arc<TenantRegisters>,
    /// Document and card may be shown unmasked.
    pub is_unmasked: bool,
}

impl ValidatedBenefit {
    pub fn situation_kind(&self) -> Option<SituationKind> {
        self.registers.situation_kind(self.found_benefit.benefit.situation)
    }

    pub fn plans(&self) -> impl Iterator<Item = PlanCode> {
        self.found_benefit.benefit.plans.iter().map(|(plan, _)| *plan)
    }
}

/// Refuses anonymous callers if the tenant has closed the operation.
#[boxed::future]
pub async fn require_open_validation(app: &App, tenant: TenantId) -> Result<(), Error> {
    if load_registers(app, tenant).await?.open_validation { Ok(()) } else { Err(Error::Credential) }
}

/// Validation with a credential. For people outside the caller's branches the answer is the anonymous one.
#[boxed::future]
pub async fn validate_benefit_as_caller(
    app: &App,
    caller: &Session,
    input: ValidacaoBeneficioInput,
    once: IdempotentWrite<ValidatedBenefit>,
) -> Result<WriteOutcome<ValidatedBenefit>, Error> {
    if once.is_dry_run {
        // A dry run ends here: the input was already validated while it was parsed.
        return Ok(WriteOutcome::Checked);
    }
    let elsewhere = reserve_lookup_elsewhere(app, caller);
    let sees = caller.scope.branches().clone();
    let scope = match &elsewhere {
        Ok(_) => Scope::for_tenant(caller.scope.tenant()),
        Err(_) => caller.scope.clone(),
    };
    let mut lookup = BenefitLookup::from_input(app, scope, sees, input).await?;
    // An inactive benefit here does not exclude an active one in a branch that was not searched.
    lookup.must_be_active = elsewhere.is_err();
    // Only an answer stored under an idempotency key needs a write transaction.
    let outcome = match once.ticket {
        Some(_) => {
            let lane = WriteLane::foreground(caller.scope.tenant());
            idempotency::write_idempotently(app, lane, once, lookup, |tx, lookup| {
                Box::pin(execute_lookup(tx, lookup))
            })
            .await
        }
        None => lookup.execute(app).await.map(WriteOutcome::Fresh),
    };
    match (outcome, elsewhere) {
        (Ok(WriteOutcome::Fresh(validated)), reserved) => {
            if let (true, Ok(Some(reserved))) = (validated.is_unmasked, reserved) {
                reserved.release();
            }
            record_access(app, caller, OPERATION, std::iter::once(validated.found_benefit.benefit.person))?;
            Ok(WriteOutcome::Fresh(validated))
        }
        // The other branches were not searched, so the caller must wait.
        (Err(Error::Refused(_)), Err(wait)) => Err(wait),
        (outcome, _) => outcome,
    }
}

/// Reserves a lookup that may find a person outside the caller's branches; not needed if the caller sees all branches.
fn reserve_lookup_elsewhere(app: &App, caller: &Session) -> Result<Option<ReservedLookup>, Error> {
    match caller.scope.branches() {
        VisibleBranches::All => Ok(None),
        VisibleBranches::Only(_) => {
            let subject = LookupSubject::User(caller.scope.tenant(), caller.user);
            reserve_lookup(app, subject, app.throttle.lookups).map(Some)
        }
    }
}

/// Validation without a credential, for the tenant of the request.
#[boxed::future]
pub async fn validate_benefit_anonymously(
    app: &App,
    tenant: TenantId,
    address: CallerAddress,
    input: ValidacaoBeneficioInput,
) -> Result<ValidatedBenefit, Error> {
    require_open_validation(app, tenant).await?;
    let no_branches = VisibleBranches::Only(std::collections::BTreeSet::new());
    let lookup = BenefitLookup::from_input(app, Scope::for_tenant(tenant), no_branches, input).await?;
    let partners = &lookup.registers.validation_partners;
    let partner = partners.iter().filter(|one| one.network.contains(address)).max_by_key(|one| one.lookups);
    let outcome = match partner.copied() {
        Some(partner) => look_up_as_partner(app, tenant, &partner, &lookup).await,
        None => look_up_as_stranger(app, tenant, address, &lookup).await,
    };
    match &outcome {
        Ok(validated) => {
            let person = validated.found_benefit.benefit.person;
            record_anonymous_access(app, (tenant, AccessActor::UNKNOWN), OPERATION, person)?;
        }
        Err(Error::Refused(_)) => metrics::counter!("amparo_validation_misses_total").increment(1),
        Err(_) => {}
    }
    outcome
}

async fn look_up_as_partner(
    app: &App,
    tenant: TenantId,
    partner: &ValidationPartner,
    lookup: &BenefitLookup,
) -> Result<ValidatedBenefit, Error> {
    reserve_lookup(app, LookupSubject::Partner(tenant, partner.network), partner.lookups)?;
    lookup.execute(app).await
}

async fn look_up_as_stranger(
    app: &App,
    tenant: TenantId,
    address: CallerAddress,
    lookup: &BenefitLookup,
) -> Result<ValidatedBenefit, Error> {
    let turn = app.caches.lookup_quotas.address_turn(address);
    let _turn = turn.lock().await;
    let subject = format!("validation {address}");
    check_lookup_misses(app, &subject).await?;
    reserve_lookup(app, LookupSubject::Address(address), app.throttle.lookups)?;
    let document = reserve_shared_lookups(app, tenant, lookup)?;
    let outcome = lookup.execute(app).await;
    match &outcome {
        Ok(_) => {
            if let Some(reserved) = document {
                reserved.release();
            }
        }
        Err(Error::Refused(_)) => count_lookup_miss(app, subject).await?,
        Err(_) => {}
    }
    outcome
}

/// Reserves the quotas shared by all addresses: those of the named records, and one of unknown documents, which is
/// released if the document is known.
fn reserve_shared_lookups(
    app: &App,
    tenant: TenantId,
    lookup: &BenefitLookup,
) -> Result<Option<ReservedLookup>, Error> {
    let names_document = lookup.keys.as_ref().is_none_or(|keys| keys.document.is_some());
    let document = match names_document {
        true => Some(reserve_lookup(app, LookupSubject::Documents(tenant), app.throttle.document_misses)?),
        false => None,
    };
    if let Some(keys) = &lookup.keys
        && let Err(wait) = reserve_record_lookups(app, tenant, keys)
    {
        if let Some(reserved) = document {
            reserved.release();
        }
        return Err(wait);
    }
    Ok(document)
}

/// A parsed lookup with the registers it is based on.
struct BenefitLookup {
    scope: Scope,
    /// `None` if the input cannot match anyone.
    keys: Option<ValidationKeys>,
    active: Vec<SituationCode>,
    registers: Arc<TenantRegisters>,
    /// The branches whose documents and cards are shown unmasked.
    sees: VisibleBranches,
    /// Answers only with active benefits.
    must_be_active: bool,
}

impl BenefitLookup {
    async fn from_input(
        app: &App,
        scope: Scope,
        sees: VisibleBranches,
        input: ValidacaoBeneficioInput,
    ) -> Result<BenefitLookup, Error> {
        let keys = parse_validation_keys(input)?;
        let registers = load_registers(app, scope.tenant()).await?;
        let of_benefits = registers.situations.iter().filter(|one| one.entity == Entity::Benefit);
        let active = of_benefits.filter(|one| one.kind == SituationKind::Active).map(|one| one.code);
        Ok(BenefitLookup { scope, keys, active: active.collect(), registers, sees, must_be_active: false })
    }

    async fn execute(&self, app: &App) -> Result<ValidatedBenefit, Error> {
        let Some(keys) = &self.keys else { return self.build_answer(None) };
        self.build_answer(
            members::find_validated_benefit(&app.db, &self.scope, keys, &self.active, &self.sees).await?,
        )
    }

    fn build_answer(&self, found: Option<FoundBenefit>) -> Result<ValidatedBenefit, Error> {
        let is_acceptable =
            |found: &FoundBenefit| !self.must_be_active || self.active.contains(&found.benefit.situation);
        let found = found.filter(is_acceptable).ok_or(Rejection::NothingToValidate)?;
        let is_unmasked = match &self.sees {
            VisibleBranches::All => true,
            VisibleBranches::Only(branches) => branches.contains(&found.benefit.branch),
        };
        Ok(ValidatedBenefit { found_benefit: found, registers: Arc::clone(&self.registers), is_unmasked })
    }
}

async fn execute_lookup(tx: &mut Tx, lookup: &BenefitLookup) -> Result<ValidatedBenefit, Error> {
    let Some(keys) = &lookup.keys else { return lookup.build_answer(None) };
    let BenefitLookup { scope, active, sees, .. } = lookup;
    lookup.build_answer(members::find_validated_benefit(tx, scope, keys, active, sees).await?)
}

/// Parses the input. Two different documents match nothing.
fn parse_validation_keys(input: ValidacaoBeneficioInput) -> Result<Option<ValidationKeys>, Rejection> {
    let (mut card, mut documents): (_, Vec<Document>) = (None, Vec::new());
    match input.number.into_set() {
        Some(CardOrDocument::Card(number)) => card = Some(number),
        Some(CardOrDocument::Document(document)) => documents.push(document),
        None => {}
    }
    documents.extend(input.document.into_set());
    documents.dedup();
    let sequence = input.sequence.into_set().map(BoundedInt::get);
    match documents.len() {
        0 if card.is_none() && sequence.is_none() => Err(Rejection::NoValidationKey),
        0 | 1 => Ok(Some(ValidationKeys { card, document: documents.pop(), sequence })),
        _ => Ok(None),
    }
}

/// Refuses an address with too many misses.
async fn check_lookup_misses(app: &App, subject: &str) -> Result<(), Error> {
    let (throttle, now) = (&app.throttle, app.now());
    let [misses] = logins::list_login_failures(&app.db, [subject], now.minus(throttle.window)).await?;
    match throttle.remaining_wait(misses, throttle.misses, now) {
        Some(wait) => Err(Error::TooManyFailures(wait)),
        None => Ok(()),
    }
}

/// Counts a miss before the next lookup of the same address begins.
async fn count_lookup_miss(app: &App, subject: String) -> Result<(), Error> {
    let now = app.now();
    let input = (subject, now, now.minus(app.throttle.window));
    let lane = WriteLane::foreground(TenantId::SERVER);
    app.db
        .write(lane, input, |tx: &mut Tx, (subject, now, after): &(String, Moment, Moment)| {
            Box::pin(
                async move { Ok(logins::record_login_failure(tx, [subject.as_str()], *now, *after).await?) },
            )
        })
        .await
}
