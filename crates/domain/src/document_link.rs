//! Links that open a document without a credential: what one leads to, and the token in its address.

use crate::fixed_sets::set;
use crate::{RandomSource, TenantId};
use std::fmt;

set!(
    /// What a link leads to. Its subject is the code of one among these.
    LinkPurpose {
        Slip = 1,
    }
);

/// Neither upper case, which some programs do not preserve, nor signs that messengers leave out at the end of an address,
/// nor letters that look like digits.
const SIGNS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Each of five bits.
const RANDOM_SIGNS: usize = 32;

/// `7-9x4k…`: the tenant, in which it is stored, and 160 random bits. It is all that is needed to open the document.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkToken {
    tenant: TenantId,
    text: String,
}

impl LinkToken {
    pub fn draw(tenant: TenantId, random: &dyn RandomSource) -> LinkToken {
        let mut bytes = [0; RANDOM_SIGNS];
        random.fill(&mut bytes);
        // 256 is a multiple of 32, so every sign is equally likely.
        let signs = bytes.iter().map(|byte| char::from(SIGNS[usize::from(byte % 32)]));
        LinkToken { tenant, text: format!("{tenant}-{}", signs.collect::<String>()) }
    }

    /// `None` for whatever was not drawn here.
    pub fn parse(text: &str) -> Option<LinkToken> {
        let (number, signs) = text.split_once('-')?;
        let tenant = TenantId::new(number.parse().ok()?);
        let is_drawn = signs.len() == RANDOM_SIGNS && signs.bytes().all(|sign| SIGNS.contains(&sign));
        // One text for each token: `07` and `+7` are not 7.
        (is_drawn && tenant != TenantId::SERVER && number == tenant.to_string())
            .then(|| LinkToken { tenant, text: text.to_owned() })
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Hides the random signs, so that no log has them.
impl fmt::Debug for LinkToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "LinkToken({}-***)", self.tenant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting;

    impl RandomSource for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            for (byte, value) in bytes.iter_mut().zip(250_u8..=255) {
                *byte = value;
            }
        }
    }

    #[test]
    fn a_token_comes_back_and_is_shown_in_no_log() {
        let token = LinkToken::draw(TenantId::new(7), &Counting);
        assert_eq!(token.as_str(), format!("7-tvwxyz{}", "0".repeat(26)));
        assert_eq!(LinkToken::parse(token.as_str()), Some(token.clone()));
        assert_eq!(token.tenant(), TenantId::new(7));
        assert_eq!(format!("{token:?}"), "LinkToken(7-***)");
    }

    #[test]
    fn what_was_not_drawn_here_is_known_without_a_database() {
        let signs = "k".repeat(32);
        assert!(LinkToken::parse(&format!("7-{signs}")).is_some());
        let long = format!("7-{signs}k");
        for bad in [
            "",
            "7",
            "-",
            "7-",
            &signs,
            &format!("-{signs}"),
            &format!("0-{signs}"),
            &format!("07-{signs}"),
            &format!("+7-{signs}"),
            &format!("-7-{signs}"),
            &format!("99999999999-{signs}"),
            &format!("7-{}", "K".repeat(32)),
            &format!("7-{}", "l".repeat(32)),
            &format!("7-{}é", "k".repeat(30)),
            &long[..33],
            &long,
        ] {
            assert_eq!(LinkToken::parse(bad), None, "{bad}");
        }
    }
}
