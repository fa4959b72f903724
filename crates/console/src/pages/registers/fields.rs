//! Builds form fields from a register's description, and the record's JSON from the submitted values.

use crate::widgets::form_input::{FormValues, InputKind, InputSpec};
use crate::widgets::formats::format_money;
use crate::widgets::money_input::{format_money_input, normalize_money};
use crate::widgets::phones::format_stored_phone;
use ::registers::{FieldContent, FieldSpec, FieldType, Register, SearchMethod};
use app::registers::{self, RecordChoice, StoredRecord};
use app::session::Session;
use app::{App, Error};
use domain::display::format_percent;
use domain::{PhoneKind, Uf};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use wire::refusal::RequestProblem;

/// Names of the records in other registers that a page refers to.
pub struct FormReferenceNames(BTreeMap<&'static str, Vec<RecordChoice>>);

impl FormReferenceNames {
    pub async fn load<'f>(
        app: &App,
        caller: &Session,
        fields: impl Iterator<Item = &'f FieldSpec>,
    ) -> Result<FormReferenceNames, Error> {
        let mut names = BTreeMap::new();
        for field in fields {
            let (FieldType::Reference(to) | FieldType::References { to, .. }) = field.kind else { continue };
            if let Some(register) = ::registers::find_register(to).filter(|_| !names.contains_key(to)) {
                names.insert(to, registers::list_choices(app, caller, register).await?);
            }
        }
        Ok(FormReferenceNames(names))
    }

    fn choices(&self, to: &str) -> &[RecordChoice] {
        self.0.get(to).map_or(&[], Vec::as_slice)
    }

    fn name(&self, to: &str, code: i64) -> String {
        let found = self.choices(to).iter().find(|one| i64::from(one.code) == code);
        found.map_or_else(|| code.to_string(), |one| one.name.clone())
    }
}

/// A value for display; for a list, its length.
pub fn format_field_value(field: &FieldSpec, value: &FieldContent, names: &FormReferenceNames) -> String {
    match (field.kind, value) {
        (_, FieldContent::Nothing) => String::new(),
        (_, FieldContent::Flag(flag)) => if *flag { "Sim" } else { "Não" }.to_owned(),
        (_, FieldContent::Money(money)) => format_money(*money),
        (FieldType::Percent, FieldContent::Number(hundredths)) => format_percent(*hundredths),
        (FieldType::Choice(all), FieldContent::Number(number)) => {
            let found = all.iter().find(|(known, _)| known == number);
            found.map_or_else(String::new, |(_, name)| ::registers::find_choice_label(name).to_owned())
        }
        (FieldType::Reference(to), FieldContent::Number(code)) => names.name(to, *code),
        (FieldType::References { to, .. }, FieldContent::Codes(codes)) => {
            codes.iter().map(|code| names.name(to, (*code).into())).collect::<Vec<_>>().join(", ")
        }
        (FieldType::Phone, FieldContent::Text(stored)) => {
            let is_mobile = field.name == "telefoneCelular";
            let kind = if is_mobile { PhoneKind::Mobile } else { PhoneKind::Landline };
            match format_stored_phone(stored, kind) {
                (shown, Some(gap)) => format!("{shown} ({gap})"),
                (shown, None) => shown,
            }
        }
        (_, FieldContent::Lines(lines)) if lines.len() == 1 => "1 item".to_owned(),
        (_, FieldContent::Lines(lines)) => format!("{} itens", lines.len()),
        _ => format_plain_value(field, value),
    }
}

/// The API's notation, without quotes.
fn format_plain_value(field: &FieldSpec, value: &FieldContent) -> String {
    match wire::register::render_value(field, value) {
        Json::Null => String::new(),
        Json::String(text) => text,
        other => other.to_string(),
    }
}

/// A value as its form field expects it.
pub fn format_input_value(field: &FieldSpec, value: &FieldContent) -> String {
    match (field.kind, value) {
        (FieldType::Flag, FieldContent::Flag(flag)) => if *flag { "sim" } else { "" }.to_owned(),
        (_, FieldContent::Money(money)) => format_money_input(*money),
        (FieldType::Percent, FieldContent::Number(hundredths)) => {
            format_percent(*hundredths).trim_end_matches('%').to_owned()
        }
        (FieldType::Colour, FieldContent::Text(colour)) => format!("#{colour}"),
        (_, FieldContent::Codes(codes)) => {
            codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        }
        (_, FieldContent::Lines(lines)) => lines.join("\n"),
        (_, FieldContent::Nothing) => String::new(),
        _ => format_plain_value(field, value),
    }
}

pub fn build_input_spec(field: &'static FieldSpec) -> InputSpec {
    let (kind, longest) = match field.kind {
        FieldType::Text { longest } | FieldType::Secret { longest } | FieldType::Serial { longest } => {
            (InputKind::Text, longest)
        }
        FieldType::Note => (InputKind::Area, 4_000),
        FieldType::Lines { .. } | FieldType::Items { .. } => (InputKind::Area, 12_000),
        FieldType::Digits(count) => (InputKind::Number, count),
        FieldType::Integer { .. } | FieldType::Benefit | FieldType::Person => (InputKind::Number, 10),
        FieldType::Money => (InputKind::Money, 20),
        FieldType::Percent => (InputKind::Percent, 6),
        FieldType::Flag => (InputKind::Flag, 3),
        FieldType::Colour | FieldType::ReadableOn(_) => (InputKind::Colour, 7),
        FieldType::Choice(_) | FieldType::Uf => (InputKind::Choice, 100),
        FieldType::Reference(to) if is_typed_reference(to) => (InputKind::Text, 50),
        FieldType::Reference(_) => (InputKind::Choice, 100),
        FieldType::References { .. } => (InputKind::Many, 100),
        FieldType::Document => (InputKind::Masked("documento"), 20),
        FieldType::Phone => (InputKind::Masked("telefone"), 20),
        FieldType::Cep => (InputKind::Masked("cep"), 10),
        FieldType::Date => (InputKind::Masked("data"), 10),
        FieldType::Month => (InputKind::Text, 7),
        FieldType::Email => (InputKind::Email, 254),
    };
    InputSpec { name: field.name, label: field.label, kind, longest, hint: field.hint }
}

/// Whether a register may be too large for a select field, so that its records are typed.
fn is_typed_reference(to: &str) -> bool {
    ::registers::find_register(to).is_some_and(|register| register.search != SearchMethod::Words)
}

/// Choices of a field. The current value stays listed, even if it is inactive.
pub fn list_field_choices(
    register: &'static Register,
    own_code: Option<i32>,
    (names, values): (&FormReferenceNames, &FormValues),
    name: &str,
) -> Vec<(String, String)> {
    let Some((_, field)) = register.find_field(name) else { return Vec::new() };
    let typed = values.get(name).map_or("", String::as_str);
    let is_selected = |code: i32| typed.split(',').any(|one| one == code.to_string());
    let choice = |one: &RecordChoice| (one.code.to_string(), one.name.clone());
    match field.kind {
        FieldType::Choice(all) => all
            .iter()
            .map(|(_, name)| ((*name).to_owned(), ::registers::find_choice_label(name).to_owned()))
            .collect(),
        FieldType::Uf => Uf::NAMES.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect(),
        FieldType::Reference(to) => {
            let open = names.choices(to).iter().filter(|one| one.active || is_selected(one.code));
            open.map(choice).collect()
        }
        FieldType::References { to, .. } => {
            let open = names.choices(to).iter().filter(|one| one.active || is_selected(one.code));
            open.filter(|one| Some(one.code) != own_code && is_same_group(register, one, values))
                .map(choice)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a record is in the group within which names are unique: a situation leads only to others of its entity.
fn is_same_group(register: &Register, other: &RecordChoice, values: &FormValues) -> bool {
    let within = register.unique.first().map_or(&[][..], |unique| &unique.fields[1..]);
    within.iter().all(|name| {
        let Some((at, field)) = register.find_field(name) else { return true };
        let typed = values.get(name).map_or("", String::as_str);
        other
            .values
            .get(at)
            .is_some_and(|value| !typed.is_empty() && format_plain_value(field, value) == typed)
    })
}

/// Builds the record. Omits fields that cannot change, and secrets that were not typed again.
pub fn build_register_record(
    register: &'static Register,
    values: &FormValues,
    existing: Option<(i32, &str)>,
) -> Map<String, Json> {
    let mut record = Map::new();
    for field in register.fields.iter().filter(|field| field.is_input()) {
        let Some(typed) = values.get(field.name) else { continue };
        let keeps_secret = matches!(field.kind, FieldType::Secret { .. }) && typed.is_empty();
        if existing.is_some() && (field.fixed || keeps_secret) {
            continue;
        }
        record.insert(field.name.to_owned(), parse_typed_value(field, typed));
    }
    match existing {
        Some((_, version)) => drop(record.insert("versao".to_owned(), version.into())),
        None => record
            .extend(values.get(register.code).map(|code| (register.code.to_owned(), code.as_str().into()))),
    }
    record
}

fn parse_typed_value(field: &FieldSpec, typed: &str) -> Json {
    match field.kind {
        FieldType::Flag => json!(typed == "sim"),
        FieldType::References { .. } => typed.split(',').filter(|code| !code.is_empty()).collect(),
        FieldType::Lines { .. } | FieldType::Items { .. } => {
            typed.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
        }
        _ if typed.is_empty() => Json::Null,
        FieldType::Money => normalize_money(typed).into(),
        FieldType::Percent => normalize_money(typed.trim_end_matches('%')).into(),
        FieldType::Colour => typed.trim_start_matches('#').to_uppercase().into(),
        _ => typed.into(),
    }
}

/// Replaces typed names with codes, for registers too large for a select field.
pub async fn resolve_references(
    app: &App,
    caller: &Session,
    register: &'static Register,
    values: &mut FormValues,
) -> Result<Vec<RequestProblem>, Error> {
    let mut problems = Vec::new();
    for field in register.fields {
        let FieldType::Reference(to) = field.kind else { continue };
        let (Some(other), Some(typed)) =
            (::registers::find_register(to).filter(|_| is_typed_reference(to)), values.get_mut(field.name))
        else {
            continue;
        };
        if typed.is_empty() {
            continue;
        }
        match find_record_by_name(app, caller, other, typed).await? {
            Some(found) => *typed = found.code.to_string(),
            None => problems
                .push(RequestProblem::of(field.name, format!("não há {} com este número.", other.words.one))),
        }
    }
    Ok(problems)
}

async fn find_record_by_name(
    app: &App,
    caller: &Session,
    register: &'static Register,
    typed: &str,
) -> Result<Option<StoredRecord>, Error> {
    let Ok(query) =
        wire::register::read_list_query(register, std::iter::once(("filtro".to_owned(), typed.to_owned())))
    else {
        return Ok(None);
    };
    let normalized: String = typed.split_whitespace().collect::<String>().to_uppercase();
    let page = registers::list_records(app, caller, register, query).await?;
    let is_match = |record: &StoredRecord| {
        record.values.iter().any(|value| *value == FieldContent::Text(normalized.clone()))
    };
    Ok(page.records.into_iter().find(is_match))
}

/// The inverse of `resolve_references`: replaces codes with the text that is typed for them.
pub async fn replace_codes_with_names(
    app: &App,
    caller: &Session,
    register: &'static Register,
    values: &mut FormValues,
) -> Result<(), Error> {
    for field in register.fields {
        let FieldType::Reference(to) = field.kind else { continue };
        let (Some(other), Some(typed)) =
            (::registers::find_register(to).filter(|_| is_typed_reference(to)), values.get_mut(field.name))
        else {
            continue;
        };
        if let Ok(code) = typed.parse() {
            let (record, _) = registers::read_record(app, caller, other, code).await?;
            *typed = super::format_record_title(other, code, &record.values);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(path: &str, values: &[(&'static str, &str)], stored_record: Option<(i32, &str)>) -> Json {
        let values = values.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        Json::Object(build_register_record(::registers::find_register(path).unwrap(), &values, stored_record))
    }

    #[test]
    fn what_is_typed_becomes_the_record_that_the_description_asks_for() {
        let typed =
            [("nome", "Ouro"), ("tipoBeneficio", "VEICULAR"), ("valor", "1.089,90"), ("descricao", "")];
        assert_eq!(
            sent("plano", &typed, None),
            json!({"nome": "Ouro", "tipoBeneficio": "VEICULAR", "valor": "1089.90", "descricao": null})
        );
        let typed = [
            ("nome", "X"),
            ("entidade", "evento"),
            ("corDestaque", "#f9ab00"),
            ("padrao", ""),
            ("proximas", "7,9"),
        ];
        assert_eq!(
            sent("situacao", &typed, Some((3, "2"))),
            json!({"nome": "X", "corDestaque": "F9AB00", "padrao": false, "proximas": ["7", "9"], "versao": "2"})
        );
        let lines = sent("tipoVistoria", &[("checklist", "Pneus\n\n Lataria ")], None);
        assert_eq!(lines["checklist"], json!(["Pneus", "Lataria"]));
        assert_eq!(sent("vencimento", &[("dia", "12")], None), json!({"dia": "12"}));
        assert_eq!(sent("cartaoCredito", &[("tokenGateway", "")], Some((1, "1"))), json!({"versao": "1"}));
    }

    #[test]
    fn every_field_that_is_typed_has_a_place_in_a_form_and_comes_back_as_it_was() {
        for register in ::registers::REGISTERS {
            for field in register.fields.iter().filter(|field| field.is_input()) {
                assert!(
                    !build_input_spec(field).label.is_empty() && build_input_spec(field).longest > 0,
                    "{}",
                    field.name
                );
            }
        }
        let (_, price) = ::registers::find_register("plano").unwrap().find_field("valor").unwrap();
        assert_eq!(
            format_input_value(price, &FieldContent::Money(domain::Money::from_cents(8_990).unwrap())),
            "89,90"
        );
        let (_, fine) = ::registers::find_register("regraEncargos").unwrap().find_field("multa").unwrap();
        assert_eq!(format_input_value(fine, &FieldContent::Number(250)), "2,50");
        assert_eq!(sent("regraEncargos", &[("multa", "2,5 %")], None), json!({"multa": "2.5"}));
        let (_, kind) = ::registers::find_register("plano").unwrap().find_field("tipoBeneficio").unwrap();
        let names = FormReferenceNames(BTreeMap::new());
        assert_eq!(
            (
                format_input_value(kind, &FieldContent::Number(1)).as_str(),
                format_field_value(kind, &FieldContent::Number(1), &names).as_str()
            ),
            ("SAUDE", "Saúde")
        );
    }

    #[test]
    fn a_situation_may_lead_to_others_of_its_entity_alone() {
        let register = ::registers::find_register("situacao").unwrap();
        let one = |code, name: &str, entity| {
            let mut values = vec![FieldContent::Nothing; register.fields.len()];
            values[register.find_field("entidade").unwrap().0] = FieldContent::Number(entity);
            RecordChoice { code, name: name.to_owned(), active: true, values }
        };
        let all = vec![one(1, "ATIVO", 1), one(7, "ABERTO", 2), one(8, "EM REPARO", 2)];
        let names = FormReferenceNames(BTreeMap::from([("situacao", all)]));
        let choices_for = |entity: &str| {
            let values = FormValues::from([("entidade", entity.to_owned())]);
            list_field_choices(register, Some(7), (&names, &values), "proximas")
        };
        assert_eq!(choices_for("evento"), [("8".to_owned(), "EM REPARO".to_owned())]);
        assert!(choices_for("").is_empty());
    }
}
