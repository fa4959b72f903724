//! Bradesco, "Cobrança Bradesco" with registration by the beneficiary. Our number: eleven digits and a modulo
//! 11 with weights to 7 over wallet and number, `P` for 10. The same weights check the account; all check
//! digits may be `P`. The agreement is the number under which the bank knows the company in its files ("código
//! da empresa").
//!
//! Free field: agency 4, wallet 2, our number 11, account 7, a zero.

use super::{BankSlipRules, NumberForms};
use crate::SlipAgreementField;
use crate::check_digits::compute_modulo_11_or_letter;
use crate::slip_agreement::reader::{AgreementParts, AgreementReader, CheckedNumber};

const WALLETS: &[&str] = &["02", "04", "09", "21", "26"];

pub(crate) const RULES: BankSlipRules = BankSlipRules {
    read_parts,
    highest_sequence: |_| 99_999_999_999,
    number_length: |_| 11,
    build_number: |_, sequence, _| format!("{sequence:011}"),
    complete_number,
    print_agency_and_account: |parts| format!("{} / {}", parts.agency.print(), parts.account.print()),
    print_wallet: |parts| parts.wallet.clone(),
};

fn read_parts(reader: &mut AgreementReader<'_>) -> AgreementParts {
    reader.refuse_if_given(SlipAgreementField::Variation);
    AgreementParts {
        agency: reader.read_checked(SlipAgreementField::Agency, 4, compute_check),
        account: reader.read_checked(SlipAgreementField::Account, 7, compute_check),
        wallet: reader.read_choice(SlipAgreementField::Wallet, WALLETS),
        agreement: CheckedNumber {
            digits: reader.read_digits(SlipAgreementField::Agreement, 1, 20),
            check: None,
        },
        variation: String::new(),
    }
}

fn compute_check(digits: &str) -> char {
    compute_modulo_11_or_letter(digits, 7, 'P')
}

fn complete_number(parts: &AgreementParts, body: &str) -> NumberForms {
    let wallet = &parts.wallet;
    let check = compute_check(&format!("{wallet}{body}"));
    NumberForms {
        digits: format!("{body}{check}"),
        printed: format!("{wallet}/{body}-{check}"),
        free_field: format!("{}{wallet}{body}{}0", parts.agency.digits, parts.account.digits),
    }
}
