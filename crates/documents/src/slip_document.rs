//! What a slip shows.

use crate::itf_bars::BarcodeDigits;

/// Everything that a slip shows; texts are shown as they are given, an empty one leaves its place empty.
#[derive(Clone, Debug)]
pub struct SlipDocument<'t> {
    pub bank_name: &'t str,
    /// With its check digit: `001-9`.
    pub printed_bank_number: &'t str,
    /// With points and spaces: `00190.00009 01238.798076 77700.168188 1 16560000010120`.
    pub typed_line: &'t str,
    pub barcode: BarcodeDigits,
    /// The association.
    pub beneficiary: PartyOnSlip<'t>,
    pub agency_and_account: &'t str,
    pub our_number: &'t str,
    pub wallet: &'t str,
    pub payer: PartyOnSlip<'t>,
    /// The number of the title.
    pub document_number: &'t str,
    pub issued_on: &'t str,
    /// When the slip was handed to the bank; for a second copy later than the title's day of issue.
    pub processed_on: &'t str,
    pub due_on: &'t str,
    /// Without the currency: `1.234,56`.
    pub amount: &'t str,
    /// The bank's kind of document: `DM`, `DS`.
    pub kind: &'t str,
    pub accepted: bool,
    pub charge_groups: &'t [ChargeGroupOnSlip<'t>],
    /// Fine, interest and discount, in words; each begins a line.
    pub instructions: &'t [&'t str],
    /// From the association to the member; may have paragraphs.
    pub message: &'t str,
    /// The text of a BR Code.
    pub pix_code: Option<&'t str>,
    pub colours: Option<SlipColours>,
}

#[derive(Clone, Copy, Debug)]
pub struct PartyOnSlip<'t> {
    pub name: &'t str,
    /// With its kind: `CPF 123.456.789-09`.
    pub document: &'t str,
    pub address: &'t [&'t str],
}

/// The charge lines of one nature.
#[derive(Clone, Copy, Debug)]
pub struct ChargeGroupOnSlip<'t> {
    pub nature: &'t str,
    /// The sum of the lines; shown even when there is no room for all of them.
    pub total: &'t str,
    pub lines: &'t [ChargeLineOnSlip<'t>],
}

#[derive(Clone, Copy, Debug)]
pub struct ChargeLineOnSlip<'t> {
    pub description: &'t str,
    pub amount: &'t str,
}

/// The association's colours, as red, green and blue. They fill stripes and never letters, so that all are legible.
#[derive(Clone, Copy, Debug)]
pub struct SlipColours {
    pub primary: [u8; 3],
    pub secondary: [u8; 3],
}
