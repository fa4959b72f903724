//! Schemas of nested records. utoipa's own put the description where few tools look, and have no example.

use serde_json::{Map, Value};
use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Schema, SchemaType, Type};

/// A nested record that may be `null`.
pub fn build_nullable_schema<T: PartialSchema>(text: &str) -> RefOr<Schema> {
    build_inline_schema::<T>(text, SchemaType::from_iter([Type::Object, Type::Null]))
}

/// A nested record that is always present.
pub fn build_required_schema<T: PartialSchema>(text: &str) -> RefOr<Schema> {
    build_inline_schema::<T>(text, SchemaType::new(Type::Object))
}

/// The record's schema inline, with its description; the examples of its fields form the example.
fn build_inline_schema<T: PartialSchema>(text: &str, kind: SchemaType) -> RefOr<Schema> {
    match T::schema() {
        RefOr::T(Schema::Object(mut object)) => {
            object.schema_type = kind;
            object.description = Some(text.to_owned());
            let fields = object.properties.iter();
            let example: Map<String, Value> =
                fields.filter_map(|(name, field)| Some((name.clone(), find_example(field)?))).collect();
            object.examples = vec![Value::Object(example)];
            object.into()
        }
        other => other,
    }
}

fn find_example(field: &RefOr<Schema>) -> Option<Value> {
    match field {
        RefOr::T(Schema::Object(field)) => field.examples.first().cloned(),
        _ => None,
    }
}
