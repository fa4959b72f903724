//! Forms that become records: each input has the name of the record's field (`endereco.cep`), so that problems are
//! shown next to it and typed values are kept.

use super::form_input::{FormInput, FormValues, InputKind, InputSpec};
use super::form_problems::FormProblems;
use crate::http::form::SubmittedForm;
use serde_json::{Map, Value};

/// Form fields with their values and problems.
pub fn build_inputs(
    specs: &[InputSpec],
    values: &FormValues,
    problems: &FormProblems,
    choices: impl Fn(&str) -> Vec<(String, String)>,
) -> Vec<FormInput> {
    let input = |spec: &InputSpec| FormInput {
        spec: *spec,
        own_label: None,
        value: values.get(spec.name).cloned().unwrap_or_default(),
        problem: problems.of(spec.name).map(str::to_owned),
        choices: if matches!(spec.kind, InputKind::Choice | InputKind::Many) {
            choices(spec.name)
        } else {
            Vec::new()
        },
    };
    specs.iter().map(input).collect()
}

pub fn read_form_values(specs: &[InputSpec], form: &SubmittedForm) -> FormValues {
    let text = |spec: &InputSpec| match spec.kind {
        InputKind::Many => form.all_texts(spec.name).collect::<Vec<_>>().join(","),
        // Browsers send line breaks as CRLF.
        InputKind::Area => form.text(spec.name).trim().replace("\r\n", "\n"),
        _ => form.text(spec.name).trim().to_owned(),
    };
    specs.iter().map(|spec| (spec.name, text(spec))).collect()
}

/// Builds the record; empty fields become null.
pub fn build_record(values: &FormValues, further: &[(&str, Value)]) -> Value {
    let mut record = Value::Object(Map::new());
    for (name, text) in values {
        let value = if text.is_empty() { Value::Null } else { Value::String(text.clone()) };
        set_json_path(&mut record, name, value);
    }
    for (name, value) in further {
        set_json_path(&mut record, name, value.clone());
    }
    record
}

/// Sets the value at a dotted path; numeric parts are list indexes.
fn set_json_path(record: &mut Value, name: &str, value: Value) {
    let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
    let slot = match first.parse::<usize>() {
        Ok(at) => {
            if !record.is_array() {
                *record = Value::Array(Vec::new());
            }
            let Value::Array(list) = record else { return };
            while list.len() <= at {
                list.push(Value::Object(Map::new()));
            }
            &mut list[at]
        }
        Err(_) => {
            if !record.is_object() {
                *record = Value::Object(Map::new());
            }
            let Value::Object(fields) = record else { return };
            fields.entry(first.to_owned()).or_insert(Value::Null)
        }
    };
    match rest {
        Some(rest) => set_json_path(slot, rest, value),
        None => *slot = value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_make_the_record_that_their_names_say() {
        let values = FormValues::from([
            ("nomePessoa", "Ana".to_owned()),
            ("endereco.cep", String::new()),
            ("endereco.uf", "SP".to_owned()),
            ("telefones.0.numero", "11".to_owned()),
        ]);
        let record = build_record(&values, &[("versao", 3.into())]);
        assert_eq!(
            record,
            serde_json::json!({"nomePessoa": "Ana", "endereco": {"cep": null, "uf": "SP"}, "telefones": [{"numero": "11"}], "versao": 3})
        );
    }
}
