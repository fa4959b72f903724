//! A benefit: what the association provides to a member, its items and the trackers installed in its vehicle.

use crate::{
    BenefitKind, BranchCode, CardNumber, Date, FieldCode, InstallationCode, ItemCode, Moment, Money,
    PersonCode, PlanCode, SellerCode, SituationCode, SupplierCode, TrackerCode, VehicleDetails,
};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Benefit {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub kind: BenefitKind,
    pub situation: SituationCode,
    pub sequence: i32,
    pub card: Option<CardNumber>,
    pub due_day: Option<i32>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub joined_on: Option<Date>,
    /// When it first became active.
    pub activated_on: Option<Date>,
    pub cancelled_on: Option<Date>,
    pub integration_code: Option<String>,
    pub note: Option<String>,
    /// The plans of its active items with their prices, ordered by plan.
    pub plans: Vec<(PlanCode, Money)>,
    pub fields: AdditionalFieldValues,
    /// Empty unless the benefit is of the vehicle kind.
    pub vehicle: VehicleDetails,
    /// Its slot in the search rows.
    pub slot: i32,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

impl Benefit {
    /// Whether another state of it may be charged otherwise: in another situation or branch, on another day, for other
    /// plans, or by another row of the price table.
    pub fn is_charged_like(&self, other: &Benefit) -> bool {
        (self.situation, self.branch, self.due_day) == (other.situation, other.branch, other.due_day)
            && self.plans == other.plans
            && self.joined_on == other.joined_on
            && self.vehicle.kind == other.vehicle.kind
            && self.vehicle.protected.or(self.vehicle.worth)
                == other.vehicle.protected.or(other.vehicle.worth)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenefitItem {
    pub code: ItemCode,
    pub plan: PlanCode,
    pub price: Money,
    pub included_on: Date,
    /// The item created with the benefit, or its replacement.
    pub is_first: bool,
    /// Whether its price is charged as it is; without it, the price table decides, else the plan.
    pub is_price_agreed: bool,
    pub active: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackerInstallation {
    pub code: InstallationCode,
    /// The installed tracker, if the tenant registered it.
    pub tracker: Option<TrackerCode>,
    pub serial_number: Option<String>,
    pub imei: Option<String>,
    pub model: Option<String>,
    pub maker: Option<String>,
    pub supplier: Option<SupplierCode>,
    /// Where on the vehicle it is installed.
    pub place: Option<String>,
    pub installed_on: Option<Date>,
    pub removed_on: Option<Date>,
    pub active: bool,
}

/// The values of additional fields, as text.
pub type AdditionalFieldValues = BTreeMap<FieldCode, String>;

impl BenefitKind {
    /// Whether benefits of this kind protect a vehicle.
    pub fn has_vehicle(self) -> bool {
        self == BenefitKind::Vehicle
    }
}
