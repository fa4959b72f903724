//! What a query asks for, in terms of what is kept. A value that nothing can have (a word that is no plate, a situation that
//! the base does not know) makes the whole search find nothing, which is no mistake of the caller's.

use crate::base::Registers;
use domain::{
    BenefitCriteria, BenefitKey, Branches, Chassis, Document, Entity, MemberCriteria, Scope, SituationCode,
    fold, name_words, plate_key,
};
use wire::read::Given;
use wire::records::{PesquisaAssociadoQuery, PesquisaBeneficioQuery};

/// Nobody's name has more words.
pub const MOST_WORDS: usize = 50;

/// Whether at least one of the criteria was given that narrow a search enough.
pub fn narrows(query: &PesquisaAssociadoQuery) -> bool {
    fn given<T>(value: &Given<T>) -> bool {
        matches!(value, Given::Set(_))
    }
    given(&query.person)
        || given(&query.name)
        || given(&query.cpf)
        || given(&query.cnpj)
        || (given(&query.registered_from) && given(&query.registered_to))
        || given(&query.birth)
        || given(&query.situation)
        || given(&query.plate)
        || given(&query.chassis)
}

/// What a search of members asks for, and where; `None` where nothing can be found.
pub fn of_members(
    registers: &Registers,
    scope: &Scope,
    query: PesquisaAssociadoQuery,
) -> Option<(Scope, MemberCriteria)> {
    let scope = match query.branch {
        Given::Set(branch) => scope.narrowed(branch)?,
        Given::Keep | Given::Clear => scope.clone(),
    };
    if matches!(scope.branches(), Branches::Only(none) if none.is_empty()) {
        return None;
    }
    let words = query.name.set().map_or(Some(Vec::new()), |name| words(&name))?;
    let criteria = MemberCriteria {
        words,
        documents: documents([query.cpf.set(), query.cnpj.set()])?,
        company_document: understood(query.employer.set(), |text| bare_document(&text))?,
        person: query.person.set(),
        consultant: query.consultant.set(),
        representative: query.representative.set(),
        registered_from: query.registered_from.set().map(wire::read::QueryDate::get),
        registered_to: query.registered_to.set().map(wire::read::QueryDate::get),
        born_on: query.birth.set().map(wire::read::QueryDate::get),
        changed_from: query.changed_from.set().map(wire::read::QueryDate::get),
        situation: situation(registers, query.situation.set())?,
        plate_key: understood(query.plate.set(), |text| plate_key(&text))?,
        chassis: understood(query.chassis.set(), |text| chassis(text.as_str()))?,
        plan: query.plan.set(),
        state: query.state.set().map(|state| state.to_uppercase()),
    };
    Some((scope, criteria))
}

/// What a search of benefits asks for; `None` where nothing can be found.
pub fn of_benefits(registers: &Registers, query: PesquisaBeneficioQuery) -> Option<BenefitCriteria> {
    let plate = understood(query.plate.set(), |text| plate_key(&text))?;
    let chassis = understood(query.chassis.set(), |text| chassis(text.as_str()))?;
    let keys = [
        plate.map(BenefitKey::Plate),
        chassis.map(BenefitKey::Chassis),
        query.sequence.set().map(|number| BenefitKey::Sequence(number.get())),
        query.card.set().map(|card| BenefitKey::Card(card.as_str().to_owned())),
    ];
    Some(BenefitCriteria {
        keys: keys.into_iter().flatten().collect(),
        documents: documents([query.cpf.set(), query.cnpj.set()])?,
        situation: situation(registers, query.situation.set())?,
        plan: query.plan.set(),
    })
}

/// The words of a name that is looked for; `None` where nobody has such a name.
pub fn words(name: &str) -> Option<Vec<String>> {
    Some(name_words(name)).filter(|words| (1..=MOST_WORDS).contains(&words.len()))
}

/// The value as it is kept. Outside `None` says that what was given can be nobody's.
fn understood<T, U>(given: Option<T>, keep: impl Fn(T) -> Option<U>) -> Option<Option<U>> {
    match given {
        Some(value) => keep(value).map(Some),
        None => Some(None),
    }
}

/// Each parameter takes either document. Two different ones are nobody's.
fn documents(given: [Option<String>; 2]) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for text in given.into_iter().flatten() {
        all.push(bare_document(&text)?);
    }
    all.dedup();
    (all.len() < 2).then_some(all)
}

pub fn bare_document(text: &str) -> Option<String> {
    Document::parse(text).ok().map(|document| document.as_str().to_owned())
}

fn chassis(text: &str) -> Option<String> {
    Chassis::parse(text).ok().map(|chassis| chassis.as_str().to_owned())
}

/// `Todos` asks for any situation, and for none.
fn situation(registers: &Registers, given: Option<String>) -> Option<Option<SituationCode>> {
    understood(given.filter(|name| fold(name) != "todos"), |name| {
        registers.situation_named(Entity::Benefit, &name).map(|one| one.code)
    })
}
