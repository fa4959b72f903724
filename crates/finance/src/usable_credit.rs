//! The credit that may pay a title.

use app::Error;
use domain::finance::{LaunchKind, LedgerAccountKey, LedgerAccountKind, TitleSituation};
use domain::{Scope, VisibleBranches};
use finance_storage::ledger::sum_account;
use finance_storage::opening::sum_visible_opening_credit;
use finance_storage::settlements::sum_visible_credit;
use finance_storage::titles::StoredTitle;
use storage::Tx;

/// The credit that a caller may use for a title. A limited caller may use what came of titles in their branches, and what
/// members of these brought along.
pub(crate) async fn find_usable_credit(
    tx: &mut Tx,
    scope: &Scope,
    title: &StoredTitle,
) -> Result<i64, Error> {
    if title.launch_kind != LaunchKind::Credit || title.situation != TitleSituation::Open {
        return Ok(0);
    }
    let account = LedgerAccountKey {
        group: title.group,
        kind: LedgerAccountKind::MemberCredit,
        reference: title.person.get().into(),
    };
    let sums = sum_account(tx, scope.tenant(), account).await?;
    let credit = sums.credit - sums.debit;
    if credit == 0 || *scope.branches() == VisibleBranches::All {
        return Ok(credit);
    }
    let (person, group) = (title.person, Some(title.group));
    let opening = sum_visible_opening_credit(tx, scope, (person, group)).await?;
    Ok(credit.min(sum_visible_credit(tx, scope, person, group).await? + opening))
}
