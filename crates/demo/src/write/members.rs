//! Writes members with all their records in one transaction.

use super::cases;
use super::codes::reserve_codes;
use super::first_situation::build_situation_change;
use super::member_rows::{BatchRows, build_tracker};
use crate::people::SampleMember;
use crate::progress::DemoLoadProgress;
use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::{HistoryCode, PersonCode};
use std::sync::Arc;
use storage::benefits::{installations, items, monthly_counts};
use storage::history::situation_changes;
use storage::members::credit_cards;
use storage::members::{dependents, phones};
use storage::registers::trackers;
use storage::{Tx, benefits};

/// The next members, and the load's progress when they were generated.
pub struct SampleMemberBatch {
    pub progress: DemoLoadProgress,
    pub registers: Arc<TenantRegisters>,
    pub members: Vec<SampleMember>,
}

/// Writes the next members. If another process wrote some meanwhile, writes nothing and returns that process's
/// progress, so that two processes can load the same demo together.
#[boxed::future]
pub async fn write_members(tx: &mut Tx, part: &SampleMemberBatch) -> Result<DemoLoadProgress, Error> {
    if let Some(other) = part.progress.find_other(tx).await? {
        return Ok(other);
    }
    let tenant = part.progress.tenant;
    let first = reserve_codes(tx, tenant, part).await?;
    let (person, people) = (PersonCode::new(first.person), part.members.iter());
    storage::members::insert_people_from(tx, tenant, person, people.clone().map(|member| &member.person))
        .await?;
    phones::insert_phones_from(tx, tenant, person, people.map(|member| &member.phones[..])).await?;
    let history = HistoryCode::new(first.history);
    let case_codes = first.cases;
    let rows = BatchRows::from_batch(part, first);
    tx.execute_batch(benefits::insert_benefits(tenant, rows.benefits())).await?;
    let mut months = monthly_counts::BenefitCountChanges::default();
    for (_, benefit) in rows.benefits() {
        if let Some(day) = benefit.cancelled_on {
            months.count(monthly_counts::BenefitMovement::Cancelled, day, benefit.branch, 1);
        }
    }
    tx.execute_batch(months.into_statements(tenant)).await?;
    tx.execute_batch(items::insert_dated_items(tenant, rows.items())).await?;
    tx.execute_batch(dependents::insert_dependents(tenant, rows.dependents())).await?;
    tx.execute_batch(trackers::insert_trackers(tenant, rows.equipment().filter_map(build_tracker))).await?;
    tx.execute_batch(installations::insert_installations(tenant, rows.equipment())).await?;
    tx.execute_batch(credit_cards::insert_credit_cards(tenant, rows.credit_cards())).await?;
    tx.execute_batch(rows.listing_statements(&part.registers)).await?;
    let changes: Result<Vec<_>, Error> = (history.get()..)
        .zip(rows.benefits())
        .map(|(code, one)| build_situation_change(part, code, one))
        .collect();
    tx.execute_batch(situation_changes::insert_silent_entries(history, changes?)).await?;
    tx.execute_batch(cases::build_case_statements(part, &rows.members, case_codes)?).await?;
    let progress =
        DemoLoadProgress { loaded: part.progress.loaded + part.members.len() as u32, ..part.progress };
    progress.save(tx).await?;
    Ok(progress)
}
