//! The cookies of the console and their attributes.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

/// Browsers accept a cookie with this prefix only from its own host, over HTTPS or on localhost.
const SESSION_COOKIE: &str = "__Host-amparo";

/// Between password and second factor: it gives access only to the page that asks for the code.
const CHALLENGE_COOKIE: &str = "__Host-amparo-meio";

pub const THEME_COOKIE: &str = "amparo-tema";

pub fn find_cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

pub fn find_session_token(headers: &HeaderMap) -> Option<&str> {
    find_cookie(headers, SESSION_COOKIE).filter(|token| !token.is_empty())
}

/// Token of a session that the response starts; the response's notice is sealed for it.
#[derive(Clone)]
pub struct NewSessionToken(pub String);

pub fn set_session_cookie(response: &mut Response, token: &str, seconds: u64) {
    response.extensions_mut().insert(NewSessionToken(token.to_owned()));
    append_cookie(
        response,
        &format!("{SESSION_COOKIE}={token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"),
    );
}

/// The ticket of a sign-in that still needs the second factor.
pub fn find_pending_sign_in(headers: &HeaderMap) -> Option<&str> {
    find_cookie(headers, CHALLENGE_COOKIE).filter(|ticket| !ticket.is_empty())
}

pub fn set_pending_sign_in(response: &mut Response, ticket: &str, seconds: u64) {
    append_cookie(
        response,
        &format!("{CHALLENGE_COOKIE}={ticket}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}"),
    );
}

pub fn set_theme_cookie(response: &mut Response, theme: &str) {
    append_cookie(
        response,
        &format!("{THEME_COOKIE}={theme}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000"),
    );
}

pub fn append_cookie(response: &mut Response, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; __Host-amparo=amp_1_x; b=2"));
        assert_eq!(find_cookie(&headers, SESSION_COOKIE), Some("amp_1_x"));
        assert_eq!(find_cookie(&headers, "c"), None);
    }
}
