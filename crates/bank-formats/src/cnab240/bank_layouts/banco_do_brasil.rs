//! Banco do Brasil, "Particularidades CBR240". The agreement is followed by 0014, wallet and variation. The
//! code of wallet 17 is 7. The bank ignores codes of registration, issue and write-off.

use super::{BankLayout, InterestForm, put_no_debit, put_usual_codes};
use crate::cnab240::record_line::RecordLine;
use crate::slip_agreement::reader::AgreementParts;

pub(in crate::cnab240) const LAYOUT: BankLayout = BankLayout {
    bank_name: "BANCO DO BRASIL S.A.",
    file_version: "084",
    lot_version: "042",
    holder_column: 18,
    title_kind: "02",
    interest_form: InterestForm::MonthlyRate,
    no_interest: 3,
    no_protest: 3,
    has_lot_totals: false,
    finish_file_header: |parts, line| put_agreement(parts, 33, line),
    finish_lot_header: |parts, line| put_agreement(parts, 34, line),
    finish_title: |parts, order, line| {
        line.put_text(38, 57, order.our_number.digits());
        put_usual_codes(line);
        line.put_digits(58, 58, find_wallet_code(&parts.wallet));
        line.put_digits(224, 227, "0");
    },
    finish_payer: |_| (),
    finish_charges: put_no_debit,
};

fn put_agreement(parts: &AgreementParts, first: usize, line: &mut RecordLine) {
    line.put_digits(first, first + 8, &parts.agreement.digits);
    line.put_digits(first + 9, first + 12, "14");
    line.put_digits(first + 13, first + 14, &parts.wallet);
    line.put_digits(first + 15, first + 17, &parts.variation);
}

fn find_wallet_code(wallet: &str) -> &'static str {
    match wallet {
        "17" => "7",
        "31" => "3",
        "51" => "4",
        _ => "1",
    }
}
