//! Whether somebody has a benefit, as whoever stands in front of that person asks: a clinic, a petrol station, the member.
//! No credential is needed, unless the association closed the operation. Who has a credential sees everything of the
//! branches it opens; everybody else sees the whole association, with the document and the card veiled. So a credential
//! never tells less than none.
//!
//! What is veiled must not be found out by asking again and again. Therefore lookups are counted: of each address (those
//! that find nothing in the database, beside failed logins, where every process sees them), of each record over all
//! addresses, and documents of nobody over the whole association. A partner's network that the administrator named has
//! a count of its own instead (`quota.rs`).

mod quota;

pub(crate) use quota::Quotas;

use crate::access::Session;
use crate::audit::{saw, somebody_saw};
use crate::base::{Registers, registers};
use crate::once::{self, Done, Once};
use crate::{App, Error};
use domain::{
    Branches, CallerAddress, Document, Entity, Moment, PlanCode, Rejection, Scope, SituationCode,
    SituationKind, TenantId, ValidationKeys, ValidationPartner,
};
use quota::{Place, Subject, take, take_of_records};
use std::sync::Arc;
use storage::searches::{self, FoundBenefit};
use storage::{Lane, Tx, logins};
use wire::read::{Between, CardOrDocument};
use wire::records::ValidacaoBeneficioInput;

const OPERATION: &str = "POST /ext/beneficio/validacao";

/// The benefit that was found.
pub struct Validated {
    pub found: FoundBenefit,
    pub registers: Arc<Registers>,
    /// Its document and card may be shown whole.
    pub is_whole: bool,
}

impl Validated {
    pub fn kind(&self) -> Option<SituationKind> {
        self.registers.kind_of(self.found.benefit.situation)
    }

    pub fn plans(&self) -> impl Iterator<Item = PlanCode> {
        self.found.benefit.plans.iter().map(|(plan, _)| *plan)
    }
}

/// Refuses who has no credential where the association closed the operation to them.
#[boxed::future]
pub async fn must_be_open(app: &App, tenant: TenantId) -> Result<(), Error> {
    if registers(app, tenant).await?.open_validation { Ok(()) } else { Err(Error::Credential) }
}

/// What somebody with a credential asks. Of people outside the caller's branches the answer is that of everybody else.
#[boxed::future]
pub async fn of_caller(
    app: &App,
    caller: &Session,
    input: ValidacaoBeneficioInput,
    once: Once<Validated>,
) -> Result<Done<Validated>, Error> {
    if once.trial {
        // All there is to judge was judged when it was read.
        return Err(Error::Refused(Vec::new()));
    }
    let elsewhere = place_elsewhere(app, caller);
    let sees = caller.scope.branches().clone();
    let scope = match &elsewhere {
        Ok(_) => Scope::whole(caller.scope.tenant()),
        Err(_) => caller.scope.clone(),
    };
    let mut question = Question::of(app, scope, sees, input).await?;
    // Who is not active here may be so elsewhere, and that cannot be told.
    question.must_be_active = elsewhere.is_err();
    // Only an answer that is kept needs a unit.
    let asked = match once.ticket {
        Some(_) => {
            let lane = Lane::of(caller.scope.tenant());
            once::write(app, lane, once, question, |tx, question| Box::pin(ask(tx, question))).await
        }
        None => question.ask(app).await.map(Done::Now),
    };
    match (asked, elsewhere) {
        (Ok(Done::Now(validated)), place) => {
            if let (true, Ok(Some(place))) = (validated.is_whole, place) {
                place.release();
            }
            saw(app, caller, OPERATION, std::iter::once(validated.found.benefit.person))?;
            Ok(Done::Now(validated))
        }
        // Whether there is somebody elsewhere was not looked up.
        (Err(Error::Refused(_)), Err(wait)) => Err(wait),
        (asked, _) => asked,
    }
}

/// The place of a lookup that may find somebody outside the caller's branches; none is needed by who sees all of them.
fn place_elsewhere(app: &App, caller: &Session) -> Result<Option<Place>, Error> {
    match caller.scope.branches() {
        Branches::All => Ok(None),
        Branches::Only(_) => {
            let subject = Subject::User(caller.scope.tenant(), caller.user);
            take(app, subject, app.throttle.lookups).map(Some)
        }
    }
}

/// What somebody without one asks, of the association that the request means.
#[boxed::future]
pub async fn of_anybody(
    app: &App,
    tenant: TenantId,
    from: CallerAddress,
    input: ValidacaoBeneficioInput,
) -> Result<Validated, Error> {
    must_be_open(app, tenant).await?;
    let nothing_whole = Branches::Only(std::collections::BTreeSet::new());
    let question = Question::of(app, Scope::whole(tenant), nothing_whole, input).await?;
    let partners = &question.registers.validation_partners;
    let partner = partners.iter().filter(|one| one.network.contains(from)).max_by_key(|one| one.lookups);
    let asked = match partner.copied() {
        Some(partner) => ask_as_partner(app, tenant, &partner, &question).await,
        None => ask_as_stranger(app, tenant, from, &question).await,
    };
    match &asked {
        Ok(validated) => somebody_saw(app, tenant, OPERATION, validated.found.benefit.person)?,
        Err(Error::Refused(_)) => metrics::counter!("amparo_validation_misses_total").increment(1),
        Err(_) => {}
    }
    asked
}

async fn ask_as_partner(
    app: &App,
    tenant: TenantId,
    partner: &ValidationPartner,
    question: &Question,
) -> Result<Validated, Error> {
    take(app, Subject::Partner(tenant, partner.network), partner.lookups)?;
    question.ask(app).await
}

async fn ask_as_stranger(
    app: &App,
    tenant: TenantId,
    from: CallerAddress,
    question: &Question,
) -> Result<Validated, Error> {
    let turn = app.memory.validations.turn_of(from);
    let _turn = turn.lock().await;
    let subject = format!("validation {from}");
    check_misses(app, &subject).await?;
    take(app, Subject::Address(from), app.throttle.lookups)?;
    let document = take_shared(app, tenant, question)?;
    let asked = question.ask(app).await;
    match &asked {
        Ok(_) => {
            if let Some(place) = document {
                place.release();
            }
        }
        Err(Error::Refused(_)) => count_miss(app, subject).await?,
        Err(_) => {}
    }
    asked
}

/// Takes the places that all addresses share: those of the records that are named, and one among the documents of nobody,
/// to be released where the document turns out to be somebody's.
fn take_shared(app: &App, tenant: TenantId, question: &Question) -> Result<Option<Place>, Error> {
    let names_document = question.keys.as_ref().is_none_or(|keys| keys.document.is_some());
    let document = match names_document {
        true => Some(take(app, Subject::Documents(tenant), app.throttle.document_misses)?),
        false => None,
    };
    if let Some(keys) = &question.keys
        && let Err(wait) = take_of_records(app, tenant, keys)
    {
        if let Some(place) = document {
            place.release();
        }
        return Err(wait);
    }
    Ok(document)
}

/// What is asked, and by which registers it is understood.
struct Question {
    scope: Scope,
    /// `None` where what was given is nobody's.
    keys: Option<ValidationKeys>,
    active: Vec<SituationCode>,
    registers: Arc<Registers>,
    /// The branches of which document and card are shown whole.
    sees: Branches,
    /// Nobody else is told of.
    must_be_active: bool,
}

impl Question {
    async fn of(
        app: &App,
        scope: Scope,
        sees: Branches,
        input: ValidacaoBeneficioInput,
    ) -> Result<Question, Error> {
        let keys = keys(input)?;
        let registers = registers(app, scope.tenant()).await?;
        let of_benefits = registers.situations.iter().filter(|one| one.entity == Entity::Benefit);
        let active = of_benefits.filter(|one| one.kind == SituationKind::Active).map(|one| one.code);
        Ok(Question { scope, keys, active: active.collect(), registers, sees, must_be_active: false })
    }

    async fn ask(&self, app: &App) -> Result<Validated, Error> {
        let Some(keys) = &self.keys else { return self.answer(None) };
        self.answer(searches::validated(&app.db, &self.scope, keys, &self.active, &self.sees).await?)
    }

    fn answer(&self, found: Option<FoundBenefit>) -> Result<Validated, Error> {
        let is_told =
            |found: &FoundBenefit| !self.must_be_active || self.active.contains(&found.benefit.situation);
        let found = found.filter(is_told).ok_or(Rejection::NothingToValidate)?;
        let is_whole = match &self.sees {
            Branches::All => true,
            Branches::Only(some) => some.contains(&found.benefit.branch),
        };
        Ok(Validated { found, registers: Arc::clone(&self.registers), is_whole })
    }
}

async fn ask(tx: &mut Tx, question: &Question) -> Result<Validated, Error> {
    let Some(keys) = &question.keys else { return question.answer(None) };
    let Question { scope, active, sees, .. } = question;
    question.answer(searches::validated(tx, scope, keys, active, sees).await?)
}

/// What was given. Two documents that differ are nobody's.
fn keys(input: ValidacaoBeneficioInput) -> Result<Option<ValidationKeys>, Rejection> {
    let (mut card, mut documents): (_, Vec<Document>) = (None, Vec::new());
    match input.number.set() {
        Some(CardOrDocument::Card(number)) => card = Some(number),
        Some(CardOrDocument::Document(document)) => documents.push(document),
        None => {}
    }
    documents.extend(input.document.set());
    documents.dedup();
    let sequence = input.sequence.set().map(Between::get);
    match documents.len() {
        0 if card.is_none() && sequence.is_none() => Err(Rejection::NoValidationKey),
        0 | 1 => Ok(Some(ValidationKeys { card, document: documents.pop(), sequence })),
        _ => Ok(None),
    }
}

/// Refuses an address that found nothing too often.
async fn check_misses(app: &App, subject: &str) -> Result<(), Error> {
    let (throttle, now) = (&app.throttle, app.now());
    let [misses] = logins::failures(&app.db, [subject], now.minus(throttle.window)).await?;
    match throttle.wait(misses, throttle.misses, now) {
        Some(wait) => Err(Error::TooMany(wait)),
        None => Ok(()),
    }
}

/// Counts one that found nothing, before the next of its address is looked at.
async fn count_miss(app: &App, subject: String) -> Result<(), Error> {
    let now = app.now();
    let input = (subject, now, now.minus(app.throttle.window));
    let lane = Lane::of(TenantId::SERVER);
    app.db
        .write(lane, input, |tx: &mut Tx, (subject, now, after): &(String, Moment, Moment)| {
            Box::pin(async move { Ok(logins::count_failure(tx, [subject.as_str()], *now, *after).await?) })
        })
        .await
}
