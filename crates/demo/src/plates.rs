//! Generates unique plates, chassis and registrations, computed from the vehicle's number without a list of those
//! already used.

use crate::dice::SeededDice;
use crate::documents::LAST_NUMBER;
use domain::{Chassis, Plate};

/// Maximum vehicles of a member: with more there would not be enough plates.
pub const MOST_VEHICLES: u32 = 4;

/// Vehicle numbers are below this.
const VEHICLES: u32 = MOST_VEHICLES * (LAST_NUMBER + 1);
/// The smallest power of two that covers `VEHICLES`, in bits.
const BITS: u32 = 29;
const MASK: u32 = (1 << BITS) - 1;

/// Numbers below this have a plate that also exists in the old format: its fifth character is one of ten letters.
const WITH_OLD_FORM: u32 = 175_000_000;
const OLD_LETTERS: u32 = 10;
const NEW_LETTERS: u32 = 16;
/// Plates with the same fifth character: three letters and three digits.
const OF_ONE_LETTER: u32 = 26 * 26 * 26 * 1000;

const _: () = {
    assert!(VEHICLES <= 1 << BITS);
    assert!(WITH_OLD_FORM <= OF_ONE_LETTER * OLD_LETTERS);
    assert!(VEHICLES - WITH_OLD_FORM <= OF_ONE_LETTER * NEW_LETTERS);
    assert!(VEHICLES <= 33u32.pow(6), "the last characters of a chassis tell all vehicles apart");
};

/// Valid chassis characters: I, O and Q look like digits.
const CHASSIS: &[u8; 33] = b"ABCDEFGHJKLMNPRSTUVWXYZ0123456789";
/// The tenth character encodes the model year in a cycle of thirty years, starting at 2010.
const YEARS: &[u8; 30] = b"ABCDEFGHJKLMNPRSTVWXY123456789";

/// A unique pseudo-random number of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VehicleNumber(u32);

impl VehicleNumber {
    /// `vehicle` is the index of the member's vehicle.
    pub fn new(seed: u64, member: u32, vehicle: u32) -> VehicleNumber {
        let mut number = vehicle * (LAST_NUMBER + 1) + member;
        let offset = (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS)) as u32;
        // Mixing is a permutation of all numbers with `BITS` bits. Repeating it until the result is below `VEHICLES`
        // gives a permutation of those numbers, so no two collide.
        loop {
            number = mix_number((number + offset) & MASK);
            if number < VEHICLES {
                return VehicleNumber(number);
            }
        }
    }

    /// In the old format if it has one and `old` is set, otherwise in the Mercosul format.
    pub fn plate(self, old: bool) -> Plate {
        let has_old = self.0 < WITH_OLD_FORM;
        let rest = if has_old { self.0 } else { self.0 - WITH_OLD_FORM };
        let (rest, fifth) = match has_old {
            true => (rest / OLD_LETTERS, rest % OLD_LETTERS),
            false => (rest / NEW_LETTERS, OLD_LETTERS + rest % NEW_LETTERS),
        };
        let (letters, digits) = (rest / 1000, rest % 1000);
        let letter = |number: u32| char::from(b'A' + (number % 26) as u8);
        let fifth = if has_old && old { char::from(b'0' + fifth as u8) } else { letter(fifth) };
        let front = [letter(letters / 676), letter(letters / 26), letter(letters)];
        let text = format!("{}{}{fifth}{:02}", String::from_iter(front), digits / 100, digits % 100);
        Plate::parse(&text).expect("it is a plate")
    }

    /// No maker uses this prefix, so no real vehicle has this chassis.
    pub fn chassis(self, dice: &mut SeededDice, model_year: i32) -> Chassis {
        let mut text = String::from("9ZZDEM");
        let mut push = |byte: u8| text.push(char::from(byte));
        (0..3).for_each(|_| push(dice.pick(CHASSIS)));
        push(YEARS[(model_year - 2010).rem_euclid(YEARS.len() as i32) as usize]);
        push(dice.pick(CHASSIS));
        (0..6).rev().for_each(|at| push(CHASSIS[(self.0 / 33u32.pow(at) % 33) as usize]));
        Chassis::parse(&text).expect("it is a chassis")
    }

    /// Ten digits and their check digit.
    pub fn renavam(self) -> String {
        let body = format!("{:010}", 1_000_000_000 + self.0);
        let weights = [3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
        let sum: u32 = body.bytes().zip(weights).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
        format!("{body}{}", sum * 10 % 11 % 10)
    }
}

/// A permutation of the numbers with [`BITS`] bits: each step is invertible.
fn mix_number(number: u32) -> u32 {
    let mut mixed = number;
    for factor in [0x0B1C_9D35, 0x1589_6B2D] {
        mixed ^= mixed >> 15;
        mixed = mixed.wrapping_mul(factor) & MASK;
    }
    mixed ^ (mixed >> 14)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The first and the last members, so that numbers mixed more than once are covered.
    fn numbers(seed: u64) -> impl Iterator<Item = VehicleNumber> {
        let members = (1..=5_000).chain(LAST_NUMBER - 5_000..=LAST_NUMBER);
        members.flat_map(move |member| {
            (0..MOST_VEHICLES).map(move |vehicle| VehicleNumber::new(seed, member, vehicle))
        })
    }

    #[test]
    fn no_two_vehicles_share_a_plate_in_either_form_nor_a_chassis() {
        let mut dice = SeededDice::new(1, 1);
        let (mut keys, mut chassis, mut registrations) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for number in numbers(7) {
            assert!(keys.insert(number.plate(dice.roll_percent(50)).comparison_key()));
            assert!(chassis.insert(number.chassis(&mut dice, 2020).as_str()[11..].to_owned()));
            assert!(registrations.insert(number.renavam()));
        }
    }

    #[test]
    fn a_registration_has_its_check_digit() {
        assert_eq!(VehicleNumber(0).renavam(), "10000000008");
        assert_eq!(VehicleNumber(234_567_890).renavam().len(), 11);
    }

    /// The inverse of [`mix_number`].
    fn unmix(mixed: u32) -> u32 {
        let unshift = |number: u32, distance: u32| number ^ (number >> distance) ^ (number >> (2 * distance));
        let mut number = unshift(mixed, 14);
        for factor in [0x1589_6B2Du32, 0x0B1C_9D35] {
            // Each round doubles the correct bits of the inverse factor.
            let inverse =
                (0..5).fold(factor, |it, _| it.wrapping_mul(2u32.wrapping_sub(factor.wrapping_mul(it))));
            number = unshift(number.wrapping_mul(inverse) & MASK, 15);
        }
        number
    }

    proptest! {
        #[test]
        fn mixing_can_be_undone(number in 0..=MASK) {
            prop_assert!(mix_number(number) <= MASK);
            prop_assert_eq!(unmix(mix_number(number)), number);
        }

        #[test]
        fn every_seed_and_number_has_both_forms(
            seed: u64, member in 1..=LAST_NUMBER, vehicle in 0..MOST_VEHICLES, year in 1980..2030,
        ) {
            let number = VehicleNumber::new(seed, member, vehicle);
            let (old, new) = (number.plate(true), number.plate(false));
            prop_assert_eq!(old.comparison_key(), new.comparison_key());
            prop_assert_eq!(new.as_str(), new.comparison_key());
            let chassis = number.chassis(&mut SeededDice::new(seed, 0), year);
            prop_assert_eq!(chassis.as_str().len(), 17);
            prop_assert!(!chassis.as_str().contains(['I', 'O', 'Q']));
        }
    }
}
