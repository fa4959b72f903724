//! Files of 240 columns (CNAB 240) in which an association tells its bank about slips, and the bank tells what
//! became of them. Columns are counted from 1, as the manuals of the banks count them.
//!
//! A remittance is written from one neutral model, [`RemittanceFile`]: the records of FEBRABAN's standard
//! first, then what the bank has elsewhere (`bank_layouts`, one file a bank). A return file names its bank
//! itself, and [`parse_return_file`] reads it into neutral [`SlipMovement`]s.

mod bank_layouts;
mod movement_reasons;
mod record_line;
mod remittance_model;
mod remittance_writer;
mod return_columns;
mod return_parser;
mod return_text;
#[cfg(test)]
mod tests;

pub use movement_reasons::MovementReason;
pub use remittance_model::{
    RemittanceAssociation, RemittanceFile, RemittanceInstruction, RemittanceOrder, RemittanceProblem,
    SlipDiscount, SlipPayer,
};
pub use remittance_writer::write_remittance;
pub use return_columns::SlipOccurrence;
pub use return_parser::{ReturnFile, ReturnFileProblem, SlipMovement, parse_return_file};
