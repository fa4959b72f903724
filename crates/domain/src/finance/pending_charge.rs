//! One-off lines that the next charge of a person or benefit takes.

use crate::fixed_sets::set;

set!(
    PendingChargeSource {
        ByHand = 1,
        /// Fine and interest that were left by a title settled with its exact principal.
        LateCharges = 2,
    }
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_sets::PendingChargeSituation;

    #[test]
    fn numbers_lead_back_to_the_member() {
        for source in PendingChargeSource::ALL {
            assert_eq!(PendingChargeSource::from_number(source.number()), Some(*source));
        }
        for situation in PendingChargeSituation::ALL {
            assert_eq!(PendingChargeSituation::from_number(situation.number()), Some(*situation));
        }
    }
}
