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

    pub const fn area(name: &'static str, label: &'static str) -> Spec {
        Spec { name, label, kind: Kind::Area, longest: 4000, hint: "" }
    }

    pub const fn hinted(self, hint: &'static str) -> Spec {
        Spec { hint, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Dressed while it is typed (`data-mascara`).
    Masked(&'static str),
    Email,
    /// Several lines.
    Area,
    /// One of a list that the page gives.
    Choice,
    /// Any of that list; their values stand in the field with commas between them.
    Many,
    Number,
    /// Reais, as they are written here: `1.234,56`.
    Money,
    /// Ticked (`sim`) or not.
    Flag,
    /// `#1A73E8`
    Colour,
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
            Kind::Area => "area",
            Kind::Choice => "choice",
            Kind::Many => "many",
            Kind::Flag => "flag",
            Kind::Colour => "color",
            Kind::Text | Kind::Masked(_) | Kind::Number | Kind::Money => "text",
        }
    }

    /// Which keys a phone shows.
    pub fn keys(&self) -> &'static str {
        match self.spec.kind {
            Kind::Number => "numeric",
            Kind::Money => "decimal",
            _ => "",
        }
    }

    /// Whether one of many is chosen.
    pub fn has(&self, value: &str) -> bool {
        self.value.split(',').any(|one| one == value)
    }

    /// What else speaks of the field: its hint, its problem.
    pub fn described(&self) -> String {
        let hint = (!self.spec.hint.is_empty()).then(|| format!("d-{}", self.spec.name));
        let problem = self.problem.as_ref().map(|_| format!("p-{}", self.spec.name));
        hint.into_iter().chain(problem).collect::<Vec<_>>().join(" ")
    }
}

/// What is wrong, each with its field where it names one that the page shows.
#[derive(Default)]
pub struct Problems {
    of_fields: BTreeMap<String, String>,
    pub others: Vec<String>,
    pub conflict: Option<Conflict>,
}

/// A refusal for people, without the name of its field, which only programs know.
pub fn told(problem: &Rejection) -> String {
    if let Rejection::OldVersion { since, fields, .. } = problem {
        let now = fields.iter().find_map(|one| one.now.as_deref().filter(|_| one.field == "situacao"));
        let now = now.map(|now| format!(" e está em {now}")).unwrap_or_default();
        return format!(
            "Outra pessoa mexeu neste registro em {since}{now}. Nada foi mudado agora: confira como está e, se ainda quiser, \
             mude de novo."
        );
    }
    bare(&wire::refusal::text(problem))
}

/// `motivo: informe por quê.` is `Informe por quê.`
pub fn bare(line: &str) -> String {
    match line.split_once(": ") {
        Some((name, rest)) if !name.contains(' ') => sentence(rest),
        _ => sentence(line),
    }
}

/// `dataAberturaInicial: não é uma data.` is `Abertos de: não é uma data.`, by what the page calls its fields.
pub fn labelled(lines: Vec<String>, names: &[(&str, &str)]) -> Vec<String> {
    let one = |line: &String| {
        let known = line.split_once(": ").and_then(|(name, rest)| {
            let (_, label) = names.iter().find(|(known, _)| *known == name)?;
            Some(format!("{label}: {rest}"))
        });
        known.unwrap_or_else(|| bare(line))
    };
    lines.iter().map(one).collect()
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
                let name = plain(name);
                let is_meant = |spec: &&Spec| spec.name == name || is_part(&name, spec.name);
                Some((shown.iter().find(is_meant)?.name, sentence(rest)))
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

    /// What a function of `app` refused.
    pub fn refused(rejections: &[Rejection], shown: &[Spec]) -> Problems {
        let old = |one: &&Rejection| !matches!(one, Rejection::OldVersion { .. });
        let lines = rejections.iter().filter(old).map(wire::refusal::text).collect();
        let conflict = Conflict::among(rejections, |name| label(shown, name));
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
        !self.is_wrong() && self.conflict.is_none()
    }

    /// Whether anything of what was typed is.
    pub fn is_wrong(&self) -> bool {
        !self.of_fields.is_empty() || !self.others.is_empty()
    }
}

/// `telefones[0].numero` is the field `telefones.0.numero`.
fn plain(name: &str) -> String {
    name.replace('[', ".").replace(']', "")
}

/// Whether `opcoes.1` is a part of `opcoes`, which is one field on the page.
fn is_part(name: &str, of: &str) -> bool {
    let part = name.strip_prefix(of).and_then(|rest| rest.strip_prefix('.'));
    part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Somebody else saved meanwhile: when, what his version is, and where what was typed differs from what stands now.
pub struct Conflict {
    pub since: String,
    pub version: i64,
    /// The field, what was typed, what stands.
    pub rows: Vec<(String, String, String)>,
}

impl Conflict {
    /// The fields are called as the page calls them.
    pub fn among(problems: &[Rejection], label: impl Fn(&str) -> String) -> Option<Conflict> {
        problems.iter().find_map(|problem| match problem {
            Rejection::OldVersion { now, since, fields, .. } => {
                let text = |value: &Option<String>| match value.as_deref() {
                    None | Some("[]") => "nada".to_owned(),
                    Some("true") => "sim".to_owned(),
                    Some("false") => "não".to_owned(),
                    Some(text) => text.to_owned(),
                };
                let row = |one: &Stands| (label(&one.field), text(&one.sent), text(&one.now));
                let rows = fields.iter().map(row).collect();
                Some(Conflict { since: since.clone(), version: *now, rows })
            }
            _ => None,
        })
    }
}

impl Conflict {
    /// The same of fields that still bear their own names: each as the page calls it, what is chosen by its name, and nothing of
    /// a field that the page does not show.
    pub fn named(
        self,
        label: impl Fn(&str) -> Option<&'static str>,
        choices: impl Fn(&str) -> Vec<(String, String)>,
    ) -> Conflict {
        let rows = self.rows.into_iter().filter_map(|(name, typed, now)| {
            let known = choices(&name);
            let one = |code: &str| {
                known.iter().find(|(value, _)| value == code).map_or(code, |(_, name)| name).to_owned()
            };
            let text = |codes: String| match known.is_empty() {
                true => codes,
                false => codes.split(", ").map(one).collect::<Vec<_>>().join(", "),
            };
            Some((label(&name)?.to_owned(), text(typed), text(now)))
        });
        Conflict { rows: rows.collect(), ..self }
    }
}

/// An amount as people type it (`R$ 1.234,56`) as the record wants it (`1234.56`); a point before three digits parts thousands.
pub fn plain_money(text: &str) -> String {
    let bare: String = text.trim_start_matches("R$").chars().filter(|sign| !sign.is_whitespace()).collect();
    let parts_thousands = bare.rsplit_once('.').is_some_and(|(_, behind)| behind.len() == 3);
    match bare.contains(',') || parts_thousands {
        true => bare.replace('.', "").replace(',', "."),
        false => bare,
    }
}

/// An amount as a form shows it: `1234,56`.
pub fn typed_money(cents: i64) -> String {
    format!("{},{:02}", cents / 100, cents % 100)
}

pub fn sentence(text: &str) -> String {
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
        choices: if matches!(spec.kind, Kind::Choice | Kind::Many) { choices(spec.name) } else { Vec::new() },
    };
    specs.iter().map(input).collect()
}

/// What was typed, field by field.
pub fn typed(specs: &[Spec], form: &Form) -> Values {
    let text = |spec: &Spec| match spec.kind {
        Kind::Many => form.all(spec.name).collect::<Vec<_>>().join(","),
        // Browsers write each line's end as two signs.
        Kind::Area => form.text(spec.name).trim().replace("\r\n", "\n"),
        _ => form.text(spec.name).trim().to_owned(),
    };
    specs.iter().map(|spec| (spec.name, text(spec))).collect()
}

/// The same with money as records write it. What is no money stays as it was typed, and is refused beside its field.
pub fn in_cents(specs: &[Spec], values: &Values) -> Values {
    let is_money = |name: &str| specs.iter().any(|spec| spec.name == name && spec.kind == Kind::Money);
    let value = |(name, text): (&&'static str, &String)| {
        (*name, if is_money(name) { plain_money(text) } else { text.clone() })
    };
    values.iter().map(value).collect()
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
            assert_eq!(plain_money(typed), read, "{typed}");
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
        assert!(
            is_part("opcoes.1", "opcoes")
                && !is_part("opcoes.nome", "opcoes")
                && !is_part("opcoes", "opcoes")
        );
    }

    #[test]
    fn a_refusal_is_told_without_the_name_of_its_field() {
        assert_eq!(bare("motivo: informe por quê."), "Informe por quê.");
        assert_eq!(bare("escolha outra coisa: esta não."), "Escolha outra coisa: esta não.");
        let lines = vec!["uf: não há.".to_owned(), "codLoja: não há.".to_owned()];
        assert_eq!(labelled(lines, &[("uf", "Estado")]), ["Estado: não há.", "Não há."]);
        let reason = Rejection::ReasonNeeded { reopens: false };
        assert_eq!(told(&reason), "Informe por que o registro é cancelado.");
        let stands = Stands { field: "situacao".to_owned(), sent: None, now: Some("EM REPARO".to_owned()) };
        let old = Rejection::OldVersion { given: 1, now: 2, since: "hoje".to_owned(), fields: vec![stands] };
        assert!(told(&old).contains("está em EM REPARO"), "{}", told(&old));
    }

    #[test]
    fn an_amount_is_read_as_people_type_it() {
        let typed = ["89,90", "1.234,56", "1.234", "89.90", "R$ 10", "1234,5", "abc"];
        let plain = ["89.90", "1234.56", "1234", "89.90", "10", "1234.5", "abc"];
        assert_eq!(typed.map(plain_money), plain);
        assert_eq!(typed_money(123_456), "1234,56");
    }

    #[test]
    fn whoever_was_slower_sees_both_states() {
        let stands = |field: &str, sent: &str, now: Option<&str>| Stands {
            field: field.to_owned(),
            sent: Some(sent.to_owned()),
            now: now.map(str::to_owned),
        };
        let fields = vec![stands("nome", "A", Some("B")), stands("ativo", "true", None)];
        let old = Rejection::OldVersion { given: 1, now: 4, since: "hoje".to_owned(), fields };
        let conflict = Conflict::among(&[old], str::to_uppercase).unwrap();
        assert_eq!((conflict.version, conflict.rows.len()), (4, 2));
        assert_eq!(conflict.rows[1], ("ATIVO".to_owned(), "sim".to_owned(), "nada".to_owned()));
        let fields = vec![stands("lojas", "1, 2", Some("2")), stands("codFunil", "1", None)];
        let old = Rejection::OldVersion { given: 1, now: 4, since: "hoje".to_owned(), fields };
        let names = [("1", "Matriz"), ("2", "Centro")].map(|(code, name)| (code.to_owned(), name.to_owned()));
        let conflict = Conflict::among(&[old], str::to_owned).unwrap();
        let conflict =
            conflict.named(|name| (name == "lojas").then_some("Lojas"), |_| names.clone().to_vec());
        assert_eq!(conflict.rows, [("Lojas".to_owned(), "Matriz, Centro".to_owned(), "Centro".to_owned())]);
    }
}
