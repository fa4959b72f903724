//! A percentage on the wire: a JSON number from 0 to 100 with at most two decimals.

use crate::read::{FieldPath, InputProblems, JsonInput, trim_extra_zeros};
use domain::Money;
use serde_json::Value as Json;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

const MOST_HUNDREDTHS: i64 = 10_000;

/// A percentage as sent.
pub(super) struct PercentageInput(i64);

impl PercentageInput {
    pub(super) const fn hundredths(&self) -> i64 {
        self.0
    }
}

impl JsonInput for PercentageInput {
    /// Read as money is: from its text, never as a float; a quoted number is accepted.
    fn read(value: &Json, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<PercentageInput> {
        let text = match value {
            Json::Number(number) => trim_extra_zeros(&number.to_string()),
            Json::String(text) => text.clone(),
            _ => String::new(),
        };
        let hundredths = Money::parse(&text).map_or(-1, Money::cents);
        if (0..=MOST_HUNDREDTHS).contains(&hundredths) {
            return Some(PercentageInput(hundredths));
        }
        problems.add(at, "deve ser um percentual de 0 a 100, com no máximo duas casas decimais.");
        None
    }

    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Number);
        number.minimum(Some(0)).maximum(Some(100)).build().into()
    }
}

/// A JSON number with no more decimals than needed.
pub(super) fn render_percent(hundredths: i64) -> Json {
    let written = Money::from_stored_cents(hundredths).map(|number| number.to_string());
    written.and_then(|text| text.parse().ok()).map_or(Json::Null, Json::Number)
}
