//! Parsed search criteria. Searches that can match nothing are answered before they get here.

use crate::{
    BenefitCode, CardNumber, Date, Document, Involved, LeadCode, Moment, PersonCode, Phone, PlanCode,
    SellerCode, SituationCode, UserCode,
};

/// Criteria of the member search. Empty fields do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemberCriteria {
    /// Folded word beginnings of the name ([`crate::split_name_words`]).
    pub words: Vec<String>,
    /// Without mask. The member must match all of them, so two different documents match no member.
    pub documents: Vec<String>,
    pub company_document: Option<String>,
    pub person: Option<PersonCode>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub registered_from: Option<Date>,
    pub registered_to: Option<Date>,
    pub born_on: Option<Date>,
    /// Changed on or after this day.
    pub changed_from: Option<Date>,
    pub situation: Option<SituationCode>,
    /// The key made by [`crate::parse_plate_key`].
    pub plate_key: Option<String>,
    pub chassis: Option<String>,
    pub plan: Option<PlanCode>,
    pub state: Option<String>,
}

/// A key that identifies a benefit in a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BenefitKey {
    Plate(String),
    Chassis(String),
    Sequence(i32),
    Card(String),
    Code(BenefitCode),
}

/// Criteria of the benefit search: every key must match, and each other field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BenefitCriteria {
    /// At least one key.
    pub keys: Vec<BenefitKey>,
    pub documents: Vec<String>,
    pub situation: Option<SituationCode>,
    pub plan: Option<PlanCode>,
}

/// Criteria of the claim search. Empty fields do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimCriteria {
    pub involved: Option<Involved>,
    pub protocol: Option<i32>,
    pub person: Option<PersonCode>,
    pub opened_from: Option<Moment>,
    /// Exclusive.
    pub opened_before: Option<Moment>,
    pub happened_from: Option<Date>,
    pub happened_to: Option<Date>,
}

/// Keys of the benefit validation: all that are set must match, and at least one is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationKeys {
    pub card: Option<CardNumber>,
    /// The document of the benefit's holder.
    pub document: Option<Document>,
    pub sequence: Option<i32>,
}

/// A key that identifies a lead in a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeadKey {
    /// Folded word beginnings of the name.
    Words(Vec<String>),
    Document(String),
    Email(String),
    /// One of these numbers.
    Mobile(Vec<String>),
    Landline(Vec<String>),
    /// Any phone of a person who exists only as a lead.
    Further(Vec<String>),
}

impl LeadKey {
    /// Wherever a lead may have one of these numbers.
    pub fn list_for_phones(numbers: &[Phone]) -> [LeadKey; 3] {
        let texts: Vec<String> = numbers.iter().map(|number| number.as_str().to_owned()).collect();
        [LeadKey::Mobile(texts.clone()), LeadKey::Landline(texts.clone()), LeadKey::Further(texts)]
    }
}

/// Criteria of the open-deal search. Empty fields do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DealCriteria {
    pub lead: Option<LeadCode>,
    pub opened_from: Option<Date>,
    pub opened_to: Option<Date>,
    pub responsible: Option<UserCode>,
}
