//! The four value types that both engines share, and their conversion from and to Rust types.

use domain::finance::{
    ChargeItemKind, ChargeSource, ChargedMonth, ChargingRunState, CreditMovementKind, LaunchKind,
    LedgerAccountKind, LedgerEntryKind, LegalNature, MoneyAccountKind, NotChargedReason,
    PendingChargeSituation, PendingChargeSource, PriceSource, RunTitleOutcome, ShortfallTreatment,
    TitleSituation,
};
use domain::{
    AppointmentCode, BenefitCode, BenefitDiscountCode, BenefitKind, BranchCode, ChargeItemCode,
    ChargingRuleCode, ChargingRunCode, CivilState, ClaimCode, ClaimTypeCode, ClinicCode, CreditCardCode,
    CreditReceiptCode, Date, DealCode, DealState, DeliveryState, DependentCode, DiscountCode, DoctorCode,
    Entity, FieldCode, FieldKind, FileCode, FileKind, FileOwner, FilterCode, Fuel, FunnelCode, GroupCode,
    HistoryCode, HolidayCode, ImportCode, ImportKind, ImportOutcome, ImportState, InspectionCode,
    InspectionTypeCode, InstallationCode, Involved, ItemCode, Kinship, LateChargeRuleCode, LeadCode,
    LedgerAccountCode, LedgerEntryCode, LinkPurpose, LinkToken, MailCode, Moment, Money, MoneyAccountCode,
    MoneyRights, Nature, PaymentFormCode, PendingChargeCode, PersonCode, PhoneKind, PlanCode, PlanPriceCode,
    Priority, ReceiverCode, Role, SellerCode, SellerKind, SettlementCode, SettlementTypeCode, Sex,
    SituationCode, SituationKind, SlipCode, SpecialtyCode, StageCode, SupplierCode, TenantId, TicketCode,
    TicketTypeCode, TitleCode, TitleTypeCode, TrackerCode, UserCode, VehicleCategory, VehicleTypeCode,
};

/// A parameter or column value: BIGINT, TEXT, BOOLEAN, BYTEA or NULL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SqlScalar {
    Null,
    Int(i64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

/// A value borrowed from a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlScalarRef<'v> {
    Null,
    Int(i64),
    Bool(bool),
    Text(&'v str),
    Bytes(&'v [u8]),
}

impl SqlScalarRef<'_> {
    pub fn to_owned(self) -> SqlScalar {
        match self {
            SqlScalarRef::Null => SqlScalar::Null,
            SqlScalarRef::Int(number) => SqlScalar::Int(number),
            SqlScalarRef::Bool(flag) => SqlScalar::Bool(flag),
            SqlScalarRef::Text(text) => SqlScalar::Text(text.to_owned()),
            SqlScalarRef::Bytes(bytes) => SqlScalar::Bytes(bytes.to_vec()),
        }
    }
}

/// A type that a column can be read as. `None` means that the column has another type.
pub trait FromColumn: Sized {
    fn from_value(value: SqlScalarRef<'_>) -> Option<Self>;
}

impl FromColumn for i64 {
    fn from_value(value: SqlScalarRef<'_>) -> Option<i64> {
        match value {
            SqlScalarRef::Int(number) => Some(number),
            _ => None,
        }
    }
}

impl FromColumn for i32 {
    fn from_value(value: SqlScalarRef<'_>) -> Option<i32> {
        i64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl FromColumn for bool {
    fn from_value(value: SqlScalarRef<'_>) -> Option<bool> {
        match value {
            SqlScalarRef::Bool(flag) => Some(flag),
            // One engine stores a boolean as 0 or 1.
            SqlScalarRef::Int(0) => Some(false),
            SqlScalarRef::Int(1) => Some(true),
            _ => None,
        }
    }
}

impl FromColumn for String {
    fn from_value(value: SqlScalarRef<'_>) -> Option<String> {
        match value {
            SqlScalarRef::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }
}

impl FromColumn for Vec<u8> {
    fn from_value(value: SqlScalarRef<'_>) -> Option<Vec<u8>> {
        match value {
            SqlScalarRef::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl<T: FromColumn> FromColumn for Option<T> {
    fn from_value(value: SqlScalarRef<'_>) -> Option<Option<T>> {
        match value {
            SqlScalarRef::Null => Some(None),
            other => T::from_value(other).map(Some),
        }
    }
}

impl From<i64> for SqlScalar {
    fn from(number: i64) -> SqlScalar {
        SqlScalar::Int(number)
    }
}

impl From<i32> for SqlScalar {
    fn from(number: i32) -> SqlScalar {
        SqlScalar::Int(number.into())
    }
}

impl From<bool> for SqlScalar {
    fn from(flag: bool) -> SqlScalar {
        SqlScalar::Bool(flag)
    }
}

impl From<&str> for SqlScalar {
    fn from(text: &str) -> SqlScalar {
        SqlScalar::Text(text.to_owned())
    }
}

impl From<String> for SqlScalar {
    fn from(text: String) -> SqlScalar {
        SqlScalar::Text(text)
    }
}

impl From<&[u8]> for SqlScalar {
    fn from(bytes: &[u8]) -> SqlScalar {
        SqlScalar::Bytes(bytes.to_vec())
    }
}

impl<T: Into<SqlScalar>> From<Option<T>> for SqlScalar {
    fn from(value: Option<T>) -> SqlScalar {
        value.map_or(SqlScalar::Null, Into::into)
    }
}

impl From<Moment> for SqlScalar {
    fn from(moment: Moment) -> SqlScalar {
        SqlScalar::Int(moment.millis())
    }
}

impl FromColumn for Moment {
    fn from_value(value: SqlScalarRef<'_>) -> Option<Moment> {
        i64::from_value(value).map(Moment::from_millis)
    }
}

/// `2026-11-14`
impl From<Date> for SqlScalar {
    fn from(date: Date) -> SqlScalar {
        SqlScalar::Text(date.to_iso())
    }
}

impl FromColumn for Date {
    fn from_value(value: SqlScalarRef<'_>) -> Option<Date> {
        match value {
            SqlScalarRef::Text(text) => Date::from_iso(text),
            _ => None,
        }
    }
}

impl From<&LinkToken> for SqlScalar {
    fn from(token: &LinkToken) -> SqlScalar {
        SqlScalar::Text(token.as_str().to_owned())
    }
}

impl FromColumn for LinkToken {
    fn from_value(value: SqlScalarRef<'_>) -> Option<LinkToken> {
        match value {
            SqlScalarRef::Text(text) => LinkToken::parse(text),
            _ => None,
        }
    }
}

/// `2026-11`
impl From<ChargedMonth> for SqlScalar {
    fn from(month: ChargedMonth) -> SqlScalar {
        SqlScalar::Text(month.to_iso())
    }
}

impl FromColumn for ChargedMonth {
    fn from_value(value: SqlScalarRef<'_>) -> Option<ChargedMonth> {
        match value {
            SqlScalarRef::Text(text) => ChargedMonth::from_iso(text),
            _ => None,
        }
    }
}

/// In cents.
impl From<Money> for SqlScalar {
    fn from(money: Money) -> SqlScalar {
        SqlScalar::Int(money.cents())
    }
}

impl FromColumn for Money {
    fn from_value(value: SqlScalarRef<'_>) -> Option<Money> {
        i64::from_value(value).and_then(Money::from_stored_cents)
    }
}

macro_rules! codes {
    ($($code:ident),*) => {$(
        impl From<$code> for SqlScalar {
            fn from(code: $code) -> SqlScalar {
                SqlScalar::Int(code.get().into())
            }
        }

        impl FromColumn for $code {
            fn from_value(value: SqlScalarRef<'_>) -> Option<$code> {
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
    TrackerCode,
    GroupCode,
    ChargeItemCode,
    LateChargeRuleCode,
    TitleTypeCode,
    PaymentFormCode,
    MoneyAccountCode,
    SettlementTypeCode,
    HolidayCode,
    PlanPriceCode,
    DiscountCode,
    BenefitDiscountCode,
    ChargingRuleCode,
    TitleCode,
    SettlementCode,
    SlipCode,
    CreditReceiptCode,
    PendingChargeCode,
    LedgerAccountCode,
    LedgerEntryCode,
    ChargingRunCode
);

macro_rules! numbered {
    ($($set:ident),*) => {$(
        impl From<$set> for SqlScalar {
            fn from(member: $set) -> SqlScalar {
                SqlScalar::Int(member.number())
            }
        }

        impl FromColumn for $set {
            fn from_value(value: SqlScalarRef<'_>) -> Option<$set> {
                i64::from_value(value).and_then($set::from_number)
            }
        }
    )*};
}
numbered!(
    Role,
    MoneyRights,
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
    ImportOutcome,
    LaunchKind,
    LinkPurpose,
    LegalNature,
    PendingChargeSituation,
    PendingChargeSource,
    ChargeItemKind,
    MoneyAccountKind,
    ShortfallTreatment,
    TitleSituation,
    PriceSource,
    LedgerAccountKind,
    LedgerEntryKind,
    CreditMovementKind,
    ChargingRunState,
    NotChargedReason,
    ChargeSource,
    RunTitleOutcome
);
