//! Banco do Brasil, "Cobrança BB". The agreement has four, six or seven digits, and our numbers begin with it:
//! of seven, 17 digits without check digit; of four or six, eleven with one. Check digits of agency, account
//! and number are modulo 11 with `X` for 10.
//!
//! Free field with an agreement of seven: six zeros, our number 17, wallet 2. Otherwise: our number 11, agency
//! 4, account 8, wallet 2. The form of 17 digits for agreements of six is not written.

use super::{BankSlipRules, NumberForms};
use crate::check_digits::compute_modulo_11_or_letter;
use crate::slip_agreement::reader::{AgreementParts, AgreementReader, CheckedNumber};
use crate::{SlipAgreementField, SlipAgreementRule};
use domain::Date;

const WALLETS: &[&str] = &["11", "12", "15", "16", "17", "18", "31", "51"];

pub(crate) const RULES: BankSlipRules = BankSlipRules {
    read_parts,
    highest_sequence: |parts| 10_u64.pow(if is_long(parts) { 10 } else { short_sequence_length(parts) }) - 1,
    number_length: |parts| if is_long(parts) { 17 } else { 11 },
    build_number,
    complete_number,
    print_agency_and_account: |parts| format!("{} / {}", parts.agency.print(), parts.account.print()),
    print_wallet: |parts| parts.wallet.clone(),
};

fn read_parts(reader: &mut AgreementReader<'_>) -> AgreementParts {
    AgreementParts {
        agency: reader.read_checked(SlipAgreementField::Agency, 4, compute_check),
        account: reader.read_checked(SlipAgreementField::Account, 8, compute_check),
        wallet: reader.read_choice(SlipAgreementField::Wallet, WALLETS),
        agreement: CheckedNumber { digits: read_agreement(reader), check: None },
        variation: reader.read_digits(SlipAgreementField::Variation, 1, 3),
    }
}

fn read_agreement(reader: &mut AgreementReader<'_>) -> String {
    let field = SlipAgreementField::Agreement;
    let text = reader.read_plain(field);
    reader.read_digits(field, 4, 7);
    if text.len() == 5 {
        reader.refuse(field, SlipAgreementRule::Digits { from: 6, to: 7 });
    }
    text
}

fn compute_check(digits: &str) -> char {
    compute_modulo_11_or_letter(digits, 9, 'X')
}

fn is_long(parts: &AgreementParts) -> bool {
    parts.agreement.digits.len() == 7
}

/// Seven digits after an agreement of four, five after one of six.
fn short_sequence_length(parts: &AgreementParts) -> u32 {
    if parts.agreement.digits.len() == 4 { 7 } else { 5 }
}

fn build_number(parts: &AgreementParts, sequence: u64, _: Date) -> String {
    let agreement = &parts.agreement.digits;
    let length = (RULES.number_length)(parts) - agreement.len();
    format!("{agreement}{sequence:0length$}")
}

fn complete_number(parts: &AgreementParts, body: &str) -> NumberForms {
    let wallet = &parts.wallet;
    if is_long(parts) {
        let free_field = format!("000000{body}{wallet}");
        return NumberForms { digits: body.to_owned(), printed: body.to_owned(), free_field };
    }
    let check = compute_check(body);
    NumberForms {
        digits: format!("{body}{check}"),
        printed: format!("{body}-{check}"),
        free_field: format!("{body}{}{}{wallet}", parts.agency.digits, parts.account.digits),
    }
}
