//! Message signatures as defined by Standard Webhooks, so that receivers can verify them with any library for it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::SigningSecret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// `v1,…` for each secret, separated by spaces.
pub fn sign_message<'s>(
    id: &str,
    timestamp: i64,
    body: &str,
    secrets: impl IntoIterator<Item = &'s SigningSecret>,
) -> String {
    let signed: Vec<String> =
        secrets.into_iter().filter_map(|secret| sign_with_secret(id, timestamp, body, secret)).collect();
    signed.join(" ")
}

fn sign_with_secret(id: &str, timestamp: i64, body: &str, secret: &SigningSecret) -> Option<String> {
    let key = STANDARD.decode(secret.expose().strip_prefix("whsec_")?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    for part in [id, ".", &timestamp.to_string(), ".", body] {
        mac.update(part.as_bytes());
    }
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

/// Whether the header contains a valid signature for this secret.
pub fn is_signature_valid(
    header: &str,
    id: &str,
    timestamp: i64,
    body: &str,
    secret: &SigningSecret,
) -> bool {
    // Not constant-time: only development tools call it.
    sign_with_secret(id, timestamp, body, secret)
        .is_some_and(|expected| header.split(' ').any(|candidate| candidate == expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test vector of the standard.
    #[test]
    fn the_signature_is_that_of_the_standard() {
        let secret = SigningSecret::from_stored("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let (id, at, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        let signed = sign_message(id, at, body, [&secret]);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert!(is_signature_valid(&signed, id, at, body, &secret));
        let other = SigningSecret::from_stored("whsec_AAAA".to_owned());
        let both = sign_message(id, at, body, [&other, &secret]);
        assert_eq!(both.split(' ').count(), 2);
        assert!(
            is_signature_valid(&both, id, at, body, &secret)
                && is_signature_valid(&both, id, at, body, &other)
        );
        assert!(!is_signature_valid(&both, id, at + 1, body, &secret));
    }
}
