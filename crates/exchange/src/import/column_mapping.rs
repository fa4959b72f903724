//! The mapping of columns to fields.

use super::action_refusals::refuse_import;
use app::Error;
use domain::{BranchCode, ImportKind, ImportProblem, Rejection};
use storage::exchange::imports::runs::StoredImportRun;
use wire::import_sheet::{find_import_field, fold_header, list_import_fields};
use wire::read::FieldPatch;

/// A change of the mapping. Columns that are not listed keep theirs.
#[derive(Clone, Debug)]
pub struct ColumnMapping {
    /// Header and field; an empty field ignores the column.
    pub columns: Vec<(String, String)>,
    /// The default branch for new records whose line names none.
    pub branch: FieldPatch<BranchCode>,
}

/// Whether new records of this kind need a branch that the sheet may omit.
pub fn has_default_branch(kind: ImportKind) -> bool {
    matches!(kind, ImportKind::Members | ImportKind::Leads)
}

/// The current mapping with the requested changes.
pub(super) fn merge_mapping(
    import: &StoredImportRun,
    requested: &[(String, String)],
) -> Result<Vec<String>, Error> {
    let mut mapping = import.mapping.clone();
    let mut problems = Vec::new();
    for (header, field) in requested {
        let key = fold_header(header);
        let at = import.headers.iter().position(|one| one == header);
        let at = at.or_else(|| import.headers.iter().position(|one| fold_header(one) == key));
        match at {
            None => problems.push(ImportProblem::UnknownColumn(header.clone())),
            Some(_) if !field.is_empty() && find_import_field(import.kind, field).is_none() => {
                problems.push(ImportProblem::UnknownField(field.clone()));
            }
            Some(at) => mapping[at].clone_from(field),
        }
    }
    for (at, field) in mapping.iter().enumerate() {
        if !field.is_empty() && mapping[..at].contains(field) {
            problems.push(ImportProblem::FieldTwice(field.clone()));
        }
    }
    match problems.is_empty() {
        true => Ok(mapping),
        false => Err(Error::Refused(problems.into_iter().map(Rejection::Import).collect())),
    }
}

/// Every required field must have a column.
pub(super) fn require_mapped_fields(import: &StoredImportRun) -> Result<(), Error> {
    let is_mapped = |name: &str| import.mapping.iter().any(|field| field == name);
    let needed =
        list_import_fields(import.kind).iter().filter(|column| column.required && !is_mapped(column.name));
    let missing: Vec<&'static str> = needed.map(|column| column.label).collect();
    if missing.is_empty() { Ok(()) } else { Err(refuse_import(ImportProblem::NotMapped(missing))) }
}
