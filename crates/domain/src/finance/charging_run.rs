//! What becomes of benefits and titles in a charging run.

use crate::fixed_sets::set;

set!(
    /// Why a run does not charge a benefit of its scope.
    NotChargedReason {
        /// The benefit was cancelled: who has left owes nothing found later.
        Left = 1,
        /// Benefits in this situation are not charged.
        SituationNotCharged = 2,
        NoDueDay = 3,
        /// Joined after the cut-off day of the month.
        JoinedAfterCutOff = 4,
        /// Another run charged the month.
        AlreadyCharged = 5,
        /// A booklet that was issued earlier covers the month.
        CoveredByBooklet = 6,
        /// Neither an agreed value, nor a price table, nor the plan has a price.
        NoPrice = 7,
        /// The discounts take all of it.
        FullyDiscounted = 8,
        /// The benefit was changed between preview and issue.
        ChangedSincePreview = 9,
        /// Its group or the items that it would be charged for are not usable any more.
        NotUsable = 10,
        /// A one-off charge of the preview was cancelled or charged elsewhere before the issue.
        OneOffChargeGone = 11,
        /// It is not charged in its situation, but a one-off charge for it waits: it needs a title of its own.
        OneOffChargeLeft = 12,
        /// It came into the scope after the preview, so that nobody has seen what it would be charged.
        AddedSincePreview = 13,
        /// A title that no run issued is there for the month: it came from another system or was made by hand.
        TitleOutsideRuns = 14,
    }
);

set!(
    /// Where a line of a charge comes from.
    ChargeSource {
        /// The price of the benefit's first plan.
        Contribution = 1,
        /// The price of a further plan.
        AddOn = 2,
        JoiningFee = 3,
        /// A one-off charge that waited for the next run.
        PendingCharge = 4,
        Discount = 5,
    }
);

set!(
    /// What became of a title of a run that was undone.
    RunTitleOutcome {
        Issued = 1,
        Cancelled = 2,
        /// Money came for it.
        Kept = 3,
    }
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_sets::ChargingRunState;

    #[test]
    fn numbers_lead_back_to_the_member() {
        for state in ChargingRunState::ALL {
            assert_eq!(ChargingRunState::from_number(state.number()), Some(*state));
        }
        for reason in NotChargedReason::ALL {
            assert_eq!(NotChargedReason::from_number(reason.number()), Some(*reason));
        }
        for source in ChargeSource::ALL {
            assert_eq!(ChargeSource::from_number(source.number()), Some(*source));
        }
        for outcome in RunTitleOutcome::ALL {
            assert_eq!(RunTitleOutcome::from_number(outcome.number()), Some(*outcome));
        }
    }

    #[test]
    fn three_states_are_work() {
        let working = ChargingRunState::ALL.iter().filter(|state| state.is_working()).count();
        assert_eq!(working, 3);
    }
}
