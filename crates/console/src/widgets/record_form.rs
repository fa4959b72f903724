//! Forms that become records: each input has the name of the record's field (`endereco.cep`), so that problems are
//! shown next to it and typed values are kept.

use super::form::SubmittedForm;
use domain::{FieldConflict, Money, Rejection};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use wire::refusal::RequestProblem;

/// Form values by field name.
pub type FormValues = BTreeMap<&'static str, String>;

/// Definition of a form field.
#[derive(Clone, Copy)]
pub struct InputSpec {
    pub name: &'static str,
    pub label: &'static str,
    pub kind: InputKind,
    pub longest: usize,
    pub hint: &'static str,
}

impl InputSpec {
    pub const fn text(name: &'static str, label: &'static str, longest: usize) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Text, longest, hint: "" }
    }

    pub const fn masked_text(name: &'static str, label: &'static str, mask: &'static str) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Masked(mask), longest: 20, hint: "" }
    }

    pub const fn choice(name: &'static str, label: &'static str) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Choice, longest: 100, hint: "" }
    }

    pub const fn money(name: &'static str, label: &'static str) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Money, longest: 20, hint: "" }
    }

    pub const fn area(name: &'static str, label: &'static str) -> InputSpec {
        InputSpec { name, label, kind: InputKind::Area, longest: 4000, hint: "" }
    }

    pub const fn with_hint(self, hint: &'static str) -> InputSpec {
        InputSpec { hint, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    Text,
    /// Formatted while typing (`data-mascara`).
    Masked(&'static str),
    Email,
    /// Several lines of text.
    Area,
    /// One of the choices that the page provides.
    Choice,
    /// Any number of those choices, separated by commas.
    Many,
    Number,
    /// Reais in Brazilian notation: `1.234,56`.
    Money,
    /// A checkbox: `sim`, or empty.
    Flag,
    /// `#1A73E8`
    Colour,
}

/// A form field with its value, problem and choices.
pub struct FormInput {
    pub spec: InputSpec,
    /// Label of a custom field, given by the tenant.
    pub own_label: Option<String>,
    pub value: String,
    pub problem: Option<String>,
    pub choices: Vec<(String, String)>,
}

impl FormInput {
    pub fn mask(&self) -> &'static str {
        match self.spec.kind {
            InputKind::Masked(mask) => mask,
            InputKind::Money => "dinheiro",
            _ => "",
        }
    }

    pub fn label(&self) -> &str {
        self.own_label.as_deref().unwrap_or(self.spec.label)
    }

    pub fn kind(&self) -> &'static str {
        match self.spec.kind {
            InputKind::Email => "email",
            InputKind::Area => "area",
            InputKind::Choice => "choice",
            InputKind::Many => "many",
            InputKind::Flag => "flag",
            InputKind::Colour => "color",
            InputKind::Text | InputKind::Masked(_) | InputKind::Number | InputKind::Money => "text",
        }
    }

    /// Which keyboard a phone shows.
    pub fn keys(&self) -> &'static str {
        match self.spec.kind {
            InputKind::Number => "numeric",
            InputKind::Money => "decimal",
            _ => "",
        }
    }

    /// Whether a choice of a `Many` field is selected.
    pub fn has(&self, value: &str) -> bool {
        self.value.split(',').any(|one| one == value)
    }

    /// Ids of the elements that describe the field: hint and problem.
    pub fn described(&self) -> String {
        let hint = (!self.spec.hint.is_empty()).then(|| format!("d-{}", self.spec.name));
        let problem = self.problem.as_ref().map(|_| format!("p-{}", self.spec.name));
        hint.into_iter().chain(problem).collect::<Vec<_>>().join(" ")
    }
}

/// Problems by field, if the page shows the field; the rest is in `others`.
#[derive(Default)]
pub struct FormProblems {
    of_fields: BTreeMap<String, String>,
    pub others: Vec<RequestProblem>,
    pub conflict: Option<VersionConflict>,
}

/// A rejection as users read it, without the API's field name.
pub fn describe_rejection(problem: &Rejection) -> String {
    if let Rejection::OldVersion { since, fields, .. } = problem {
        let now = fields.iter().find_map(|one| one.now.as_deref().filter(|_| one.field == "situacao"));
        let now = now.map(|now| format!(" e está em {now}")).unwrap_or_default();
        return format!(
            "Outra pessoa mexeu neste registro em {since}{now}. Nada foi mudado agora: confira como está e, se ainda quiser, \
             mude de novo."
        );
    }
    describe_problem(&wire::refusal::describe_rejection(problem))
}

/// A problem without the API's field name.
pub fn describe_problem(problem: &RequestProblem) -> String {
    capitalize_sentence(&problem.sentence)
}

/// Problems with the labels in `names` instead of the API's field names: `Abertos de: não é uma data.`
pub fn label_problems(problems: &[RequestProblem], names: &[(&str, &str)]) -> Vec<String> {
    let one = |problem: &RequestProblem| {
        let field = problem.field.as_deref();
        match names.iter().find(|(known, _)| Some(*known) == field) {
            Some((_, label)) => format!("{label}: {}", problem.sentence),
            None => describe_problem(problem),
        }
    };
    problems.iter().map(one).collect()
}

/// The name itself if the page does not show the field.
pub fn find_label(specs: &[InputSpec], name: &str) -> String {
    specs.iter().find(|spec| spec.name == name).map_or(name, |spec| spec.label).to_owned()
}

impl FormProblems {
    pub fn new(found: Vec<RequestProblem>, specs: &[InputSpec]) -> FormProblems {
        let mut problems = FormProblems::default();
        for problem in found {
            let name = problem.field.as_deref().map(normalize_field_name);
            let is_shown = |spec: &&InputSpec| {
                name.as_deref().is_some_and(|name| spec.name == name || is_list_part(name, spec.name))
            };
            match specs.iter().find(is_shown) {
                Some(spec) => problems.add_problem(spec.name, describe_problem(&problem)),
                None => problems.others.push(problem),
            }
        }
        problems
    }

    /// Problems of no field that the page shows, in one text each.
    pub fn list_others(&self) -> Vec<String> {
        self.others.iter().map(ToString::to_string).collect()
    }

    /// Like `new`, for a page with its own field names: `names` pairs the API's name with the page's.
    pub fn with_field_names(found: Vec<RequestProblem>, names: &[(&str, &str)]) -> FormProblems {
        let mut problems = FormProblems::default();
        for problem in found {
            match names.iter().find(|(known, _)| problem.field.as_deref() == Some(*known)) {
                Some((_, field)) => problems.add_problem(field, describe_problem(&problem)),
                None => problems.others.push(problem),
            }
        }
        problems
    }

    /// An earlier problem of the same field takes precedence.
    pub fn add_problem(&mut self, field: &str, text: String) {
        self.of_fields.entry(field.to_owned()).or_insert(text);
    }

    /// A version conflict goes to `conflict`, everything else to the fields.
    pub fn from_rejections(rejections: &[Rejection], specs: &[InputSpec]) -> FormProblems {
        let is_not_conflict = |one: &&Rejection| !matches!(one, Rejection::OldVersion { .. });
        let found = wire::refusal::describe_rejections(rejections.iter().filter(is_not_conflict));
        let conflict = VersionConflict::find_in_rejections(rejections, |name| find_label(specs, name));
        FormProblems { conflict, ..FormProblems::new(found, specs) }
    }

    /// Replaces any earlier problem of the same field.
    pub fn replace_problem(&mut self, field: &str, problem: String) {
        self.of_fields.insert(field.to_owned(), problem);
    }

    pub fn of(&self, field: &str) -> Option<&str> {
        self.of_fields.get(field).map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        !self.is_wrong() && self.conflict.is_none()
    }

    /// Whether any submitted value has a problem.
    pub fn is_wrong(&self) -> bool {
        !self.of_fields.is_empty() || !self.others.is_empty()
    }
}

/// `telefones[0].numero` becomes `telefones.0.numero`.
fn normalize_field_name(name: &str) -> String {
    name.replace('[', ".").replace(']', "")
}

/// Whether `opcoes.1` is an entry of `opcoes`, which is one field on the page.
fn is_list_part(name: &str, list: &str) -> bool {
    let part = name.strip_prefix(list).and_then(|rest| rest.strip_prefix('.'));
    part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Another user saved in the meantime: when, the new version, and the fields that differ from what was typed.
pub struct VersionConflict {
    pub since: String,
    pub version: i64,
    /// Label, typed value, stored value.
    pub rows: Vec<(String, String, String)>,
}

impl VersionConflict {
    /// `label` gives the page's label of a field.
    pub fn find_in_rejections(
        problems: &[Rejection],
        label: impl Fn(&str) -> String,
    ) -> Option<VersionConflict> {
        problems.iter().find_map(|problem| match problem {
            Rejection::OldVersion { current_version: now, since, fields, .. } => {
                let text = |value: &Option<String>| match value.as_deref() {
                    None | Some("[]") => "nada".to_owned(),
                    Some("true") => "sim".to_owned(),
                    Some("false") => "não".to_owned(),
                    Some(text) => text.to_owned(),
                };
                let row = |one: &FieldConflict| (label(&one.field), text(&one.sent), text(&one.now));
                let rows = fields.iter().map(row).collect();
                Some(VersionConflict { since: since.clone(), version: *now, rows })
            }
            _ => None,
        })
    }
}

impl VersionConflict {
    /// Replaces the API's field names with labels and codes with names; drops fields that the page does not show.
    pub fn with_labels(
        self,
        label: impl Fn(&str) -> Option<&'static str>,
        choices: impl Fn(&str) -> Vec<(String, String)>,
    ) -> VersionConflict {
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
        VersionConflict { rows: rows.collect(), ..self }
    }
}

/// Converts a typed amount (`R$ 1.234,56`) to the record's notation (`1234.56`); a dot before three digits separates
/// thousands.
pub fn normalize_money(text: &str) -> String {
    let bare: String = text.trim_start_matches("R$").chars().filter(|sign| !sign.is_whitespace()).collect();
    let parts_thousands = bare.rsplit_once('.').is_some_and(|(_, behind)| behind.len() == 3);
    match bare.contains(',') || parts_thousands {
        true => bare.replace('.', "").replace(',', "."),
        false => bare,
    }
}

/// `1234,56`, for a form field.
pub fn format_money_input(money: Money) -> String {
    format!("{},{:02}", money.cents() / 100, money.cents() % 100)
}

pub fn capitalize_sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

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
        problem: problems.of_fields.get(spec.name).cloned(),
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

/// Converts money to the record's notation. Invalid amounts stay as typed, to be rejected with the field.
pub fn normalize_money_values(specs: &[InputSpec], values: &FormValues) -> FormValues {
    let is_money = |name: &str| specs.iter().any(|spec| spec.name == name && spec.kind == InputKind::Money);
    let value = |(name, text): (&&'static str, &String)| {
        (*name, if is_money(name) { normalize_money(text) } else { text.clone() })
    };
    values.iter().map(value).collect()
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

    const SPECS: &[InputSpec] =
        &[InputSpec::text("nomePessoa", "Nome", 200), InputSpec::text("telefones.0.numero", "Celular", 20)];

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
            assert_eq!(normalize_money(typed), read, "{typed}");
        }
    }

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

    #[test]
    fn what_is_wrong_stands_beside_its_field_or_above_all() {
        let found = vec![
            RequestProblem::of("telefones[0].numero", "não é um telefone."),
            RequestProblem::of("codLoja", "não existe."),
        ];
        let problems = FormProblems::new(found, SPECS);
        let fields = build_inputs(SPECS, &FormValues::new(), &problems, |_| Vec::new());
        assert_eq!(fields[1].problem.as_deref(), Some("Não é um telefone."));
        assert_eq!(problems.list_others(), ["codLoja: não existe."]);
        assert!(!problems.is_empty());
        assert!(
            is_list_part("opcoes.1", "opcoes")
                && !is_list_part("opcoes.nome", "opcoes")
                && !is_list_part("opcoes", "opcoes")
        );
    }

    #[test]
    fn a_refusal_is_told_without_the_name_of_its_field() {
        assert_eq!(describe_problem(&RequestProblem::of("motivo", "informe por quê.")), "Informe por quê.");
        let general = RequestProblem::general("escolha outra coisa: esta não.");
        assert_eq!(describe_problem(&general), "Escolha outra coisa: esta não.");
        let found = [RequestProblem::of("uf", "não há."), RequestProblem::of("codLoja", "não há.")];
        assert_eq!(label_problems(&found, &[("uf", "Estado")]), ["Estado: não há.", "Não há."]);
        let reason = Rejection::ReasonNeeded { reopens: false };
        assert_eq!(describe_rejection(&reason), "Informe por que o registro é cancelado.");
        let situation =
            FieldConflict { field: "situacao".to_owned(), sent: None, now: Some("EM REPARO".to_owned()) };
        let old = Rejection::OldVersion {
            requested_version: 1,
            current_version: 2,
            since: "hoje".to_owned(),
            fields: vec![situation],
        };
        assert!(describe_rejection(&old).contains("está em EM REPARO"), "{}", describe_rejection(&old));
    }

    #[test]
    fn an_amount_is_read_as_people_type_it() {
        let typed = ["89,90", "1.234,56", "1.234", "89.90", "R$ 10", "1234,5", "abc"];
        let plain = ["89.90", "1234.56", "1234", "89.90", "10", "1234.5", "abc"];
        assert_eq!(typed.map(normalize_money), plain);
        assert_eq!(format_money_input(Money::from_cents(123_456).unwrap()), "1234,56");
    }

    #[test]
    fn whoever_was_slower_sees_both_states() {
        let field_conflict = |field: &str, typed: &str, now: Option<&str>| FieldConflict {
            field: field.to_owned(),
            sent: Some(typed.to_owned()),
            now: now.map(str::to_owned),
        };
        let fields = vec![field_conflict("nome", "A", Some("B")), field_conflict("ativo", "true", None)];
        let old = Rejection::OldVersion {
            requested_version: 1,
            current_version: 4,
            since: "hoje".to_owned(),
            fields,
        };
        let conflict = VersionConflict::find_in_rejections(&[old], str::to_uppercase).unwrap();
        assert_eq!((conflict.version, conflict.rows.len()), (4, 2));
        assert_eq!(conflict.rows[1], ("ATIVO".to_owned(), "sim".to_owned(), "nada".to_owned()));
        let fields = vec![field_conflict("lojas", "1, 2", Some("2")), field_conflict("codFunil", "1", None)];
        let old = Rejection::OldVersion {
            requested_version: 1,
            current_version: 4,
            since: "hoje".to_owned(),
            fields,
        };
        let names = [("1", "Matriz"), ("2", "Centro")].map(|(code, name)| (code.to_owned(), name.to_owned()));
        let conflict = VersionConflict::find_in_rejections(&[old], str::to_owned).unwrap();
        let conflict =
            conflict.with_labels(|name| (name == "lojas").then_some("Lojas"), |_| names.clone().to_vec());
        assert_eq!(conflict.rows, [("Lojas".to_owned(), "Matriz, Centro".to_owned(), "Centro".to_owned())]);
    }
}
