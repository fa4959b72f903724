//! Forms that become records: each field bears the record's own name (`endereco.cep`), so that what is wrong with it is told
//! beside it, and what was typed is never lost.

use crate::form::Form;
use domain::{Rejection, Stands};
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

impl Spec {
    pub const fn text(name: &'static str, label: &'static str, longest: usize) -> Spec {
        Spec { name, label, kind: Kind::Text, longest, hint: "" }
    }

    pub const fn masked(name: &'static str, label: &'static str, mask: &'static str) -> Spec {
        Spec { name, label, kind: Kind::Masked(mask), longest: 20, hint: "" }
    }

    pub const fn choice(name: &'static str, label: &'static str) -> Spec {
        Spec { name, label, kind: Kind::Choice, longest: 100, hint: "" }
    }

    pub const fn money(name: &'static str, label: &'static str) -> Spec {
        Spec { name, label, kind: Kind::Money, longest: 20, hint: "" }
    }

    pub const fn long(name: &'static str, label: &'static str, longest: usize) -> Spec {
        Spec { name, label, kind: Kind::Long, longest, hint: "" }
    }

    pub const fn hinted(self, hint: &'static str) -> Spec {
        Spec { hint, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Several lines.
    Long,
    /// Reais, as they are written here: `1.234,56`.
    Money,
    /// Dressed while it is typed (`data-mascara`).
    Masked(&'static str),
    Email,
    /// One of a list that the page gives.
    Choice,
}

/// A field as the page shows it.
pub struct Input {
    pub spec: Spec,
    /// Where the association itself gave the field its name.
    pub own_label: Option<String>,
    pub value: String,
    pub problem: Option<String>,
    pub choices: Vec<(String, String)>,
}

impl Input {
    pub fn mask(&self) -> &'static str {
        match self.spec.kind {
            Kind::Masked(mask) => mask,
            Kind::Money => "dinheiro",
            _ => "",
        }
    }

    pub fn label(&self) -> &str {
        self.own_label.as_deref().unwrap_or(self.spec.label)
    }

    pub fn kind(&self) -> &'static str {
        match self.spec.kind {
            Kind::Email => "email",
            Kind::Choice => "choice",
            Kind::Long => "long",
            Kind::Text | Kind::Masked(_) | Kind::Money => "text",
        }
    }
}

/// What is wrong, each with its field where it names one that the page shows.
#[derive(Default)]
pub struct Problems {
    of_fields: BTreeMap<String, String>,
    pub others: Vec<String>,
    pub conflict: Option<Conflict>,
}

/// Somebody else changed the record meanwhile.
pub struct Conflict {
    pub since: String,
    /// The version that it has now: whoever sends again has seen it.
    pub now: i64,
    /// Field, what was typed, what stands.
    pub fields: Vec<(String, String, String)>,
}

impl Conflict {
    fn of(now: i64, since: &str, fields: &[Stands], shown: &[Spec]) -> Conflict {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "vazio".to_owned());
        let field = |one: &Stands| (label(shown, &one.field), text(&one.sent), text(&one.now));
        Conflict { since: since.to_owned(), now, fields: fields.iter().map(field).collect() }
    }
}

/// What a page calls the field of this name.
pub fn label(shown: &[Spec], name: &str) -> String {
    shown.iter().find(|spec| spec.name == name).map_or(name, |spec| spec.label).to_owned()
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

    /// What a function of `app` refused.
    pub fn refused(rejections: &[Rejection], shown: &[Spec]) -> Problems {
        let mut conflict = None;
        let mut lines = Vec::new();
        for one in rejections {
            match one {
                Rejection::OldVersion { now, since, fields, .. } => {
                    conflict = Some(Conflict::of(*now, since, fields, shown));
                }
                other => lines.push(wire::refusal::text(other)),
            }
        }
        Problems { conflict, ..Problems::new(lines, shown) }
    }

    /// Something about a field, told before anything that is there already.
    pub fn put(&mut self, field: &str, problem: String) {
        self.of_fields.insert(field.to_owned(), problem);
    }

    pub fn of(&self, field: &str) -> Option<&str> {
        self.of_fields.get(field).map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.of_fields.is_empty() && self.others.is_empty() && self.conflict.is_none()
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
        own_label: None,
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

/// The same with money as records write it. What is no money stays as it was typed, and is refused beside its field.
pub fn in_cents(specs: &[Spec], values: &Values) -> Values {
    let is_money = |name: &str| specs.iter().any(|spec| spec.name == name && spec.kind == Kind::Money);
    let value = |(name, text): (&&'static str, &String)| {
        (*name, if is_money(name) { amount(text) } else { text.clone() })
    };
    values.iter().map(value).collect()
}

/// `1234.56` of `R$ 1.234,56`; a point before three digits parts thousands.
pub fn amount(text: &str) -> String {
    let bare: String = text.trim_start_matches("R$").chars().filter(|sign| !sign.is_whitespace()).collect();
    let parts_thousands = bare.rsplit_once('.').is_some_and(|(_, behind)| behind.len() == 3);
    match bare.contains(',') || parts_thousands {
        true => bare.replace('.', "").replace(',', "."),
        false => bare,
    }
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

    const SPECS: &[Spec] =
        &[Spec::text("nomePessoa", "Nome", 200), Spec::text("telefones.0.numero", "Celular", 20)];

    #[test]
    fn money_is_read_as_people_write_it() {
        for (typed, read) in [
            ("R$ 1.234,56", "1234.56"),
            ("1.234", "1234"),
            ("12,5", "12.5"),
            ("150.55", "150.55"),
            ("150", "150"),
            ("muito", "muito"),
        ] {
            assert_eq!(amount(typed), read, "{typed}");
        }
    }

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
