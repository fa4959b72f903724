//! Two users changed the same record: what the slower one typed, beside what is stored now.

use domain::{FieldConflict, Rejection};

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

#[cfg(test)]
mod tests {
    use super::*;

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
