//! Forms that become records: each field bears the record's own name (`endereco.cep`), so that what is wrong with it is told
//! beside it, and what was typed is never lost.

use crate::form::Form;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What stands in a form's fields, by their names.
pub type Values = BTreeMap<&'static str, String>;

/// One field on a page.
#[derive(Clone, Copy)]
pub struct Spec {
    pub name: &'static str,
    pub label: &'static str,
    pub kind: Kind,
    pub longest: usize,
    pub hint: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Dressed while it is typed (`data-mascara`).
    Masked(&'static str),
    Email,
    /// One of a list that the page gives.
    Choice,
}

/// A field as the page shows it.
pub struct Input {
    pub spec: Spec,
    pub value: String,
    pub problem: Option<String>,
    pub choices: Vec<(String, String)>,
}

impl Input {
    pub fn mask(&self) -> &'static str {
        if let Kind::Masked(mask) = self.spec.kind { mask } else { "" }
    }

    pub fn kind(&self) -> &'static str {
        match self.spec.kind {
            Kind::Email => "email",
            Kind::Choice => "choice",
            Kind::Text | Kind::Masked(_) => "text",
        }
    }
}

/// What is wrong, each with its field where it names one that the page shows.
#[derive(Default)]
pub struct Problems {
    of_fields: BTreeMap<String, String>,
    pub others: Vec<String>,
}

impl Problems {
    /// Each line is `campo: o que há`.
    pub fn new(lines: Vec<String>, shown: &[Spec]) -> Problems {
        let mut problems = Problems::default();
        for line in lines {
            let named = line.split_once(": ").and_then(|(name, rest)| {
                let spec = shown.iter().find(|spec| spec.name == plain(name))?;
                Some((spec.name, sentence(rest)))
            });
            match named {
                Some((name, rest)) => drop(problems.of_fields.entry(name.to_owned()).or_insert(rest)),
                None => problems.others.push(line),
            }
        }
        problems
    }

    /// The same for a page whose fields have names of their own: what a refusal calls each, and what the page does.
    pub fn renamed(lines: Vec<String>, names: &[(&str, &str)]) -> Problems {
        let mut problems = Problems::default();
        for line in lines {
            let named = line.split_once(": ").and_then(|(name, rest)| {
                let (_, field) = names.iter().find(|(known, _)| *known == name)?;
                Some((*field, sentence(rest)))
            });
            match named {
                Some((field, rest)) => problems.add(field, rest),
                None => problems.others.push(line),
            }
        }
        problems
    }

    /// One more of a field; what was told of it first stays.
    pub fn add(&mut self, field: &str, text: String) {
        self.of_fields.entry(field.to_owned()).or_insert(text);
    }

    /// What is wrong with a field.
    pub fn at(&self, field: &str) -> Option<&str> {
        self.of_fields.get(field).map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.of_fields.is_empty() && self.others.is_empty()
    }
}

/// `telefones[0].numero` is the field `telefones.0.numero`.
fn plain(name: &str) -> String {
    name.replace('[', ".").replace(']', "")
}

fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// The fields of a page, with what stands in them and what is wrong.
pub fn inputs(
    specs: &[Spec],
    values: &Values,
    problems: &Problems,
    choices: impl Fn(&str) -> Vec<(String, String)>,
) -> Vec<Input> {
    let input = |spec: &Spec| Input {
        spec: *spec,
        value: values.get(spec.name).cloned().unwrap_or_default(),
        problem: problems.of_fields.get(spec.name).cloned(),
        choices: if spec.kind == Kind::Choice { choices(spec.name) } else { Vec::new() },
    };
    specs.iter().map(input).collect()
}

/// What was typed, field by field.
pub fn typed(specs: &[Spec], form: &Form) -> Values {
    specs.iter().map(|spec| (spec.name, form.text(spec.name).trim().to_owned())).collect()
}

/// The record that the fields make: what is empty is cleared.
pub fn json(values: &Values, further: &[(&str, Value)]) -> Vec<u8> {
    let mut record = Value::Object(Map::new());
    for (name, text) in values {
        let value = if text.is_empty() { Value::Null } else { Value::String(text.clone()) };
        put(&mut record, name, value);
    }
    for (name, value) in further {
        put(&mut record, name, value.clone());
    }
    record.to_string().into_bytes()
}

/// Puts a value where its name says: parts that are numbers are places of a list.
fn put(record: &mut Value, name: &str, value: Value) {
    let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
    let place = match first.parse::<usize>() {
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
        Some(rest) => put(place, rest, value),
        None => *place = value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[Spec] = &[
        Spec { name: "nomePessoa", label: "Nome", kind: Kind::Text, longest: 200, hint: "" },
        Spec { name: "telefones.0.numero", label: "Celular", kind: Kind::Text, longest: 20, hint: "" },
    ];

    #[test]
    fn fields_make_the_record_that_their_names_say() {
        let values = Values::from([
            ("nomePessoa", "Ana".to_owned()),
            ("endereco.cep", String::new()),
            ("endereco.uf", "SP".to_owned()),
            ("telefones.0.numero", "11".to_owned()),
        ]);
        let made: Value = serde_json::from_slice(&json(&values, &[("versao", 3.into())])).unwrap();
        assert_eq!(
            made,
            serde_json::json!({"nomePessoa": "Ana", "endereco": {"cep": null, "uf": "SP"}, "telefones": [{"numero": "11"}], "versao": 3})
        );
    }

    #[test]
    fn what_is_wrong_stands_beside_its_field_or_above_all() {
        let lines =
            vec!["telefones[0].numero: não é um telefone.".to_owned(), "codLoja: não existe.".to_owned()];
        let problems = Problems::new(lines, SPECS);
        let fields = inputs(SPECS, &Values::new(), &problems, |_| Vec::new());
        assert_eq!(fields[1].problem.as_deref(), Some("Não é um telefone."));
        assert_eq!(problems.others, ["codLoja: não existe."]);
        assert!(!problems.is_empty());
    }
}
