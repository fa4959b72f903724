//! Validation of additional field values: each is named by code or name and checked against its register entry.

use crate::register_snapshot::TenantRegisters;
use domain::{AdditionalFieldValues, BenefitKind, Date, FieldKind, FieldProblem, Rejection, fold_text};
use storage::registers::additional_fields::StoredAdditionalField;
use wire::read::{FieldPatch, ScalarInput};
use wire::records::CampoAdicionalInput;

/// Maximum length in characters of a value whose field sets no limit of its own.
const LONGEST_VALUE: i32 = 1000;

/// Applies the values present in the request; fields that are not mentioned keep their value.
pub fn apply_additional_fields(
    registers: &TenantRegisters,
    kind: BenefitKind,
    inputs: &[CampoAdicionalInput],
    values: &mut AdditionalFieldValues,
    problems: &mut Vec<Rejection>,
) {
    for (at, input) in inputs.iter().enumerate() {
        if let Err(problem) = apply_field(registers, kind, input, values) {
            problems.push(Rejection::AdditionalField { at, problem });
        }
    }
}

/// Problems that the values would have with every benefit kind.
pub fn find_general_problems(registers: &TenantRegisters, inputs: &[CampoAdicionalInput]) -> Vec<Rejection> {
    let apply_to_kind = |kind, input| apply_field(registers, kind, input, &mut AdditionalFieldValues::new());
    let mut problems = Vec::new();
    for (at, input) in inputs.iter().enumerate() {
        let found: Result<Vec<FieldProblem>, ()> =
            BenefitKind::ALL.iter().map(|kind| apply_to_kind(*kind, input).err().ok_or(())).collect();
        // Where the kinds differ, a problem with the value wins over an unknown field.
        let worst = found.ok().and_then(|all| all.into_iter().max_by_key(FieldProblem::is_about_value));
        problems.extend(worst.map(|problem| Rejection::AdditionalField { at, problem }));
    }
    problems
}

fn apply_field(
    registers: &TenantRegisters,
    kind: BenefitKind,
    input: &CampoAdicionalInput,
    values: &mut AdditionalFieldValues,
) -> Result<(), FieldProblem> {
    let field = find_field(registers, kind, input, values)?;
    match &input.value {
        FieldPatch::Set(value) => drop(values.insert(field.code, normalize_field_text(field, value)?)),
        FieldPatch::Clear => drop(values.remove(&field.code)),
        FieldPatch::Keep => {}
    }
    Ok(())
}

fn find_field<'r>(
    registers: &'r TenantRegisters,
    kind: BenefitKind,
    input: &CampoAdicionalInput,
    current_values: &AdditionalFieldValues,
) -> Result<&'r StoredAdditionalField, FieldProblem> {
    // An inactive field that already has a value here may be sent back unchanged or cleared.
    let is_usable = |field: &&StoredAdditionalField| field.active || current_values.contains_key(&field.code);
    let mut candidates =
        registers.fields.iter().filter(|field| field.benefit_kind == kind && is_usable(field));
    match (&input.code, &input.name) {
        (FieldPatch::Set(code), _) => {
            candidates.find(|field| field.code == *code).ok_or(FieldProblem::UnknownCode(code.get()))
        }
        (_, FieldPatch::Set(name)) => {
            let folded = fold_text(name.as_str());
            candidates
                .find(|field| fold_text(&field.name) == folded)
                .ok_or_else(|| FieldProblem::UnknownName(name.to_string()))
        }
        _ => Err(FieldProblem::Unnamed),
    }
}

/// Returns the value in the text form in which it is stored.
fn normalize_field_text(field: &StoredAdditionalField, value: &ScalarInput) -> Result<String, FieldProblem> {
    let text = match value {
        ScalarInput::Text(text) | ScalarInput::Number(text) => text.clone(),
        ScalarInput::Boolean(flag) => flag.to_string(),
    };
    let normalized = match field.kind {
        FieldKind::Text => match value {
            ScalarInput::Boolean(_) => return Err(FieldProblem::NotAText),
            _ => text,
        },
        FieldKind::Number => parse_number(&text).ok_or(FieldProblem::NotANumber)?,
        FieldKind::Date => Date::parse(&text).map_err(|_| FieldProblem::NotADate)?.to_br(),
        FieldKind::Boolean => match text.as_str() {
            "true" | "false" => text,
            _ => return Err(FieldProblem::NotABoolean),
        },
        FieldKind::List => {
            let folded = fold_text(&text);
            let option = field.options.iter().find(|option| fold_text(option) == folded);
            option.cloned().ok_or_else(|| FieldProblem::NotAnOption(field.options.clone()))?
        }
    };
    let longest = field.longest.unwrap_or(LONGEST_VALUE);
    if normalized.chars().count() > usize::try_from(longest).unwrap_or(usize::MAX) {
        return Err(FieldProblem::TooLong(longest));
    }
    Ok(normalized)
}

/// Keeps the number as written; a decimal comma becomes a point.
fn parse_number(text: &str) -> Option<String> {
    let text = text.trim().replace(',', ".");
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let (integer, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (is_digits(integer) && is_digits(decimals)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::FieldCode;

    fn field(kind: FieldKind) -> StoredAdditionalField {
        StoredAdditionalField {
            code: FieldCode::new(3),
            benefit_kind: BenefitKind::Vehicle,
            name: "Uso".to_owned(),
            kind,
            required: true,
            longest: (kind == FieldKind::Text).then_some(5),
            options: vec!["Particular".to_owned(), "Aplicação".to_owned()],
            active: true,
        }
    }

    fn text(text: &str) -> ScalarInput {
        ScalarInput::Text(text.to_owned())
    }

    #[test]
    fn each_kind_takes_its_own_values() {
        use FieldKind::{Boolean, Date, List, Number, Text};
        let number = |number: &str| ScalarInput::Number(number.to_owned());
        for (kind, value, expected) in [
            (Text, text("Cinza"), "Cinza"),
            (Text, number("42"), "42"),
            (Number, number("12.50"), "12.50"),
            (Number, text("-12,5"), "-12.5"),
            (Date, text("2026-11-14"), "14/11/2026"),
            (Date, text("14/11/2026"), "14/11/2026"),
            (Boolean, ScalarInput::Boolean(true), "true"),
            (Boolean, text("false"), "false"),
            (List, text("APLICACAO"), "Aplicação"),
        ] {
            assert_eq!(
                normalize_field_text(&field(kind), &value),
                Ok(expected.to_owned()),
                "{kind:?} {value:?}"
            );
        }
        for (kind, value, problem) in [
            (Text, ScalarInput::Boolean(true), FieldProblem::NotAText),
            (Text, text("Cinzas"), FieldProblem::TooLong(5)),
            (Number, text("1e5"), FieldProblem::NotANumber),
            (Number, text("12."), FieldProblem::NotANumber),
            (Number, ScalarInput::Boolean(true), FieldProblem::NotANumber),
            (Date, text("31/02/2026"), FieldProblem::NotADate),
            (Boolean, number("1"), FieldProblem::NotABoolean),
            (List, text("Frete"), FieldProblem::NotAnOption(field(List).options)),
        ] {
            assert_eq!(normalize_field_text(&field(kind), &value), Err(problem), "{kind:?} {value:?}");
        }
    }
}
