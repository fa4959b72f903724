//! A record inside a record. What utoipa writes for one tells its meaning where few tools look, and gives no example.

use serde_json::{Map, Value};
use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Schema, SchemaType, Type};

/// One that may be `null`.
pub fn build_nullable_schema<T: PartialSchema>(text: &str) -> RefOr<Schema> {
    build_inline_schema::<T>(text, SchemaType::from_iter([Type::Object, Type::Null]))
}

/// One that is always there.
pub fn build_required_schema<T: PartialSchema>(text: &str) -> RefOr<Schema> {
    build_inline_schema::<T>(text, SchemaType::new(Type::Object))
}

/// The record told in place, with what it means there; the examples of its fields make the example.
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
