//! The token: `amp_<tenant>_<random>_<check>`. The prefix lets secret scanners find leaked tokens, the tenant selects
//! where to look it up, and the checksum rejects garbage without a query. Only its hash is stored.

use domain::{RandomSource, TenantId, encode_hex};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::time::Duration;

/// Lifetime of a token.
pub const TOKEN_LIFE: Duration = Duration::from_hours(12);
const TOKEN_PREFIX: &str = "amp";
/// 160 bits.
const RANDOM_BYTES: usize = 20;

/// The stored form of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenLookupKey {
    pub tenant: TenantId,
    pub hash: [u8; 32],
}

/// A new token, and its stored form.
pub fn generate_token(tenant: TenantId, chance: &dyn RandomSource) -> (String, TokenLookupKey) {
    let mut random = [0; RANDOM_BYTES];
    chance.fill(&mut random);
    let mut token = format!("{TOKEN_PREFIX}_{tenant}_{}", encode_hex(&random));
    let check = compute_checksum(&token);
    let _ = write!(token, "_{check}");
    let key = TokenLookupKey { tenant, hash: hash_token(&token) };
    (token, key)
}

/// The stored form of a token; `None` if its format or checksum is wrong.
pub fn parse_token_key(token: &str) -> Option<TokenLookupKey> {
    let (body, checksum) = token.rsplit_once('_')?;
    let mut parts = body.split('_');
    let (prefix, tenant, random) = (parts.next()?, parts.next()?, parts.next()?);
    let is_ours = prefix == TOKEN_PREFIX
        && parts.next().is_none()
        && random.len() == 2 * RANDOM_BYTES
        && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && checksum == compute_checksum(body);
    let tenant: i32 = tenant.parse().ok().filter(|_| is_ours)?;
    Some(TokenLookupKey { tenant: TenantId::new(tenant), hash: hash_token(token) })
}

fn compute_checksum(body: &str) -> String {
    encode_hex(&Sha256::digest(body.as_bytes())[..4])
}

fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl RandomSource for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn a_token_leads_to_what_is_kept_of_it() {
        let (token, key) = generate_token(TenantId::new(12), &Sevens);
        assert!(token.starts_with("amp_12_0707") && token.len() < 80, "{token}");
        assert_eq!(parse_token_key(&token), Some(key));
    }

    #[test]
    fn what_is_no_token_of_ours_is_refused_without_asking_anybody() {
        let (token, _) = generate_token(TenantId::new(12), &Sevens);
        let other_tenant = token.replace("amp_12_", "amp_13_");
        let cut = &token[..token.len() - 1];
        let upper = token.to_uppercase();
        for bad in
            ["", "_", "____", "amp_12__", "x", "é_é_é_é", &other_tenant, cut, &upper, &format!("{token} ")]
        {
            assert_eq!(parse_token_key(bad), None, "{bad}");
        }
    }
}
