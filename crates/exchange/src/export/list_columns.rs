//! The columns of an exported list.

use super::cell_values::{CellKind, SpreadsheetCell};
use app::register_snapshot::TenantRegisters;

/// The name, title and kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnHeading {
    pub name: &'static str,
    pub title: &'static str,
    pub kind: CellKind,
}

/// A column of a list of `T`.
pub(crate) struct ListColumn<T> {
    pub(super) heading: ColumnHeading,
    pub(super) value: fn(&TenantRegisters, &T) -> SpreadsheetCell,
}

pub(crate) const fn define_column<T>(
    name: &'static str,
    title: &'static str,
    kind: CellKind,
    value: fn(&TenantRegisters, &T) -> SpreadsheetCell,
) -> ListColumn<T> {
    ListColumn { heading: ColumnHeading { name, title, kind }, value }
}
