//! How members pay: most in time, some late, a few in parts, too much, or not at all.

use super::monthly::TitleKey;
use super::months::CalendarMonth;
use super::scene::{BANK_SLIP, CARD, CASH, LoadedRegisterScene, PIX, shift_day};
use super::title::SampleTitle;
use crate::dice::SeededDice;
use app::Error;
use domain::Date;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberStanding {
    Regular,
    /// A benefit is suspended, so its last titles are unpaid.
    InArrears,
    /// All benefits were cancelled before the due day.
    Left {
        on: Date,
    },
}

/// What becomes of a title.
#[derive(Clone, Copy)]
enum TitlePaymentHabit {
    InTime,
    Late,
    InParts,
    TooMuch,
    ReversedOnce,
    Waived,
}

/// Of each habit, in thousandths; the rest pays in time.
const HABITS: [(TitlePaymentHabit, u32); 5] = [
    (TitlePaymentHabit::Late, 80),
    (TitlePaymentHabit::InParts, 15),
    (TitlePaymentHabit::TooMuch, 20),
    (TitlePaymentHabit::ReversedOnce, 6),
    (TitlePaymentHabit::Waived, 5),
];

/// Percentage of those in arrears who owe the last title, the last two…
const UNPAID_TITLES: [u32; 4] = [50, 25, 15, 10];
/// Percentage of the unpaid titles of which a part was paid.
const PARTLY_PAID: u32 = 12;

const EARLIEST_DAYS: usize = 10;
const LATEST_DAYS: usize = 12;

const REVERSED_BECAUSE: [&str; 3] =
    ["Pagamento devolvido pelo banco.", "Lançado no título errado.", "Cheque sem fundos."];
const WAIVED_BECAUSE: [&str; 3] =
    ["Isenção aprovada pela diretoria.", "Veículo parado na oficina credenciada.", "Cobrado em duplicidade."];
const LEFT: &str = "Benefício cancelado.";

/// Adds to a title what happened to it until today.
pub(super) fn play_payments(
    dice: &mut SeededDice,
    scene: &LoadedRegisterScene<'_>,
    (key, month): (TitleKey, CalendarMonth),
    standing: MemberStanding,
    title: &mut SampleTitle,
) -> Result<(), Error> {
    match standing {
        MemberStanding::Left { on } => {
            cancel(dice, scene, title, on, LEFT);
            return Ok(());
        }
        MemberStanding::InArrears if month > find_last_paid_month(scene, key) => {
            if dice.roll_percent(PARTLY_PAID) {
                let share = dice.roll_range(30..70);
                let day = shift_day(title.title.effective_due_on, dice.roll_range(1..15).into());
                let part = title.title.amount * i64::from(share) / 100;
                pay(dice, scene, title, day, part)?;
            }
            return Ok(());
        }
        MemberStanding::InArrears | MemberStanding::Regular => {}
    }
    let due = title.title.effective_due_on;
    let earliest = shift_day(title.title.issued_on, 1);
    let in_time = shift_day(due, -(dice.pick_skewed_index(EARLIEST_DAYS) as i64)).max(earliest);
    let late = shift_day(due, 1 + dice.pick_skewed_index(LATEST_DAYS) as i64);
    let amount = title.title.amount;
    match pick_habit(dice) {
        TitlePaymentHabit::InTime => pay(dice, scene, title, in_time, amount),
        TitlePaymentHabit::Late => {
            let owed = title.compute_due_amount(late);
            pay(dice, scene, title, late, owed)
        }
        TitlePaymentHabit::InParts => {
            let part = amount * i64::from(dice.roll_range(40..70)) / 100;
            pay(dice, scene, title, in_time, part)?;
            let rest = title.compute_due_amount(late);
            pay(dice, scene, title, late, rest)
        }
        TitlePaymentHabit::TooMuch => {
            // A round amount, or the same once more.
            let paid = if dice.roll_percent(90) { (amount / 1_000 + 1) * 1_000 } else { amount * 2 };
            pay(dice, scene, title, in_time, paid)
        }
        TitlePaymentHabit::ReversedOnce => pay_twice(dice, scene, title, in_time),
        TitlePaymentHabit::Waived => {
            let reason = dice.pick(&WAIVED_BECAUSE);
            cancel(dice, scene, title, in_time, reason);
            Ok(())
        }
    }
}

fn pick_habit(dice: &mut SeededDice) -> TitlePaymentHabit {
    let mut throw = dice.roll_range(0..1_000);
    for (habit, share) in HABITS {
        if throw < share {
            return habit;
        }
        throw -= share;
    }
    TitlePaymentHabit::InTime
}

/// The last month that a member in arrears paid.
fn find_last_paid_month(scene: &LoadedRegisterScene<'_>, key: TitleKey) -> CalendarMonth {
    let unpaid = 1 + key.roll_dice(scene.seed, None).pick_share(UNPAID_TITLES) as i32;
    let current = CalendarMonth::from_day(scene.today);
    let due = scene.calendar.next_bank_day_from(current.find_day(key.due_day));
    // A title that is not yet due is not overdue either.
    let last_overdue = if due < scene.today { current } else { current.plus(-1) };
    last_overdue.plus(-unpaid)
}

/// A receipt is taken back, and the money comes again.
fn pay_twice(
    dice: &mut SeededDice,
    scene: &LoadedRegisterScene<'_>,
    title: &mut SampleTitle,
    day: Date,
) -> Result<(), Error> {
    let amount = title.title.amount;
    pay(dice, scene, title, day, amount)?;
    let reversed_on = shift_day(day, dice.roll_range(1..4).into());
    let reversed = scene.pick_moment(dice, reversed_on);
    let (reason, days) = (dice.pick(&REVERSED_BECAUSE), dice.roll_range(1..5));
    if title.receipts.is_empty() || reversed_on > scene.today {
        return Ok(());
    }
    title.reverse_receipt(reversed, reason);
    let again = shift_day(reversed_on, days.into());
    let owed = title.compute_due_amount(again);
    pay(dice, scene, title, again, owed)
}

/// Receives money, unless the day is still to come.
fn pay(
    dice: &mut SeededDice,
    scene: &LoadedRegisterScene<'_>,
    title: &mut SampleTitle,
    day: Date,
    amount: i64,
) -> Result<(), Error> {
    let moment = scene.pick_moment(dice, day);
    let channels = [(BANK_SLIP, 50), (PIX, 38), (CASH, 7), (CARD, 5)];
    let at = dice.pick_share(channels.map(|(_, share)| share)).min(channels.len() - 1);
    if day > scene.today || amount < 1 {
        return Ok(());
    }
    title.receive(amount, moment, scene.channel(channels[at].0)?)
}

fn cancel(
    dice: &mut SeededDice,
    scene: &LoadedRegisterScene<'_>,
    title: &mut SampleTitle,
    day: Date,
    reason: &'static str,
) {
    let moment = scene.pick_moment(dice, day);
    if day <= scene.today {
        title.cancel(moment, reason);
    }
}
