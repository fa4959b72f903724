//! BR Codes: the text inside the QR code of a Pix, which people also copy and paste. The fields are those of the EMV
//! standard for codes that a merchant shows, as the Central Bank's manual uses them: two digits of identifier, two of
//! length, the content; a template's content is such fields again.

use crate::pix_key::PixKey;
use domain::{Money, fold_text};

const PIX: &str = "br.gov.bcb.pix";
/// What a code without an identifier of its own has in its place.
const NO_TXID: &str = "***";
/// The longest content of a field.
const LONGEST_CONTENT: usize = 99;
/// Identifier and length of the checksum, which it covers.
const CHECKSUM_HEAD: &str = "6304";

mod field {
    pub const FORMAT: u8 = 0;
    pub const INITIATION: u8 = 1;
    pub const PIX_ACCOUNT: u8 = 26;
    pub const LAST_ACCOUNT: u8 = 51;
    pub const CATEGORY: u8 = 52;
    pub const CURRENCY: u8 = 53;
    pub const AMOUNT: u8 = 54;
    pub const COUNTRY: u8 = 58;
    pub const NAME: u8 = 59;
    pub const CITY: u8 = 60;
    pub const ADDITIONAL: u8 = 62;
    pub const CHECKSUM: u8 = 63;
    // Inside the account.
    pub const DOMAIN: u8 = 0;
    pub const KEY: u8 = 1;
    pub const DESCRIPTION: u8 = 2;
    pub const LOCATION: u8 = 25;
    // Inside the additional data.
    pub const TXID: u8 = 5;
}

/// Why a text is no BR Code of a Pix, or a code cannot be written as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrCodeProblem {
    /// The text is not a sequence of fields.
    Malformed,
    WrongChecksum,
    /// It is a code of another kind of payment.
    NotPix,
    /// The field of this identifier is missing or not as it should be.
    BadField(u8),
    /// Key and description do not fit into one field.
    TooLong,
}

/// A text of a code, at most `LONGEST` characters: ASCII in upper case, without accents and repeated blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainCodeText<const LONGEST: usize>(String);

impl<const LONGEST: usize> PlainCodeText<LONGEST> {
    /// Takes the accents off. `None` if nothing is left, or too much.
    pub fn parse(text: &str) -> Option<PlainCodeText<LONGEST>> {
        let is_plain = |letter: &char| *letter == ' ' || letter.is_ascii_graphic();
        let plain: String = fold_text(text).chars().filter(is_plain).collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let plain = words.join(" ").to_ascii_uppercase();
        (1..=LONGEST).contains(&plain.len()).then_some(PlainCodeText(plain))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

pub type ReceiverName = PlainCodeText<25>;
pub type ReceiverCity = PlainCodeText<15>;
pub type CodeDescription = PlainCodeText<72>;

/// The identifier of a static code: up to 25 letters and digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticTxid(String);

impl StaticTxid {
    pub const LONGEST: usize = 25;

    pub fn parse(text: &str) -> Option<StaticTxid> {
        let is_sound = (1..=StaticTxid::LONGEST).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_sound.then(|| StaticTxid(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where the payer's bank fetches a dynamic code from, without `https://`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixLocation(String);

impl PixLocation {
    pub const LONGEST: usize = 77;

    pub fn parse(text: &str) -> Option<PixLocation> {
        let is_sound = (1..=PixLocation::LONGEST).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic())
            && !text.contains("://");
        is_sound.then(|| PixLocation(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A code that anybody who has a key can write: it can be paid at any time and several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticBrCode {
    pub key: PixKey,
    pub description: Option<CodeDescription>,
    pub amount: Option<Money>,
    pub name: ReceiverName,
    pub city: ReceiverCity,
    pub txid: Option<StaticTxid>,
}

/// A code of a charge that a bank registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicBrCode {
    pub location: PixLocation,
    pub name: ReceiverName,
    pub city: ReceiverCity,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrCode {
    Static(StaticBrCode),
    Dynamic(DynamicBrCode),
}

impl StaticBrCode {
    /// The text of the code, to copy or to draw.
    pub fn build_text(&self) -> Result<String, BrCodeProblem> {
        let mut account = FieldWriter::default();
        account.push(field::DOMAIN, PIX);
        account.push(field::KEY, self.key.as_str());
        if let Some(description) = &self.description {
            account.push(field::DESCRIPTION, description.as_str());
        }
        if account.0.len() > LONGEST_CONTENT {
            return Err(BrCodeProblem::TooLong);
        }
        let mut code = FieldWriter::default();
        code.push(field::FORMAT, "01");
        code.push(field::PIX_ACCOUNT, &account.0);
        let amount = self.amount.map(|amount| format_amount(amount.cents()));
        let txid = self.txid.as_ref().map_or(NO_TXID, StaticTxid::as_str);
        Ok(code.finish(amount.as_deref(), (self.name.as_str(), self.city.as_str()), txid))
    }
}

impl DynamicBrCode {
    /// The text of the code, to copy or to draw.
    pub fn build_text(&self) -> String {
        let mut account = FieldWriter::default();
        account.push(field::DOMAIN, PIX);
        account.push(field::LOCATION, self.location.as_str());
        let mut code = FieldWriter::default();
        code.push(field::FORMAT, "01");
        // It is paid once.
        code.push(field::INITIATION, "12");
        code.push(field::PIX_ACCOUNT, &account.0);
        code.finish(None, (self.name.as_str(), self.city.as_str()), NO_TXID)
    }
}

#[derive(Default)]
struct FieldWriter(String);

impl FieldWriter {
    /// The content is ASCII and not longer than a field.
    fn push(&mut self, id: u8, content: &str) {
        self.0.push_str(&format!("{id:02}{:02}{content}", content.len()));
    }

    /// Adds what all codes have, and the checksum.
    fn finish(mut self, amount: Option<&str>, (name, city): (&str, &str), txid: &str) -> String {
        self.push(field::CATEGORY, "0000");
        self.push(field::CURRENCY, "986");
        if let Some(amount) = amount {
            self.push(field::AMOUNT, amount);
        }
        self.push(field::COUNTRY, "BR");
        self.push(field::NAME, name);
        self.push(field::CITY, city);
        let mut additional = FieldWriter::default();
        additional.push(field::TXID, txid);
        self.push(field::ADDITIONAL, &additional.0);
        self.0.push_str(CHECKSUM_HEAD);
        let checksum = compute_crc16(self.0.as_bytes());
        self.0.push_str(&format!("{checksum:04X}"));
        self.0
    }
}

/// `101.20`
fn format_amount(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Digits with at most two decimals, as cents.
fn parse_amount(text: &str) -> Option<Money> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(decimals) || decimals.len() > 2 {
        return None;
    }
    let cents: i64 = format!("{whole}{decimals:0<2}").parse().ok()?;
    Money::from_stored_cents(cents)
}

impl BrCode {
    /// Reads the code of a Pix. Fields that do not concern a Pix are ignored.
    pub fn parse(text: &str) -> Result<BrCode, BrCodeProblem> {
        let text = text.trim();
        check_checksum(text)?;
        let code = read_fields(text)?;
        let require = |id: u8| find_field(&code, id).ok_or(BrCodeProblem::BadField(id));
        let account = find_pix_account(&code)?;
        if require(field::CURRENCY)? != "986" {
            return Err(BrCodeProblem::BadField(field::CURRENCY));
        }
        let name = ReceiverName::parse(require(field::NAME)?);
        let name = name.ok_or(BrCodeProblem::BadField(field::NAME))?;
        let city = ReceiverCity::parse(require(field::CITY)?);
        let city = city.ok_or(BrCodeProblem::BadField(field::CITY))?;
        if let Some(location) = find_field(&account, field::LOCATION) {
            let location = PixLocation::parse(location).ok_or(BrCodeProblem::BadField(field::PIX_ACCOUNT))?;
            return Ok(BrCode::Dynamic(DynamicBrCode { location, name, city }));
        }
        let read_amount = |text| parse_amount(text).ok_or(BrCodeProblem::BadField(field::AMOUNT));
        let read_description =
            |text| CodeDescription::parse(text).ok_or(BrCodeProblem::BadField(field::PIX_ACCOUNT));
        let key = find_field(&account, field::KEY).and_then(PixKey::parse);
        Ok(BrCode::Static(StaticBrCode {
            key: key.ok_or(BrCodeProblem::BadField(field::PIX_ACCOUNT))?,
            description: find_field(&account, field::DESCRIPTION).map(read_description).transpose()?,
            amount: find_field(&code, field::AMOUNT).map(read_amount).transpose()?,
            name,
            city,
            txid: read_txid(&code)?,
        }))
    }
}

/// The checksum is the last field.
fn check_checksum(text: &str) -> Result<(), BrCodeProblem> {
    if !text.is_ascii() || text.len() < 8 {
        return Err(BrCodeProblem::Malformed);
    }
    let (covered, checksum) = text.split_at(text.len() - 4);
    if !covered.ends_with(CHECKSUM_HEAD) {
        return Err(BrCodeProblem::BadField(field::CHECKSUM));
    }
    let told = u16::from_str_radix(checksum, 16).map_err(|_| BrCodeProblem::BadField(field::CHECKSUM))?;
    if told == compute_crc16(covered.as_bytes()) { Ok(()) } else { Err(BrCodeProblem::WrongChecksum) }
}

fn read_fields(mut text: &str) -> Result<Vec<(u8, &str)>, BrCodeProblem> {
    let mut fields = Vec::new();
    while !text.is_empty() {
        let head = text.get(..4).filter(|head| head.bytes().all(|byte| byte.is_ascii_digit()));
        let head = head.ok_or(BrCodeProblem::Malformed)?;
        let number = |digits: &str| digits.parse::<u8>().map_err(|_| BrCodeProblem::Malformed);
        let (id, length) = (number(&head[..2])?, usize::from(number(&head[2..])?));
        let content = text.get(4..4 + length).ok_or(BrCodeProblem::Malformed)?;
        if find_field(&fields, id).is_some() {
            return Err(BrCodeProblem::BadField(id));
        }
        fields.push((id, content));
        text = &text[4 + length..];
    }
    Ok(fields)
}

fn find_field<'t>(fields: &[(u8, &'t str)], id: u8) -> Option<&'t str> {
    fields.iter().find(|(one, _)| *one == id).map(|(_, content)| *content)
}

/// A code may be for several kinds of payment, each with its account.
fn find_pix_account<'t>(code: &[(u8, &'t str)]) -> Result<Vec<(u8, &'t str)>, BrCodeProblem> {
    let accounts = code.iter().filter(|(id, _)| (field::PIX_ACCOUNT..=field::LAST_ACCOUNT).contains(id));
    let mut read = accounts.filter_map(|(_, content)| read_fields(content).ok());
    let is_pix = |account: &Vec<(u8, &str)>| {
        find_field(account, field::DOMAIN).is_some_and(|domain| domain.eq_ignore_ascii_case(PIX))
    };
    read.find(is_pix).ok_or(BrCodeProblem::NotPix)
}

fn read_txid(code: &[(u8, &str)]) -> Result<Option<StaticTxid>, BrCodeProblem> {
    let Some(additional) = find_field(code, field::ADDITIONAL) else { return Ok(None) };
    let additional = read_fields(additional)?;
    let Some(txid) = find_field(&additional, field::TXID).filter(|txid| *txid != NO_TXID) else {
        return Ok(None);
    };
    StaticTxid::parse(txid).map(Some).ok_or(BrCodeProblem::BadField(field::ADDITIONAL))
}

/// CRC-16 with the polynomial 1021 from FFFF (CCITT-FALSE).
pub fn compute_crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc: u16, byte| {
        let start = crc ^ (u16::from(*byte) << 8);
        (0..8).fold(start, |crc, _| if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VECTOR: &str = "00020126380014br.gov.bcb.pix0111123456789090201x5204000053039865406101.205802BR5912ASSOC AMPARO6007GOIANIA62100506TIT1236304C7E1";

    fn vector() -> StaticBrCode {
        StaticBrCode {
            key: PixKey::parse("123.456.789-09").unwrap(),
            description: None,
            amount: Money::from_stored_cents(10_120),
            name: ReceiverName::parse("Assoc Amparo").unwrap(),
            city: ReceiverCity::parse("Goiânia").unwrap(),
            txid: StaticTxid::parse("TIT123"),
        }
    }

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(compute_crc16(b"123456789"), 0x29B1);
        assert!(VECTOR.ends_with(&format!("{:04X}", compute_crc16(&VECTOR.as_bytes()[..VECTOR.len() - 4]))));
    }

    #[test]
    fn the_vector_is_read_and_written() {
        let described = StaticBrCode { description: CodeDescription::parse("x"), ..vector() };
        assert_eq!(BrCode::parse(VECTOR), Ok(BrCode::Static(described.clone())));
        // Descriptions are written in upper case.
        let written = described.build_text().unwrap();
        assert_eq!(written[..written.len() - 4].replace("0201X", "0201x"), VECTOR[..VECTOR.len() - 4]);
        assert_eq!(BrCode::parse(&written), Ok(BrCode::Static(described)));
    }

    #[test]
    fn names_lose_their_accents_and_their_case() {
        let name = ReceiverName::parse("  Associação  de Proteção\t").unwrap();
        assert_eq!(name.as_str(), "ASSOCIACAO DE PROTECAO");
        assert_eq!(ReceiverCity::parse("São José – SC").unwrap().as_str(), "SAO JOSE SC");
        assert_eq!(ReceiverName::parse(" ŁØ "), None);
        assert_eq!(ReceiverCity::parse("São José dos Campos"), None, "19 letters");
    }

    #[test]
    fn a_code_that_is_not_right_is_refused() {
        let with_checksum = |text: &str| {
            let covered = format!("{text}{CHECKSUM_HEAD}");
            let checksum = compute_crc16(covered.as_bytes());
            format!("{covered}{checksum:04X}")
        };
        let bare = &VECTOR[..VECTOR.len() - 8];
        assert_eq!(with_checksum(bare), VECTOR);
        for (text, problem) in [
            (VECTOR.replace("101.20", "101.30"), BrCodeProblem::WrongChecksum),
            (VECTOR[..VECTOR.len() - 1].to_owned(), BrCodeProblem::BadField(field::CHECKSUM)),
            (VECTOR.replace("AMPARO", "AMPÁRO"), BrCodeProblem::Malformed),
            (String::new(), BrCodeProblem::Malformed),
            (with_checksum("0002"), BrCodeProblem::Malformed),
            (with_checksum(&bare.replace("bcb.pix", "bcb.pux")), BrCodeProblem::NotPix),
            (with_checksum(&bare.replace("5303986", "5303840")), BrCodeProblem::BadField(53)),
            (with_checksum(&bare.replace("101.20", "101,20")), BrCodeProblem::BadField(54)),
            (with_checksum(&bare.replace("12345678909", "12345678900")), BrCodeProblem::BadField(26)),
            (with_checksum(&bare.replace("TIT123", "TIT-23")), BrCodeProblem::BadField(62)),
            (with_checksum(&format!("{bare}5802BR")), BrCodeProblem::BadField(58)),
        ] {
            assert_eq!(BrCode::parse(&text), Err(problem), "{text}");
        }
    }

    #[test]
    fn key_and_description_share_one_field() {
        let long = format!("{}@demo.example", "a".repeat(64));
        let code = StaticBrCode { key: PixKey::parse(&long).unwrap(), ..vector() };
        assert!(code.build_text().is_ok());
        let described = StaticBrCode { description: CodeDescription::parse("A"), ..code };
        assert_eq!(described.build_text(), Err(BrCodeProblem::TooLong));
    }

    fn keys() -> impl Strategy<Value = PixKey> {
        let texts = prop_oneof![
            "[a-z0-9.+_-]{1,20}@[a-z]{1,10}\\.example",
            "\\+55[1-9]{2}9[0-9]{8}",
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            Just("12345678909".to_owned()),
            Just("12ABC34501DE35".to_owned()),
        ];
        texts.prop_filter_map("no key", |text| PixKey::parse(&text))
    }

    fn plain_texts<const LONGEST: usize>() -> impl Strategy<Value = PlainCodeText<LONGEST>> {
        "[ -~à-ü]{1,15}".prop_filter_map("nothing is left", |text| PlainCodeText::parse(&text))
    }

    prop_compose! {
        fn static_codes()(
            key in keys(),
            description in proptest::option::of(plain_texts::<72>()),
            cents in proptest::option::of(0..=Money::MOST.cents()),
            name in plain_texts::<25>(),
            city in plain_texts::<15>(),
            txid in proptest::option::of("[A-Za-z0-9]{1,25}"),
        ) -> StaticBrCode {
            StaticBrCode {
                key,
                description,
                amount: cents.and_then(Money::from_stored_cents),
                name,
                city,
                txid: txid.and_then(|text| StaticTxid::parse(&text)),
            }
        }
    }

    proptest! {
        #[test]
        fn a_static_code_is_read_as_it_was_written(code in static_codes()) {
            let text = code.build_text().unwrap();
            prop_assert_eq!(BrCode::parse(&text), Ok(BrCode::Static(code)));
        }

        #[test]
        fn a_dynamic_code_is_read_as_it_was_written(
            address in "[a-z0-9./-]{1,77}",
            name in plain_texts::<25>(),
            city in plain_texts::<15>(),
        ) {
            let location = PixLocation::parse(&address).unwrap();
            let code = DynamicBrCode { location, name, city };
            let text = code.build_text();
            prop_assert!(text.contains("62070503***6304"));
            prop_assert_eq!(BrCode::parse(&text), Ok(BrCode::Dynamic(code)));
        }

        #[test]
        fn a_letter_that_changes_is_noticed(code in static_codes(), at in 0..60_usize) {
            let mut bytes = code.build_text().unwrap().into_bytes();
            bytes[at] ^= 1;
            let text = String::from_utf8(bytes).unwrap();
            prop_assert!(BrCode::parse(&text).is_err());
        }

        #[test]
        fn no_text_makes_it_panic(text in "[ -~]{0,80}|\\PC{0,40}") {
            let _ = BrCode::parse(&text);
        }
    }
}
