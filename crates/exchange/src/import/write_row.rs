//! Writes the record of one line, with the function of its kind.

use super::parsed_row::ImportRecordDraft;
use app::import_row::{ImportRowOutcome, ImportUnitContext};
use app::members::dependents;
use app::members::import_rows::{MemberImportRow, import_members};
use app::sales::leads;
use app::{Error, benefits, registers};
use storage::Tx;

pub(super) async fn write_row(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &ImportRecordDraft,
) -> Result<ImportRowOutcome, Error> {
    match row {
        ImportRecordDraft::Member(row) => {
            let rows = std::slice::from_ref(&**row);
            let written = import_members(tx, context, rows).await?.pop();
            written.ok_or_else(|| Error::Defect("an import row had no outcome".to_owned()))
        }
        ImportRecordDraft::Vehicle(row) => {
            benefits::import_rows::write_imported_benefit(tx, context, row).await
        }
        ImportRecordDraft::Dependent(row) => {
            dependents::import_rows::import_dependent(tx, context, row).await
        }
        ImportRecordDraft::Lead(row) => Box::pin(leads::import_rows::import_lead(tx, context, row)).await,
        ImportRecordDraft::Register(row) => registers::import_rows::import_record(tx, context, row).await,
        ImportRecordDraft::Title(row) => finance::import_title(tx, context, row).await,
        ImportRecordDraft::OpeningBalance(row) => finance::import_opening_balance(tx, context, row).await,
    }
}

pub(super) fn extract_member_rows(rows: Vec<ImportRecordDraft>) -> Vec<MemberImportRow> {
    let member = |row: ImportRecordDraft| match row {
        ImportRecordDraft::Member(row) => Some(*row),
        _ => None,
    };
    rows.into_iter().filter_map(member).collect()
}
