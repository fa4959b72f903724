//! Writes benefits received from a mirrored server, with the codes, dates and situations they have there. Situation
//! rules are not checked and no receiver is notified.

use super::field_changes::compare_benefits;
use super::persist::{build_listing_statements, build_situation_change, count_cancelled_months};
use crate::Error;
use crate::actor_context::ActorContext;
use crate::listing_rows::{ListedDays, build_benefit_row};
use crate::situations::render_benefit_trigger_body;
use domain::{
    Benefit, BenefitCode, BranchCode, HistoryCode, PersonCode, PersonProfile, Plate, is_situation_change,
};
use storage::benefits;
use storage::benefits::monthly_counts::BenefitCountChanges;
use storage::benefits::title_revisions::insert_title_revision;
use storage::history::situation_changes;
use storage::search::rows;
use storage::server::counters::{self, Counter};
use storage::{Statement, Tx};
use wire::field_differences::BENEFIT;

/// A benefit before and after; its slot is already assigned.
pub struct MirroredBenefitWrite<'a> {
    pub code: BenefitCode,
    pub before: Option<&'a Benefit>,
    pub after: Benefit,
    pub holder: (PersonCode, &'a PersonProfile),
    /// The member's row that a first benefit takes over.
    pub free_row: Option<(i32, BranchCode)>,
}

/// Applies a mirrored benefit to a stored one: fields that the API does not expose keep their value.
pub fn take_over_benefit(before: &Benefit, received: &Benefit) -> Benefit {
    let mut after = received.clone();
    after.integration_code.clone_from(&before.integration_code);
    after.note.clone_from(&before.note);
    after.vehicle.fipe.clone_from(&before.vehicle.fipe);
    after.slot = before.slot;
    after.version = before.version;
    // The registration time never changes, because monthly counts depend on it.
    after.created_at = before.created_at;
    after
}

/// Writes new and changed benefits with history, field changes and listing rows; returns their number.
#[boxed::future]
pub async fn write_takeovers(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    all: &[MirroredBenefitWrite<'_>],
) -> Result<u64, Error> {
    let changed: Vec<&MirroredBenefitWrite<'_>> =
        all.iter().filter(|one| one.before != Some(&one.after)).collect();
    if changed.is_empty() {
        return Ok(0);
    }
    let tenant = context.tenant;
    let moved = |one: &&&MirroredBenefitWrite<'_>| {
        is_situation_change(one.before.map(|before| before.situation), one.after.situation)
    };
    let moves: Vec<&&MirroredBenefitWrite<'_>> = changed.iter().filter(moved).collect();
    let differences: Vec<_> = changed
        .iter()
        .filter_map(|one| Some((one.code, compare_benefits(context.registers, one.before?, &one.after))))
        .collect();
    let fields = differences.iter().map(|(_, fields)| fields.len()).sum::<usize>();
    let requested = [
        (Counter::History, convert_count(moves.len())),
        (Counter::FieldChange, convert_count(fields)),
        (Counter::Listing, 1),
    ];
    let [first, mut field, _] = counters::reserve_number_blocks(tx, tenant, requested).await?;
    let mut statements = build_takeover_statements(context, &changed);
    let mut entries = Vec::with_capacity(moves.len());
    for (code, one) in (first..).zip(moves) {
        let body = render_benefit_trigger_body(context, HistoryCode::new(code), one.code, &one.after)?;
        let change = build_situation_change(one.code, one.before, &one.after, None);
        entries.push((change.into_history_row(context), body));
    }
    statements.extend(situation_changes::insert_silent_entries(HistoryCode::new(first), entries));
    for (code, fields) in differences {
        let next = field + convert_count(fields.len());
        statements.extend(context.field_change_statements(BENEFIT, code.get(), field, fields));
        field = next;
    }
    tx.execute_batch(statements).await?;
    Ok(changed.len() as u64)
}

fn convert_count(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

/// Statements for the benefits, their listing rows and the counts of cancellations.
fn build_takeover_statements(
    context: &ActorContext<'_>,
    changed: &[&MirroredBenefitWrite<'_>],
) -> Vec<Statement> {
    let tenant = context.tenant;
    let new = changed.iter().filter(|one| one.before.is_none());
    let mut statements = benefits::insert_benefits(tenant, new.map(|one| (one.code, &one.after)));
    let known = changed.iter().filter(|one| one.before.is_some());
    statements.extend(known.map(|one| benefits::update_benefit(tenant, one.code, &one.after)));
    let is_added = |one: &&&MirroredBenefitWrite<'_>| one.before.is_none() && one.free_row.is_none();
    let plate_key =
        |one: &&MirroredBenefitWrite<'_>| one.after.vehicle.plate.as_ref().map(Plate::comparison_key);
    let plate_keys: Vec<_> = changed.iter().filter(is_added).map(plate_key).collect();
    let added: Vec<_> = changed
        .iter()
        .filter(is_added)
        .zip(&plate_keys)
        .map(|(one, plate_key)| {
            let days = ListedDays::of_benefit(&one.after, one.holder.1, &context.registers.zone);
            build_benefit_row(one.code, &one.after, one.holder, days, plate_key.as_deref())
        })
        .collect();
    statements.extend(rows::insert_listing_rows(tenant, &added));
    for one in changed.iter().filter(|one| !is_added(one)) {
        statements.extend(build_listing_statements(
            context,
            one.code,
            one.before,
            &one.after,
            one.holder,
            one.free_row,
        ));
    }
    let times = (context.now.date_in(&context.registers.zone), context.now);
    let mut months = BenefitCountChanges::default();
    for one in changed {
        statements.extend(insert_title_revision((tenant, one.code), (one.before, &one.after), times));
        count_cancelled_months(&mut months, one.before, &one.after);
    }
    statements.extend(months.into_statements(tenant));
    statements
}
