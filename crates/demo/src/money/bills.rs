//! What the association pays: a bill of each supplier every month, most of them paid on the due day.

use super::months::CalendarMonth;
use super::scene::{LoadedRegisterScene, TRANSFER, shift_day};
use super::title::SampleTitle;
use crate::association::SUPPLIERS;
use crate::calendar::FOUNDED;
use crate::dice::SeededDice;
use app::Error;
use domain::finance::{ChargeItemKind, ChargeLine, LaunchKind, TitleSituation};
use domain::{BranchCode, Document, PersonCode, PersonProfile, SupplierCode};
use storage::Tx;
use storage::members::{find_person_by_document, insert_people};
use storage::registers::suppliers::find_supplier;
use storage::server::counters::{self, Counter};

const ISSUE_DAY: i16 = 5;
const DUE_DAYS: [i16; 3] = [10, 20, 28];
/// In cents, for a thousand members.
const SMALLEST: u32 = 60_000;
const LARGEST: u32 = 900_000;
/// Percentage of the bills of this month that wait for release.
const WAITING: u32 = 25;

/// The streams of everything else but the monthly titles have lower numbers.
const STREAM: u64 = 1 << 61;

/// The bills of a month that were issued until today.
pub(super) async fn generate_bills(
    tx: &mut Tx,
    scene: &LoadedRegisterScene<'_>,
    month: CalendarMonth,
    members: u32,
) -> Result<Vec<SampleTitle>, Error> {
    let mut bills = Vec::new();
    if month.find_day(ISSUE_DAY) <= scene.today {
        for number in 0..SUPPLIERS.len() {
            if let Some(creditor) = find_creditor(tx, scene, number).await? {
                bills.push(generate_bill(scene, month, (number, creditor), members)?);
            }
        }
    }
    Ok(bills)
}

/// A supplier as a person, to whom titles can belong; the first bill registers it.
async fn find_creditor(
    tx: &mut Tx,
    scene: &LoadedRegisterScene<'_>,
    number: usize,
) -> Result<Option<PersonCode>, Error> {
    let (tenant, supplier) = (scene.tenant, &SUPPLIERS[number]);
    let code = SupplierCode::new(number as i32 + 1);
    let stored = find_supplier(&mut *tx, tenant, code).await?;
    let Some(text) = stored.and_then(|stored| stored.document) else { return Ok(None) };
    let document = Document::parse(&text)?;
    if let Some((person, _)) = find_person_by_document(&mut *tx, tenant, &document).await? {
        return Ok(Some(person));
    }
    let branch = BranchCode::new(supplier.branch as i32 + 1);
    let person = PersonProfile::new_non_member(branch, Some(document), supplier.name.to_owned(), FOUNDED);
    let code = PersonCode::new(counters::reserve_number(tx, tenant, Counter::Person).await?);
    tx.execute_batch(insert_people(tenant, [(code, &person)])).await?;
    Ok(Some(code))
}

fn generate_bill(
    scene: &LoadedRegisterScene<'_>,
    month: CalendarMonth,
    (number, creditor): (usize, PersonCode),
    members: u32,
) -> Result<SampleTitle, Error> {
    let supplier = &SUPPLIERS[number];
    let mut dice = SeededDice::new(scene.seed, STREAM | month.number() << 16 | number as u64);
    let dice = &mut dice;
    let issued = scene.pick_moment(dice, month.find_day(ISSUE_DAY));
    let item = scene.charge_item(ChargeItemKind::Expense)?;
    let invoice = dice.roll_range(100..9_999);
    let amount = i64::from(dice.roll_range(SMALLEST..LARGEST)) * i64::from(members.max(1)) / 1_000;
    let line = ChargeLine {
        item: item.code,
        nature: item.nature,
        benefit: None,
        price: None,
        amount: amount.max(1_000),
        description: Some(supplier.kind.to_owned()),
    };
    let mut title = scene.build_title(
        (LaunchKind::Debit, format!("Nota fiscal {invoice} — {}", supplier.trade_name)),
        (creditor, BranchCode::new(supplier.branch as i32 + 1), scene.first_group()),
        issued,
        month.find_day(dice.pick(&DUE_DAYS)),
        std::slice::from_ref(&line),
    )?;
    let waits = dice.roll_percent(WAITING) && title.due_on > scene.today;
    if waits {
        title.posted_on = None;
        title.situation = TitleSituation::Pending;
        title.note = Some("À espera da conferência da nota.".to_owned());
    }
    let mut title = SampleTitle::new(title, vec![line], Vec::new())?;
    let paid_on = shift_day(title.title.effective_due_on, -i64::from(dice.roll_range(0..3)));
    let paid = scene.pick_moment(dice, paid_on.max(issued.0));
    if !waits && paid.0 <= scene.today {
        title.receive(title.title.amount, paid, scene.channel(TRANSFER)?)?;
    }
    Ok(title)
}
