//! Santander, "Cobrança CNAB 240 (H7815)". Headers have the code of transmission: agency, four zeros and the
//! beneficiary. The titles have the account twice, in nine digits.

use super::{BankLayout, InterestForm};
use crate::cnab240::record_line::RecordLine;
use crate::slip_agreement::reader::AgreementParts;

pub(in crate::cnab240) const LAYOUT: BankLayout = BankLayout {
    bank_name: "BANCO SANTANDER",
    file_version: "040",
    lot_version: "030",
    holder_column: 17,
    title_kind: "02",
    interest_form: InterestForm::MonthlyRate,
    no_interest: 3,
    no_protest: 0,
    has_lot_totals: false,
    finish_file_header: |parts, line| {
        put_transmission_code(parts, 33, line);
        line.put_blanks(48, 72);
        line.put_blanks(152, 157);
        line.put_blanks(167, 171);
    },
    finish_lot_header: |parts, line| {
        line.put_blanks(34, 53);
        put_transmission_code(parts, 54, line);
        line.put_blanks(69, 73);
        line.put_blanks(200, 207);
    },
    finish_title: |parts, order, line| {
        line.put_digits(18, 21, &parts.agency.digits);
        line.put_check(22, parts.agency.check.or(Some('0')));
        for first in [23, 33] {
            line.put_digits(first, first + 8, &parts.account.digits);
            line.put_check(first + 9, parts.account.check);
        }
        line.put_blanks(43, 44);
        line.put_digits(45, 57, order.our_number.digits());
        // Registered, on no paper; 5 is the wallet of fast registration.
        line.put_digits(58, 60, if parts.wallet == "101" { "512" } else { "112" });
        line.put_blanks(61, 62);
        line.put_blanks(106, 106);
        // Code 2: the bank writes off nothing by itself.
        line.put_digits(224, 229, "200000");
        line.put_blanks(230, 240);
    },
    finish_payer: |line| line.put_digits(210, 221, "0"),
    finish_charges: |line| line.put_blanks(42, 65),
};

fn put_transmission_code(parts: &AgreementParts, first: usize, line: &mut RecordLine) {
    line.put_digits(first, first + 14, &parts.agreement.digits);
    line.put_digits(first, first + 3, &parts.agency.digits);
}
