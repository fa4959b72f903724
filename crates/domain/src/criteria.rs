//! What somebody searches for, once it was understood. What cannot be found by anybody never gets here.

use crate::{
    BenefitCode, CardNumber, Date, Document, Involved, LeadCode, Moment, PersonCode, PlanCode, SellerCode,
    SituationCode, UserCode,
};

/// What the rows of the member search must have. What is empty asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemberCriteria {
    /// The beginnings of words of the name, folded ([`crate::name_words`]).
    pub words: Vec<String>,
    /// Bare. Where there are several, the member must have them all, so two different ones find nobody.
    pub documents: Vec<String>,
    pub company_document: Option<String>,
    pub person: Option<PersonCode>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub registered_from: Option<Date>,
    pub registered_to: Option<Date>,
    pub born_on: Option<Date>,
    /// Changed on this day or later.
    pub changed_from: Option<Date>,
    pub situation: Option<SituationCode>,
    /// As [`crate::plate_key`] makes it.
    pub plate_key: Option<String>,
    pub chassis: Option<String>,
    pub plan: Option<PlanCode>,
    pub state: Option<String>,
}

/// By what a benefit is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BenefitKey {
    Plate(String),
    Chassis(String),
    Sequence(i32),
    Card(String),
    Code(BenefitCode),
}

/// What the benefits of a search must have: every key, and the rest where it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BenefitCriteria {
    /// At least one.
    pub keys: Vec<BenefitKey>,
    pub documents: Vec<String>,
    pub situation: Option<SituationCode>,
    pub plan: Option<PlanCode>,
}

/// What the claims of a search must have. What is empty asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimCriteria {
    pub involved: Option<Involved>,
    pub protocol: Option<i32>,
    pub person: Option<PersonCode>,
    pub opened_from: Option<Moment>,
    /// The moment itself is no longer within.
    pub opened_before: Option<Moment>,
    pub happened_from: Option<Date>,
    pub happened_to: Option<Date>,
}

/// What the benefit that is validated must have: all of those that are given, at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationKeys {
    pub card: Option<CardNumber>,
    /// The holder's.
    pub document: Option<Document>,
    pub sequence: Option<i32>,
}

/// By what a lead is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeadKey {
    /// The beginnings of words of the name, folded.
    Words(Vec<String>),
    Document(String),
    Email(String),
    Mobile(String),
    Landline(String),
    /// Any telephone of a person who is known as a lead alone.
    Further(String),
}

/// What open deals must have; what is empty asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DealCriteria {
    pub lead: Option<LeadCode>,
    pub opened_from: Option<Date>,
    pub opened_to: Option<Date>,
    pub responsible: Option<UserCode>,
}
