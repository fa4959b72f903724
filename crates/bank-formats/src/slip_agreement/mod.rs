//! What an association agreed with its bank about slips: from it follow the numbers of its slips and the free
//! field of their barcodes. Wrong texts are refused when the account is registered, not when the bank refuses
//! the first slip.

mod banks;
pub(crate) mod reader;

use crate::{FreeField, OurNumber, SlipBank};
use banks::{BankSlipRules, find_rules};
use domain::Date;
use reader::{AgreementParts, AgreementReader};

/// The texts as people register them; an empty one is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlipAgreementTexts<'t> {
    pub bank: SlipBank,
    /// With the check digit, `1234-5`, where the bank prints one.
    pub agency: &'t str,
    /// With its check digit: `12345-6`.
    pub account: &'t str,
    pub wallet: &'t str,
    /// Number of the agreement, of the beneficiary or of the client, whichever the bank goes by.
    pub agreement: &'t str,
    /// Variation of the wallet (Banco do Brasil), modality (Sicoob) or branch office (Sicredi's "posto").
    pub variation: &'t str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlipAgreementField {
    Agency,
    Account,
    Wallet,
    Agreement,
    Variation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlipAgreementRule {
    Missing,
    /// The bank has no such number.
    NotUsed,
    /// So many digits, and not all of them zero.
    Digits {
        from: usize,
        to: usize,
    },
    MissingCheckDigit,
    WrongCheckDigit,
    OneOf(&'static [&'static str]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlipAgreementProblem {
    pub field: SlipAgreementField,
    pub rule: SlipAgreementRule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipAgreement {
    bank: SlipBank,
    parts: AgreementParts,
}

impl SlipAgreement {
    /// Collects the problems of all fields.
    pub fn parse(texts: &SlipAgreementTexts<'_>) -> Result<SlipAgreement, Vec<SlipAgreementProblem>> {
        let mut reader = AgreementReader::new(texts);
        let parts = (find_rules(texts.bank).read_parts)(&mut reader);
        let problems = reader.into_problems();
        if problems.is_empty() { Ok(SlipAgreement { bank: texts.bank, parts }) } else { Err(problems) }
    }

    pub fn bank(&self) -> SlipBank {
        self.bank
    }

    /// The last sequence that has an our number.
    pub fn highest_sequence(&self) -> u64 {
        (self.rules().highest_sequence)(&self.parts)
    }

    /// Sequences begin with 1. The day matters only where the number contains the year (Sicredi).
    pub fn our_number(&self, sequence: u64, issued_on: Date) -> Option<OurNumber> {
        if !(1..=self.highest_sequence()).contains(&sequence) {
            return None;
        }
        let body = (self.rules().build_number)(&self.parts, sequence, issued_on);
        self.complete_number(&body)
    }

    /// Reads the digits of an [`OurNumber`] that this agreement made.
    pub fn parse_our_number(&self, digits: &str) -> Option<OurNumber> {
        let length = (self.rules().number_length)(&self.parts);
        let body = digits.get(..length).filter(|body| crate::check_digits::is_digits(body))?;
        self.complete_number(body).filter(|number| number.digits == digits)
    }

    pub fn free_field(&self, number: &OurNumber) -> FreeField {
        number.free_field.clone()
    }

    /// "Agência / código do beneficiário" of the slip.
    pub fn printed_agency_and_account(&self) -> String {
        (self.rules().print_agency_and_account)(&self.parts)
    }

    /// "Carteira" of the slip.
    pub fn printed_wallet(&self) -> String {
        (self.rules().print_wallet)(&self.parts)
    }

    pub(crate) fn parts(&self) -> &AgreementParts {
        &self.parts
    }

    fn rules(&self) -> &'static BankSlipRules {
        find_rules(self.bank)
    }

    /// Adds the check digit to the number.
    fn complete_number(&self, body: &str) -> Option<OurNumber> {
        let forms = (self.rules().complete_number)(&self.parts, body);
        let free_field = FreeField::parse(&forms.free_field)?;
        Some(OurNumber { digits: forms.digits, printed: forms.printed, free_field })
    }
}
