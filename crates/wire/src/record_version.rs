//! Two users edit the same record: a change based on an old version is refused, with the fields that differ.

use crate::field_differences::FieldDifference;
use domain::{FieldConflict, Moment, Rejection, TimeZone};

/// The version of a record and the moment it was written.
#[derive(Clone, Copy, Debug)]
pub struct CurrentVersion {
    pub version: i64,
    pub since: Moment,
}

/// Rejects a change based on a version other than the current one.
pub fn refuse_old_version(
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
        requested_version,
        current_version: present.version,
        since: render_moment(present.since, zone),
        fields: differences.iter().map(to_conflict).collect(),
    })
}

/// Example: `14/11/2026 10:32:05`.
fn render_moment(at: Moment, zone: &TimeZone) -> String {
    let iso = at.to_offset_iso(zone);
    format!("{} {}", at.date_in(zone).to_br(), iso.get(11..19).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_an_old_version_is_refused_with_both_values() {
        let text = |text: &str| Some(text.to_owned());
        let differences = [
            FieldDifference { field: "email", before: None, after: text("a@b.example") },
            FieldDifference { field: "uf", before: text("SP"), after: None },
        ];
        let present = CurrentVersion { version: 3, since: Moment::from_millis(0) };
        let zone = TimeZone::parse("UTC").unwrap();
        assert_eq!(refuse_old_version(3, present, &zone, &differences), None);
        let Some(Rejection::OldVersion { requested_version, current_version, since, fields }) =
            refuse_old_version(2, present, &zone, &differences)
        else {
            panic!("an old version is refused")
        };
        assert_eq!((requested_version, current_version, since.as_str()), (2, 3, "01/01/1970 00:00:00"));
        assert_eq!((&fields[0].sent, &fields[0].now), (&text("a@b.example"), &None));
        assert_eq!((&fields[1].sent, &fields[1].now), (&None, &text("SP")));
    }
}
