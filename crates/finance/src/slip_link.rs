//! The link by which the slip of a title is opened without a credential.

use app::Error;
use domain::finance::TitleSituation;
use domain::{LinkPurpose, LinkToken, Moment, TenantId, TitleCode};
use finance_storage::slips::list_last_slips;
use finance_storage::titles::StoredTitle;
use storage::Tx;

/// The link of the slip in force of a title, if it still opens.
pub(crate) async fn find_slip_link(
    tx: &mut Tx,
    tenant: TenantId,
    (code, title): (TitleCode, &StoredTitle),
    now: Moment,
) -> Result<Option<LinkToken>, Error> {
    if title.situation != TitleSituation::Open {
        return Ok(None);
    }
    let last = list_last_slips(&mut *tx, tenant, &[code]).await?;
    let Some(slip) = last.first().map(|slip| slip.code.get()) else { return Ok(None) };
    let tokens = links::list_link_tokens(&mut *tx, tenant, (LinkPurpose::Slip, &[slip]), now).await?;
    Ok(tokens.into_values().next())
}
