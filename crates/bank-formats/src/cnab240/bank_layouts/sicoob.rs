//! Sicoob, "Leiaute CNAB 240". Our number is followed by the instalment, the modality and the kind of paper.

use super::{BankLayout, InterestForm, put_no_debit};
use crate::check_digits::compute_modulo_11_or_zero;
use crate::slip_agreement::reader::AgreementParts;

pub(in crate::cnab240) const LAYOUT: BankLayout = BankLayout {
    bank_name: "SICOOB",
    file_version: "081",
    lot_version: "040",
    holder_column: 18,
    title_kind: "02",
    interest_form: InterestForm::MonthlyRate,
    no_interest: 0,
    no_protest: 3,
    has_lot_totals: true,
    finish_file_header: |parts, line| {
        line.put_check(58, Some(find_agency_check(parts)));
        line.put_digits(72, 72, "0");
        line.put_digits(167, 171, "0");
    },
    finish_lot_header: |parts, line| line.put_check(59, Some(find_agency_check(parts))),
    finish_title: |parts, order, line| {
        line.put_check(23, Some(find_agency_check(parts)));
        line.put_digits(38, 47, order.our_number.digits());
        line.put_digits(48, 49, "1");
        line.put_digits(50, 51, &parts.variation);
        // A4, without an envelope.
        line.put_digits(52, 52, "4");
        line.put_digits(58, 58, &parts.wallet);
        line.put_digits(59, 59, "0");
        line.put_digits(61, 62, "22");
        line.put_blanks(106, 106);
        line.put_digits(224, 224, "0");
        line.put_blanks(225, 227);
    },
    finish_payer: |_| (),
    finish_charges: put_no_debit,
};

/// The bank lists the check digits of its cooperatives and publishes no rule; those known are this modulo 11.
fn find_agency_check(parts: &AgreementParts) -> char {
    parts.agency.check.unwrap_or_else(|| compute_modulo_11_or_zero(&parts.agency.digits))
}
