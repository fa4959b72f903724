//! Translates queries into search criteria. A value that nothing can match (an invalid plate, an unknown situation) is
//! not an error: the search finds nothing.

use crate::register_snapshot::TenantRegisters;
use domain::{
    BenefitCriteria, BenefitKey, Chassis, Document, Entity, MemberCriteria, Scope, SituationCode,
    VisibleBranches, fold_text, parse_plate_key, split_name_words,
};
use wire::read::FieldPatch;
use wire::records::{PesquisaAssociadoQuery, PesquisaBeneficioQuery};

/// Maximum number of words in a name search.
pub const MOST_WORDS: usize = 50;

/// Whether at least one of the criteria is given that narrow a search enough.
pub fn has_narrowing_criterion(query: &PesquisaAssociadoQuery) -> bool {
    fn is_given<T>(value: &FieldPatch<T>) -> bool {
        matches!(value, FieldPatch::Set(_))
    }
    is_given(&query.person)
        || is_given(&query.name)
        || is_given(&query.cpf)
        || is_given(&query.cnpj)
        || (is_given(&query.registered_from) && is_given(&query.registered_to))
        || is_given(&query.birth)
        || is_given(&query.situation)
        || is_given(&query.plate)
        || is_given(&query.chassis)
}

/// Builds scope and criteria of a member search; `None` if nothing can match.
pub fn build_member_criteria(
    registers: &TenantRegisters,
    scope: &Scope,
    query: PesquisaAssociadoQuery,
) -> Option<(Scope, MemberCriteria)> {
    let scope = match query.branch {
        FieldPatch::Set(branch) => scope.narrow_to(branch)?,
        FieldPatch::Keep | FieldPatch::Clear => scope.clone(),
    };
    if matches!(scope.branches(), VisibleBranches::Only(branches) if branches.is_empty()) {
        return None;
    }
    let words = query.name.into_set().map_or(Some(Vec::new()), |name| parse_name_words(&name))?;
    let criteria = MemberCriteria {
        words,
        documents: parse_documents([query.cpf.into_set(), query.cnpj.into_set()])?,
        company_document: convert_given(query.employer.into_set(), |text| normalize_document(&text))?,
        person: query.person.into_set(),
        consultant: query.consultant.into_set(),
        representative: query.representative.into_set(),
        registered_from: query.registered_from.into_set().map(wire::read::QueryDate::get),
        registered_to: query.registered_to.into_set().map(wire::read::QueryDate::get),
        born_on: query.birth.into_set().map(wire::read::QueryDate::get),
        changed_from: query.changed_from.into_set().map(wire::read::QueryDate::get),
        situation: find_situation(registers, query.situation.into_set())?,
        plate_key: convert_given(query.plate.into_set(), |text| parse_plate_key(&text))?,
        chassis: convert_given(query.chassis.into_set(), |text| normalize_chassis(text.as_str()))?,
        plan: query.plan.into_set(),
        state: query.state.into_set().map(|state| state.to_uppercase()),
    };
    Some((scope, criteria))
}

/// Builds the criteria of a benefit search; `None` if nothing can match.
pub fn build_benefit_criteria(
    registers: &TenantRegisters,
    query: PesquisaBeneficioQuery,
) -> Option<BenefitCriteria> {
    let plate = convert_given(query.plate.into_set(), |text| parse_plate_key(&text))?;
    let chassis = convert_given(query.chassis.into_set(), |text| normalize_chassis(text.as_str()))?;
    let keys = [
        plate.map(BenefitKey::Plate),
        chassis.map(BenefitKey::Chassis),
        query.sequence.into_set().map(|number| BenefitKey::Sequence(number.get())),
        query.card.into_set().map(|card| BenefitKey::Card(card.as_str().to_owned())),
    ];
    Some(BenefitCriteria {
        keys: keys.into_iter().flatten().collect(),
        documents: parse_documents([query.cpf.into_set(), query.cnpj.into_set()])?,
        situation: find_situation(registers, query.situation.into_set())?,
        plan: query.plan.into_set(),
    })
}

/// The normalized words of a name; `None` if there is none or too many.
pub fn parse_name_words(name: &str) -> Option<Vec<String>> {
    Some(split_name_words(name)).filter(|words| (1..=MOST_WORDS).contains(&words.len()))
}

/// Converts a given value to its stored form. The outer `None` means that nothing can match.
fn convert_given<T, U>(requested: Option<T>, convert: impl Fn(T) -> Option<U>) -> Option<Option<U>> {
    match requested {
        Some(value) => convert(value).map(Some),
        None => Some(None),
    }
}

/// Each parameter accepts either kind of document. Two different documents match nothing.
fn parse_documents(texts: [Option<String>; 2]) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for text in texts.into_iter().flatten() {
        all.push(normalize_document(&text)?);
    }
    all.dedup();
    (all.len() < 2).then_some(all)
}

pub fn normalize_document(text: &str) -> Option<String> {
    Document::parse_searched(text).ok().map(|document| document.as_str().to_owned())
}

fn normalize_chassis(text: &str) -> Option<String> {
    Chassis::parse(text).ok().map(|chassis| chassis.as_str().to_owned())
}

/// `Todos` is no filter: any situation, or none.
fn find_situation(registers: &TenantRegisters, requested: Option<String>) -> Option<Option<SituationCode>> {
    convert_given(requested.filter(|name| fold_text(name) != "todos"), |name| {
        registers.find_situation_by_name(Entity::Benefit, &name).map(|one| one.code)
    })
}
