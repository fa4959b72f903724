//! The colours that a user chose for the console.

use super::cookies::{THEME_COOKIE, find_cookie};
use axum::http::HeaderMap;

/// The chosen theme; without a choice, the browser uses that of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourTheme {
    Light,
    Dark,
}

impl ColourTheme {
    pub fn from_cookie(headers: &HeaderMap) -> Option<ColourTheme> {
        find_cookie(headers, THEME_COOKIE).and_then(ColourTheme::from_name)
    }

    pub fn from_name(name: &str) -> Option<ColourTheme> {
        match name {
            "claro" => Some(ColourTheme::Light),
            "escuro" => Some(ColourTheme::Dark),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            ColourTheme::Light => "claro",
            ColourTheme::Dark => "escuro",
        }
    }
}
