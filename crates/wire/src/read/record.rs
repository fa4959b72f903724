//! The `input!` macro that declares a record, and the schema built from it.

use super::DocumentedField;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// Declares a record that callers send:
///
/// ```
/// amparo_wire::input! {
///     /// Uma loja nova.
///     pub struct LojaInput = "LojaInputTO" {
///         /// O nome da loja.
///         name "nome": required String = "Matriz",
///         /// O código, se já tem um.
///         code "codLoja": optional i32 = 7,
///     }
/// }
/// let loja: LojaInput = amparo_wire::read::read_body(br#"{"nome": "Matriz"}"#).unwrap();
/// assert_eq!((loja.name.as_str(), loja.code), ("Matriz", amparo_wire::read::FieldPatch::Keep));
/// ```
///
/// `flat other: OtherInput,` before the fields takes in those of another record, as if they stood there.
#[macro_export]
macro_rules! input {
    (
        $(#[doc = $record_text:literal])+
        pub struct $record:ident = $record_name:literal {
            $(flat $group:ident: $group_type:ty,)*
            $($(#[doc = $text:literal])+ $field:ident $name:literal: $need:ident $type:ty = $example:tt),+ $(,)?
        }
    ) => {
        $(#[doc = $record_text])+
        #[derive(Clone, Debug)]
        pub struct $record {
            $(
                #[doc = "The fields that it has in common with others."]
                pub $group: $group_type,
            )*
            $($(#[doc = $text])+ pub $field: $crate::input!(@type $need $type)),+
        }

        impl $crate::read::InputRecord for $record {
            fn read_fields(
                fields: &serde_json::Map<String, serde_json::Value>,
                at: &$crate::read::FieldPath<'_>,
                problems: &mut $crate::read::InputProblems,
            ) -> Option<Self> {
                $(let $group = <$group_type as $crate::read::InputRecord>::read_fields(fields, at, problems);)*
                $(let $field = $crate::read::$need::<$type>(fields, $name, at, problems);)+
                Some($record { $($group: $group?,)* $($field: $crate::input!(@rest $need $field $type)),+ })
            }

            fn fields() -> Vec<$crate::read::DocumentedField> {
                let record_fields = [$($crate::read::DocumentedField {
                    name: $name,
                    text: [$($text),+].map(str::trim).join(" "),
                    required: $crate::input!(@required $need),
                    schema: <$type as $crate::read::JsonInput>::schema(),
                    example: serde_json::json!($example),
                }),+];
                let groups: Vec<Vec<$crate::read::DocumentedField>> =
                    vec![$(<$group_type as $crate::read::InputRecord>::fields()),*];
                groups.into_iter().flatten().chain(record_fields).collect()
            }
        }

        impl $crate::read::JsonInput for $record {
            fn read(
                value: &serde_json::Value,
                at: &$crate::read::FieldPath<'_>,
                problems: &mut $crate::read::InputProblems,
            ) -> Option<Self> {
                $crate::read::read_nested(value, at, problems)
            }

            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                <$record as utoipa::PartialSchema>::schema()
            }
        }

        impl utoipa::PartialSchema for $record {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let text = [$($record_text),+].map(str::trim).join(" ");
                $crate::read::build_object_schema(&text, <$record as $crate::read::InputRecord>::fields())
            }
        }

        impl utoipa::ToSchema for $record {
            fn name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed($record_name)
            }
        }
    };
    (@type required $type:ty) => { $type };
    (@type optional $type:ty) => { $crate::read::FieldPatch<$type> };
    (@rest required $field:ident $type:ty) => { $field.or_else(<$type as $crate::read::JsonInput>::placeholder)? };
    // An invalid value was already reported; the rest is read as if it were absent.
    (@rest optional $field:ident $type:ty) => { $field.unwrap_or($crate::read::FieldPatch::Keep) };
    (@required required) => { true };
    (@required optional) => { false };
}

pub fn build_object_schema(text: &str, fields: Vec<DocumentedField>) -> RefOr<Schema> {
    let object = fields.into_iter().fold(ObjectBuilder::new().description(Some(text)), |object, field| {
        // Optional fields may also be cleared with `null`.
        let (object, schema) = match field.required {
            true => (object.required(field.name), field.schema),
            false => (object, make_nullable(field.schema)),
        };
        object.property(field.name, describe_schema(schema, &field.text, field.example))
    });
    object.build().into()
}

/// Makes a schema accept `null`.
pub fn make_nullable(schema: RefOr<Schema>) -> RefOr<Schema> {
    let with_null = |types: SchemaType| match types {
        SchemaType::Type(one) => SchemaType::from_iter([one, Type::Null]),
        SchemaType::Array(types) => types.into_iter().chain([Type::Null]).collect(),
        SchemaType::AnyValue => SchemaType::AnyValue,
    };
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.schema_type = with_null(object.schema_type);
            object.enum_values = object.enum_values.map(|mut values| {
                values.push(Value::Null);
                values
            });
            object.into()
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.schema_type = with_null(array.schema_type);
            array.into()
        }
        other => other,
    }
}

/// Adds the meaning and an example to the schema of a field.
pub fn describe_schema(schema: RefOr<Schema>, text: &str, example: Value) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.description = Some(text.to_owned());
            object.examples = vec![example];
            object.into()
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.description = Some(text.to_owned());
            array.examples = vec![example];
            array.into()
        }
        other => other,
    }
}
