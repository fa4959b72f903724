//! What handlers take from a request. axum's own extractors refuse in English; these refuse in our words, or not at all.

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use std::convert::Infallible;

/// The template of the route (`/ext/beneficio/{codBeneficio}`), for logs and metrics: the path itself may carry
/// personal data and is never written down.
pub struct Route(pub String);

impl<S: Sync> FromRequestParts<S> for Route {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Route, Infallible> {
        let template = parts.extensions.get::<MatchedPath>().map_or("none", MatchedPath::as_str);
        Ok(Route(template.to_owned()))
    }
}
