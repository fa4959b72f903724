//! The credit cards of a demonstration's members. Their numbers are nobody's: only four digits are made of each.

use super::calendar::{SHOWN_ON, YEAR, at_work, day, day_of};
use super::dice::Dice;
use super::people::Crowd;
use domain::{CreditCardCode, Nature, fold};
use storage::credit_cards::{CreditCard, NewCreditCard};
use storage::people::Profile;

/// The throws for members and their benefits have the numbers below.
const STREAM: u64 = 5 << 32;

/// How many of a hundred members have none, one, two cards.
const COUNTS: [u32; 3] = [68, 26, 6];

const BRANDS: &[&str] = &["Mastercard", "Visa", "Elo", "Hipercard", "American Express"];
/// What fits on a card.
const LONGEST: usize = 26;

impl Crowd {
    /// The first member has two, so that every demonstration shows some.
    pub(super) fn credit_cards(&self, number: u32, person: &Profile) -> Vec<NewCreditCard> {
        let mut dice = Dice::new(self.seed, STREAM + u64::from(number));
        let count = if number == 1 { 2 } else { dice.share(COUNTS) };
        let mut cards: Vec<NewCreditCard> = (0..count).map(|_| card(&mut dice, person)).collect();
        // The first that can be charged is charged first.
        if let Some(first) = cards.iter_mut().find(|one| one.card.active) {
            first.card.is_main = true;
        }
        cards
    }
}

fn card(dice: &mut Dice, person: &Profile) -> NewCreditCard {
    let added = dice.in_range(day_of(person.created_at)..SHOWN_ON);
    let valid_until = day(i64::from(added + dice.in_range(YEAR / 2..6 * YEAR)))[..7].to_owned();
    let card = CreditCard {
        code: CreditCardCode::new(0),
        brand: dice.pick_skewed(BRANDS).to_owned(),
        last_digits: dice.digits(4),
        holder: printed(person),
        active: valid_until[..] >= day(i64::from(SHOWN_ON))[..7] && !dice.percent(5),
        valid_until,
        is_main: false,
    };
    let created_at = at_work(dice, added).max(person.created_at);
    // Thrown for a token once: without it the next card would be another than it was.
    let _ = dice.digits(16);
    NewCreditCard { card, created_at }
}

/// The name as a card has it: of a person the first and the last.
fn printed(person: &Profile) -> String {
    let name = fold(&person.name).to_uppercase();
    let words: Vec<&str> = name.split(' ').collect();
    let short = match (person.nature, &words[..]) {
        (Nature::Natural, [first, .., last]) => format!("{first} {last}"),
        _ => name.clone(),
    };
    short.chars().take(LONGEST).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_members_have_cards_and_one_of_those_in_use_is_the_main_one() {
        let crowd = Crowd::new(1, 3_000);
        let (mut having, mut expired) = (0, 0);
        for number in 1..=3_000 {
            let member = crowd.member(number);
            having += usize::from(!member.credit_cards.is_empty());
            let in_use = member.credit_cards.iter().filter(|one| one.card.active).count();
            let main: Vec<_> = member.credit_cards.iter().filter(|one| one.card.is_main).collect();
            assert_eq!(main.len(), usize::from(in_use > 0));
            assert!(main.iter().all(|one| one.card.active));
            for NewCreditCard { card, created_at } in &member.credit_cards {
                assert!(card.last_digits.len() == 4 && card.valid_until.len() == 7, "{card:?}");
                assert!((1..=LONGEST).contains(&card.holder.chars().count()), "{card:?}");
                assert!(*created_at >= member.person.created_at);
                let is_expired = card.valid_until[..] < day(i64::from(SHOWN_ON))[..7];
                assert!(!(is_expired && card.active), "{card:?}");
                expired += usize::from(is_expired);
            }
        }
        assert!((800..1_100).contains(&having) && expired > 50, "{having} {expired}");
        assert_eq!(crowd.member(1).credit_cards.len(), 2);
        assert_eq!(crowd.member(77).credit_cards, Crowd::new(1, 3_000).member(77).credit_cards);
    }
}
