//! How the value types of `domain` are read, and what their schema says. Each refuses in its own words.

use super::values::{string, text};
use super::{At, Between, Problems, Read};
use crate::names::{self, Named};
use crate::refusal;
use domain::{
    BenefitCode, BranchCode, CardNumber, Cep, Chassis, ClaimCode, Colour, Cpf, Date, DealCode, DependentCode,
    Document, Email, Entity, Field, FieldCode, FunnelCode, HistoryCode, HistoryCursor, Host, ItemCode,
    LeadCode, Money, Name, Network, Note, PersonCode, Phone, PlanCode, Plate, ReceiverAddress, ReceiverCode,
    Rejection, SellerCode, Since, StageCode, SupplierCode, Text, TimeZone, Uf, UserCode, VehicleTypeCode,
    fold,
};
use domain::{
    ClaimTypeCode, ClinicCode, DoctorCode, ImportCode, InspectionTypeCode, SituationCode, SpecialtyCode,
    TicketTypeCode, When,
};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};

/// The value that its own `parse` makes of the text, or why it makes none.
fn parsed<T>(
    value: &Value,
    at: &At<'_>,
    problems: &mut Problems,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Option<T> {
    let text = text(value, at, problems)?;
    parse(text).map_err(|rejection| problems.add(at, refusal::sentence(&rejection))).ok()
}

/// A day in either form, perhaps with a time, perhaps with its offset.
const SINCE: &str = r"^(\d{2}/\d{2}/\d{4}|\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?)?$";

/// A value type that is read from a text by its `parse`, the schema of that text, and one that is nobody's.
macro_rules! texts {
    ($($type:ty: $parse:expr, $schema:expr $(, $nobodys:expr)?;)+) => {
        $(impl Read for $type {
            fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<$type> {
                parsed(value, at, problems, $parse)
            }

            fn schema() -> RefOr<Schema> {
                $schema.build().into()
            }

            $(fn nobodys() -> Option<$type> {
                $nobodys
            })?
        })+
    };
}

texts! {
    Name: |text| Name::parse(Field::Name, text), string().min_length(Some(1)).max_length(Some(Name::LONGEST)),
        Name::parse(Field::Name, "Ninguém").ok();
    Email: Email::parse, string().format(Some(SchemaFormat::KnownFormat(KnownFormat::Email))).max_length(Some(254));
    Document: Document::parse, string(), Some(Document::nobodys());
    Cpf: Cpf::parse, string();
    Phone: Phone::parse, string();
    Cep: Cep::parse, string().pattern(Some(r"^\d{5}-?\d{3}$"));
    Uf: Uf::parse, string().enum_values(Some(Uf::NAMES));
    Date: Date::parse, string().pattern(Some(r"^(\d{2}/\d{2}/\d{4}|\d{4}-\d{2}-\d{2})$"));
    When: When::parse, string();
    Since: Since::parse, string().pattern(Some(SINCE));
    Plate: Plate::parse, string();
    Chassis: Chassis::parse, string().max_length(Some(Chassis::LONGEST));
    CardNumber: CardNumber::parse, string().pattern(Some(r"^\d{4} ?\d{2} ?\d ?\d{3} ?\d{3}$"));
    ReceiverAddress: ReceiverAddress::parse, string().max_length(Some(ReceiverAddress::LONGEST));
    Note: Note::parse, string().max_length(Some(Note::LONGEST));
    HistoryCursor: HistoryCursor::parse, string().pattern(Some(r"^\d{1,10}(-[0-9a-f]{12})?$"));
    Host: Host::parse, string().max_length(Some(253));
    TimeZone: TimeZone::parse, string();
    Network: Network::parse, string();
    Colour: Colour::parse, string().pattern(Some("^#?[0-9A-Fa-f]{6}$"));
    Hidden: |text| Note::parse(text).map(Hidden), string().max_length(Some(Note::LONGEST));
}

/// A text that is nobody's to read, and so cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(Note);

impl Hidden {
    pub fn expose(&self) -> &str {
        self.0.as_str()
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Hidden(…)")
    }
}

impl<const LONGEST: usize> Read for Text<LONGEST> {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Text<LONGEST>> {
        parsed(value, at, problems, Text::parse)
    }

    fn schema() -> RefOr<Schema> {
        string().max_length(Some(LONGEST)).build().into()
    }
}

/// A day in a query, where only `14/11/2026` is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryDate(Date);

impl QueryDate {
    pub fn get(self) -> Date {
        self.0
    }
}

impl Read for QueryDate {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<QueryDate> {
        // To the letter of the interface's pattern: not even a blank around it.
        let text = value.as_str().unwrap_or_default();
        let day = Date::from_br(text).map(QueryDate);
        if day.is_none() {
            problems.add(at, refusal::sentence(&Rejection::BadDate(text.to_owned())));
        }
        day
    }

    fn schema() -> RefOr<Schema> {
        string().pattern(Some(r"^(\d{2}/\d{2}/\d{4})?$")).build().into()
    }
}

/// A card, or the document of its holder: programs have one field for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardOrDocument {
    Card(CardNumber),
    Document(Document),
}

impl Read for CardOrDocument {
    /// A number counts as its digits.
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<CardOrDocument> {
        let written = match value {
            Value::Number(number) => &Value::String(number.to_string()),
            other => other,
        };
        let text = text(written, at, problems)?;
        let card = CardNumber::parse(text).map(CardOrDocument::Card);
        let read = card.or_else(|_| Document::parse(text).map(CardOrDocument::Document)).ok();
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

/// A day in the search of deals, where only `2026-11-14` is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IsoQueryDate(Date);

impl IsoQueryDate {
    pub fn get(self) -> Date {
        self.0
    }
}

impl Read for IsoQueryDate {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<IsoQueryDate> {
        let text = value.as_str().unwrap_or_default();
        let day = Date::from_iso(text).map(IsoQueryDate);
        if day.is_none() {
            let told = "não é uma data do calendário; use ano, mês e dia, como 2026-11-14.";
            problems.add(at, format!("\"{text}\" {told}"));
        }
        day
    }

    fn schema() -> RefOr<Schema> {
        string().pattern(Some(r"^(\d{4}\-\d{2}\-\d{2})?$")).max_length(Some(10)).build().into()
    }
}

impl Read for Money {
    /// A number counts as it was written, never as a float. In quotes it is the number it is, as with codes.
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Money> {
        let parse = |text: &str| Money::parse(text);
        match value {
            Value::Number(number) => {
                parsed(&Value::String(without_more_zeros(&number.to_string())), at, problems, parse)
            }
            Value::String(_) => parsed(value, at, problems, parse),
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

/// Some programs write out the decimals that they reckon with: 150.5000.
fn without_more_zeros(number: &str) -> String {
    match number.split_once('.') {
        Some((whole, decimals)) if decimals.len() > 2 && decimals[2..].bytes().all(|digit| digit == b'0') => {
            format!("{whole}.{}", &decimals[..2])
        }
        _ => number.to_owned(),
    }
}

macro_rules! codes {
    ($($code:ident: $number:ty = $get:expr;)+) => {
        $(impl Read for $code {
            fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<$code> {
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
    SituationCode: i32 = |code| code;
    ClaimTypeCode: i32 = |code| code;
    InspectionTypeCode: i32 = |code| code;
    TicketTypeCode: i32 = |code| code;
    SpecialtyCode: i32 = |code| code;
    ClinicCode: i32 = |code| code;
    DoctorCode: i32 = |code| code;
    ImportCode: i32 = |code| code;
    PlanCode: Between<0, { i32::MAX }> = Between::get;
}

/// An entity, which people write without its accent too.
impl Read for Entity {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Entity> {
        let text = text(value, at, problems)?;
        let folded = fold(text);
        let found = Entity::ALL.into_iter().find(|one| fold(names::entity(*one)) == folded);
        if found.is_none() {
            problems.add(at, one_of(text, Entity::ALL.map(names::entity)));
        }
        found
    }

    fn schema() -> RefOr<Schema> {
        string().enum_values(Some(Entity::ALL.map(names::entity))).build().into()
    }
}

/// A member of a fixed set, by its exact name.
impl<T: Named> Read for T {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<T> {
        let text = text(value, at, problems)?;
        let member = T::from_name(text);
        if member.is_none() {
            problems.add(at, one_of(text, T::NAMES.iter().map(|(name, _)| *name)));
        }
        member
    }

    fn schema() -> RefOr<Schema> {
        string().enum_values(Some(T::NAMES.iter().map(|(name, _)| *name))).build().into()
    }
}

/// A member of a fixed set by its name in a search, where neither case nor accents count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loosely<T>(pub T);

impl<T: Named> Read for Loosely<T> {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Loosely<T>> {
        let given = text(value, at, problems)?;
        let folded = fold(given);
        let name = T::NAMES.iter().map(|(name, _)| *name).find(|name| fold(name) == folded).unwrap_or(given);
        T::read(&Value::String(name.to_owned()), at, problems).map(Loosely)
    }

    fn schema() -> RefOr<Schema> {
        T::schema()
    }
}

/// What a value that is none of a fixed set is told.
pub(crate) fn one_of<'a>(given: &str, allowed: impl IntoIterator<Item = &'a str>) -> String {
    let allowed: Vec<&str> = allowed.into_iter().collect();
    format!("\"{given}\" não é um valor aceito; use {}.", listed(&allowed))
}

/// `a, b ou c`
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} ou {last}", most.join(", ")),
    }
}
