//! Caixa, "Cobrança SIGCB, leiaute 240". In place of the account stands the beneficiary: six digits, or seven
//! which take the column after them. Our number has no check digit.

use super::{BankLayout, InterestForm};
use crate::check_digits::compute_modulo_11_or_zero;
use crate::cnab240::record_line::RecordLine;
use crate::slip_agreement::reader::AgreementParts;

pub(in crate::cnab240) const LAYOUT: BankLayout = BankLayout {
    bank_name: "CAIXA ECONOMICA FEDERAL",
    file_version: "101",
    lot_version: "060",
    holder_column: 18,
    title_kind: "02",
    interest_form: InterestForm::MonthlyRate,
    no_interest: 3,
    no_protest: 3,
    has_lot_totals: true,
    finish_file_header: |parts, line| {
        line.put_digits(33, 52, "0");
        put_beneficiary(parts, 58, line);
        line.put_digits(167, 171, "0");
        line.put_text(192, 211, "REMESSA-PRODUCAO");
    },
    finish_lot_header: |parts, line| {
        line.put_digits(12, 13, "0");
        line.put_digits(34, 53, "0");
        put_number_left(parts, 34, line);
        put_beneficiary(parts, 59, line);
        if is_long(parts) {
            // The field of six digits that follows the agency cannot hold it.
            line.put_digits(60, 73, "0");
        }
    },
    finish_title: |parts, order, line| {
        line.put_check(23, Some(find_agency_check(parts)));
        line.put_digits(24, 40, "0");
        put_number_left(parts, 24, line);
        line.put_digits(41, 57, order.our_number.digits());
        // Simple, registered, on no paper, issued and sent by the association.
        line.put_digits(58, 62, "11220");
        line.put_blanks(74, 77);
        // The bank writes off after the most days that it takes; associations write off earlier by an order.
        line.put_digits(224, 227, "1999");
    },
    finish_payer: |_| (),
    finish_charges: |_| (),
};

fn is_long(parts: &AgreementParts) -> bool {
    parts.agreement.digits.len() == 7
}

fn find_agency_check(parts: &AgreementParts) -> char {
    parts.agency.check.unwrap_or_else(|| compute_modulo_11_or_zero(&parts.agency.digits))
}

/// The check digit of the agency, the beneficiary and zeros to the end of the account.
fn put_beneficiary(parts: &AgreementParts, first: usize, line: &mut RecordLine) {
    line.put_check(first, Some(find_agency_check(parts)));
    line.put_digits(first + 1, first + 14, "0");
    put_number_left(parts, first + 1, line);
}

fn put_number_left(parts: &AgreementParts, first: usize, line: &mut RecordLine) {
    let digits = &parts.agreement.digits;
    line.put_digits(first, first + digits.len() - 1, digits);
}
