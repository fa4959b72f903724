//! Readers and schemas of the value types of `domain`. Each has its own refusal texts.

use super::values::{build_string_schema, read_text};
use super::{BoundedInt, FieldPath, InputProblems, JsonInput};
use crate::refusal;
use crate::set_names::{self, NamedSet};
use domain::{
    AuditCursor, BenefitCode, BenefitDiscountCode, BoundedText, BranchCode, CardNumber, Cep, ChargeItemCode,
    ChargingRunCode, Chassis, ClaimCode, ClaimTypeCode, ClinicCode, Colour, Cpf, CreditReceiptCode, Date,
    DealCode, DependentCode, DiscountCode, DisplayName, DoctorCode, Document, Email, Entity, FieldCode,
    FunnelCode, GroupCode, HistoryCode, HistoryCursor, HostName, ImportCode, InputField, InspectionTypeCode,
    ItemCode, LeadCode, Money, MoneyAccountCode, Network, NoteText, PendingChargeCode, PeriodStart,
    PersonCode, Phone, PlanCode, Plate, ReceiverAddress, ReceiverCode, Rejection, SellerCode, SettlementCode,
    SettlementTypeCode, SituationCode, SpecialtyCode, StageCode, SupplierCode, TicketTypeCode, TimeZone,
    TitleCode, TitleTypeCode, Uf, UserCode, VehicleTypeCode, WrittenMoment, fold_text,
};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};

/// Applies the type's own `parse` to the text, and reports its rejection.
fn parse_text<T>(
    value: &Value,
    at: &FieldPath<'_>,
    problems: &mut InputProblems,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Option<T> {
    let text = read_text(value, at, problems)?;
    parse(text).map_err(|rejection| problems.add(at, refusal::render_sentence(&rejection))).ok()
}

/// A day in either format, optionally with a time and an offset.
const SINCE: &str = r"^(\d{2}/\d{2}/\d{4}|\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?)?$";

/// Value types read from a text by their `parse`, with the schema of the text and a placeholder.
macro_rules! texts {
    ($($type:ty: $parse:expr, $schema:expr $(, $nobodys:expr)?;)+) => {
        $(impl JsonInput for $type {
            fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<$type> {
                parse_text(value, at, problems, $parse)
            }

            fn schema() -> RefOr<Schema> {
                $schema.build().into()
            }

            $(fn placeholder() -> Option<$type> {
                $nobodys
            })?
        })+
    };
}

texts! {
    DisplayName: |text| DisplayName::parse(InputField::Name, text), build_string_schema().min_length(Some(1)).max_length(Some(DisplayName::LONGEST)),
        DisplayName::parse(InputField::Name, "Ninguém").ok();
    Email: Email::parse, build_string_schema().format(Some(SchemaFormat::KnownFormat(KnownFormat::Email))).max_length(Some(254));
    Phone: Phone::parse, build_string_schema();
    Cep: Cep::parse, build_string_schema().pattern(Some(r"^\d{5}-?\d{3}$"));
    Uf: Uf::parse, build_string_schema().enum_values(Some(Uf::NAMES));
    Date: Date::parse, build_string_schema().pattern(Some(r"^(\d{2}/\d{2}/\d{4}|\d{4}-\d{2}-\d{2})$"));
    WrittenMoment: WrittenMoment::parse, build_string_schema();
    PeriodStart: PeriodStart::parse, build_string_schema().pattern(Some(SINCE));
    Plate: Plate::parse, build_string_schema();
    Chassis: Chassis::parse, build_string_schema().max_length(Some(Chassis::LONGEST));
    CardNumber: CardNumber::parse, build_string_schema().pattern(Some(r"^\d{4} ?\d{2} ?\d ?\d{3} ?\d{3}$"));
    ReceiverAddress: ReceiverAddress::parse, build_string_schema().max_length(Some(ReceiverAddress::LONGEST));
    NoteText: NoteText::parse, build_string_schema().max_length(Some(NoteText::LONGEST));
    HistoryCursor: HistoryCursor::parse, build_string_schema().pattern(Some(r"^\d{1,10}(-[0-9a-f]{12})?$"));
    AuditCursor: AuditCursor::parse, build_string_schema().pattern(Some(r"^\d{1,10}(-\d{1,10})?$"));
    HostName: HostName::parse, build_string_schema().max_length(Some(253));
    TimeZone: TimeZone::parse, build_string_schema();
    Network: Network::parse, build_string_schema();
    Colour: Colour::parse, build_string_schema().pattern(Some("^#?[0-9A-Fa-f]{6}$"));
    HiddenText: |text| NoteText::parse(text).map(HiddenText), build_string_schema().max_length(Some(NoteText::LONGEST));
}

/// A document or its digits as a number, from which programs lose the leading zeros.
macro_rules! documents {
    ($($type:ty $(, $nobodys:expr)?;)+) => {
        $(impl JsonInput for $type {
            fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<$type> {
                let read = match value {
                    Value::Number(number) => <$type>::from_number(&number.to_string()),
                    _ => <$type>::parse(read_text(value, at, problems)?),
                };
                read.map_err(|rejection| problems.add(at, refusal::render_sentence(&rejection))).ok()
            }

            fn schema() -> RefOr<Schema> {
                build_text_or_integer_schema()
            }

            $(fn placeholder() -> Option<$type> {
                $nobodys
            })?
        })+
    };
}

documents! {
    Document, Some(Document::placeholder());
    Cpf;
}

fn build_text_or_integer_schema() -> RefOr<Schema> {
    let types = SchemaType::from_iter([Type::String, Type::Integer]);
    ObjectBuilder::new().schema_type(types).build().into()
}

/// A secret text, which `Debug` does not print.
#[derive(Clone, PartialEq, Eq)]
pub struct HiddenText(NoteText);

impl HiddenText {
    pub fn expose(&self) -> &str {
        self.0.as_str()
    }
}

impl std::fmt::Debug for HiddenText {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Hidden(…)")
    }
}

impl<const LONGEST: usize> JsonInput for BoundedText<LONGEST> {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<BoundedText<LONGEST>> {
        parse_text(value, at, problems, BoundedText::parse)
    }

    fn schema() -> RefOr<Schema> {
        build_string_schema().max_length(Some(LONGEST)).build().into()
    }
}

/// A day in a query, where only `14/11/2026` is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryDate(Date);

impl QueryDate {
    pub fn get(self) -> Date {
        self.0
    }
}

impl JsonInput for QueryDate {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<QueryDate> {
        // Exactly the pattern of the specification: not even surrounding spaces.
        let text = value.as_str().unwrap_or_default();
        let day = Date::from_br(text).map(QueryDate);
        if day.is_none() {
            problems.add(at, refusal::render_sentence(&Rejection::BadDate(text.to_owned())));
        }
        day
    }

    fn schema() -> RefOr<Schema> {
        build_string_schema().pattern(Some(r"^(\d{2}/\d{2}/\d{4})?$")).build().into()
    }
}

/// A date of a search for titles. A day that its month does not have means the last day of that month: a program asks
/// for 01/02 to 30/02.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LenientDate(Date);

impl LenientDate {
    pub fn get(self) -> Date {
        self.0
    }
}

impl JsonInput for LenientDate {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<LenientDate> {
        let text = value.as_str().unwrap_or_default();
        let shorter = || {
            let month = text.strip_prefix("29").or(text.strip_prefix("30")).or(text.strip_prefix("31"))?;
            ["30", "29", "28"].iter().find_map(|day| Date::from_br(&format!("{day}{month}")))
        };
        let day = Date::from_br(text).or_else(shorter).map(LenientDate);
        if day.is_none() {
            problems.add(at, refusal::render_sentence(&Rejection::BadDate(text.to_owned())));
        }
        day
    }

    fn schema() -> RefOr<Schema> {
        <QueryDate as JsonInput>::schema()
    }
}

/// A month, written `11/2026` or `2026-11`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthText(String);

impl MonthText {
    /// `2026-11`
    pub fn as_iso(&self) -> &str {
        &self.0
    }
}

impl JsonInput for MonthText {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<MonthText> {
        let text = read_text(value, at, problems)?;
        let first = Date::from_br(&format!("01/{text}")).or_else(|| Date::from_iso(&format!("{text}-01")));
        if first.is_none() {
            problems.add(at, format!("\"{text}\" não é um mês; use mês e ano, como 11/2026."));
        }
        first.map(|day| MonthText(day.to_iso_month()))
    }

    fn schema() -> RefOr<Schema> {
        build_string_schema().pattern(Some(r"^(\d{2}/\d{4}|\d{4}-\d{2})$")).build().into()
    }
}

/// A card number or the holder's document: programs use one field for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardOrDocument {
    Card(CardNumber),
    Document(Document),
}

impl JsonInput for CardOrDocument {
    /// A number is read as its digits.
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<CardOrDocument> {
        let written = match value {
            Value::Number(number) => &Value::String(number.to_string()),
            other => other,
        };
        let text = read_text(written, at, problems)?;
        let card = CardNumber::parse(text).map(CardOrDocument::Card);
        let document = || match value {
            Value::Number(_) => Document::from_number(text),
            _ => Document::parse(text),
        };
        let read = card.or_else(|_| document().map(CardOrDocument::Document)).ok();
        if read.is_none() {
            problems.add(
                at,
                format!(
                    "\"{text}\" não é um número de cartão (13 dígitos) nem um CPF ou CNPJ válido; confira os dígitos."
                ),
            );
        }
        read
    }

    fn schema() -> RefOr<Schema> {
        let types = SchemaType::from_iter([Type::String, Type::Number]);
        ObjectBuilder::new().schema_type(types).build().into()
    }
}

/// A day in the deal search, where only `2026-11-14` is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IsoQueryDate(Date);

impl IsoQueryDate {
    pub fn get(self) -> Date {
        self.0
    }
}

impl JsonInput for IsoQueryDate {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<IsoQueryDate> {
        let text = value.as_str().unwrap_or_default();
        let day = Date::from_iso(text).map(IsoQueryDate);
        if day.is_none() {
            let problem = "não é uma data do calendário; use ano, mês e dia, como 2026-11-14.";
            problems.add(at, format!("\"{text}\" {problem}"));
        }
        day
    }

    fn schema() -> RefOr<Schema> {
        build_string_schema().pattern(Some(r"^(\d{4}\-\d{2}\-\d{2})?$")).max_length(Some(10)).build().into()
    }
}

impl JsonInput for Money {
    /// A number is read from its text, never as a float. A quoted number is accepted, as for codes.
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Money> {
        let parse = |text: &str| Money::parse(text);
        match value {
            Value::Number(number) => {
                parse_text(&Value::String(trim_extra_zeros(&number.to_string())), at, problems, parse)
            }
            Value::String(_) => parse_text(value, at, problems, parse),
            _ => {
                problems.add(at, "deve ser um número, como 150.55.");
                None
            }
        }
    }

    fn schema() -> RefOr<Schema> {
        // `Money::MOST`
        let most = 9_999_999_999.99;
        ObjectBuilder::new().schema_type(Type::Number).minimum(Some(0)).maximum(Some(most)).build().into()
    }
}

/// Some programs send trailing zeros: 150.5000.
pub(crate) fn trim_extra_zeros(number: &str) -> String {
    match number.split_once('.') {
        Some((integer, decimals))
            if decimals.len() > 2 && decimals[2..].bytes().all(|digit| digit == b'0') =>
        {
            format!("{integer}.{}", &decimals[..2])
        }
        _ => number.to_owned(),
    }
}

macro_rules! codes {
    ($($code:ident: $number:ty = $get:expr;)+) => {
        $(impl JsonInput for $code {
            fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<$code> {
                <$number>::read(value, at, problems).map($get).map($code::new)
            }

            fn schema() -> RefOr<Schema> {
                <$number>::schema()
            }
        })+
    };
}

codes! {
    BranchCode: i32 = |code| code;
    GroupCode: i32 = |code| code;
    ChargingRunCode: i32 = |code| code;
    PersonCode: i32 = |code| code;
    BenefitCode: i32 = |code| code;
    SellerCode: i32 = |code| code;
    VehicleTypeCode: i32 = |code| code;
    FieldCode: i32 = |code| code;
    DependentCode: i32 = |code| code;
    UserCode: i32 = |code| code;
    ReceiverCode: i32 = |code| code;
    HistoryCode: i32 = |code| code;
    ClaimCode: i32 = |code| code;
    SupplierCode: i32 = |code| code;
    FunnelCode: i32 = |code| code;
    StageCode: i32 = |code| code;
    LeadCode: i32 = |code| code;
    DealCode: i32 = |code| code;
    ItemCode: i32 = |code| code;
    DiscountCode: i32 = |code| code;
    BenefitDiscountCode: i32 = |code| code;
    SituationCode: i32 = |code| code;
    ClaimTypeCode: i32 = |code| code;
    InspectionTypeCode: i32 = |code| code;
    TicketTypeCode: i32 = |code| code;
    SpecialtyCode: i32 = |code| code;
    ClinicCode: i32 = |code| code;
    DoctorCode: i32 = |code| code;
    ImportCode: i32 = |code| code;
    TitleCode: i32 = |code| code;
    TitleTypeCode: i32 = |code| code;
    SettlementCode: i32 = |code| code;
    CreditReceiptCode: i32 = |code| code;
    PendingChargeCode: i32 = |code| code;
    ChargeItemCode: i32 = |code| code;
    SettlementTypeCode: i32 = |code| code;
    MoneyAccountCode: i32 = |code| code;
    PlanCode: BoundedInt<0, { i32::MAX }> = BoundedInt::get;
}

/// An entity, with or without its accent.
impl JsonInput for Entity {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Entity> {
        let text = read_text(value, at, problems)?;
        let folded = fold_text(text);
        let found = Entity::ALL.into_iter().find(|one| fold_text(set_names::entity(*one)) == folded);
        if found.is_none() {
            problems.add(at, describe_allowed(text, Entity::ALL.map(set_names::entity)));
        }
        found
    }

    fn schema() -> RefOr<Schema> {
        build_string_schema().enum_values(Some(Entity::ALL.map(set_names::entity))).build().into()
    }
}

/// A member of a fixed set, by its exact name.
impl<T: NamedSet> JsonInput for T {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<T> {
        let text = read_text(value, at, problems)?;
        let member = T::from_name(text);
        if member.is_none() {
            problems.add(at, describe_allowed(text, T::NAMES.iter().map(|(name, _)| *name)));
        }
        member
    }

    fn means_none(value: &Value) -> bool {
        value.as_str().is_some_and(T::is_unknown)
    }

    fn schema() -> RefOr<Schema> {
        let names = T::NAMES.iter().chain(T::OTHER_NAMES).map(|(name, _)| *name);
        build_string_schema().enum_values(Some(names.chain(T::UNKNOWN.iter().copied()))).build().into()
    }
}

/// A member of a fixed set by its name in a search, ignoring case and accents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LenientMember<T>(pub T);

impl<T: NamedSet> JsonInput for LenientMember<T> {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<LenientMember<T>> {
        let text = read_text(value, at, problems)?;
        let folded = fold_text(text);
        let name =
            T::NAMES.iter().map(|(name, _)| *name).find(|name| fold_text(name) == folded).unwrap_or(text);
        T::read(&Value::String(name.to_owned()), at, problems).map(LenientMember)
    }

    fn schema() -> RefOr<Schema> {
        T::schema()
    }
}

/// The text for a value that is not in a fixed set.
pub(crate) fn describe_allowed<'a>(text: &str, allowed: impl IntoIterator<Item = &'a str>) -> String {
    let allowed: Vec<&str> = allowed.into_iter().collect();
    format!("\"{text}\" não é um valor aceito; use {}.", join_alternatives(&allowed))
}

/// `a, b ou c`
fn join_alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} ou {last}", most.join(", ")),
    }
}
