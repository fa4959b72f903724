//! Fixed sets: what a thing may be, whatever the association calls it. What each is called outside stands in `wire`.

macro_rules! set {
    ($(#[$meta:meta])* $name:ident { $($(#[$member_meta:meta])* $member:ident = $number:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$member_meta])* $member),*
        }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$member),*];

            /// The number by which the database knows it; never changed.
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

set!(
    /// What a benefit protects. The numbers are also those of the interface.
    BenefitKind {
        Vehicle = 0,
        Health = 1,
        Miscellaneous = 2,
        Consortium = 3,
        Assistance = 4,
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
    /// What a file that is imported holds.
    ImportKind {
        Members = 1,
        Vehicles = 2,
        Dependents = 3,
        Leads = 4,
        Plans = 5,
        Sellers = 6,
    }
);

set!(
    /// How far an import is.
    ImportState {
        /// Its file is still being read.
        Reading = 1,
        Ready = 2,
        /// A dry run is under way.
        Checking = 3,
        Checked = 4,
        Running = 5,
        Paused = 6,
        Done = 7,
        Undoing = 8,
        Undone = 9,
    }
);

set!(
    /// What became of a row.
    ImportOutcome {
        Created = 1,
        Changed = 2,
        Same = 3,
        Refused = 4,
    }
);

set!(
    /// What an additional field holds.
    FieldKind {
        Text = 1,
        Number = 2,
        Date = 3,
        Boolean = 4,
        List = 5,
    }
);

set!(
    /// A person of flesh or of law.
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
    /// What a dependent is to the holder.
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
    /// How a deal stands.
    DealState {
        Open = 1,
        Won = 2,
        Lost = 3,
    }
);

set!(
    /// What became of a delivery.
    DeliveryState {
        Pending = 1,
        Delivered = 2,
        /// Tried as often as it is tried; sent again only on demand.
        Exhausted = 3,
    }
);

set!(
    /// Whom a claim concerns.
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
    /// What a list leaves as.
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
