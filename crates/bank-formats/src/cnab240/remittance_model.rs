//! What a remittance says, whatever the bank.

use crate::{OurNumber, SlipAgreement};
use domain::finance::LateChargeRates;
use domain::{Date, Document, Moment, Money, PostalAddress, TimeZone};

/// The holder of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemittanceAssociation {
    pub name: String,
    pub document: Document,
}

/// One file with one lot.
#[derive(Clone, Debug)]
pub struct RemittanceFile {
    pub association: RemittanceAssociation,
    pub agreement: SlipAgreement,
    /// Counts the files of the agreement: banks refuse a file that is not later than the last one.
    pub file_sequence: u32,
    pub made_at: Moment,
    pub time_zone: TimeZone,
    pub orders: Vec<RemittanceOrder>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemittanceInstruction {
    Register,
    WriteOff,
    /// The due date of the order is the new one.
    ChangeDueDate,
}

/// One slip and what the bank is to do with it. The other fields say how the slip is, also when it is only
/// written off: banks compare some of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemittanceOrder {
    pub instruction: RemittanceInstruction,
    pub our_number: OurNumber,
    /// The association's own number of the slip. Banks keep 10 to 15 characters of it.
    pub document_number: String,
    pub issued_on: Date,
    pub due_on: Date,
    pub amount: Money,
    /// From the day after the due date; no charges where the rates are 0.
    pub late_charges: LateChargeRates,
    pub discount: Option<SlipDiscount>,
    pub payer: SlipPayer,
}

/// Given to those who pay by a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlipDiscount {
    pub amount: Money,
    pub until: Date,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipPayer {
    pub name: String,
    pub document: Document,
    /// Banks refuse to register slips without street, city and CEP.
    pub address: PostalAddress,
}

/// Why a remittance cannot be written. Orders are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemittanceProblem {
    NoOrders,
    /// Records are numbered with five digits.
    TooManyOrders,
    /// Files are numbered from 1 with six digits.
    FileSequenceOutOfRange,
    /// The number of this order is of another agreement.
    ForeignNumber {
        order: usize,
    },
    /// A slip holds no such amount.
    AmountOutOfRange {
        order: usize,
    },
}
