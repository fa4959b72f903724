//! Reproducible random numbers: every stream is derived from a seed and a number, so that the thousandth member can be
//! generated without the 999 before.

use domain::RandomSource;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::ops::Range;

pub struct SeededDice(ChaCha8Rng);

impl SeededDice {
    pub fn new(seed: u64, number: u64) -> SeededDice {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(number);
        SeededDice(generator)
    }

    pub fn roll_range(&mut self, range: Range<u32>) -> u32 {
        let throw = u64::from(self.0.next_u32()) * u64::from(range.end - range.start);
        range.start + (throw >> 32) as u32
    }

    /// True in `share` percent of the cases.
    pub fn roll_percent(&mut self, share: u32) -> bool {
        self.roll_range(0..100) < share
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.roll_range(0..list.len() as u32) as usize]
    }

    pub fn pick_ref<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.roll_range(0..list.len() as u32) as usize]
    }

    /// The first elements are much more likely than the last ones.
    pub fn pick_skewed<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.pick_skewed_index(list.len())]
    }

    /// An index below `count`.
    pub fn pick_skewed_index(&mut self, count: usize) -> usize {
        let throw = u64::from(self.0.next_u32());
        let squared = (throw * throw) >> 32;
        ((squared * count as u64) >> 32) as usize
    }

    /// The index of one of the shares, which add up to 100.
    pub fn pick_share(&mut self, shares: impl IntoIterator<Item = u32>) -> usize {
        let throw = self.roll_range(0..100);
        let ends = shares.into_iter().scan(0, |end, share| {
            *end += share;
            Some(*end)
        });
        ends.take_while(|end| *end <= throw).count()
    }

    pub fn roll_digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.roll_range(0..10) as u8)).collect()
    }
}

/// What is otherwise drawn from the machine. It repeats itself, so nothing that must stay secret may follow from it but
/// what leads to the data of a demo.
pub struct SeededRandomness {
    seed: u64,
    number: u64,
}

impl SeededRandomness {
    pub fn new(seed: u64, number: u64) -> SeededRandomness {
        SeededRandomness { seed, number }
    }
}

impl RandomSource for SeededRandomness {
    fn fill(&self, bytes: &mut [u8]) {
        SeededDice::new(self.seed, self.number).0.fill_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_repeat_themselves_and_stay_within_bounds() {
        let jitters = |seed, number| {
            let mut dice = SeededDice::new(seed, number);
            (0..200).map(|_| dice.roll_range(3..9)).collect::<Vec<_>>()
        };
        assert_eq!(jitters(1, 7), jitters(1, 7));
        assert_ne!(jitters(1, 7), jitters(1, 8));
        assert_ne!(jitters(1, 7), jitters(2, 7));
        for face in 3..9 {
            assert!(jitters(1, 7).contains(&face), "{face}");
        }
        assert!(jitters(1, 7).iter().all(|throw| (3..9).contains(throw)));
    }

    #[test]
    fn the_first_of_a_skewed_list_is_common_and_the_last_is_there() {
        let list: Vec<u32> = (0..50).collect();
        let mut dice = SeededDice::new(1, 1);
        let mut found = [0; 50];
        for _ in 0..20_000 {
            found[dice.pick_skewed(&list) as usize] += 1;
        }
        assert!(found[0] > 10 * found[49] && found[49] > 0, "{found:?}");
    }
}
