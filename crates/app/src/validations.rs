//! Whether somebody has a benefit, as whoever stands in front of him asks: a clinic, a petrol station, the member himself.
//! No credential is needed; who has one sees everything of his branches, and who has none the whole association, with the
//! document and the card veiled.
//!
//! Without a credential anybody could walk through all numbers, so each address has so many lookups in a window of time,
//! and of those that find nothing fewer. The misses stand in the database, beside failed logins, where every process sees
//! them. All lookups are counted in this process alone: one that finds somebody writes nothing, so an address has as
//! many as there are processes that it can reach. Lookups of one address take turns, so that however many come at once,
//! each is judged by those before it.

use crate::access::Session;
use crate::audit::{saw, somebody_saw};
use crate::base::{Registers, registers};
use crate::once::{self, Done, Once};
use crate::{App, Error};
use domain::{
    CallerAddress, Document, Entity, Moment, PlanCode, Rejection, Scope, SituationCode, SituationKind,
    TenantId, ValidationKeys,
};
use quick_cache::sync::Cache;
use std::sync::Arc;
use storage::searches::{self, FoundBenefit};
use storage::{Lane, Tx, logins};
use tokio::sync::Mutex;
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

/// What somebody with a credential asks, within his branches.
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
    let question = Question::of(app, &caller.scope, input, true).await?;
    // Only an answer that is kept needs a unit.
    let done = match once.ticket {
        Some(_) => {
            let lane = Lane::of(caller.scope.tenant());
            once::write(app, lane, once, question, |tx, question| Box::pin(ask(tx, question))).await?
        }
        None => Done::Now(question.ask(app).await?),
    };
    if let Done::Now(validated) = &done {
        saw(app, caller, OPERATION, std::iter::once(validated.found.benefit.person))?;
    }
    Ok(done)
}

/// What somebody without one asks, of the association that his request means.
pub async fn of_anybody(
    app: &App,
    tenant: TenantId,
    from: CallerAddress,
    input: ValidacaoBeneficioInput,
) -> Result<Validated, Error> {
    let question = Question::of(app, &Scope::whole(tenant), input, false).await?;
    let lately = app.memory.validations.of(from, app.now());
    let mut turn = lately.lock().await;
    let subject = format!("validation {from}");
    turn.check(app, &subject).await?;
    turn.count += 1;
    match question.ask(app).await {
        Ok(validated) => {
            somebody_saw(app, tenant, OPERATION, validated.found.benefit.person)?;
            Ok(validated)
        }
        Err(nothing @ Error::Refused(_)) => {
            count_miss(app, subject).await?;
            metrics::counter!("amparo_validation_misses_total").increment(1);
            Err(nothing)
        }
        Err(other) => Err(other),
    }
}

/// What is asked, and by which registers it is understood.
struct Question {
    scope: Scope,
    keys: ValidationKeys,
    active: Vec<SituationCode>,
    registers: Arc<Registers>,
    is_whole: bool,
}

impl Question {
    async fn of(
        app: &App,
        scope: &Scope,
        input: ValidacaoBeneficioInput,
        is_whole: bool,
    ) -> Result<Question, Error> {
        let keys = keys(input)?;
        let registers = registers(app, scope.tenant()).await?;
        let of_benefits = registers.situations.iter().filter(|one| one.entity == Entity::Benefit);
        let active = of_benefits.filter(|one| one.kind == SituationKind::Active).map(|one| one.code);
        Ok(Question { scope: scope.clone(), keys, active: active.collect(), registers, is_whole })
    }

    async fn ask(&self, app: &App) -> Result<Validated, Error> {
        self.answer(searches::validated(&app.db, &self.scope, &self.keys, &self.active).await?)
    }

    fn answer(&self, found: Option<FoundBenefit>) -> Result<Validated, Error> {
        let found = found.ok_or(Rejection::NothingToValidate)?;
        Ok(Validated { found, registers: Arc::clone(&self.registers), is_whole: self.is_whole })
    }
}

async fn ask(tx: &mut Tx, question: &Question) -> Result<Validated, Error> {
    let Question { scope, keys, active, .. } = question;
    question.answer(searches::validated(tx, scope, keys, active).await?)
}

/// What was given. Two documents that differ are nobody's.
fn keys(input: ValidacaoBeneficioInput) -> Result<ValidationKeys, Rejection> {
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
        0 | 1 => Ok(ValidationKeys { card, document: documents.pop(), sequence }),
        _ => Err(Rejection::NothingToValidate),
    }
}

/// Addresses that are remembered.
const ADDRESSES: usize = 100_000;

/// Who asked lately without a credential.
pub(crate) struct Validations(Cache<CallerAddress, Arc<Mutex<Lately>>>);

/// How often an address asked, and since when.
struct Lately {
    count: u32,
    since: Moment,
}

impl Default for Validations {
    fn default() -> Validations {
        Validations(Cache::new(ADDRESSES))
    }
}

impl Validations {
    fn of(&self, address: CallerAddress, now: Moment) -> Arc<Mutex<Lately>> {
        let new = || Ok::<_, std::convert::Infallible>(Arc::new(Mutex::new(Lately { count: 0, since: now })));
        match self.0.get_or_insert_with(&address, new) {
            Ok(lately) => lately,
            Err(never) => match never {},
        }
    }
}

impl Lately {
    /// Refuses a lookup that too many came before.
    async fn check(&mut self, app: &App, subject: &str) -> Result<(), Error> {
        let (throttle, now) = (&app.throttle, app.now());
        if self.since <= now.minus(throttle.window) {
            *self = Lately { count: 0, since: now };
        }
        if self.count >= throttle.lookups {
            return Err(Error::TooOften(self.since.plus(throttle.window).since(now)));
        }
        let [misses] = logins::failures(&app.db, [subject], now.minus(throttle.window)).await?;
        match throttle.wait(misses, throttle.misses, now) {
            Some(wait) => Err(Error::TooMany(wait)),
            None => Ok(()),
        }
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
