//! What is wrong with a submitted form, beside the input or above all of them, in the words of the page.

use super::form_input::{InputSpec, find_label};
use super::version_conflict::VersionConflict;
use domain::Rejection;
use std::collections::BTreeMap;
use wire::refusal::RequestProblem;

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

pub fn capitalize_sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::form_input::FormValues;
    use crate::widgets::record_form::build_inputs;
    use domain::FieldConflict;

    const SPECS: &[InputSpec] =
        &[InputSpec::text("nomePessoa", "Nome", 200), InputSpec::text("telefones.0.numero", "Celular", 20)];

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
}
