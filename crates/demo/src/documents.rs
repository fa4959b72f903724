//! Generates unique documents, computed from the member's number without a list of those already used.

use crate::dice::SeededDice;
use domain::{Cnpj, Cpf};

/// Highest number with a unique document: there are this many CNPJ roots, and none of the numbers is one digit repeated
/// nine times, which [`generate_cpf`] relies on.
pub const LAST_NUMBER: u32 = 99_999_999;

const CPF_BODIES: u64 = 1_000_000_000;
const CNPJ_ROOTS: u64 = 100_000_000;
/// Coprime to powers of ten, so that the multiplication is a permutation.
const SPREAD: u64 = 618_033_989;

/// The CPF of a number; numbers start at 1.
pub fn generate_cpf(seed: u64, number: u32) -> Cpf {
    let mut body = u64::from(number);
    loop {
        body = spread_number(seed, body, CPF_BODIES);
        let digits: [u8; 9] = std::array::from_fn(|at| (body / 10u64.pow(8 - at as u32) % 10) as u8);
        // A repeated digit is not a valid CPF. Another round leads to a body that no other number reaches, because the
        // numbers themselves are never one digit repeated nine times.
        if let Some(cpf) = Cpf::with_check_digits(digits) {
            return cpf;
        }
    }
}

/// The CNPJ of a number, with letters if `letters` is set.
pub fn generate_cnpj(seed: u64, number: u32, letters: bool, dice: &mut SeededDice) -> Cnpj {
    let root = format!("{:08}0001", spread_number(seed, u64::from(number), CNPJ_ROOTS));
    let mut body = [0; 12];
    body.copy_from_slice(root.as_bytes());
    if letters {
        // Two letters stand for each digit, so different roots stay different.
        for character in &mut body[2..5] {
            *character = b'A' + (*character - b'0') * 2 + dice.roll_range(0..2) as u8;
        }
    }
    Cnpj::with_check_digits(body).expect("a root and branch 0001 are never one digit repeated")
}

fn spread_number(seed: u64, number: u64, count: u64) -> u64 {
    (number * (SPREAD % count) + seed % count) % count
}

/// A driving licence number: nine digits and two check digits.
pub fn generate_cnh(dice: &mut SeededDice) -> String {
    loop {
        if let Some(number) = append_cnh_check_digits(&dice.roll_digits(9)) {
            return number;
        }
    }
}

/// `None` if the first remainder is ten: implementations disagree on the second digit of such a number.
fn append_cnh_check_digits(body: &str) -> Option<String> {
    let sum = |weights: [u32; 9]| -> u32 {
        body.bytes().zip(weights).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum::<u32>() % 11
    };
    let (first, second) = (sum([9, 8, 7, 6, 5, 4, 3, 2, 1]), sum([1, 2, 3, 4, 5, 6, 7, 8, 9]));
    (first != 10).then(|| format!("{body}{first}{}", second % 10))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_numbers_share_a_document() {
        let mut found = BTreeSet::new();
        let mut dice = SeededDice::new(1, 1);
        for number in 1..=20_000 {
            assert!(found.insert(generate_cpf(7, number).as_str().to_owned()));
            assert!(found.insert(generate_cnpj(7, number, false, &mut dice).as_str().to_owned()));
            assert!(found.insert(generate_cnpj(7, number, true, &mut dice).as_str().to_owned()));
        }
    }

    /// The number that would lead to 111.111.111 gets another, still unique body.
    #[test]
    fn a_body_of_one_digit_repeated_is_passed_over() {
        let seed = (CPF_BODIES + 111_111_111 - SPREAD * 5 % CPF_BODIES) % CPF_BODIES;
        assert_eq!(spread_number(seed, 5, CPF_BODIES), 111_111_111);
        let passed = generate_cpf(seed, 5);
        assert!(
            (1..=100_000).filter(|number| *number != 5).all(|number| generate_cpf(seed, number) != passed)
        );
    }

    #[test]
    fn a_licence_number_has_its_check_digits() {
        assert_eq!(append_cnh_check_digits("583167945").as_deref(), Some("58316794534"));
        assert!((0..500).all(|number| generate_cnh(&mut SeededDice::new(3, number)).len() == 11));
    }

    proptest! {
        #[test]
        fn every_number_and_seed_has_documents(seed: u64, number in 1..=LAST_NUMBER) {
            let mut dice = SeededDice::new(seed, 0);
            let with_letters = generate_cnpj(seed, number, true, &mut dice);
            prop_assert!(with_letters.as_str().contains(char::is_alphabetic));
            prop_assert!(Cpf::parse(generate_cpf(seed, number).as_str()).is_ok());
            prop_assert!(Cnpj::parse(with_letters.as_str()).is_ok());
        }
    }
}
