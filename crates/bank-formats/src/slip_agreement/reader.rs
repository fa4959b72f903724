//! Reads the texts of an agreement field by field and collects every problem.

use crate::check_digits::is_digits;
use crate::{SlipAgreementField, SlipAgreementProblem, SlipAgreementRule, SlipAgreementTexts};

/// Digits padded to the bank's length, and their check digit where there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckedNumber {
    pub digits: String,
    pub check: Option<char>,
}

impl CheckedNumber {
    /// `1234-5`, or `1234` where there is no check digit.
    pub fn print(&self) -> String {
        self.check.map_or_else(|| self.digits.clone(), |check| format!("{}-{check}", self.digits))
    }
}

/// What the agreements of all banks consist of. Texts that a bank does not use are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgreementParts {
    pub agency: CheckedNumber,
    pub account: CheckedNumber,
    pub wallet: String,
    pub agreement: CheckedNumber,
    pub variation: String,
}

pub(crate) struct AgreementReader<'t> {
    texts: &'t SlipAgreementTexts<'t>,
    problems: Vec<SlipAgreementProblem>,
}

impl<'t> AgreementReader<'t> {
    pub fn new(texts: &'t SlipAgreementTexts<'t>) -> AgreementReader<'t> {
        AgreementReader { texts, problems: Vec::new() }
    }

    pub fn into_problems(self) -> Vec<SlipAgreementProblem> {
        self.problems
    }

    pub fn refuse(&mut self, field: SlipAgreementField, rule: SlipAgreementRule) {
        self.problems.push(SlipAgreementProblem { field, rule });
    }

    /// The text without dots and blanks, in upper case.
    pub fn read_plain(&self, field: SlipAgreementField) -> String {
        let text = match field {
            SlipAgreementField::Agency => self.texts.agency,
            SlipAgreementField::Account => self.texts.account,
            SlipAgreementField::Wallet => self.texts.wallet,
            SlipAgreementField::Agreement => self.texts.agreement,
            SlipAgreementField::Variation => self.texts.variation,
        };
        let is_mark = |letter: &char| letter.is_whitespace() || *letter == '.';
        text.chars().filter(|letter| !is_mark(letter)).map(|letter| letter.to_ascii_uppercase()).collect()
    }

    /// Between `from` and `to` digits, padded with zeros to `to`.
    pub fn read_digits(&mut self, field: SlipAgreementField, from: usize, to: usize) -> String {
        let text = self.read_plain(field);
        if text.is_empty() {
            self.refuse(field, SlipAgreementRule::Missing);
        } else if !is_number(&text, from, to) {
            self.refuse(field, SlipAgreementRule::Digits { from, to });
        }
        format!("{text:0>to$}")
    }

    /// One of the values, which may lack leading zeros.
    pub fn read_choice(&mut self, field: SlipAgreementField, values: &'static [&'static str]) -> String {
        let text = self.read_plain(field);
        let bare = text.trim_start_matches('0');
        let chosen = values.iter().find(|value| value.trim_start_matches('0') == bare);
        if text.is_empty() {
            self.refuse(field, SlipAgreementRule::Missing);
        } else if chosen.is_none() {
            self.refuse(field, SlipAgreementRule::OneOf(values));
        }
        chosen.map_or(text, |value| (*value).to_owned())
    }

    /// A number of at most `length` digits and its check digit, with a hyphen between them or in full length.
    pub fn read_checked(
        &mut self,
        field: SlipAgreementField,
        length: usize,
        compute: impl FnOnce(&str) -> char,
    ) -> CheckedNumber {
        let number = self.read_with_check(field, length);
        let Some(check) = number.check else { return number };
        let right = compute(&number.digits);
        // Forms that take digits only are filled in with 0 where the digit is a letter.
        if check != right && !(check == '0' && right.is_ascii_alphabetic()) {
            self.refuse(field, SlipAgreementRule::WrongCheckDigit);
        }
        CheckedNumber { check: Some(right), ..number }
    }

    /// The same where the bank does not publish how its check digit is computed.
    pub fn read_with_check(&mut self, field: SlipAgreementField, length: usize) -> CheckedNumber {
        let text = self.read_plain(field);
        if text.is_empty() {
            self.refuse(field, SlipAgreementRule::Missing);
            return CheckedNumber::default();
        }
        let full_length = || text.is_ascii().then(|| text.split_at_checked(length)).flatten();
        let (digits, check) = text.split_once('-').or_else(full_length).unwrap_or((&text, ""));
        let mut letters = check.chars();
        let check = letters.next().filter(char::is_ascii_alphanumeric);
        if !is_number(digits, 1, length) || letters.next().is_some() {
            self.refuse(field, SlipAgreementRule::Digits { from: 1, to: length });
        } else if check.is_none() {
            self.refuse(field, SlipAgreementRule::MissingCheckDigit);
        }
        CheckedNumber { digits: format!("{digits:0>length$}"), check }
    }

    /// An agency of four digits. Its check digit may follow after a hyphen, but slips do without.
    pub fn read_agency_with_optional_check(&mut self) -> CheckedNumber {
        let field = SlipAgreementField::Agency;
        if self.read_plain(field).contains('-') {
            return self.read_with_check(field, 4);
        }
        CheckedNumber { digits: self.read_digits(field, 1, 4), check: None }
    }

    /// A number in a field that the bank does not have was meant for another field.
    pub fn refuse_if_given(&mut self, field: SlipAgreementField) {
        if !self.read_plain(field).is_empty() {
            self.refuse(field, SlipAgreementRule::NotUsed);
        }
    }
}

/// No bank gives out the number zero.
fn is_number(text: &str, from: usize, to: usize) -> bool {
    (from..=to).contains(&text.len()) && is_digits(text) && text.bytes().any(|byte| byte != b'0')
}
