//! Encodes and decodes values for the server.

use crate::{SqlScalar, SqlScalarRef};
use postgres_protocol::types as wire_types;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// The type of a column, resolved once: comparing the driver's types is slow.
#[derive(Clone, Copy)]
pub enum ServerColumnKind {
    Int8,
    Int4,
    Bool,
    Text,
    Bytes,
}

impl ServerColumnKind {
    pub fn from_type(kind: &Type) -> Option<ServerColumnKind> {
        Some(match *kind {
            Type::INT8 => ServerColumnKind::Int8,
            Type::INT4 => ServerColumnKind::Int4,
            Type::BOOL => ServerColumnKind::Bool,
            Type::TEXT | Type::NAME | Type::VARCHAR => ServerColumnKind::Text,
            Type::BYTEA => ServerColumnKind::Bytes,
            _ => return None,
        })
    }

    pub fn decode(
        self,
        raw: Option<&[u8]>,
    ) -> Result<SqlScalarRef<'_>, Box<dyn std::error::Error + Sync + Send>> {
        let Some(raw) = raw else { return Ok(SqlScalarRef::Null) };
        Ok(match self {
            ServerColumnKind::Int8 => SqlScalarRef::Int(wire_types::int8_from_sql(raw)?),
            ServerColumnKind::Int4 => SqlScalarRef::Int(wire_types::int4_from_sql(raw)?.into()),
            ServerColumnKind::Bool => SqlScalarRef::Bool(wire_types::bool_from_sql(raw)?),
            ServerColumnKind::Text => SqlScalarRef::Text(wire_types::text_from_sql(raw)?),
            ServerColumnKind::Bytes => SqlScalarRef::Bytes(wire_types::bytea_from_sql(raw)),
        })
    }
}

impl ToSql for SqlScalar {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut tokio_postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            SqlScalar::Null => return Ok(IsNull::Yes),
            SqlScalar::Int(number) if *kind == Type::INT4 => {
                wire_types::int4_to_sql(i32::try_from(*number)?, out);
            }
            SqlScalar::Int(number) if *kind == Type::INT8 => wire_types::int8_to_sql(*number, out),
            SqlScalar::Bool(flag) if *kind == Type::BOOL => wire_types::bool_to_sql(*flag, out),
            SqlScalar::Text(text) if *kind == Type::TEXT => wire_types::text_to_sql(text, out),
            SqlScalar::Bytes(bytes) if *kind == Type::BYTEA => wire_types::bytea_to_sql(bytes, out),
            // Omits the value, which may be personal data and would be logged.
            _ => return Err(format!("a value does not fit a parameter of type {kind}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The raw bytes of a column of any type.
pub struct RawColumn<'a>(pub Option<&'a [u8]>);

impl<'a> tokio_postgres::types::FromSql<'a> for RawColumn<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<RawColumn<'a>, Box<dyn std::error::Error + Sync + Send>> {
        Ok(RawColumn(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> Result<RawColumn<'a>, Box<dyn std::error::Error + Sync + Send>> {
        Ok(RawColumn(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
