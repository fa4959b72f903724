//! Caixa Econômica Federal, SIGCB. The agreement is the beneficiary: six digits and a check digit, or seven
//! digits without one, which begin at 1100000. Our number: wallet 14 (registered) or 24, 15 digits, and a
//! modulo 11 that is printed, but is not in the bank's files.
//!
//! Free field: beneficiary 7 (with its check digit where it has one), digits 3 to 5 of our number, digit 1,
//! digits 6 to 8, digit 2, digits 9 to 17, a modulo 11 over all of these.

use super::{BankSlipRules, NumberForms};
use crate::check_digits::{compute_modulo_11_or_zero, is_digits};
use crate::slip_agreement::reader::{AgreementParts, AgreementReader, CheckedNumber};
use crate::{SlipAgreementField, SlipAgreementRule};
use domain::Date;

const WALLETS: &[&str] = &["14", "24"];
const FIRST_OF_SEVEN_DIGITS: &str = "1100000";

pub(crate) const RULES: BankSlipRules = BankSlipRules {
    read_parts,
    highest_sequence: |_| 999_999_999_999_999,
    number_length: |_| 17,
    build_number,
    complete_number,
    print_agency_and_account: |parts| format!("{}/{}", parts.agency.digits, parts.agreement.print()),
    print_wallet: |parts| if parts.wallet == "14" { "RG" } else { "SR" }.to_owned(),
};

fn read_parts(reader: &mut AgreementReader<'_>) -> AgreementParts {
    reader.refuse_if_given(SlipAgreementField::Variation);
    AgreementParts {
        agency: reader.read_agency_with_optional_check(),
        // Slips and files go by the beneficiary; the account that is credited does not appear in them.
        account: CheckedNumber::default(),
        wallet: reader.read_choice(SlipAgreementField::Wallet, WALLETS),
        agreement: read_beneficiary(reader),
        variation: String::new(),
    }
}

fn read_beneficiary(reader: &mut AgreementReader<'_>) -> CheckedNumber {
    let field = SlipAgreementField::Agreement;
    let text = reader.read_plain(field);
    let is_long = text.len() == 7 && is_digits(&text) && text.as_str() >= FIRST_OF_SEVEN_DIGITS;
    if is_long {
        return CheckedNumber { digits: text, check: None };
    }
    if text.len() == 6 && is_digits(&text) {
        let digits = reader.read_digits(field, 6, 6);
        return CheckedNumber { check: Some(compute_modulo_11_or_zero(&digits)), digits };
    }
    let number = reader.read_checked(field, 6, compute_modulo_11_or_zero);
    if text.contains('-') && text.find('-') != Some(6) {
        reader.refuse(field, SlipAgreementRule::Digits { from: 6, to: 7 });
    }
    number
}

fn build_number(parts: &AgreementParts, sequence: u64, _: Date) -> String {
    format!("{}{sequence:015}", parts.wallet)
}

fn complete_number(parts: &AgreementParts, body: &str) -> NumberForms {
    let beneficiary = &parts.agreement;
    let mut free_field = beneficiary.digits.clone();
    free_field.extend(beneficiary.check);
    for part in [&body[2..5], &body[..1], &body[5..8], &body[1..2], &body[8..]] {
        free_field.push_str(part);
    }
    free_field.push(compute_modulo_11_or_zero(&free_field));
    NumberForms {
        digits: body.to_owned(),
        printed: format!("{body}-{}", compute_modulo_11_or_zero(body)),
        free_field,
    }
}
