//! Benefits as another server tells of them: written with the codes, days and situations that they have there. Nobody
//! refuses where a situation leads, and nobody is told.

use super::{Acting, BENEFIT, benefit_row, body, list, listed_days, member};
use crate::Error;
use crate::benefits::told::between;
use crate::people::{listed_days as own_days, own};
use domain::{BenefitCode, BranchCode, Entity, HistoryCode, PersonCode, Plate};
use storage::benefits::{self, Benefit};
use storage::counters::{self, Counter};
use storage::history::{self, Change};
use storage::listing::{self, ListedRow};
use storage::people::Profile;
use storage::{Statement, Tx, monthly};

/// A benefit as it was and as it becomes; its slot is known.
pub(crate) struct Taken<'a> {
    pub code: BenefitCode,
    pub before: Option<&'a Benefit>,
    pub after: Benefit,
    pub holder: (PersonCode, &'a Profile),
    /// The member's row that a first benefit takes over.
    pub free_row: Option<(i32, BranchCode)>,
}

/// What becomes of a benefit that is known: what the interface does not tell stays.
pub(crate) fn take_over(before: &Benefit, told: &Benefit) -> Benefit {
    let mut after = told.clone();
    after.integration_code.clone_from(&before.integration_code);
    after.note.clone_from(&before.note);
    after.vehicle.fipe.clone_from(&before.vehicle.fipe);
    after.slot = before.slot;
    after.version = before.version;
    // When it was registered never changes: months are counted by it.
    after.created_at = before.created_at;
    after
}

/// Writes those that are new or became another, with what follows from it; gives how many.
pub(crate) async fn write(tx: &mut Tx, acting: &Acting<'_>, all: &[Taken<'_>]) -> Result<u64, Error> {
    let changed: Vec<&Taken<'_>> = all.iter().filter(|one| one.before != Some(&one.after)).collect();
    if changed.is_empty() {
        return Ok(0);
    }
    let tenant = acting.tenant;
    let moved = |one: &&&Taken<'_>| one.before.is_none_or(|before| before.situation != one.after.situation);
    let moves: Vec<&&Taken<'_>> = changed.iter().filter(moved).collect();
    let differences: Vec<_> = changed
        .iter()
        .filter_map(|one| Some((one.code, between(acting.registers, one.before?, &one.after))))
        .collect();
    let fields = differences.iter().map(|(_, fields)| fields.len()).sum::<usize>();
    let wanted = [
        (Counter::History, count(moves.len())),
        (Counter::FieldChange, count(fields)),
        (Counter::Listing, 1),
    ];
    let [first, mut field, _] = counters::take_all(tx, tenant, wanted).await?;
    let mut statements = rows(acting, &changed);
    let mut told = Vec::with_capacity(moves.len());
    for (code, one) in (first..).zip(moves) {
        told.push(change(acting, HistoryCode::new(code), one)?);
    }
    statements.extend(history::insert_quietly(HistoryCode::new(first), told));
    for (code, fields) in differences {
        let next = field + count(fields.len());
        statements.extend(acting.kept(BENEFIT, code.get(), field, fields));
        field = next;
    }
    tx.batch(statements).await?;
    Ok(changed.len() as u64)
}

fn count(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

/// The benefits, their rows in the searches, and the counts of cancellations.
fn rows(acting: &Acting<'_>, changed: &[&Taken<'_>]) -> Vec<Statement> {
    let tenant = acting.tenant;
    let new = changed.iter().filter(|one| one.before.is_none());
    let mut statements = benefits::insert(tenant, new.map(|one| (one.code, &one.after)));
    let known = changed.iter().filter(|one| one.before.is_some());
    statements.extend(known.map(|one| benefits::update(tenant, one.code, &one.after)));
    let is_added = |one: &&&Taken<'_>| one.before.is_none() && one.free_row.is_none();
    let made: Vec<_> = changed
        .iter()
        .filter(is_added)
        .map(|one| {
            let days = listed_days(acting.registers, one.holder.1, &one.after);
            (days, one.after.vehicle.plate.as_ref().map(Plate::key))
        })
        .collect();
    let added = changed.iter().filter(is_added).zip(&made);
    let added: Vec<_> = added
        .map(|(one, (days, plate))| benefit_row(one.code, &one.after, one.holder, days, plate.as_deref()))
        .collect();
    statements.extend(listing::add(tenant, &added));
    for one in changed.iter().filter(|one| !is_added(one)) {
        statements.extend(list(acting, one.code, one.before, &one.after, one.holder, one.free_row));
    }
    let mut months = monthly::Changes::default();
    for one in changed {
        for (benefit, by) in one.before.map(|before| (before, -1)).into_iter().chain([(&one.after, 1)]) {
            if let Some(day) = &benefit.cancelled_on {
                months.count(monthly::Turn::Cancelled, day, benefit.branch, by);
            }
        }
    }
    statements.extend(months.statements(tenant));
    statements
}

fn change(acting: &Acting<'_>, history: HistoryCode, one: &Taken<'_>) -> Result<(Change, String), Error> {
    let change = Change {
        tenant: acting.tenant,
        entity: Entity::Benefit,
        record: one.code.get(),
        branch: one.after.branch,
        from: one.before.map(|before| before.situation),
        to: one.after.situation,
        user: None,
        reason: None,
        origin: acting.origin,
        at: acting.now,
    };
    Ok((change, body(acting, history, one.code, &one.after)?))
}

/// The row of a member who has no benefit.
pub(crate) async fn list_alone(
    tx: &mut Tx,
    acting: &Acting<'_>,
    (code, person): (PersonCode, &Profile),
    slot: i32,
) -> Result<(), Error> {
    let days = own_days(person, &acting.registers.zone);
    let row = ListedRow { slot, member: member(code, person), own: own(person, &days) };
    tx.batch(listing::add(acting.tenant, &[row])).await?;
    Ok(listing::touch(tx, acting.tenant).await?)
}
