//! Santander, the layout that came with the number 033. The agreement is the beneficiary's number of seven
//! digits (PSK). The account is checked with weights 9, 7, 3, 1 over agency, two zeros and account, of each
//! product only the last digit. Our number: twelve digits and a modulo 11 over them.
//!
//! Free field: a nine, beneficiary 7, our number 13, tax on insurance (a zero), wallet 3.

use super::{BankSlipRules, NumberForms};
use crate::SlipAgreementField;
use crate::check_digits::compute_modulo_11;
use crate::slip_agreement::reader::{AgreementParts, AgreementReader, CheckedNumber};

const WALLETS: &[&str] = &["101", "201"];
const ACCOUNT_WEIGHTS: [u32; 14] = [9, 7, 3, 1, 0, 0, 9, 7, 1, 3, 1, 9, 7, 3];

pub(crate) const RULES: BankSlipRules = BankSlipRules {
    read_parts,
    highest_sequence: |_| 999_999_999_999,
    number_length: |_| 12,
    build_number: |_, sequence, _| format!("{sequence:012}"),
    complete_number,
    print_agency_and_account: |parts| format!("{} / {}", parts.agency.digits, parts.agreement.digits),
    print_wallet: |parts| parts.wallet.clone(),
};

fn read_parts(reader: &mut AgreementReader<'_>) -> AgreementParts {
    reader.refuse_if_given(SlipAgreementField::Variation);
    let agency = reader.read_agency_with_optional_check();
    let compute_check = |account: &str| compute_account_check(&agency.digits, account);
    let account = reader.read_checked(SlipAgreementField::Account, 8, compute_check);
    AgreementParts {
        account,
        wallet: reader.read_choice(SlipAgreementField::Wallet, WALLETS),
        agreement: CheckedNumber {
            digits: reader.read_digits(SlipAgreementField::Agreement, 1, 7),
            check: None,
        },
        agency,
        variation: String::new(),
    }
}

fn compute_account_check(agency: &str, account: &str) -> char {
    let digits = format!("{agency}00{account}");
    let weighted = digits.chars().filter_map(|digit| digit.to_digit(10)).zip(ACCOUNT_WEIGHTS);
    let sum: u32 = weighted.map(|(digit, weight)| digit * weight % 10).sum();
    char::from_digit((10 - sum % 10) % 10, 10).unwrap_or('0')
}

/// A remainder of 10 is written 1, which is eleven less it, so only the remainders 0 and 1 have a rule of their
/// own.
fn compute_number_check(body: &str) -> char {
    char::from_digit(compute_modulo_11(body, 9), 10).unwrap_or('0')
}

fn complete_number(parts: &AgreementParts, body: &str) -> NumberForms {
    let check = compute_number_check(body);
    NumberForms {
        digits: format!("{body}{check}"),
        printed: format!("{body}-{check}"),
        free_field: format!("9{}{body}{check}0{}", parts.agreement.digits, parts.wallet),
    }
}
