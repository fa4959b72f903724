//! Inspections of vehicles or documents.

use super::CaseHead;
use crate::{Error, Row, SqlScalar};
use domain::{InspectionTypeCode, Moment};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInspection {
    pub head: CaseHead,
    pub kind: InspectionTypeCode,
    pub inspector: Option<String>,
    pub planned_for: Option<Moment>,
    pub place: Option<String>,
    pub note: Option<String>,
    pub checklist: Vec<ChecklistEntry>,
}

/// An item of the checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChecklistEntry {
    pub item: String,
    /// Whether it is in order; `None` until it was inspected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fits: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The columns in addition to the case head, in the order of [`build_inspection_values`].
macro_rules! inspection_columns {
    () => {
        "kind, inspector, planned_for, place, note, checklist"
    };
}
pub(crate) use inspection_columns;

pub(super) fn build_inspection_values(inspection: &StoredInspection) -> Vec<SqlScalar> {
    vec![
        inspection.kind.into(),
        inspection.inspector.as_deref().into(),
        inspection.planned_for.into(),
        inspection.place.as_deref().into(),
        inspection.note.as_deref().into(),
        serde_json::to_string(&inspection.checklist).unwrap_or_else(|_| "[]".to_owned()).into(),
    ]
}

pub(super) fn parse_inspection_row(row: &Row) -> Result<StoredInspection, Error> {
    let checklist: String = row.get("checklist")?;
    let broken = |_| Error::Broken("a checklist is kept that cannot be read".to_owned());
    Ok(StoredInspection {
        head: super::parse_case_head(row)?,
        kind: row.get("kind")?,
        inspector: row.get("inspector")?,
        planned_for: row.get("planned_for")?,
        place: row.get("place")?,
        note: row.get("note")?,
        checklist: serde_json::from_str(&checklist).map_err(broken)?,
    })
}
