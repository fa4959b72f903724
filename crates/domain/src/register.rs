//! The problems of a register record.

use crate::FieldKind;

/// What is wrong with a field of a register. The record's name (`a loja`) comes from the register's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterProblem {
    Missing,
    /// No visible record has this code.
    NotThere {
        what: &'static str,
        code: i32,
    },
    /// The code does not name a visible record in use.
    Unknown {
        what: &'static str,
        code: i32,
    },
    UnknownBenefit(i32),
    UnknownPerson(i32),
    /// The same for an item of a list, by its position.
    UnknownPart {
        at: usize,
        what: &'static str,
        code: i32,
    },
    /// Not one of the values allowed by the other fields.
    NotAmong(Vec<&'static str>),
    /// Only additional fields of this type have the property.
    OnlyFor(FieldKind),
    Before(&'static str),
    /// Less than another field.
    Below(&'static str),
    /// Either this field or the other, and only one.
    OneOf(&'static str),
    AboveZero,
    /// Only situations of benefits have the property.
    OnlyForBenefits,
    /// The title type is not for what members owe.
    NotReceivable(i32),
    NotAVehicle(i32),
    /// No CPF, CNPJ, e-mail, telephone with its country or random key.
    BadPixKey,
    /// A cash box has no such thing.
    OnlyForBankAccounts,
    /// The bank of the slips asks for no such number.
    NotUsedByBank,
    /// The bank gives so many digits, and not all of them zero.
    BankDigits {
        from: usize,
        to: usize,
    },
    MissingCheckDigit,
    WrongCheckDigit,
    /// Without accents, nothing is left of it or too much.
    NoCodeText {
        longest: usize,
    },
    /// The list requires one of these filters.
    NoFilter(&'static [&'static str]),
    // Conflicts with the current state.
    /// The field cannot change after the record was created.
    Fixed {
        now: String,
    },
    CodeTaken {
        what: &'static str,
        code: i32,
    },
    /// Another record has the same value.
    Taken {
        what: &'static str,
        code: i32,
    },
    /// The last record in use cannot be deactivated.
    LastActive {
        what: &'static str,
    },
    /// The default of a type cannot be deactivated; another must become the default first.
    IsDefault,
    InactiveDefault,
    /// Another row of the price table decides the same price.
    Overlaps {
        code: i32,
    },
    /// Another charging rule is in force for the same benefits.
    RuleInForce {
        code: i32,
    },
    /// The tracker is installed on a vehicle.
    Installed {
        installation: i32,
    },
}

impl RegisterProblem {
    pub(crate) fn is_conflict(&self) -> bool {
        use RegisterProblem as P;
        matches!(
            self,
            P::Fixed { .. }
                | P::CodeTaken { .. }
                | P::Taken { .. }
                | P::LastActive { .. }
                | P::IsDefault
                | P::InactiveDefault
                | P::Installed { .. }
                | P::Overlaps { .. }
                | P::RuleInForce { .. }
        )
    }
}
