//! Spreadsheets for import: the columns of each kind of file, their synonyms, and the conversion of cells to the values
//! that the API records take.

mod cells;
mod columns;
mod fields;
mod kinds;
mod register_cells;
mod suggest_fields;

pub use cells::{
    UnreadableCell, convert_cell, convert_serial_day, is_blank_cell, name_referenced_record,
    parse_instalment_pair, parse_whole_number, parse_year_pair, split_amount_sign,
};
pub use columns::list_import_fields;
pub use fields::{ImportField, ImportFieldKind, find_import_field};
pub use kinds::{find_import_register, join_import_kinds, name_import_kind, parse_import_kind};
pub use register_cells::split_value_band;
pub use suggest_fields::{fold_header, suggest_fields};

/// The header of the column that says why a row was refused.
pub const REFUSAL_HEADER: &str = "Motivo da recusa";

/// A flag in an exported file.
pub const fn label_flag(flag: bool) -> &'static str {
    if flag { "Sim" } else { "Não" }
}

/// The note of what had been paid of an imported title.
pub const PAID_BEFORE: &str = "Pago no sistema antigo.";

/// Why a title of an import was cancelled.
pub const IMPORT_UNDONE: &str = "Importação desfeita.";
