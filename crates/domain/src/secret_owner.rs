//! What a stored secret belongs to.

/// The kind of record that a secret belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretOwnerKind {
    Receiver,
    SecondFactor,
    /// The payment gateway's token of a credit card.
    CreditCard,
}

impl SecretOwnerKind {
    pub const ALL: [SecretOwnerKind; 3] =
        [SecretOwnerKind::Receiver, SecretOwnerKind::SecondFactor, SecretOwnerKind::CreditCard];

    pub const fn name(self) -> &'static str {
        match self {
            SecretOwnerKind::Receiver => "receiver",
            SecretOwnerKind::SecondFactor => "second_factor",
            SecretOwnerKind::CreditCard => "credit_card",
        }
    }

    pub fn from_name(name: &str) -> Option<SecretOwnerKind> {
        SecretOwnerKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
