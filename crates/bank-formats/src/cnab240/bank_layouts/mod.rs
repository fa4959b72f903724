//! What each bank has different from FEBRABAN's standard. The functions run after the standard record was
//! filled in.

mod banco_do_brasil;
mod bradesco;
mod caixa;
mod itau;
mod santander;
mod sicoob;
mod sicredi;

use super::record_line::RecordLine;
use super::remittance_model::RemittanceOrder;
use crate::SlipBank;
use crate::slip_agreement::reader::AgreementParts;

/// How interest is told to the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InterestForm {
    /// Code 2 and the percentage of a month.
    MonthlyRate,
    /// Code 0 and the amount of a day.
    DailyAmount,
}

pub(super) struct BankLayout {
    pub bank_name: &'static str,
    pub file_version: &'static str,
    pub lot_version: &'static str,
    /// Where the kind of the association's document is in the header of the file.
    pub holder_column: usize,
    /// "Espécie do título": an invoice (DM), which all banks take in all wallets.
    pub title_kind: &'static str,
    pub interest_form: InterestForm,
    pub no_interest: u64,
    pub no_protest: u64,
    /// Number and amount of the titles are in the trailer of the lot.
    pub has_lot_totals: bool,
    pub finish_file_header: fn(&AgreementParts, &mut RecordLine),
    pub finish_lot_header: fn(&AgreementParts, &mut RecordLine),
    /// Segment P.
    pub finish_title: fn(&AgreementParts, &RemittanceOrder, &mut RecordLine),
    /// Segment Q.
    pub finish_payer: fn(&mut RecordLine),
    /// Segment R.
    pub finish_charges: fn(&mut RecordLine),
}

pub(super) fn find_layout(bank: SlipBank) -> &'static BankLayout {
    match bank {
        SlipBank::BancoDoBrasil => &banco_do_brasil::LAYOUT,
        SlipBank::Santander => &santander::LAYOUT,
        SlipBank::Caixa => &caixa::LAYOUT,
        SlipBank::Bradesco => &bradesco::LAYOUT,
        SlipBank::Itau => &itau::LAYOUT,
        SlipBank::Sicredi => &sicredi::LAYOUT,
        SlipBank::Sicoob => &sicoob::LAYOUT,
    }
}

/// Registered, traditional, issued and sent by the association.
fn put_usual_codes(line: &mut RecordLine) {
    line.put_digits(58, 62, "11122");
}

/// The end of a segment R of FEBRABAN's standard: no account is debited.
fn put_no_debit(line: &mut RecordLine) {
    line.put_digits(200, 215, "");
    line.put_digits(217, 228, "");
    line.put_digits(231, 231, "");
}
