//! The link that opens a slip without a credential.

use app::ActorContext;
use domain::{LinkPurpose, LinkToken, PersonCode, RandomSource, SlipCode, TenantId};
use finance_storage::slips::StoredSlip;
use links::DocumentLink;
use sha2::{Digest, Sha256};

/// For so long after its due day a slip opens; then a second copy is due anyway.
const DAYS_AFTER_DUE: i64 = 60;

/// Randomness that is drawn before a unit of work, which may run again and does not know beforehand how many slips it
/// issues. It is never stored, and no token tells another.
#[derive(Clone, Copy)]
pub(crate) struct RandomLinkSeed([u8; 32]);

impl RandomLinkSeed {
    pub fn draw(random: &dyn RandomSource) -> RandomLinkSeed {
        let mut bytes = [0; 32];
        random.fill(&mut bytes);
        RandomLinkSeed(bytes)
    }

    fn derive_token(&self, tenant: TenantId, slip: SlipCode) -> LinkToken {
        LinkToken::draw(tenant, &DerivedRandomness { seed: self.0, slip })
    }
}

struct DerivedRandomness {
    seed: [u8; 32],
    slip: SlipCode,
}

impl RandomSource for DerivedRandomness {
    fn fill(&self, bytes: &mut [u8]) {
        for (block, number) in bytes.chunks_mut(32).zip(0_u32..) {
            let digest = Sha256::new()
                .chain_update(self.seed)
                .chain_update(self.slip.get().to_be_bytes())
                .chain_update(number.to_be_bytes())
                .finalize();
            block.copy_from_slice(&digest[..block.len()]);
        }
    }
}

pub(super) fn plan_slip_link(
    context: &ActorContext<'_>,
    slip: &StoredSlip,
    person: PersonCode,
    seed: &RandomLinkSeed,
) -> DocumentLink {
    let last_day = slip.due_on.max(context.now.date_in(&context.registers.zone)).plus_days(DAYS_AFTER_DUE);
    DocumentLink {
        token: seed.derive_token(context.tenant, slip.code),
        purpose: LinkPurpose::Slip,
        subject: slip.code.get(),
        person: Some(person),
        expires_at: last_day.unwrap_or(slip.due_on).start_in(&context.registers.zone),
        revoked_at: None,
        user: context.user,
        created_at: context.now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_slip_and_every_seed_has_a_token_of_its_own() {
        let tenant = TenantId::new(1);
        let seeds = [RandomLinkSeed([1; 32]), RandomLinkSeed([2; 32])];
        let tokens: BTreeSet<String> = seeds
            .iter()
            .flat_map(|seed| (1..=500).map(|slip| seed.derive_token(tenant, SlipCode::new(slip))))
            .map(|token| token.as_str().to_owned())
            .collect();
        assert_eq!(tokens.len(), 1_000);
        let again = seeds[0].derive_token(tenant, SlipCode::new(7));
        assert!(tokens.contains(again.as_str()), "a unit that runs again draws the same");
    }
}
