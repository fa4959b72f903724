//! Fixed sets of values that no association can rename. Their names on the wire are in `wire::set_names`.

macro_rules! set {
    ($(#[$meta:meta])* $name:ident { $($(#[$member_meta:meta])* $member:ident = $number:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$member_meta])* $member),*
        }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$member),*];

            /// The number stored in the database; never changes.
            pub const fn number(self) -> i64 {
                match self {
                    $($name::$member => $number),*
                }
            }

            pub fn from_number(number: i64) -> Option<$name> {
                $name::ALL.iter().copied().find(|member| member.number() == number)
            }
        }
    };
}

pub(crate) use set;

set!(
    /// What a benefit protects. The numbers are also used on the wire.
    BenefitKind {
        Vehicle = 0,
        Health = 1,
        Miscellaneous = 2,
        Consortium = 3,
        Assistance = 4,
    }
);

set!(
    /// What became of a title.
    TitleSituation {
        /// Created but not posted: a debit that waits for release, an agreement that is not accepted.
        Pending = 1,
        /// Posted with an amount open; partly paid and overdue titles included.
        Open = 2,
        Settled = 3,
        Cancelled = 4,
    }
);

set!(
    /// Preparing → prepared → issuing → issued → undoing → undone; one that is not approved may be discarded.
    ChargingRunState {
        /// The preview is being made.
        Preparing = 1,
        /// The preview waits for approval.
        Prepared = 2,
        /// Approved: titles are being issued.
        Issuing = 3,
        Issued = 4,
        /// Unpaid titles are being cancelled.
        Undoing = 5,
        Undone = 6,
        Discarded = 7,
    }
);

impl ChargingRunState {
    /// Whether the server has work to do on the run.
    pub fn is_working(self) -> bool {
        matches!(self, ChargingRunState::Preparing | ChargingRunState::Issuing | ChargingRunState::Undoing)
    }
}

set!(
    PendingChargeSituation {
        /// The next charge takes it.
        Waiting = 1,
        /// A line of a title that is not cancelled.
        Charged = 2,
        Cancelled = 3,
        /// Late charges that the rule of their title gives up: a record, and never charged.
        Waived = 4,
    }
);

set!(
    VehicleCategory {
        Bicycle = 1,
        Truck = 2,
        Light = 3,
        Motorcycle = 4,
        Pickup = 5,
        Utility = 6,
        Bus = 7,
        Other = 8,
    }
);

set!(
    Fuel {
        Petrol = 1,
        Ethanol = 2,
        Flex = 3,
        Diesel = 4,
        NaturalGas = 5,
        Electric = 6,
        Other = 7,
    }
);

set!(
    SellerKind {
        Consultant = 1,
        Representative = 2,
    }
);

set!(
    /// The kind of records in an import file.
    ImportKind {
        Members = 1,
        Vehicles = 2,
        Dependents = 3,
        Leads = 4,
        Plans = 5,
        Sellers = 6,
        Titles = 7,
        OpeningBalances = 8,
        PlanPrices = 9,
        Discounts = 10,
        TitleTypes = 11,
        ChargeItems = 12,
        LateChargeRules = 13,
        PaymentForms = 14,
        SettlementTypes = 15,
        MoneyAccounts = 16,
        BankHolidays = 17,
        ProtectionGroups = 18,
    }
);

set!(
    ImportState {
        /// The file is still being read.
        Reading = 1,
        Ready = 2,
        /// A dry run is in progress.
        Checking = 3,
        Checked = 4,
        Running = 5,
        Paused = 6,
        Done = 7,
        Undoing = 8,
        Undone = 9,
    }
);

/// Where a change came from, as the history of a record shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOrigin {
    Request,
    Import,
    Mirror,
}

set!(
    /// The outcome of an import row.
    ImportOutcome {
        Created = 1,
        Changed = 2,
        Same = 3,
        Refused = 4,
    }
);

set!(
    /// The type of an additional field.
    FieldKind {
        Text = 1,
        Number = 2,
        Date = 3,
        Boolean = 4,
        List = 5,
    }
);

set!(
    /// A natural or a legal person.
    Nature {
        Natural = 1,
        Legal = 2,
    }
);

set!(
    Sex {
        Female = 1,
        Male = 2,
    }
);

set!(
    CivilState {
        Single = 1,
        Married = 2,
        Widowed = 3,
        Separated = 4,
        Divorced = 5,
        StableUnion = 6,
        Other = 7,
    }
);

set!(
    PhoneKind {
        Landline = 1,
        Mobile = 2,
    }
);

set!(
    /// The relation of a dependent to the holder.
    Kinship {
        Spouse = 1,
        Father = 2,
        Child = 3,
        Sibling = 4,
        Grandparent = 5,
        Uncle = 6,
        Nephew = 7,
        Cousin = 8,
        Grandchild = 9,
        ParentInLaw = 10,
        Other = 11,
        Dog = 12,
        Cat = 13,
        OtherPet = 14,
        SiblingInLaw = 15,
        ChildInLaw = 16,
        Stepchild = 17,
        Stepfather = 18,
    }
);

set!(
    DealState {
        Open = 1,
        Won = 2,
        Lost = 3,
    }
);

set!(
    DeliveryState {
        Pending = 1,
        Delivered = 2,
        /// All attempts failed; sent again only on request.
        Exhausted = 3,
    }
);

set!(
    /// The party that a claim concerns.
    Involved {
        Member = 1,
        ThirdParty = 2,
    }
);

set!(
    Priority {
        Low = 1,
        Medium = 2,
        High = 3,
        Urgent = 4,
    }
);

set!(
    /// The file format of an export.
    Sheet {
        Csv = 1,
        Xlsx = 2,
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_the_member() {
        for kind in BenefitKind::ALL {
            assert_eq!(BenefitKind::from_number(kind.number()), Some(*kind));
        }
        for category in VehicleCategory::ALL {
            assert_eq!(VehicleCategory::from_number(category.number()), Some(*category));
        }
        for fuel in Fuel::ALL {
            assert_eq!(Fuel::from_number(fuel.number()), Some(*fuel));
        }
        assert_eq!(SellerKind::from_number(0), None);
    }
}
