//! What the source no longer lists: register records and leads that are missing from a complete list are deactivated,
//! not deleted.

use super::StoredMirror;
use super::write_batch::append_audit_entry;
use app::{App, Error};
use domain::{AuditedAction, AuditedChange, BranchCode, Entity, Lead, LeadCode, Moment, Scope, TenantId};
use std::collections::BTreeSet;
use storage::registers::situations;
use storage::sales::leads;
use storage::{Tx, WriteLane, registers as stored_registers};

/// Deactivates records missing from a complete list, except the last situation of a kind.
pub(super) async fn deactivate_unlisted_records(
    tx: &mut Tx,
    tenant: TenantId,
    path: &str,
    named: &BTreeSet<i32>,
    now: Moment,
) -> Result<u64, Error> {
    let Some(register) = registers::find_register(path) else { return Ok(0) };
    let all =
        stored_registers::list_records(tx, register, &Scope::for_tenant(tenant), &[], Some(true)).await?;
    let kinds = match path {
        "situacao" => situations::list_situations(&mut *tx, tenant).await?,
        _ => Vec::new(),
    };
    let is_needed = |code: i32| {
        let Some(situation) = kinds.iter().find(|one| one.code.get() == code) else {
            return path == "situacao";
        };
        let is_other = |one: &&situations::StoredSituation| {
            one.entity == situation.entity
                && one.kind == situation.kind
                && one.active
                && named.contains(&one.code.get())
        };
        situation.entity != Entity::Benefit || !kinds.iter().any(|one| is_other(&one))
    };
    let mut deactivated = 0;
    for record in all.into_iter().filter(|one| !named.contains(&one.code) && !is_needed(one.code)) {
        stored_registers::update_record(tx, register, tenant, (record.code, &record.values, false), now)
            .await?;
        deactivated += 1;
    }
    Ok(deactivated)
}

/// Deactivates leads that the source no longer lists, in the branches whose leads were listed.
#[boxed::future]
pub async fn retire_leads(
    app: &App,
    mirror: &StoredMirror,
    listed: &BTreeSet<LeadCode>,
    branches: &BTreeSet<BranchCode>,
) -> Result<u64, Error> {
    let tenant = mirror.tenant;
    let mut retired = 0;
    for branch in branches {
        let mut after = LeadCode::new(0);
        loop {
            let batch = leads::list_active_leads_of_branch(&app.db, tenant, *branch, after).await?;
            let Some(last) = batch.last() else { break };
            after = last.code;
            let unlisted: Vec<LeadCode> =
                batch.iter().map(|key| key.code).filter(|code| !listed.contains(code)).collect();
            if unlisted.is_empty() {
                continue;
            }
            let input = (tenant, unlisted, app.now());
            retired += app
                .db
                .write(WriteLane::background(tenant), input, |tx, (tenant, unlisted, now)| {
                    Box::pin(retire_lead_batch(tx, *tenant, unlisted, *now))
                })
                .await?;
        }
    }
    Ok(retired)
}

async fn retire_lead_batch(
    tx: &mut Tx,
    tenant: TenantId,
    codes: &[LeadCode],
    now: Moment,
) -> Result<u64, Error> {
    let mut retired = 0;
    for code in codes {
        let before = leads::find_lead(&mut *tx, tenant, *code).await?;
        let Some(before) = before.filter(|one| one.active) else { continue };
        let inactive = Lead { active: false, updated_at: now, ..before.clone() };
        tx.execute_batch(leads::update_lead(tenant, *code, &before, &inactive)).await?;
        retired += 1;
    }
    if retired > 0 {
        append_audit_entry(
            tx,
            tenant,
            AuditedChange::from(AuditedAction::RetireLeads).with_argument(retired),
            now,
        )
        .await?;
    }
    Ok(retired)
}
