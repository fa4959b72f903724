//! Bradesco, "Cobrança CNAB 240". The agreement is the code of the company, with zeros before it. Our number
//! follows wallet and five zeros.

use super::{BankLayout, InterestForm, put_no_debit, put_usual_codes};

pub(in crate::cnab240) const LAYOUT: BankLayout = BankLayout {
    bank_name: "BRADESCO",
    file_version: "084",
    lot_version: "042",
    holder_column: 18,
    title_kind: "02",
    interest_form: InterestForm::MonthlyRate,
    no_interest: 3,
    no_protest: 3,
    has_lot_totals: true,
    finish_file_header: |parts, line| line.put_digits(33, 52, &parts.agreement.digits),
    finish_lot_header: |parts, line| line.put_digits(34, 53, &parts.agreement.digits),
    finish_title: |parts, order, line| {
        line.put_digits(38, 45, "0");
        line.put_digits(38, 40, &parts.wallet);
        line.put_text(46, 57, order.our_number.digits());
        put_usual_codes(line);
        // Code 2: the bank writes off nothing by itself.
        line.put_digits(224, 227, "2000");
    },
    finish_payer: |_| (),
    finish_charges: put_no_debit,
};
