//! The credit that may pay a title, or go back to its person.

use app::Error;
use domain::finance::{LaunchKind, LedgerAccountKey, LedgerAccountKind, TitleSituation, allocate_credit};
use domain::{BranchCode, GroupCode, PersonCode, Scope, VisibleBranches};
use finance_storage::ledger::sum_account;
use finance_storage::member_credit::list_credit_changes;
use finance_storage::titles::StoredTitle;
use storage::Tx;

/// The credit that a caller may use for a title.
pub(crate) async fn find_usable_credit(
    tx: &mut Tx,
    scope: &Scope,
    title: &StoredTitle,
) -> Result<i64, Error> {
    if title.launch_kind != LaunchKind::Credit || title.situation != TitleSituation::Open {
        return Ok(0);
    }
    sum_usable_credit(tx, scope, title.person, title.group).await
}

/// The credit of a person in a group that a caller may use. Credit is booked by person and group: a limited caller may use
/// what came of titles and receipts in their branches, and what members of these brought along.
pub(crate) async fn sum_usable_credit(
    tx: &mut Tx,
    scope: &Scope,
    person: PersonCode,
    group: GroupCode,
) -> Result<i64, Error> {
    let reference = person.get().into();
    let account = LedgerAccountKey { group, kind: LedgerAccountKind::MemberCredit, reference };
    let sums = sum_account(tx, scope.tenant(), account).await?;
    let credit = sums.credit - sums.debit;
    if credit == 0 || *scope.branches() == VisibleBranches::All {
        return Ok(credit);
    }
    Ok(credit.min(sum_visible_credit(tx, scope, (person, group)).await?))
}

/// The credit that came of the branches of the scope and is unused, whichever branch used the rest.
async fn sum_visible_credit(
    tx: &mut Tx,
    scope: &Scope,
    (person, group): (PersonCode, GroupCode),
) -> Result<i64, Error> {
    let changes = list_credit_changes(tx, scope.tenant(), person).await?;
    let days = allocate_credit(&changes, |branch| scope.can_see(branch));
    let unused: i64 = days.iter().filter(|one| one.group == group).map(|one| one.amount).sum();
    Ok(unused.max(0))
}

/// What may leave the credit of a person in a group by way of a branch: what came of that branch and is unused, as far as
/// the caller may use it.
pub(crate) async fn sum_branch_credit(
    tx: &mut Tx,
    scope: &Scope,
    (person, group): (PersonCode, GroupCode),
    branch: BranchCode,
) -> Result<i64, Error> {
    let usable = sum_usable_credit(tx, scope, person, group).await?;
    match scope.narrow_to(branch) {
        Some(of_branch) => Ok(usable.min(sum_visible_credit(tx, &of_branch, (person, group)).await?)),
        None => Ok(0),
    }
}
