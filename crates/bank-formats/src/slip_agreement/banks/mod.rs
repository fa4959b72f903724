//! The rules of each bank. One more bank is a module with a `RULES`, a line in [`find_rules`] and a variant of
//! [`SlipBank`].

mod banco_do_brasil;
mod bradesco;
mod caixa;
mod itau;
mod santander;
mod sicoob;
mod sicredi;
#[cfg(test)]
mod tests;

use crate::SlipBank;
use crate::slip_agreement::reader::{AgreementParts, AgreementReader};
use domain::Date;

/// A number with its check digit, in the forms in which it is needed.
pub(crate) struct NumberForms {
    pub digits: String,
    pub printed: String,
    pub free_field: String,
}

pub(crate) struct BankSlipRules {
    pub read_parts: fn(&mut AgreementReader<'_>) -> AgreementParts,
    pub highest_sequence: fn(&AgreementParts) -> u64,
    /// Digits of a number without check digit.
    pub number_length: fn(&AgreementParts) -> usize,
    /// A number without check digit; the sequence is at most the highest.
    pub build_number: fn(&AgreementParts, u64, Date) -> String,
    pub complete_number: fn(&AgreementParts, &str) -> NumberForms,
    pub print_agency_and_account: fn(&AgreementParts) -> String,
    pub print_wallet: fn(&AgreementParts) -> String,
}

pub(crate) fn find_rules(bank: SlipBank) -> &'static BankSlipRules {
    match bank {
        SlipBank::BancoDoBrasil => &banco_do_brasil::RULES,
        SlipBank::Santander => &santander::RULES,
        SlipBank::Caixa => &caixa::RULES,
        SlipBank::Bradesco => &bradesco::RULES,
        SlipBank::Itau => &itau::RULES,
        SlipBank::Sicredi => &sicredi::RULES,
        SlipBank::Sicoob => &sicoob::RULES,
    }
}
