//! Generates credit cards of demo members. No real numbers: only four digits of each are generated.

use crate::calendar::{SHOWN_ON, YEAR, compute_date, compute_day_number, pick_working_moment};
use crate::dice::SeededDice;
use crate::generator::SampleGenerator;
use domain::{CreditCard, CreditCardCode, Nature, PersonProfile, fold_text};
use storage::members::credit_cards::NewCreditCardRow;

/// The streams of members and benefits have lower numbers.
const STREAM: u64 = 5 << 32;

/// Percentage of members with none, one, two cards.
const CARD_COUNT_SHARES: [u32; 3] = [68, 26, 6];

const BRANDS: &[&str] = &["Mastercard", "Visa", "Elo", "Hipercard", "American Express"];
/// Longest name that fits on a card.
const LONGEST_NAME: usize = 26;

impl SampleGenerator {
    /// The first member has two, so that every demo shows some.
    pub(super) fn generate_credit_cards(&self, number: u32, person: &PersonProfile) -> Vec<NewCreditCardRow> {
        let mut dice = SeededDice::new(self.seed, STREAM + u64::from(number));
        let count = if number == 1 { 2 } else { dice.pick_share(CARD_COUNT_SHARES) };
        let mut cards: Vec<NewCreditCardRow> = (0..count).map(|_| generate_card(&mut dice, person)).collect();
        // The first active card is the main one.
        if let Some(first) = cards.iter_mut().find(|one| one.card.active) {
            first.card.is_main = true;
        }
        cards
    }
}

fn generate_card(dice: &mut SeededDice, person: &PersonProfile) -> NewCreditCardRow {
    let added = dice.roll_range(compute_day_number(person.created_at)..SHOWN_ON);
    let valid_until = compute_date(i64::from(added + dice.roll_range(YEAR / 2..6 * YEAR))).to_iso_month();
    let card = CreditCard {
        code: CreditCardCode::new(0),
        brand: dice.pick_skewed(BRANDS).to_owned(),
        last_digits: dice.roll_digits(4),
        holder: format_holder_name(person),
        active: valid_until >= compute_date(i64::from(SHOWN_ON)).to_iso_month() && !dice.roll_percent(5),
        valid_until,
        is_main: false,
    };
    let created_at = pick_working_moment(dice, added).max(person.created_at);
    // Formerly used for a token. Kept so that the following cards stay the same for a seed.
    let _ = dice.roll_digits(16);
    NewCreditCardRow { card, created_at }
}

/// The name as printed on a card: for a person the first and the last name.
fn format_holder_name(person: &PersonProfile) -> String {
    let name = fold_text(&person.name).to_uppercase();
    let words: Vec<&str> = name.split(' ').collect();
    let short = match (person.nature, &words[..]) {
        (Nature::Natural, [first, .., last]) => format!("{first} {last}"),
        _ => name.clone(),
    };
    short.chars().take(LONGEST_NAME).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_members_have_cards_and_one_of_those_in_use_is_the_main_one() {
        let generator = SampleGenerator::new(1, 3_000);
        let (mut with_cards, mut expired) = (0, 0);
        for number in 1..=3_000 {
            let member = generator.generate_member(number);
            with_cards += usize::from(!member.credit_cards.is_empty());
            let in_use = member.credit_cards.iter().filter(|one| one.card.active).count();
            let main: Vec<_> = member.credit_cards.iter().filter(|one| one.card.is_main).collect();
            assert_eq!(main.len(), usize::from(in_use > 0));
            assert!(main.iter().all(|one| one.card.active));
            for NewCreditCardRow { card, created_at } in &member.credit_cards {
                assert!(card.last_digits.len() == 4 && card.valid_until.len() == 7, "{card:?}");
                assert!((1..=LONGEST_NAME).contains(&card.holder.chars().count()), "{card:?}");
                assert!(*created_at >= member.person.created_at);
                let is_expired = card.valid_until < compute_date(i64::from(SHOWN_ON)).to_iso_month();
                assert!(!(is_expired && card.active), "{card:?}");
                expired += usize::from(is_expired);
            }
        }
        assert!((800..1_100).contains(&with_cards) && expired > 50, "{with_cards} {expired}");
        assert_eq!(generator.generate_member(1).credit_cards.len(), 2);
        assert_eq!(
            generator.generate_member(77).credit_cards,
            SampleGenerator::new(1, 3_000).generate_member(77).credit_cards
        );
    }
}
