//! Time-based one-time passwords (RFC 6238): six digits, a new code every thirty seconds.

use domain::Moment;
use ring::hmac;

/// 160 bits, as the RFC recommends.
pub const SECRET_BYTES: usize = 20;
const PERIOD_SECONDS: i64 = 30;
const CODE_DIGITS: usize = 6;
/// Clocks differ: the codes of the previous and the next step are accepted too.
const TOLERATED_PERIODS: i64 = 1;

/// The time step of a code, among those accepted now. Whitespace is ignored, since some devices show it.
pub fn find_code_step(secret: &[u8], typed: &str, now: Moment) -> Option<i64> {
    let digits: String = typed.chars().filter(|sign| !sign.is_whitespace()).collect();
    if digits.len() != CODE_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let here = now.millis().div_euclid(1000 * PERIOD_SECONDS);
    // All steps are compared, so that timing reveals nothing.
    let same = (here - TOLERATED_PERIODS..=here + TOLERATED_PERIODS)
        .filter(|step| compute_code(secret, *step, CODE_DIGITS) == digits);
    same.max()
}

fn compute_code(secret: &[u8], step: i64, digits: usize) -> String {
    // Authenticators expect SHA-1; its weaknesses do not affect HMAC.
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let tag = tag.as_ref();
    let at = usize::from(tag[tag.len() - 1] & 0x0f);
    let number = u32::from_be_bytes([tag[at] & 0x7f, tag[at + 1], tag[at + 2], tag[at + 3]]);
    format!("{:0digits$}", u64::from(number) % 10_u64.pow(digits as u32))
}

/// The secret for manual entry: base 32 (RFC 4648), without padding.
pub fn encode_secret(secret: &[u8]) -> String {
    const SIGNS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits = secret.len() * 8;
    let bit = |at: usize| secret.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let sign = |start: usize| SIGNS[(start..start + 5).fold(0, |sum, at| sum << 1 | usize::from(bit(at)))];
    (0..bits).step_by(5).map(|start| char::from(sign(start))).collect()
}

/// The content of the QR code: account and secret as a standard `otpauth` URI.
pub fn build_provisioning_uri(secret: &[u8], association: &str, email: &str) -> String {
    // A colon ends the issuer name.
    let issuer = percent_encode(&format!("Amparo {}", association.replace(':', " ")));
    format!(
        "otpauth://totp/{issuer}:{}?secret={}&issuer={issuer}",
        percent_encode(email),
        encode_secret(secret)
    )
}

fn percent_encode(text: &str) -> String {
    let sign = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RFC: &[u8] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_rfc() {
        for (seconds, expected) in [
            (59, "94287082"),
            (1_111_111_109, "07081804"),
            (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"),
            (20_000_000_000, "65353130"),
        ] {
            assert_eq!(compute_code(RFC, seconds / PERIOD_SECONDS, 8), expected);
            let at = Moment::from_millis(seconds * 1000);
            assert_eq!(
                find_code_step(RFC, &expected[2..], at),
                Some(seconds / PERIOD_SECONDS),
                "six digits of {expected}"
            );
        }
    }

    #[test]
    fn a_code_is_good_a_step_before_and_a_step_behind() {
        let at = |seconds: i64| Moment::from_millis(seconds * 1000);
        // The code for second 59 belongs to the step from 30 to 59.
        for (seconds, is_good) in [(0, true), (30, true), (89, true), (90, false)] {
            assert_eq!(find_code_step(RFC, "287082", at(seconds)).is_some(), is_good, "{seconds}");
        }
        assert_eq!(find_code_step(RFC, " 287 082 ", at(59)), Some(1));
        for bad in ["", "28708", "2870822", "28708a", "２８７０８２", "-87082"] {
            assert_eq!(find_code_step(RFC, bad, at(59)), None, "{bad}");
        }
    }

    #[test]
    fn a_secret_is_written_in_base_32() {
        assert_eq!(encode_secret(b""), "");
        assert_eq!(encode_secret(b"f"), "MY");
        assert_eq!(encode_secret(b"foobar"), "MZXW6YTBOI");
        assert_eq!(encode_secret(RFC), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    }

    #[test]
    fn the_address_is_one_that_authenticators_read() {
        assert_eq!(
            build_provisioning_uri(b"foobar", "Associação: A&B", "ana+x@b.example"),
            "otpauth://totp/Amparo%20Associa%C3%A7%C3%A3o%20%20A%26B:ana%2Bx%40b.example\
             ?secret=MZXW6YTBOI&issuer=Amparo%20Associa%C3%A7%C3%A3o%20%20A%26B"
        );
    }
}
