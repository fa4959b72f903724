//! The parameters of a request: of the query and of the path.

use super::form::SubmittedForm;
use super::refusal::Refusal;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

/// The query parameters of a URL, or of a form with the same fields.
pub struct QueryParams(Vec<(String, String)>);

impl QueryParams {
    /// A trimmed value; empty if absent.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    pub fn pairs(&self) -> Vec<(String, String)> {
        self.0.clone()
    }

    pub fn trimmed_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.trim()))
    }

    /// For filters that must not appear in a URL.
    pub fn from_form(form: &SubmittedForm) -> QueryParams {
        QueryParams(form.pairs().to_vec())
    }

    pub fn parse(text: &str) -> QueryParams {
        QueryParams(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// All parameters but the page number, sorted, without empty values.
    pub fn canonical_filters(&self) -> String {
        self.serialize_where(|_| true)
    }

    pub fn without_parameter(&self, name: &str) -> String {
        format!("?{}", self.serialize_where(|known| known != name))
    }

    fn serialize_where(&self, is_included: impl Fn(&str) -> bool) -> String {
        let mut pairs: Vec<(&str, &str)> =
            self.0.iter().map(|(name, value)| (name.as_str(), value.trim())).collect();
        pairs.retain(|(name, value)| *name != "pagina" && !value.is_empty() && is_included(name));
        pairs.sort_unstable();
        form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
    }

    /// Starts at 1.
    pub fn page_number(&self) -> i32 {
        self.text("pagina").parse().ok().filter(|page| *page > 0).unwrap_or(1)
    }

    pub fn with_page(&self, page: i32) -> String {
        self.with_parameter("pagina", &page.to_string())
    }

    /// An empty value removes the parameter.
    pub fn with_parameter(&self, name: &str, value: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (known, existing) in
            self.0.iter().filter(|(known, existing)| known != name && !existing.is_empty())
        {
            query.append_pair(known, existing);
        }
        if !value.is_empty() {
            query.append_pair(name, value);
        }
        format!("?{}", query.finish())
    }
}

impl<S: Sync> FromRequestParts<S> for QueryParams {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryParams, Self::Rejection> {
        let text = parts.uri.query().unwrap_or_default();
        Ok(QueryParams(form_urlencoded::parse(text.as_bytes()).into_owned().collect()))
    }
}

/// The code in the path; anything but a number is not found.
pub struct PathNumber(pub i32);

impl<S: Send + Sync> FromRequestParts<S> for PathNumber {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathNumber, Refusal> {
        parse_path_number(parts, state, "codigo").await.map(PathNumber)
    }
}

/// The code in the path, and the code of a part of that record.
pub struct PathPartCodes(pub i32, pub i32);

impl<S: Send + Sync> FromRequestParts<S> for PathPartCodes {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathPartCodes, Refusal> {
        Ok(PathPartCodes(
            parse_path_number(parts, state, "codigo").await?,
            parse_path_number(parts, state, "parte").await?,
        ))
    }
}

async fn parse_path_number<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> Result<i32, Refusal> {
    let path = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotThere)?;
    let found = path.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.parse().ok());
    found.ok_or(Refusal::NotThere)
}
