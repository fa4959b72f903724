//! The four kinds of value that both engines share, and how Rust's types become them and come back.

use domain::{BranchCode, Entity, HistoryCode, Moment, Role, SituationKind, TenantId, UserCode};

/// A parameter or a column: BIGINT, TEXT, BOOLEAN, BYTEA, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Null,
    Int(i64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

/// A type that a column can be read as. `None` says that the column holds something else.
pub trait FromValue: Sized {
    fn from_value(value: &Value) -> Option<Self>;
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Option<i64> {
        match value {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }
}

impl FromValue for i32 {
    fn from_value(value: &Value) -> Option<i32> {
        i64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Option<bool> {
        match value {
            Value::Bool(flag) => Some(*flag),
            // One engine keeps a boolean as 0 or 1.
            Value::Int(0) => Some(false),
            Value::Int(1) => Some(true),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Option<String> {
        match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value) -> Option<Vec<u8>> {
        match value {
            Value::Bytes(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Option<T>> {
        match value {
            Value::Null => Some(None),
            other => T::from_value(other).map(Some),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Value {
        Value::Int(number.into())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Bool(flag)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Value {
        Value::Bytes(bytes.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

impl From<Moment> for Value {
    fn from(moment: Moment) -> Value {
        Value::Int(moment.millis())
    }
}

impl FromValue for Moment {
    fn from_value(value: &Value) -> Option<Moment> {
        i64::from_value(value).map(Moment::from_millis)
    }
}

macro_rules! codes {
    ($($code:ident),*) => {$(
        impl From<$code> for Value {
            fn from(code: $code) -> Value {
                Value::Int(code.get().into())
            }
        }

        impl FromValue for $code {
            fn from_value(value: &Value) -> Option<$code> {
                i32::from_value(value).map($code::new)
            }
        }
    )*};
}
codes!(TenantId, BranchCode, UserCode, HistoryCode);

macro_rules! numbered {
    ($($set:ident),*) => {$(
        impl From<$set> for Value {
            fn from(member: $set) -> Value {
                Value::Int(member.number())
            }
        }

        impl FromValue for $set {
            fn from_value(value: &Value) -> Option<$set> {
                i64::from_value(value).and_then($set::from_number)
            }
        }
    )*};
}
numbered!(Role, Entity, SituationKind);
