//! Field-by-field differences between two states of a record: reported on a version conflict, and stored with every
//! change (`storage::field_changes`).

use domain::{CaseKind, FieldConflict, Moment, Rejection, TimeZone};

/// Subjects of stored field changes.
pub(crate) const PERSON: &str = "person";
pub(crate) const BENEFIT: &str = "benefit";
pub(crate) const LEAD: &str = "lead";
pub(crate) const DEAL: &str = "deal";

/// The same for a case.
pub(crate) const fn name_case_subject(kind: CaseKind) -> &'static str {
    match kind {
        CaseKind::Claim => "claim",
        CaseKind::Inspection => "inspection",
        CaseKind::Ticket => "ticket",
        CaseKind::Appointment => "appointment",
    }
}

/// A record as pairs of published field name and human-readable value.
pub(crate) type FieldTexts = Vec<(&'static str, Option<String>)>;

/// A field whose value changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDifference {
    pub field: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
}

pub(crate) fn compare_fields(before: FieldTexts, after: FieldTexts) -> Vec<FieldDifference> {
    let pairs = before.into_iter().zip(after).filter(|((_, before), (_, after))| before != after);
    pairs.map(|((field, before), (_, after))| FieldDifference { field, before, after }).collect()
}

/// The version of a record and the moment it was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CurrentVersion {
    pub version: i64,
    pub since: Moment,
}

/// Rejects a change based on a version other than the current one.
pub(crate) fn refuse_old_version(
    requested_version: i64,
    present: CurrentVersion,
    zone: &TimeZone,
    differences: &[FieldDifference],
) -> Option<Rejection> {
    let to_conflict = |one: &FieldDifference| FieldConflict {
        field: one.field.to_owned(),
        sent: one.after.clone(),
        now: one.before.clone(),
    };
    (requested_version != present.version).then(|| Rejection::OldVersion {
        given: requested_version,
        now: present.version,
        since: render_moment(present.since, zone),
        fields: differences.iter().map(to_conflict).collect(),
    })
}

/// Example: `14/11/2026 10:32:05`.
fn render_moment(at: Moment, zone: &TimeZone) -> String {
    let iso = at.to_offset_iso(zone);
    format!("{} {}", at.date_in(zone).to_br(), iso.get(11..19).unwrap_or_default())
}

/// The field names for the audit entry; never their values.
pub(crate) fn list_field_names(differences: &[FieldDifference]) -> impl Iterator<Item = &'static str> {
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
        let (present, zone) =
            (CurrentVersion { version: 3, since: Moment::from_millis(0) }, TimeZone::parse("UTC").unwrap());
        assert_eq!(refuse_old_version(3, present, &zone, &found), None);
        let Some(Rejection::OldVersion { fields, .. }) = refuse_old_version(2, present, &zone, &found) else {
            panic!("an old version is refused")
        };
        assert_eq!((&fields[1].sent, &fields[1].now), (&None, &text("SP")));
    }
}
