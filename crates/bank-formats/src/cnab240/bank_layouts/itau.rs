//! Itaú, "Cobrança CNAB 240". Agency and account of four and five digits, with their common check digit last.
//! Interest is an amount for each day. The kinds of titles are the bank's own.

use super::{BankLayout, InterestForm, put_no_debit};
use crate::cnab240::record_line::RecordLine;
use crate::slip_agreement::reader::AgreementParts;

pub(in crate::cnab240) const LAYOUT: BankLayout = BankLayout {
    bank_name: "BANCO ITAU SA",
    file_version: "040",
    lot_version: "030",
    holder_column: 18,
    title_kind: "01",
    interest_form: InterestForm::DailyAmount,
    no_interest: 0,
    no_protest: 0,
    has_lot_totals: true,
    finish_file_header: |parts, line| {
        put_account(parts, 53, line);
        line.put_digits(158, 163, "0");
        line.put_digits(167, 171, "0");
        line.put_digits(226, 228, "0");
    },
    finish_lot_header: |parts, line| {
        line.put_digits(12, 13, "0");
        put_account(parts, 54, line);
        line.put_digits(184, 191, "0");
    },
    finish_title: |parts, order, line| {
        put_account(parts, 18, line);
        line.put_digits(38, 40, &parts.wallet);
        line.put_digits(41, 49, order.our_number.digits());
        line.put_digits(58, 62, "0");
        line.put_blanks(73, 77);
        // A discount has its day and amount, but no code.
        line.put_digits(142, 142, "0");
        line.put_digits(224, 239, "0");
    },
    // The name has 30 columns.
    finish_payer: |line| line.put_blanks(64, 73),
    finish_charges: put_no_debit,
};

fn put_account(parts: &AgreementParts, first: usize, line: &mut RecordLine) {
    line.put_digits(first, first + 4, &parts.agency.digits);
    line.put_blanks(first + 5, first + 5);
    line.put_digits(first + 6, first + 17, &parts.account.digits);
    line.put_blanks(first + 18, first + 18);
    line.put_check(first + 19, parts.account.check);
}
