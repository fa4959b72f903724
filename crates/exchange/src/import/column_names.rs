//! The headers of a file and the fields they are mapped to; assigns problems to columns.

use storage::exchange::imports::line_problems::StoredLineProblem;
use wire::import_sheet::ImportField;
use wire::refusal::RequestProblem;

/// The headers of a file and the fields they are mapped to.
pub(super) struct ImportColumnNames {
    pub(super) headers: Vec<String>,
    pub(super) columns: Vec<Option<&'static ImportField>>,
}

/// Field path in the record, and the column it came from.
pub(super) type FieldColumnIndex = Vec<(String, usize)>;

impl ImportColumnNames {
    pub(super) fn build_problem(&self, line: i32, at: Option<usize>, text: String) -> StoredLineProblem {
        StoredLineProblem { line, header: at.and_then(|at| self.headers.get(at).cloned()), text }
    }

    /// Turns problems of a field into problems of the column it came from.
    pub(super) fn locate_problems(
        &self,
        line: i32,
        field_columns: &FieldColumnIndex,
        problems: Vec<RequestProblem>,
    ) -> Vec<StoredLineProblem> {
        let one = |problem: RequestProblem| {
            let Some(path) = problem.field.as_deref() else {
                return self.build_problem(line, None, problem.sentence);
            };
            let contains_path = |field: &str| {
                path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let found = field_columns
                .iter()
                .filter(|(field, _)| contains_path(field))
                .max_by_key(|(field, _)| field.len());
            let by_name = || {
                self.columns
                    .iter()
                    .position(|column| column.is_some_and(|one| is_named_in_refusal(one.name, path)))
            };
            match found.map(|(_, at)| *at).or_else(by_name) {
                Some(at) => self.build_problem(line, Some(at), problem.sentence),
                // Without a column the full text is shown.
                None => self.build_problem(line, None, problem.to_string()),
            }
        };
        problems.into_iter().map(one).collect()
    }

    /// Business rule rejections, assigned to columns.
    pub(super) fn describe_rejections(
        &self,
        line: i32,
        rejections: &[domain::Rejection],
    ) -> Vec<StoredLineProblem> {
        self.locate_problems(line, &FieldColumnIndex::new(), wire::refusal::describe_rejections(rejections))
    }
}

/// Whether a column matches the field path in a refusal; some fields have other names in files.
fn is_named_in_refusal(name: &str, path: &str) -> bool {
    name == path
        || match path {
            "telefones" | "telefone" => matches!(name, "celular" | "telefoneFixo"),
            "planos" => name == "codPlano",
            "cpfCnpj" => matches!(name, "documento" | "titular"),
            "documento" => name == "cpfCnpj",
            "nomePessoa" => name == "nome",
            "nome" => name == "nomePessoa",
            _ => path.split_once('[').is_some_and(|(list, _)| list == "planos" && name == "codPlano"),
        }
}
