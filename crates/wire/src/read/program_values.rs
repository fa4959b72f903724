//! Values as programs write them to `/ext/financeiro`: in any form that has one meaning alone. The management API takes
//! the plain types.

use super::values::{build_string_schema, read_text};
use super::{FieldPath, InputProblems, JsonInput};
use domain::{BoundedText, Date, Money, NoteText, WrittenMoment};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// An amount: a number, also with the noise of a float, or a text, also with a decimal comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramAmount(Money);

impl ProgramAmount {
    pub fn get(self) -> Money {
        self.0
    }
}

impl JsonInput for ProgramAmount {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<ProgramAmount> {
        let plain = match value {
            Value::Number(number) => {
                let text = number.to_string();
                remove_float_noise(&text).unwrap_or(text)
            }
            Value::String(_) => {
                let text = read_text(value, at, problems)?;
                if is_ambiguous_amount(text) {
                    let rule = "use ponto antes dos centavos e nada entre os milhares, como 1299.00.";
                    problems.add(at, format!("\"{text}\" pode ser lido de dois modos; {rule}"));
                    return None;
                }
                let plain = replace_decimal_comma(text).or_else(|| remove_float_noise(text));
                plain.unwrap_or_else(|| text.to_owned())
            }
            _ => return Money::read(value, at, problems).map(ProgramAmount),
        };
        Money::read(&Value::String(plain), at, problems).map(ProgramAmount)
    }

    fn schema() -> RefOr<Schema> {
        match <Money as JsonInput>::schema() {
            RefOr::T(Schema::Object(mut number)) => {
                number.schema_type = SchemaType::from_iter([Type::Number, Type::String]);
                number.pattern = Some(WRITTEN_AMOUNT.to_owned());
                number.into()
            }
            other => other,
        }
    }
}

/// An amount as a text.
const WRITTEN_AMOUNT: &str = r"^(\d{1,3}(\.\d{3})+,\d{1,2}|\d+,\d{1,2}|\d+(\.\d+)?)$";

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether three digits after the only sign may be thousands or decimals: `1,299` and `1.299`.
fn is_ambiguous_amount(text: &str) -> bool {
    let Some((before, after)) = text.split_once(['.', ',']) else { return false };
    let may_be_thousands = before.len() <= 3 && !before.starts_with('0');
    may_be_thousands && after.len() == 3 && is_digits(before) && is_digits(after)
}

/// `129,90` and `1.299,90` with a decimal point.
fn replace_decimal_comma(text: &str) -> Option<String> {
    let (reais, cents) = text.split_once(',')?;
    let (first, groups) = reais.split_once('.').unwrap_or((reais, ""));
    let is_grouped = groups.is_empty()
        || first.len() <= 3 && groups.split('.').all(|group| group.len() == 3 && is_digits(group));
    let is_amount = is_digits(first) && is_grouped && is_digits(cents) && cents.len() <= 2;
    (is_amount && !reais.ends_with('.')).then(|| format!("{}.{cents}", reais.replace('.', "")))
}

/// The amount to the cent, if it is within a thousandth of one.
fn remove_float_noise(text: &str) -> Option<String> {
    let (reais, decimals) = text.split_once('.')?;
    if !is_digits(reais) || !is_digits(decimals) || decimals.len() < 3 {
        return None;
    }
    let (cents, rest) = decimals.split_at(2);
    let cents: i64 = format!("{reais}{cents}").parse().ok()?;
    let (thousandths, beyond) = rest.split_at(rest.len().min(3));
    let is_exact = beyond.bytes().all(|digit| digit == b'0');
    let cents = match format!("{thousandths:0<3}").as_str() {
        "000" => cents,
        "001" if is_exact => cents,
        "999" => cents.checked_add(1)?,
        _ => return None,
    };
    Some(format!("{}.{:02}", cents / 100, cents % 100))
}

/// A day, also with a time, which does not count: the day is the one that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramDate(Date);

impl ProgramDate {
    pub fn get(self) -> Date {
        self.0
    }
}

impl JsonInput for ProgramDate {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<ProgramDate> {
        let text = read_text(value, at, problems)?;
        let day = match WrittenMoment::parse(text) {
            Ok(_) => text.split(['T', ' ']).next().unwrap_or(text),
            Err(_) => text,
        };
        Date::read(&Value::String(day.to_owned()), at, problems).map(ProgramDate)
    }

    fn schema() -> RefOr<Schema> {
        build_string_schema().pattern(Some(DAY_OR_MOMENT)).build().into()
    }
}

/// A day in either format, optionally with a time and an offset.
const DAY_OR_MOMENT: &str =
    r"^(\d{2}/\d{2}/\d{4}|\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$";

/// One line of text, which may come as a number or with line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramLine<const LONGEST: usize>(BoundedText<LONGEST>);

impl<const LONGEST: usize> ProgramLine<LONGEST> {
    pub fn into_string(self) -> String {
        self.0.into_string()
    }
}

impl<const LONGEST: usize> JsonInput for ProgramLine<LONGEST> {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<ProgramLine<LONGEST>> {
        let text = read_text_or_number(value, at, problems)?;
        BoundedText::read(&Value::String(join_lines(&text)), at, problems).map(ProgramLine)
    }

    fn schema() -> RefOr<Schema> {
        build_text_or_number_schema(LONGEST)
    }
}

/// A note, which may come as a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramNote(NoteText);

impl ProgramNote {
    pub fn into_string(self) -> String {
        self.0.into_string()
    }
}

impl JsonInput for ProgramNote {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<ProgramNote> {
        let text = read_text_or_number(value, at, problems)?;
        NoteText::read(&Value::String(text), at, problems).map(ProgramNote)
    }

    fn schema() -> RefOr<Schema> {
        build_text_or_number_schema(NoteText::LONGEST)
    }
}

fn read_text_or_number(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<String> {
    match value {
        // The number's original text, to the last digit.
        Value::Number(number) => Some(number.to_string()),
        Value::String(_) => read_text(value, at, problems).map(str::to_owned),
        _ => {
            problems.add(at, "deve ser um texto, entre aspas, ou um número.");
            None
        }
    }
}

fn build_text_or_number_schema(longest: usize) -> RefOr<Schema> {
    let types = SchemaType::from_iter([Type::String, Type::Number]);
    ObjectBuilder::new().schema_type(types).max_length(Some(longest)).build().into()
}

/// Each line break or tab, with the blanks around it, becomes one blank.
fn join_lines(text: &str) -> String {
    let lines = text.split(|letter: char| letter.is_control() && letter.is_whitespace()).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read<T: JsonInput>(value: &str) -> Result<T, Vec<String>> {
        let value: Value = serde_json::from_str(value).unwrap();
        let mut problems = InputProblems::default();
        let read = T::read(&value, &FieldPath::Field(&FieldPath::Root, "campo"), &mut problems);
        read.ok_or_else(|| problems.into_lines())
    }

    #[test]
    fn an_amount_is_read_in_every_form_that_has_one_meaning() {
        for (written, cents) in [
            ("129.9", 12_990),
            ("129.9000", 12_990),
            ("129.90000000000001", 12_990),
            ("129.89999999999998", 12_990),
            ("129.90001", 12_990),
            ("0.99999999", 100),
            ("1299", 129_900),
            (r#""129.90""#, 12_990),
            (r#"" 129,90 ""#, 12_990),
            (r#""129,9""#, 12_990),
            (r#""1299,90""#, 129_990),
            (r#""1.299,90""#, 129_990),
            (r#""1.234.567,89""#, 123_456_789),
            (r#""129.90000000000001""#, 12_990),
            (r#""1299.900""#, 129_990),
            (r#""0.500""#, 50),
        ] {
            assert_eq!(read::<ProgramAmount>(written).map(|one| one.get().cents()), Ok(cents), "{written}");
        }
    }

    #[test]
    fn an_amount_is_never_guessed() {
        for written in [r#""1,299""#, r#""1.299""#, r#""129.900""#] {
            let refused = read::<ProgramAmount>(written).unwrap_err();
            assert!(refused[0].starts_with("campo: ") && refused[0].contains("dois modos"), "{refused:?}");
        }
        for written in [
            "0.001",
            "101.205",
            "129.90002",
            "129.89998",
            "129.9000100000001",
            "-1",
            "-129.90000000000001",
            "1e2",
            "9999999999.9999999",
            "99999999999999999999.000",
            r#""1.2999,90""#,
            r#""1.29,90""#,
            r#""1299.,90""#,
            r#""1234.567,89""#,
            r#""1,299.90""#,
            r#""129,905""#,
            r#"",90""#,
            r#""R$ 129,90""#,
            "true",
            "{}",
        ] {
            let refused = read::<ProgramAmount>(written).unwrap_err();
            assert!(refused.len() == 1 && refused[0].starts_with("campo: "), "{written}: {refused:?}");
        }
    }

    #[test]
    fn a_day_is_the_one_that_is_written_whatever_the_time() {
        for written in [
            "2026-11-10",
            "10/11/2026",
            "2026-11-10T00:00:00",
            "2026-11-10 00:00",
            "2026-11-10T23:59:59Z",
            "2026-11-10T00:00:00.000Z",
            "2026-11-10T00:00:00-03:00",
            "2026-11-10T00:00:00.1234567+00:00",
            "10/11/2026 00:00:00",
        ] {
            let read = read::<ProgramDate>(&json!(written).to_string());
            assert_eq!(read.map(|day| day.get().to_iso()).as_deref(), Ok("2026-11-10"), "{written}");
        }
        for bad in
            ["2026-02-30T00:00:00", "2026-11-10T", "2026-11-10T25:00", "2026-11-10 à tarde", "20261110"]
        {
            let refused = read::<ProgramDate>(&json!(bad).to_string()).unwrap_err();
            assert!(refused[0].starts_with("campo: "), "{bad}: {refused:?}");
        }
        assert!(read::<ProgramDate>("20261110").is_err());
    }

    #[test]
    fn a_text_may_be_a_number_and_its_lines_become_one() {
        let line = |value: &str| read::<ProgramLine<30>>(value).map(ProgramLine::into_string);
        for (written, text) in [
            (r#"" Mensalidade ""#, "Mensalidade"),
            (r#""Mensalidade\r\nde novembro""#, "Mensalidade de novembro"),
            (r#""um \n\n\t dois  três\n""#, "um dois  três"),
            ("42", "42"),
            ("1.50", "1.50"),
        ] {
            assert_eq!(line(written).as_deref(), Ok(text), "{written}");
        }
        let long = json!("x".repeat(31)).to_string();
        for bad in [r#""a\u0007b""#, r#""a\u0000b""#, "true", "[]", &long] {
            assert!(line(bad).unwrap_err()[0].starts_with("campo: "), "{bad}");
        }
        let note = |value: &str| read::<ProgramNote>(value).map(ProgramNote::into_string);
        assert_eq!(note(r#""um\ndois""#).as_deref(), Ok("um\ndois"));
        assert_eq!(note("42").as_deref(), Ok("42"));
    }
}
