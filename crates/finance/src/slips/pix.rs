//! The Pix code of a slip. It follows from the slip, so that a million slips need no row for it; its identifier, which the
//! bank statement shows, leads back to the title.

use crate::issue_pix_code::find_receiver;
use app::register_snapshot::TenantRegisters;
use app::session::Session;
use app::{App, Error};
use bank_formats::brcode::{StaticBrCode, StaticTxid};
use domain::{Date, GroupCode, Money, MoneyRight, SlipCode, TenantId, TitleCode};
use finance_storage::slips::{StoredSlip, find_slip};
use sha2::{Digest, Sha256};

/// Upper case only, without letters that look like digits.
const SIGNS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// How many signs of the digest an identifier ends with.
const DIGEST_SIGNS: usize = 6;

/// The text of the code, which pays `amount` cents. `None` if the slip is overdue or no account has a key.
pub(super) fn build_slip_pix(
    registers: &TenantRegisters,
    (tenant, group): (TenantId, GroupCode),
    slip: &StoredSlip,
    (amount, today): (i64, Date),
) -> Option<String> {
    let receiver = find_receiver(registers, group).filter(|_| today <= slip.due_on)?;
    let code = StaticBrCode {
        key: receiver.key,
        description: None,
        amount: Money::from_stored_cents(amount),
        name: receiver.name,
        city: receiver.city,
        txid: StaticTxid::parse(&build_slip_txid(tenant, slip)).filter(|_| receiver.sends_txid),
    };
    code.build_text().ok()
}

/// `B1S4711K2N7QX`: the base, the slip, and signs of a digest, which differ on another server with the same bank account.
fn build_slip_txid(tenant: TenantId, slip: &StoredSlip) -> String {
    let digest = Sha256::new()
        .chain_update(slip.barcode.as_bytes())
        .chain_update(slip.created_at.millis().to_be_bytes())
        .finalize();
    let signs = digest.iter().take(DIGEST_SIGNS).map(|byte| char::from(SIGNS[usize::from(byte % 32)]));
    format!("B{}S{}{}", tenant.get(), slip.code.get(), signs.collect::<String>())
}

/// The title of the slip whose Pix code has this identifier, visible or not.
#[boxed::future]
pub async fn find_slip_pix_title(
    app: &App,
    caller: &Session,
    text: &str,
) -> Result<Option<TitleCode>, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let tenant = caller.scope.tenant();
    let text = text.trim().to_ascii_uppercase();
    let own = text.strip_prefix(&format!("B{}S", tenant.get()));
    // The signs after the code may begin with digits.
    let digits = own.and_then(|own| own.get(..own.len().checked_sub(DIGEST_SIGNS)?));
    let Some(code) = digits.and_then(|digits| digits.parse().ok()) else { return Ok(None) };
    let slip = find_slip(&app.db, tenant, SlipCode::new(code)).await?;
    Ok(slip.filter(|slip| build_slip_txid(tenant, slip) == text).map(|slip| slip.title))
}
