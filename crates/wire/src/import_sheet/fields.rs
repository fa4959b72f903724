//! The fields that a column can be mapped to, and how their cells are converted.

use super::columns::list_import_fields;
use domain::ImportKind;

/// A field that a column can be mapped to.
#[derive(Debug)]
pub struct ImportField {
    /// The path in the record: `endereco.cep`.
    pub name: &'static str,
    pub label: &'static str,
    pub cell: ImportFieldKind,
    /// Every row needs a value.
    pub required: bool,
    /// Other column names that people use for it.
    pub synonyms: &'static [&'static str],
}

/// How the cells of a column are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportFieldKind {
    Text,
    /// CPF or CNPJ, which lose leading zeros in spreadsheets.
    Document,
    Date,
    Money,
    Flag,
    Number,
    /// A year, or a vehicle's two years in one cell.
    Year,
    /// The number of an instalment, or number and total in one cell: `3/12`.
    Instalment,
    /// An amount that may be below 0.
    SignedMoney,
    /// The smallest value of a band, or both ends in one cell: `20.000,01 a 30.000,00`.
    BandStart,
    /// `2`, `2,5` or `2,5%`.
    Percent,
    /// A member of a fixed set of a register, by its name or its label.
    Choice(&'static [(i64, &'static str)]),
    Phone,
    Sex,
    CivilState,
    Kinship,
    Cep,
    Uf,
    Fuel,
    Category,
    Card,
    BenefitKind,
    SellerKind,
    // By code or by name, as in the tenant's registers.
    Branch,
    Plan,
    Consultant,
    Representative,
    VehicleType,
    TitleType,
    ProtectionGroup,
    MoneyAccount,
    ChargeItem,
    LateChargeRule,
}

/// The field of an import kind with this name.
pub fn find_import_field(kind: ImportKind, name: &str) -> Option<&'static ImportField> {
    list_import_fields(kind).iter().find(|column| column.name == name)
}
