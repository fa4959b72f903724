//! Field-by-field differences between two states of a record: reported on a version conflict
//! (`record_version.rs`), and stored with every change (`storage::history::field_changes`).

use crate::field_texts::FieldTexts;
use domain::CaseKind;

/// Subjects of stored field changes.
pub const PERSON: &str = "person";
pub const BENEFIT: &str = "benefit";
pub const LEAD: &str = "lead";
pub const DEAL: &str = "deal";
pub const TITLE: &str = "title";

/// The same for a case.
pub const fn name_case_subject(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::Claim => "claim",
        CaseKind::Inspection => "inspection",
        CaseKind::Ticket => "ticket",
        CaseKind::Appointment => "appointment",
    }
}

/// A field whose value changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDifference {
    pub field: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
}

pub fn compare_fields(before: FieldTexts, after: FieldTexts) -> Vec<FieldDifference> {
    let pairs = before.into_iter().zip(after).filter(|((_, before), (_, after))| before != after);
    pairs.map(|((field, before), (_, after))| FieldDifference { field, before, after }).collect()
}

/// The field names for the audit entry; never their values.
pub fn list_field_names(differences: &[FieldDifference]) -> impl Iterator<Item = &'static str> {
    differences.iter().map(|one| one.field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_told() {
        let text = |text: &str| Some(text.to_owned());
        let before = vec![("nome", text("Ana")), ("email", None), ("uf", text("SP"))];
        let after = vec![("nome", text("Ana")), ("email", text("a@b.example")), ("uf", None)];
        let found = compare_fields(before, after);
        assert_eq!(list_field_names(&found).collect::<Vec<_>>(), ["email", "uf"]);
        assert_eq!((&found[0].after, &found[1].before), (&text("a@b.example"), &text("SP")));
    }
}
