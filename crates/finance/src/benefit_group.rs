//! The protection group to which something new belongs.

use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::{BenefitCode, GroupCode, TenantId};
use storage::Tx;
use storage::benefits::items;

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
