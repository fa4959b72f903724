//! What the page of a title tells of its slip: whether one can be issued, the one in force, and whether a second copy is due.

use super::collector::find_collector;
use super::slip_list::load_listed_slips;
use super::terms::CollectedDebt;
use crate::booking::build_calendar;
use crate::full_title::FullTitle;
use crate::issue_pix_code::refuse_unpayable;
use app::register_snapshot::TenantRegisters;
use app::session::Session;
use app::{App, Error};
use domain::{Date, LinkPurpose, Moment, TenantId, TitleCode};
use finance_storage::titles::StoredTitle;
use links::{DocumentLink, LinkAddressBase, list_links_of_subject};
use std::sync::Arc;
use storage::Tx;

/// Whether a title can be paid by a slip now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TitleSlipOffer {
    /// It is not open, or is paid by the association.
    Unavailable,
    /// No account that receives for it has an agreement with a bank.
    NoAccount,
    /// It has none yet.
    Possible,
    Issued(Box<OfferedSlip>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedSlip {
    pub due_on: Date,
    /// In cents.
    pub amount: i64,
    /// Formatted, as people type it.
    pub typed_line: String,
    /// Opens it without a credential. It was revoked, or is not of this server, if there is none.
    pub link: Option<OfferedSlipLink>,
    /// What a second copy would hold, if the slip no longer holds what is due.
    pub second_copy: Option<SecondCopy>,
    /// Whether an account still has an agreement, under which a second copy is issued.
    pub has_account: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedSlipLink {
    pub address: String,
    /// From this moment on it does not open.
    pub expires_at: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondCopy {
    /// Otherwise the title asks for another value, or on another day.
    pub is_overdue: bool,
    pub due_on: Date,
    /// In cents.
    pub amount: i64,
}

/// What the page of a title that was read tells of slips.
#[boxed::future]
pub async fn read_slip_offer(app: &App, caller: &Session, full: &FullTitle) -> Result<TitleSlipOffer, Error> {
    if refuse_unpayable(&full.title).is_err() {
        return Ok(TitleSlipOffer::Unavailable);
    }
    let tenant = caller.scope.tenant();
    let has_account = find_collector(&full.registers, full.title.group).is_some();
    let input = ((tenant, full.code, full.title.clone()), (Arc::clone(&full.registers), app.now()));
    let found = app
        .db
        .read(input, |tx, ((tenant, code, title), (registers, now))| {
            Box::pin(load_slip_in_force(tx, *tenant, (*code, title), (registers, *now)))
        })
        .await?;
    let Some(found) = found else {
        return Ok(if has_account { TitleSlipOffer::Possible } else { TitleSlipOffer::NoAccount });
    };
    let base = LinkAddressBase::new(app);
    let link = found.link.map(|link| OfferedSlipLink {
        address: base.build_address(&link.token),
        expires_at: link.expires_at,
    });
    Ok(TitleSlipOffer::Issued(Box::new(OfferedSlip { link, has_account, ..found.slip })))
}

/// A slip whose link has no address yet.
struct SlipInForce {
    slip: OfferedSlip,
    link: Option<DocumentLink>,
}

async fn load_slip_in_force(
    tx: &mut Tx,
    tenant: TenantId,
    (code, title): (TitleCode, &StoredTitle),
    (registers, now): (&TenantRegisters, Moment),
) -> Result<Option<SlipInForce>, Error> {
    let listed = load_listed_slips(tx, tenant, (registers, now), &[code]).await?;
    let Some(listed) = listed.into_iter().next() else { return Ok(None) };
    let (slip, today) = (&listed.slip, now.date_in(&registers.zone));
    let debt = CollectedDebt::load(tx, tenant, (code, title), registers, today).await?;
    let terms = debt.compute_terms();
    let second_copy = (!debt.is_held_by(slip)).then(|| SecondCopy {
        is_overdue: today > build_calendar(registers).next_bank_day_from(slip.due_on),
        due_on: terms.due_on,
        amount: terms.amount,
    });
    let links = match &listed.link_token {
        Some(_) => list_links_of_subject(&mut *tx, tenant, (LinkPurpose::Slip, slip.code.get())).await?,
        None => Vec::new(),
    };
    let link = links.into_iter().find(|link| Some(&link.token) == listed.link_token.as_ref());
    let slip = OfferedSlip {
        due_on: slip.due_on,
        amount: slip.amount,
        typed_line: listed.typed_line,
        link: None,
        second_copy,
        has_account: false,
    };
    Ok(Some(SlipInForce { slip, link }))
}
