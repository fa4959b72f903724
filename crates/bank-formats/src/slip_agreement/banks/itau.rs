//! Itaú, wallets without a number of the client's own ("seu número") in the barcode. Agencies have no check
//! digit; that of the account is a modulo 10 over agency and account. Our number: eight digits and a modulo 10
//! over agency, account, wallet and number. The wallets 126, 131, 146, 150 and 168 are not written: public
//! sources disagree on what their modulo 10 covers.
//!
//! Free field: wallet 3, our number 8 and its check digit, agency 4, account 5 and its check digit, three
//! zeros.

use super::{BankSlipRules, NumberForms};
use crate::SlipAgreementField;
use crate::check_digits::compute_modulo_10;
use crate::slip_agreement::reader::{AgreementParts, AgreementReader, CheckedNumber};

const WALLETS: &[&str] = &[
    "104", "108", "109", "110", "111", "112", "115", "121", "138", "145", "147", "157", "166", "174", "175",
    "177", "178", "180", "181", "188", "191",
];

pub(crate) const RULES: BankSlipRules = BankSlipRules {
    read_parts,
    highest_sequence: |_| 99_999_999,
    number_length: |_| 8,
    build_number: |_, sequence, _| format!("{sequence:08}"),
    complete_number,
    print_agency_and_account: |parts| format!("{} / {}", parts.agency.print(), parts.account.print()),
    print_wallet: |parts| parts.wallet.clone(),
};

fn read_parts(reader: &mut AgreementReader<'_>) -> AgreementParts {
    reader.refuse_if_given(SlipAgreementField::Agreement);
    reader.refuse_if_given(SlipAgreementField::Variation);
    let agency = reader.read_digits(SlipAgreementField::Agency, 1, 4);
    let compute_check = |account: &str| compute_modulo_10(&format!("{agency}{account}"));
    let account = reader.read_checked(SlipAgreementField::Account, 5, compute_check);
    AgreementParts {
        agency: CheckedNumber { digits: agency, check: None },
        account,
        wallet: reader.read_choice(SlipAgreementField::Wallet, WALLETS),
        ..AgreementParts::default()
    }
}

fn complete_number(parts: &AgreementParts, body: &str) -> NumberForms {
    let (agency, account, wallet) = (&parts.agency.digits, &parts.account.digits, &parts.wallet);
    let account_check = compute_modulo_10(&format!("{agency}{account}"));
    let check = compute_modulo_10(&format!("{agency}{account}{wallet}{body}"));
    NumberForms {
        digits: format!("{body}{check}"),
        printed: format!("{wallet}/{body}-{check}"),
        free_field: format!("{wallet}{body}{check}{agency}{account}{account_check}000"),
    }
}
