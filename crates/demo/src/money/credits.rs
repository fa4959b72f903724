//! Members who pay a title again: the money becomes their credit. Some of it is paid back, and some was recorded by
//! mistake.

use super::scene::{LoadedRegisterScene, PIX, TRANSFER, shift_day};
use super::title::{PaymentChannel, SampleCounterEntry, SampleTitle, report_imbalance};
use crate::dice::SeededDice;
use app::Error;
use domain::finance::{BalancedLines, TitleSituation, book_credit_receipt, book_credit_refund};
use domain::{Date, Moment};

/// Of the settled titles, in thousandths.
const PAID_AGAIN: u32 = 5;
/// Percentage of these payments that were recorded by mistake, and that are paid back.
const MISTAKEN: u32 = 15;
const PAID_BACK: u32 = 25;

const PAID_AGAIN_NOTES: [&str; 3] =
    ["Boleto pago duas vezes.", "Pix repetido pelo associado.", "Pago de novo pelo aplicativo do banco."];
const PAID_BACK_NOTE: &str = "Devolvido a pedido do associado.";
const MISTAKEN_BECAUSE: &str = "Registrado no associado errado.";

/// Money that became the credit of the title's person, or was paid back to them.
pub(super) struct SampleCreditReceipt {
    pub paid_on: Date,
    /// In cents; below 0, it was paid back.
    pub amount: i64,
    pub channel: PaymentChannel,
    pub note: &'static str,
    pub lines: BalancedLines,
    pub created_at: Moment,
    pub reversal: Option<SampleCounterEntry>,
}

/// Adds the second payment of a title that is settled, and what became of it until today.
pub(super) fn play_second_payment(
    dice: &mut SeededDice,
    scene: &LoadedRegisterScene<'_>,
    title: &mut SampleTitle,
) -> Result<(), Error> {
    let stored = &title.title;
    let settled_on = stored.settled_on.filter(|_| stored.situation == TitleSituation::Settled);
    let Some(settled_on) = settled_on.filter(|_| dice.roll_range(0..1_000) < PAID_AGAIN) else {
        return Ok(());
    };
    let (group, person, amount) = (stored.group, stored.person, stored.amount);
    let paid_on = shift_day(settled_on, dice.roll_range(1..5).into());
    let (_, created_at) = scene.pick_moment(dice, paid_on);
    let later = shift_day(paid_on, dice.roll_range(2..12).into());
    let (_, later_at) = scene.pick_moment(dice, later);
    let (note, fate) = (dice.pick(&PAID_AGAIN_NOTES), dice.roll_range(0..100));
    if paid_on > scene.today {
        return Ok(());
    }
    let channel = PaymentChannel { user: scene.administrator, ..scene.channel(PIX)? };
    let lines = book_credit_receipt(group, channel.account, person, amount).map_err(report_imbalance)?;
    let is_over = later <= scene.today;
    let reversal = (is_over && fate < MISTAKEN).then(|| SampleCounterEntry {
        day: later,
        at: later_at,
        reason: MISTAKEN_BECAUSE,
        lines: lines.reverse(),
    });
    title.credits.push(SampleCreditReceipt { paid_on, amount, channel, note, lines, created_at, reversal });
    if is_over && (MISTAKEN..MISTAKEN + PAID_BACK).contains(&fate) {
        let channel = scene.channel(TRANSFER)?;
        let lines = book_credit_refund(group, channel.account, person, amount).map_err(report_imbalance)?;
        title.credits.push(SampleCreditReceipt {
            paid_on: later,
            amount: -amount,
            channel,
            note: PAID_BACK_NOTE,
            lines,
            created_at: later_at,
            reversal: None,
        });
    }
    Ok(())
}
