//! Sicredi, "Leiaute CNAB 240". No agreement in the headers, and no check digit of the agency. The bank asks
//! for a write-off after 60 days in all titles.

use super::{BankLayout, InterestForm, put_no_debit, put_usual_codes};

pub(in crate::cnab240) const LAYOUT: BankLayout = BankLayout {
    bank_name: "SICREDI",
    file_version: "081",
    lot_version: "040",
    holder_column: 18,
    // "DMI": the only invoice of the bank's list.
    title_kind: "03",
    interest_form: InterestForm::MonthlyRate,
    no_interest: 3,
    no_protest: 3,
    has_lot_totals: true,
    finish_file_header: |_, line| line.put_blanks(58, 58),
    finish_lot_header: |_, line| line.put_blanks(59, 59),
    finish_title: |_, order, line| {
        line.put_blanks(23, 23);
        line.put_text(38, 57, order.our_number.digits());
        put_usual_codes(line);
        line.put_blanks(106, 106);
        line.put_digits(224, 227, "1060");
    },
    finish_payer: |_| (),
    finish_charges: put_no_debit,
};
