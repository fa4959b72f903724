//! The protection group to which something new belongs.

use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::{BenefitCode, BranchCode, GroupCode, PersonCode, Scope, TenantId};
use std::collections::BTreeSet;
use storage::Tx;
use storage::benefits::{items, list_benefits_of_person};

/// The group of a person without a benefit: the first that the association has.
pub(crate) fn find_first_group(registers: &TenantRegisters) -> Result<GroupCode, Error> {
    let first =
        registers.money.groups.iter().min_by_key(|group| (!group.active, group.code)).map(|one| one.code);
    first.ok_or_else(|| Error::Defect("the association has no protection group".to_owned()))
}

/// The item that decides the group of a benefit, of items with whether each is in use and whether it is the first: the
/// first one in use, else the first that ever was.
pub(crate) fn find_first_item<T>(items: &[T], flags: impl Fn(&T) -> (bool, bool)) -> Option<&T> {
    items.iter().rev().max_by_key(|item| flags(item))
}

/// A benefit belongs to the group of its first plan.
pub(crate) async fn find_benefit_group(
    tx: &mut Tx,
    tenant: TenantId,
    registers: &TenantRegisters,
    code: BenefitCode,
) -> Result<GroupCode, Error> {
    let found = items::list_items(&mut *tx, tenant, code).await?;
    let first = find_first_item(&found, |item| (item.active, item.is_first));
    match first.and_then(|item| registers.plan(item.plan)) {
        Some(plan) => Ok(plan.group),
        None => find_first_group(registers),
    }
}

/// The branches and groups in which a person's benefits are charged.
pub(crate) async fn list_charged_places(
    tx: &mut Tx,
    tenant: TenantId,
    registers: &TenantRegisters,
    person: PersonCode,
) -> Result<Vec<(BranchCode, GroupCode)>, Error> {
    let mut places = BTreeSet::new();
    // Those in branches that the caller does not see are charged, too.
    for (code, benefit) in list_benefits_of_person(&mut *tx, &Scope::for_tenant(tenant), person).await? {
        if registers.situation(benefit.situation).is_some_and(|one| one.is_charged) {
            places.insert((benefit.branch, find_benefit_group(tx, tenant, registers, code).await?));
        }
    }
    Ok(places.into_iter().collect())
}
