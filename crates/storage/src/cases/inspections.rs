//! Inspections of vehicles or documents.

use crate::{Error, Row, SqlScalar};
use domain::{ChecklistEntry, Inspection};
use serde::{Deserialize, Serialize};

/// A [`ChecklistEntry`] as JSON in the column `checklist`.
#[derive(Serialize, Deserialize)]
struct ChecklistColumnEntry {
    item: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fits: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn encode_checklist(checklist: &[ChecklistEntry]) -> String {
    let entry = |ChecklistEntry { item, fits, note }: &ChecklistEntry| ChecklistColumnEntry {
        item: item.clone(),
        fits: *fits,
        note: note.clone(),
    };
    let entries: Vec<ChecklistColumnEntry> = checklist.iter().map(entry).collect();
    serde_json::to_string(&entries).unwrap_or_else(|_| "[]".to_owned())
}

fn parse_checklist(text: &str) -> Result<Vec<ChecklistEntry>, Error> {
    let broken = |_| Error::Broken("a checklist is kept that cannot be read".to_owned());
    let entries: Vec<ChecklistColumnEntry> = serde_json::from_str(text).map_err(broken)?;
    let entry = |ChecklistColumnEntry { item, fits, note }| ChecklistEntry { item, fits, note };
    Ok(entries.into_iter().map(entry).collect())
}

/// The columns in addition to the case head, in the order of [`build_inspection_values`].
macro_rules! inspection_columns {
    () => {
        "kind, inspector, planned_for, place, note, checklist"
    };
}
pub(crate) use inspection_columns;

pub(super) fn build_inspection_values(inspection: &Inspection) -> Vec<SqlScalar> {
    vec![
        inspection.kind.into(),
        inspection.inspector.as_deref().into(),
        inspection.planned_for.into(),
        inspection.place.as_deref().into(),
        inspection.note.as_deref().into(),
        encode_checklist(&inspection.checklist).into(),
    ]
}

pub(super) fn parse_inspection_row(row: &Row) -> Result<Inspection, Error> {
    Ok(Inspection {
        head: super::head::parse_case_head(row)?,
        kind: row.get("kind")?,
        inspector: row.get("inspector")?,
        planned_for: row.get("planned_for")?,
        place: row.get("place")?,
        note: row.get("note")?,
        checklist: parse_checklist(&row.get::<String>("checklist")?)?,
    })
}
