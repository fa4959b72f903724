//! Titles that a mirror reads from another system. What is open there is open here, booked as an imported title; what
//! becomes of it there becomes of it here, unless somebody changed it here. Of what is settled there comes what falls due
//! from this month on, so that no charging run charges its month again.
//!
//! A title is found again by a key made of its code in the other system. Most have that code here, too: all but those
//! whose code was taken, and those that were issued again because the other system changed their day or value. A title
//! that came in a sheet under that code is the same title.

use crate::booking::BookDays;
use crate::claimed_month::prepare_claim;
use crate::issue_mirrored_title::{find_mirrored_benefits, find_title_type, issue_mirrored_title};
use crate::mirrored_title::{KEY_PREFIX, MirroredTitle, MirroredTitleOutcome, build_mirror_key};
use crate::opening_title::{OpeningTitle, cancel_opening_title, is_opening_payment, prepare_opening_payment};
use crate::title_history::prepare_stored_title_change;
use app::{ActorContext, App, Error};
use domain::finance::{LaunchKind, TitleSituation, derive_situation};
use domain::{
    AuditedAction, AuditedChange, AuditedRecordKind, BenefitCode, Date, MirrorRecordConflict, TenantId,
    TitleCode,
};
use finance_storage::charging::charged_months::{ChargedMonthOrigin, release_months};
use finance_storage::opening::{
    OpenImportedTitle, find_imported_title, find_title_of_given_key, find_unknown_benefits_mark,
    list_imported_titles, list_open_titles_by_prefix, update_title_key, update_unknown_benefits_mark,
};
use finance_storage::settlements;
use finance_storage::titles::{self, StoredTitle};
use std::collections::HashMap;
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use wire::import_sheet::PAID_BEFORE;
use wire::mirror::CANCELLED_AT_SOURCE;

/// The titles that came with these codes, as they are here.
#[boxed::future]
pub async fn list_mirrored_titles(
    app: &App,
    tenant: TenantId,
    codes: &[TitleCode],
) -> Result<Vec<(TitleCode, StoredTitle)>, Error> {
    let keys: Vec<String> = codes.iter().map(build_mirror_key).collect();
    let imported = list_imported_titles(&app.db, tenant, &keys).await?;
    let own_codes: Vec<TitleCode> = imported.iter().map(|(_, code)| *code).collect();
    let found = titles::list_titles_by_code(&app.db, tenant, &own_codes).await?;
    let mut found: HashMap<TitleCode, StoredTitle> = found.into_iter().collect();
    let pair = |(key, code): &(String, TitleCode)| Some((parse_mirror_key(key)?, found.remove(code)?));
    Ok(imported.iter().filter_map(pair).collect())
}

fn parse_mirror_key(key: &str) -> Option<TitleCode> {
    key.strip_prefix(KEY_PREFIX)?.parse().ok().map(TitleCode::new)
}

/// A title that a mirror brought and that is open here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenMirroredTitle {
    pub code: TitleCode,
    pub code_at_source: Option<TitleCode>,
    pub launch_kind: LaunchKind,
}

/// The open mirrored titles after a code.
#[boxed::future]
pub async fn list_open_mirrored_titles_after(
    app: &App,
    tenant: TenantId,
    after: TitleCode,
    limit: i64,
) -> Result<Vec<OpenMirroredTitle>, Error> {
    let found = list_open_titles_by_prefix(&app.db, tenant, KEY_PREFIX, (after, limit)).await?;
    let parse = |one: OpenImportedTitle| {
        let (code, launch_kind) = (one.code, one.launch_kind);
        OpenMirroredTitle { code, code_at_source: parse_mirror_key(&one.key), launch_kind }
    };
    Ok(found.into_iter().map(parse).collect())
}

/// Makes a title what it is in the other system. One that is not carried and never was here is left out. The caller has
/// confirmed its registers in this unit of work.
#[boxed::future]
pub async fn write_mirrored_title(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    mirrored: &MirroredTitle,
) -> Result<MirroredTitleOutcome, Error> {
    let tenant = context.tenant;
    let days = BookDays::load(tx, context).await?;
    let known = find_imported_title(tx, tenant, &build_mirror_key(mirrored.code)).await?;
    if let Some(known) = find_stored_title(tx, tenant, known).await? {
        return follow_source(tx, context, known, mirrored, &days).await;
    }
    if !mirrored.is_carried(context, days.today) {
        return Ok(MirroredTitleOutcome::default());
    }
    let of_sheet = find_title_of_given_key(tx, tenant, &mirrored.code.to_string()).await?;
    match find_stored_title(tx, tenant, of_sheet).await? {
        Some(of_sheet) => adopt_title_of_sheet(tx, context, of_sheet, mirrored, &days).await,
        None => issue_mirrored_title(tx, context, None, mirrored, &days).await,
    }
}

async fn find_stored_title(
    tx: &mut Tx,
    tenant: TenantId,
    code: Option<TitleCode>,
) -> Result<Option<(TitleCode, StoredTitle)>, Error> {
    match code {
        Some(code) => Ok(titles::list_titles_by_code(&mut *tx, tenant, &[code]).await?.pop()),
        None => Ok(None),
    }
}

/// Follows the other system from now on with a title that came in a sheet, if it is the same one.
async fn adopt_title_of_sheet(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, title): (TitleCode, StoredTitle),
    mirrored: &MirroredTitle,
    days: &BookDays,
) -> Result<MirroredTitleOutcome, Error> {
    if !mirrored.has_terms_of(&title) {
        return Ok(MirroredTitleOutcome::report_conflict(MirrorRecordConflict::TitleImportedDifferently));
    }
    let key = build_mirror_key(mirrored.code);
    tx.execute_batch(vec![update_title_key(context.tenant, code, (&key, false))]).await?;
    let followed = follow_source(tx, context, (code, title), mirrored, days).await?;
    Ok(MirroredTitleOutcome { is_written: true, ..followed })
}

/// Applies what happened in the other system to a title that is here.
async fn follow_source(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, title): (TitleCode, StoredTitle),
    mirrored: &MirroredTitle,
    days: &BookDays,
) -> Result<MirroredTitleOutcome, Error> {
    let all = settlements::list_settlements(&mut *tx, context.tenant, code).await?;
    let mut paid_before = Vec::new();
    let mut is_changed_here =
        title.situation == TitleSituation::Cancelled || title.due_on != title.original_due_on;
    for settlement in &all {
        if settlement.reversal.is_none() && is_opening_payment(tx, context.tenant, settlement).await? {
            paid_before.push(settlement);
        } else {
            is_changed_here = true;
        }
    }
    let paid: i64 = paid_before.iter().map(|settlement| settlement.principal).sum();
    let has_same_terms = mirrored.has_terms_of(&title);
    let benefits = find_mirrored_benefits(tx, context.tenant, mirrored).await?;
    let stored = titles::list_title_benefits(&mut *tx, context.tenant, &[code]).await?;
    let is_stored = |benefit: &BenefitCode| stored.iter().any(|(_, one, _)| one == benefit);
    let new: Vec<BenefitCode> =
        benefits.found.iter().map(|(benefit, _)| *benefit).filter(|benefit| !is_stored(benefit)).collect();
    let gains_benefits = title.situation == mirrored.situation && !is_changed_here && !new.is_empty();
    if stored.is_empty() && (is_changed_here || benefits.found.is_empty()) {
        update_unknown_benefits(tx, context.tenant, code, benefits.names_any()).await?;
    }
    if is_changed_here {
        claim_month_of_benefits(tx, context, (code, &title), &new).await?;
    }
    let is_same = match mirrored.situation {
        TitleSituation::Open => has_same_terms && mirrored.paid == paid,
        other => title.situation == other,
    };
    let lacking = benefits.find_conflict().filter(|_| mirrored.is_carried(context, days.today));
    let conflicts: Vec<MirrorRecordConflict> = lacking.into_iter().collect();
    if is_same && !gains_benefits {
        return Ok(MirroredTitleOutcome { is_written: false, conflicts });
    }
    if is_changed_here {
        return Ok(MirroredTitleOutcome::report_conflict(MirrorRecordConflict::TitleChangedHere));
    }
    match mirrored.situation {
        TitleSituation::Pending => {
            Ok(MirroredTitleOutcome::report_conflict(MirrorRecordConflict::TitleNotPosted))
        }
        TitleSituation::Cancelled => {
            let parts = (&paid_before[..], CANCELLED_AT_SOURCE);
            cancel_opening_title(tx, context, (code, title), parts, days).await?;
            Ok(MirroredTitleOutcome { is_written: true, conflicts: Vec::new() })
        }
        TitleSituation::Settled if !gains_benefits => {
            let payment = (title.open_amount, mirrored.paid_on.unwrap_or(days.today));
            pay_opening_title(tx, context, (code, title), payment, days).await?;
            Ok(MirroredTitleOutcome { is_written: true, conflicts })
        }
        TitleSituation::Open
            if !gains_benefits && has_same_terms && paid < mirrored.paid && mirrored.paid < title.amount =>
        {
            let payment = (mirrored.paid - paid, mirrored.paid_on.unwrap_or(days.today));
            pay_opening_title(tx, context, (code, title), payment, days).await?;
            Ok(MirroredTitleOutcome { is_written: true, conflicts })
        }
        TitleSituation::Open | TitleSituation::Settled => {
            let replaced = Some((code, title, &paid_before[..]));
            issue_mirrored_title(tx, context, replaced, mirrored, days).await
        }
    }
}

/// Claims the month of a title that cannot be issued again for benefits that were unknown when it came.
async fn claim_month_of_benefits(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, title): (TitleCode, &StoredTitle),
    benefits: &[BenefitCode],
) -> Result<(), Error> {
    let is_in_force = matches!(title.situation, TitleSituation::Open | TitleSituation::Settled);
    if benefits.is_empty() || !is_in_force {
        return Ok(());
    }
    let (by, claiming) = ((context.tenant, context.registers), (code, title));
    let claims = prepare_claim(tx, by, claiming, benefits, ChargedMonthOrigin::Import).await?;
    tx.execute_batch(claims).await?;
    Ok(())
}

/// Keeps whether the other system names benefits of a title that has none here. It may have come before that was told, or
/// the other system names others now. One that is for such benefits charges no month of the others.
async fn update_unknown_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    code: TitleCode,
    names_any: bool,
) -> Result<(), Error> {
    let stored = find_unknown_benefits_mark(tx, tenant, code).await?;
    if stored.is_none_or(|stored| stored == names_any) {
        return Ok(());
    }
    let mut statements = vec![update_unknown_benefits_mark(tenant, code, names_any)];
    if names_any {
        statements.extend(release_months(tenant, &[code]));
    }
    tx.execute_batch(statements).await?;
    Ok(())
}

/// Settles a title in whole or in part with money that the other system got.
async fn pay_opening_title(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (code, title): (TitleCode, StoredTitle),
    (paid, paid_on): (i64, Date),
    days: &BookDays,
) -> Result<(), Error> {
    let tenant = context.tenant;
    let line = titles::list_title_lines(&mut *tx, tenant, code).await?.into_iter().next();
    let line = line.ok_or_else(|| Error::Defect(format!("title {code} has no line")))?;
    let paid_on = paid_on.min(days.today).max(title.issued_on);
    let opening = OpeningTitle {
        person: title.person,
        branch: title.branch,
        group: title.group,
        benefits: Vec::new(),
        has_only_unknown_benefits: false,
        title_type: find_title_type(context, title.title_type)?.clone(),
        line,
        paid,
        paid_on,
        issued_on: title.issued_on,
        due_on: title.due_on,
        instalment: (title.instalment, title.instalments),
        description: title.description.clone(),
        note: title.note.clone(),
        key: String::new(),
        is_key_given: false,
    };
    let mut statements = prepare_opening_payment(tx, context, (code, &opening), days).await?;
    let (open_amount, before) = (title.open_amount - paid, title.situation);
    let after = StoredTitle {
        open_amount,
        settled_total: title.settled_total + paid,
        settled_on: title.settled_on.max(Some(paid_on)),
        situation: derive_situation(true, false, open_amount, true),
        updated_at: context.now,
        ..title
    };
    statements.push(titles::update_title(tenant, code, &after));
    statements
        .extend(prepare_stored_title_change(tx, context, (code, &after), before, Some(PAID_BEFORE)).await?);
    let change =
        AuditedChange::new(AuditedAction::Settle, AuditedRecordKind::Title, code.get()).with_argument(paid);
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(after.person), change), audit_code));
    tx.execute_batch(statements).await?;
    Ok(())
}
