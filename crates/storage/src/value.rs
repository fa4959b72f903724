//! The four kinds of value that both engines share, and how Rust's types become them and come back.

use domain::{
    AppointmentCode, BenefitCode, BenefitKind, BranchCode, CivilState, ClaimCode, ClaimTypeCode, ClinicCode,
    CreditCardCode, DealCode, DealState, DeliveryState, DependentCode, DoctorCode, Entity, FieldCode,
    FieldKind, FileCode, FileKind, FileOwner, FilterCode, Fuel, FunnelCode, HistoryCode, ImportCode,
    ImportKind, ImportOutcome, ImportState, InspectionCode, InspectionTypeCode, InstallationCode, Involved,
    ItemCode, Kinship, LeadCode, MailCode, Moment, Nature, PersonCode, PhoneKind, PlanCode, Priority,
    ReceiverCode, Role, SellerCode, SellerKind, Sex, SituationCode, SituationKind, SpecialtyCode, StageCode,
    SupplierCode, TenantId, TicketCode, TicketTypeCode, TrackerCode, UserCode, VehicleCategory,
    VehicleTypeCode,
};

/// A parameter or a column: BIGINT, TEXT, BOOLEAN, BYTEA, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Null,
    Int(i64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

/// A value where it lies in a result, not copied yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRef<'v> {
    Null,
    Int(i64),
    Bool(bool),
    Text(&'v str),
    Bytes(&'v [u8]),
}

impl ValueRef<'_> {
    pub fn to_owned(self) -> Value {
        match self {
            ValueRef::Null => Value::Null,
            ValueRef::Int(number) => Value::Int(number),
            ValueRef::Bool(flag) => Value::Bool(flag),
            ValueRef::Text(text) => Value::Text(text.to_owned()),
            ValueRef::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        }
    }
}

/// A type that a column can be read as. `None` says that the column holds something else.
pub trait FromValue: Sized {
    fn from_value(value: ValueRef<'_>) -> Option<Self>;
}

impl FromValue for i64 {
    fn from_value(value: ValueRef<'_>) -> Option<i64> {
        match value {
            ValueRef::Int(number) => Some(number),
            _ => None,
        }
    }
}

impl FromValue for i32 {
    fn from_value(value: ValueRef<'_>) -> Option<i32> {
        i64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl FromValue for bool {
    fn from_value(value: ValueRef<'_>) -> Option<bool> {
        match value {
            ValueRef::Bool(flag) => Some(flag),
            // One engine keeps a boolean as 0 or 1.
            ValueRef::Int(0) => Some(false),
            ValueRef::Int(1) => Some(true),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: ValueRef<'_>) -> Option<String> {
        match value {
            ValueRef::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: ValueRef<'_>) -> Option<Vec<u8>> {
        match value {
            ValueRef::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: ValueRef<'_>) -> Option<Option<T>> {
        match value {
            ValueRef::Null => Some(None),
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
    fn from_value(value: ValueRef<'_>) -> Option<Moment> {
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
            fn from_value(value: ValueRef<'_>) -> Option<$code> {
                i32::from_value(value).map($code::new)
            }
        }
    )*};
}
codes!(
    TenantId,
    BranchCode,
    UserCode,
    HistoryCode,
    SituationCode,
    PlanCode,
    VehicleTypeCode,
    SellerCode,
    SupplierCode,
    FieldCode,
    FileCode,
    FilterCode,
    ImportCode,
    PersonCode,
    BenefitCode,
    ItemCode,
    MailCode,
    ReceiverCode,
    DependentCode,
    InstallationCode,
    CreditCardCode,
    FunnelCode,
    StageCode,
    LeadCode,
    DealCode,
    ClaimCode,
    ClaimTypeCode,
    InspectionCode,
    InspectionTypeCode,
    TicketCode,
    TicketTypeCode,
    AppointmentCode,
    SpecialtyCode,
    ClinicCode,
    DoctorCode,
    TrackerCode
);

macro_rules! numbered {
    ($($set:ident),*) => {$(
        impl From<$set> for Value {
            fn from(member: $set) -> Value {
                Value::Int(member.number())
            }
        }

        impl FromValue for $set {
            fn from_value(value: ValueRef<'_>) -> Option<$set> {
                i64::from_value(value).and_then($set::from_number)
            }
        }
    )*};
}
numbered!(
    Role,
    Entity,
    SituationKind,
    BenefitKind,
    VehicleCategory,
    SellerKind,
    FieldKind,
    Nature,
    Sex,
    CivilState,
    PhoneKind,
    Fuel,
    Kinship,
    DealState,
    DeliveryState,
    Involved,
    Priority,
    FileOwner,
    FileKind,
    ImportKind,
    ImportState,
    ImportOutcome
);
