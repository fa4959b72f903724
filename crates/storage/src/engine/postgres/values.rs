//! How values travel to the server and back.

use crate::{Value, ValueRef};
use postgres_protocol::types as wire_types;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// The kind of a column, looked up once: a server's own name for a type is slow to compare.
#[derive(Clone, Copy)]
pub enum Kind {
    Int8,
    Int4,
    Bool,
    Text,
    Bytes,
}

impl Kind {
    pub fn of(kind: &Type) -> Option<Kind> {
        Some(match *kind {
            Type::INT8 => Kind::Int8,
            Type::INT4 => Kind::Int4,
            Type::BOOL => Kind::Bool,
            Type::TEXT | Type::NAME | Type::VARCHAR => Kind::Text,
            Type::BYTEA => Kind::Bytes,
            _ => return None,
        })
    }

    pub fn read(self, raw: Option<&[u8]>) -> Result<ValueRef<'_>, Box<dyn std::error::Error + Sync + Send>> {
        let Some(raw) = raw else { return Ok(ValueRef::Null) };
        Ok(match self {
            Kind::Int8 => ValueRef::Int(wire_types::int8_from_sql(raw)?),
            Kind::Int4 => ValueRef::Int(wire_types::int4_from_sql(raw)?.into()),
            Kind::Bool => ValueRef::Bool(wire_types::bool_from_sql(raw)?),
            Kind::Text => ValueRef::Text(wire_types::text_from_sql(raw)?),
            Kind::Bytes => ValueRef::Bytes(wire_types::bytea_from_sql(raw)),
        })
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut tokio_postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Null => return Ok(IsNull::Yes),
            Value::Int(number) if *kind == Type::INT4 => {
                wire_types::int4_to_sql(i32::try_from(*number)?, out);
            }
            Value::Int(number) if *kind == Type::INT8 => wire_types::int8_to_sql(*number, out),
            Value::Bool(flag) if *kind == Type::BOOL => wire_types::bool_to_sql(*flag, out),
            Value::Text(text) if *kind == Type::TEXT => wire_types::text_to_sql(text, out),
            Value::Bytes(bytes) if *kind == Type::BYTEA => wire_types::bytea_to_sql(bytes, out),
            // Without the value, which may be personal and would end up in a log.
            _ => return Err(format!("a value does not fit a parameter of type {kind}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The bytes of a column, of whatever type.
pub struct Raw<'a>(pub Option<&'a [u8]>);

impl<'a> tokio_postgres::types::FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Raw<'a>, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> Result<Raw<'a>, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
