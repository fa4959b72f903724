//! Sicredi, registered slips of the simple wallet. The agency is the cooperative, the variation its branch
//! office ("posto"), the agreement the beneficiary's five digits. The bank publishes no rule for check digits
//! of agency and account. Our number: year 2, a digit from 2 to 9 for numbers that the beneficiary gives out
//! ("byte"), five digits, and a modulo 11 over cooperative, office, beneficiary and these.
//!
//! Free field: 1 (registered), wallet 1, our number 9, cooperative 4, office 2, beneficiary 5, 1 (there is an
//! amount), a zero, a modulo 11 over all of these.

use super::{BankSlipRules, NumberForms};
use crate::SlipAgreementField;
use crate::check_digits::compute_modulo_11_or_zero;
use crate::slip_agreement::reader::{AgreementParts, AgreementReader, CheckedNumber};
use domain::Date;

const WALLETS: &[&str] = &["1"];
/// Sequences of one byte: 00001 to 99999. The eight bytes are used one after the other.
const SEQUENCES_OF_BYTE: u64 = 99_999;
const BYTES: u64 = 8;

pub(crate) const RULES: BankSlipRules = BankSlipRules {
    read_parts,
    highest_sequence: |_| SEQUENCES_OF_BYTE * BYTES,
    number_length: |_| 8,
    build_number,
    complete_number,
    print_agency_and_account: |parts| {
        format!("{}.{}.{}", parts.agency.digits, parts.variation, parts.agreement.digits)
    },
    print_wallet: |parts| parts.wallet.clone(),
};

fn read_parts(reader: &mut AgreementReader<'_>) -> AgreementParts {
    AgreementParts {
        agency: reader.read_agency_with_optional_check(),
        account: reader.read_with_check(SlipAgreementField::Account, 12),
        wallet: reader.read_choice(SlipAgreementField::Wallet, WALLETS),
        agreement: CheckedNumber {
            digits: reader.read_digits(SlipAgreementField::Agreement, 1, 5),
            check: None,
        },
        variation: reader.read_digits(SlipAgreementField::Variation, 1, 2),
    }
}

fn build_number(_: &AgreementParts, sequence: u64, issued_on: Date) -> String {
    let (byte, number) = ((sequence - 1) / SEQUENCES_OF_BYTE + 2, (sequence - 1) % SEQUENCES_OF_BYTE + 1);
    format!("{:02}{byte}{number:05}", issued_on.year() % 100)
}

fn complete_number(parts: &AgreementParts, body: &str) -> NumberForms {
    let beneficiary = format!("{}{}{}", parts.agency.digits, parts.variation, parts.agreement.digits);
    let check = compute_modulo_11_or_zero(&format!("{beneficiary}{body}"));
    let mut free_field = format!("1{}{body}{check}{beneficiary}10", parts.wallet);
    free_field.push(compute_modulo_11_or_zero(&free_field));
    NumberForms {
        digits: format!("{body}{check}"),
        printed: format!("{}/{}-{check}", &body[..2], &body[2..]),
        free_field,
    }
}
