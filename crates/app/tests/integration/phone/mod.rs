//! The authenticator app of somebody who has a second factor.

use domain::Moment;
use ring::hmac;

/// What the phone shows.
pub fn code(secret: &str, now: Moment) -> String {
    let bit = |sign: u8| "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".bytes().position(|one| one == sign).unwrap();
    let bits: Vec<u8> =
        secret.bytes().flat_map(|sign| (0..5).rev().map(move |at| (bit(sign) >> at & 1) as u8)).collect();
    let bytes: Vec<u8> =
        bits.chunks_exact(8).map(|eight| eight.iter().fold(0, |sum, bit| sum << 1 | bit)).collect();
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &bytes);
    let tag = hmac::sign(&key, &(now.millis() / 30_000).to_be_bytes());
    let tag = tag.as_ref();
    let at = usize::from(tag[19] & 15);
    let number = u32::from_be_bytes([tag[at] & 127, tag[at + 1], tag[at + 2], tag[at + 3]]);
    format!("{:06}", number % 1_000_000)
}
