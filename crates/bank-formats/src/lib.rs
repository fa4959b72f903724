//! The formats that banks and members read: pure, without files, requests or SQL.

pub mod brcode;
mod check_digits;
pub mod cnab240;
pub mod our_number;
pub mod pix_key;
pub mod slip_agreement;
pub mod slip_bank;
pub mod slip_barcode;

pub use our_number::OurNumber;
pub use slip_agreement::{
    SlipAgreement, SlipAgreementField, SlipAgreementProblem, SlipAgreementRule, SlipAgreementTexts,
};
pub use slip_bank::SlipBank;
pub use slip_barcode::{FreeField, SlipBarcode, SlipProblem};
