//! Which headers an association may add to its trigger messages.

use crate::Rejection;

const MOST_HEADERS: usize = 20;

/// The problems with custom headers.
pub fn find_bad_headers(headers: &[(String, String)]) -> Vec<Rejection> {
    let bad = headers.iter().filter(|(name, value)| !is_valid_header(name, value));
    let mut problems: Vec<Rejection> = bad.map(|(name, _)| Rejection::BadHeader(name.clone())).collect();
    if headers.len() > MOST_HEADERS {
        problems.push(Rejection::TooManyHeaders(headers.len()));
    }
    problems
}

/// Headers reserved for the message and the connection.
const RESERVED_HEADERS: [&str; 15] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
];

fn is_valid_header(name: &str, value: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty()
        && name.len() <= 100
        && name.bytes().all(is_sign)
        && !RESERVED_HEADERS.contains(&name.to_ascii_lowercase().as_str())
        && value.len() <= 4000
        && value.bytes().all(|byte| (32..127).contains(&byte))
}
