//! An answer: JSON, which nobody on the way may keep.

use crate::failure::Failure;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Room that an answer begins with: one item of a search, so that most never have to move.
const ROOM: usize = 2048;

pub struct Answer<T>(pub T);

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(ROOM);
        match serde_json::to_writer(&mut body, &self.0) {
            Ok(()) => json(StatusCode::OK, body),
            Err(error) => {
                tracing::error!(%error, "an answer could not be written");
                Failure::Internal.into_response()
            }
        }
    }
}

pub fn json(status: StatusCode, body: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, NO_STORE)], body).into_response()
}

/// An answer of many records, each written out as soon as it is made, so that never all of them are held at once.
pub struct List(Vec<u8>);

impl Default for List {
    fn default() -> List {
        List(vec![b'['])
    }
}

impl List {
    pub fn push(&mut self, record: &impl Serialize) -> Result<(), Failure> {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, record).map_err(|error| {
            tracing::error!(%error, "an answer could not be written");
            Failure::Internal
        })
    }

    pub fn answer(mut self) -> Response {
        self.0.push(b']');
        json(StatusCode::OK, self.0)
    }
}
