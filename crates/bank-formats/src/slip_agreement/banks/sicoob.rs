//! Sicoob (Bancoob). The agency is the cooperative, the agreement the number of the client with its check
//! digit, the variation the modality. The bank publishes no rule for the check digits of cooperative, client
//! and account. Our number: seven digits and a modulo 11 with the weights 3, 1, 9 and 7 over cooperative,
//! client of ten digits and number.
//!
//! Free field: wallet 1, cooperative 4, modality 2, client 7, our number 8, instalment 3, which is always the
//! first.

use super::{BankSlipRules, NumberForms};
use crate::SlipAgreementField;
use crate::check_digits::is_digits;
use crate::slip_agreement::reader::{AgreementParts, AgreementReader, CheckedNumber};

const WALLETS: &[&str] = &["1", "3"];
const MODALITIES: &[&str] = &["01", "02", "03"];

pub(crate) const RULES: BankSlipRules = BankSlipRules {
    read_parts,
    highest_sequence: |_| 9_999_999,
    number_length: |_| 7,
    build_number: |_, sequence, _| format!("{sequence:07}"),
    complete_number,
    print_agency_and_account: |parts| format!("{} / {}", parts.agency.digits, parts.agreement.digits),
    print_wallet: |parts| parts.wallet.clone(),
};

fn read_parts(reader: &mut AgreementReader<'_>) -> AgreementParts {
    AgreementParts {
        agency: reader.read_agency_with_optional_check(),
        account: reader.read_with_check(SlipAgreementField::Account, 12),
        wallet: reader.read_choice(SlipAgreementField::Wallet, WALLETS),
        agreement: CheckedNumber { digits: read_client(reader), check: None },
        variation: reader.read_choice(SlipAgreementField::Variation, MODALITIES),
    }
}

/// With or without a hyphen before the check digit.
fn read_client(reader: &mut AgreementReader<'_>) -> String {
    let field = SlipAgreementField::Agreement;
    let text = reader.read_plain(field);
    match text.split_once('-') {
        Some((_, check)) if check.len() == 1 && is_digits(check) => {
            let number = reader.read_with_check(field, 6);
            format!("{}{check}", number.digits)
        }
        _ => reader.read_digits(field, 2, 7),
    }
}

fn compute_number_check(parts: &AgreementParts, body: &str) -> char {
    let digits = format!("{}{:0>10}{body}", parts.agency.digits, parts.agreement.digits);
    let weighted =
        digits.chars().filter_map(|digit| digit.to_digit(10)).zip([3, 1, 9, 7].into_iter().cycle());
    let remainder = weighted.map(|(digit, weight)| digit * weight).sum::<u32>() % 11;
    char::from_digit(11 - remainder, 10).unwrap_or('0')
}

fn complete_number(parts: &AgreementParts, body: &str) -> NumberForms {
    let check = compute_number_check(parts, body);
    let (cooperative, client) = (&parts.agency.digits, &parts.agreement.digits);
    NumberForms {
        digits: format!("{body}{check}"),
        printed: format!("{body}-{check}"),
        free_field: format!("{}{cooperative}{}{client}{body}{check}001", parts.wallet, parts.variation),
    }
}
