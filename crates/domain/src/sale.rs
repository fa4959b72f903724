//! Leads, who may become members, and deals, the sales in progress with them.

use crate::{
    BenefitCode, BenefitKind, BranchCode, Cpf, Date, DealState, Document, Email, FunnelCode, Kinship,
    LeadCode, Moment, Money, PersonCode, Phone, PlanCode, SellerCode, Sex, StageCode, UserCode,
    VehicleDetails,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    pub sequence: i32,
    pub lead: LeadCode,
    pub branch: BranchCode,
    pub title: Option<String>,
    pub funnel: FunnelCode,
    pub stage: StageCode,
    pub stage_since: Moment,
    pub responsible: Option<UserCode>,
    pub kind: Option<BenefitKind>,
    /// In the given order.
    pub plans: Vec<PlanCode>,
    pub price: Option<Money>,
    pub expected_on: Option<Date>,
    pub state: DealState,
    pub lost_because: Option<String>,
    pub note: Option<String>,
    pub opened_on: Date,
    pub vehicle: VehicleDetails,
    /// The benefit it became when it was won.
    pub benefit: Option<BenefitCode>,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub name: String,
    pub document: Option<Document>,
    pub email: Option<Email>,
    pub mobile: Option<Phone>,
    pub landline: Option<Phone>,
    pub company: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub message: Option<String>,
    pub origin: Option<String>,
    pub consultant: Option<SellerCode>,
    pub active: bool,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedDependent {
    pub name: String,
    pub cpf: Option<Cpf>,
    pub born_on: Option<Date>,
    pub sex: Option<Sex>,
    pub kinship: Kinship,
    pub plans: Vec<PlanCode>,
    pub price: Option<Money>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    pub created_at: Moment,
    pub updated_at: Moment,
}
