//! Issues a title that a mirror reads from another system, with the code that it has there.

use crate::benefit_group::{find_benefit_group, find_first_group};
use crate::booking::{BookDays, is_too_far, is_too_old};
use crate::mirrored_title::{MirroredTitle, MirroredTitleOutcome, build_mirror_key};
use crate::opening_title::{OpeningTitle, cancel_opening_title, write_opening_title};
use app::{ActorContext, Error};
use domain::finance::{ChargeLine, TitleSituation};
use domain::{
    Benefit, BenefitCode, Date, MirrorRecordConflict, PersonProfile, Scope, TenantId, TitleCode,
    TitleTypeCode,
};
use finance_storage::settlements::StoredSettlement;
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;
use storage::benefits::list_benefits_of_person;
use storage::members::find_person;
use storage::registers::finance::StoredTitleType;
use storage::server::counters::{self, Counter};
use wire::mirror::CHANGED_AT_SOURCE;

/// Where the codes of titles begin that cannot have the code of the other system. It does not reach them.
const FIRST_OWN_CODE: i32 = 1_000_000_000;

/// A title that is here, and what had been paid of it.
pub(crate) type ReplacedTitle<'t> = (TitleCode, StoredTitle, &'t [&'t StoredSettlement]);

/// Issues a title, instead of the one that the other system changed.
pub(crate) async fn issue_mirrored_title(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    replaced: Option<ReplacedTitle<'_>>,
    mirrored: &MirroredTitle,
    days: &BookDays,
) -> Result<MirroredTitleOutcome, Error> {
    let mut conflicts = list_unusable_terms(mirrored, days.today);
    let Some(opening) = prepare_mirrored_title(tx, context, mirrored, (days.today, &mut conflicts)).await?
    else {
        return Ok(MirroredTitleOutcome { is_written: false, conflicts });
    };
    if let Some((code, title, paid_before)) = replaced {
        cancel_opening_title(tx, context, (code, title), (paid_before, CHANGED_AT_SOURCE), days).await?;
    }
    let code = choose_title_code(tx, context.tenant, mirrored.code).await?;
    write_opening_title(tx, context, (code, &opening), days).await?;
    Ok(MirroredTitleOutcome { is_written: true, conflicts })
}

/// Whether a title that is not here would be written if its person were known.
pub fn can_mirror_title(context: &ActorContext<'_>, mirrored: &MirroredTitle) -> bool {
    let today = context.now.date_in(&context.registers.zone);
    mirrored.is_carried(context, today) && list_unusable_terms(mirrored, today).is_empty()
}

fn list_unusable_terms(mirrored: &MirroredTitle, today: Date) -> Vec<MirrorRecordConflict> {
    let mut conflicts = Vec::new();
    let is_paid = mirrored.situation == TitleSituation::Open && mirrored.paid >= mirrored.amount;
    if mirrored.amount < 1 || is_paid {
        conflicts.push(MirrorRecordConflict::TitleAmountUnusable);
    }
    if is_too_old(mirrored.due_on) || is_too_far(mirrored.due_on, today) {
        conflicts.push(MirrorRecordConflict::TitleDayUnusable);
    }
    conflicts
}

/// The code of the other system, unless a title has it here.
async fn choose_title_code(tx: &mut Tx, tenant: TenantId, wanted: TitleCode) -> Result<TitleCode, Error> {
    if titles::list_titles_by_code(&mut *tx, tenant, &[wanted]).await?.is_empty() {
        counters::advance_counter(tx, tenant, Counter::Title, wanted.get()).await?;
        return Ok(wanted);
    }
    counters::advance_counter(tx, tenant, Counter::Title, FIRST_OWN_CODE - 1).await?;
    Ok(TitleCode::new(counters::reserve_number(tx, tenant, Counter::Title).await?))
}

/// The benefits of a title that are here.
pub(crate) struct MirroredBenefits {
    pub found: Vec<(BenefitCode, Benefit)>,
    /// Whether the other system names more of them.
    pub is_incomplete: bool,
}

impl MirroredBenefits {
    /// Whether the other system names some, but none that is here.
    fn has_only_unknown(&self) -> bool {
        self.found.is_empty() && self.is_incomplete
    }

    /// Whether the other system names some, here or not.
    pub fn names_any(&self) -> bool {
        self.is_incomplete || !self.found.is_empty()
    }

    pub fn find_conflict(&self) -> Option<MirrorRecordConflict> {
        match self.is_incomplete {
            true if self.has_only_unknown() => Some(MirrorRecordConflict::TitleWithoutKnownBenefit),
            true => Some(MirrorRecordConflict::TitleBenefitUnknown),
            false => None,
        }
    }
}

pub(crate) async fn find_mirrored_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    mirrored: &MirroredTitle,
) -> Result<MirroredBenefits, Error> {
    let owned = list_benefits_of_person(&mut *tx, &Scope::for_tenant(tenant), mirrored.person).await?;
    let found: Vec<(BenefitCode, Benefit)> =
        owned.into_iter().filter(|(code, benefit)| is_named(mirrored, *code, benefit)).collect();
    let is_incomplete = found.len() < mirrored.benefits.len().max(mirrored.sequences.len());
    Ok(MirroredBenefits { found, is_incomplete })
}

fn is_named(mirrored: &MirroredTitle, code: BenefitCode, benefit: &Benefit) -> bool {
    match mirrored.benefits.is_empty() {
        true => mirrored.sequences.contains(&benefit.sequence),
        false => mirrored.benefits.contains(&code),
    }
}

/// The title to issue; `None`, with the conflict, if it cannot be one of this association.
async fn prepare_mirrored_title(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    mirrored: &MirroredTitle,
    (today, conflicts): (Date, &mut Vec<MirrorRecordConflict>),
) -> Result<Option<OpeningTitle>, Error> {
    if !conflicts.is_empty() {
        return Ok(None);
    }
    let (tenant, registers) = (context.tenant, context.registers);
    let Some(person) = find_person(&mut *tx, tenant, mirrored.person).await? else {
        conflicts.push(MirrorRecordConflict::TitleHolderUnknown);
        return Ok(None);
    };
    if is_somebody_else(&person, mirrored) {
        conflicts.push(MirrorRecordConflict::TitleHolderDiffers);
        return Ok(None);
    }
    let mirrored_benefits = find_mirrored_benefits(tx, tenant, mirrored).await?;
    conflicts.extend(mirrored_benefits.find_conflict());
    let has_only_unknown_benefits = mirrored_benefits.has_only_unknown();
    let found = mirrored_benefits.found;
    let group = match found.first() {
        Some((code, _)) => find_benefit_group(tx, tenant, registers, *code).await?,
        None => find_first_group(registers)?,
    };
    let benefit_branch = found.first().map(|(_, benefit)| benefit.branch);
    let benefits: Vec<BenefitCode> = found.into_iter().map(|(code, _)| code).collect();
    let title_type = find_title_type(context, mirrored.title_type)?;
    let line = build_opening_line(context, title_type, (&benefits, mirrored.amount))?;
    let issued_on = Some(mirrored.issued_on).filter(|day| !is_too_old(*day)).unwrap_or(mirrored.due_on);
    let issued_on = issued_on.min(mirrored.due_on).min(today);
    let paid = match mirrored.situation {
        TitleSituation::Settled => mirrored.amount,
        _ => mirrored.paid,
    };
    Ok(Some(OpeningTitle {
        person: mirrored.person,
        branch: mirrored.branch.or(benefit_branch).unwrap_or(person.branch),
        group,
        benefits,
        has_only_unknown_benefits,
        title_type: title_type.clone(),
        line,
        paid,
        paid_on: mirrored.paid_on.unwrap_or(today).clamp(issued_on, today),
        issued_on,
        due_on: mirrored.due_on,
        instalment: (1, 1),
        description: mirrored.description.clone().unwrap_or_else(|| title_type.name.clone()),
        note: mirrored.note.clone(),
        key: build_mirror_key(mirrored.code),
        is_key_given: false,
    }))
}

/// Whether the code of the person is another one's here. Members are read before their titles, so they are the same.
fn is_somebody_else(person: &PersonProfile, mirrored: &MirroredTitle) -> bool {
    let documents = person.document.as_ref().zip(mirrored.document.as_ref());
    !person.is_member && documents.is_some_and(|(here, there)| here != there)
}

pub(crate) fn find_title_type<'c>(
    context: &ActorContext<'c>,
    code: TitleTypeCode,
) -> Result<&'c StoredTitleType, Error> {
    let found = context.registers.money.title_type(code);
    found.ok_or_else(|| Error::Defect(format!("title type {code} is not registered")))
}

/// The only line of the title: what it was made of there is not told.
fn build_opening_line(
    context: &ActorContext<'_>,
    title_type: &StoredTitleType,
    (benefits, amount): (&[BenefitCode], i64),
) -> Result<ChargeLine, Error> {
    let missing = || Error::Defect(format!("charge item {} is not registered", title_type.charge_item));
    let item = context.registers.money.charge_item(title_type.charge_item).ok_or_else(missing)?;
    let benefit = benefits.first().copied().filter(|_| benefits.len() == 1);
    Ok(ChargeLine { item: item.code, nature: item.nature, benefit, price: None, amount, description: None })
}
