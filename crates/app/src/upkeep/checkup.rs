//! Checks for the operator: whether writes work, whether attachments exist, and which messages and mails are stuck.
//! Leaves no lasting change.

use crate::attachments::FileStore;
use crate::{App, Error};
use domain::{FileCode, Moment, ReceiverCode, TenantId};
use std::time::Duration;
use storage::attachments::{self, BlobLocation};
use storage::server::settings::{self, ServerSetting};
use storage::server::{mails, tenants};
use storage::triggers::receivers::StoredReceiver;
use storage::triggers::{deliveries, queues, receivers};
use storage::{Tx, WriteLane};

const ONE_HOUR: Duration = Duration::from_hours(1);
/// Larger than the free space of a database page, so that the write must allocate space.
const PROBE_BYTES: usize = 64 * 1024;
/// How many of the newest attachments are checked, and how many random others.
const SAMPLED_FILES: i64 = 50;
/// Exhausted triggers of one receiver are counted up to this number.
pub const EXHAUSTED_COUNTED: i64 = 1000;
/// A receiver that has failed for less may be restarting.
const FAILING_FOR: Duration = ONE_HOUR;
/// No wait between attempts is longer.
const LONGEST_WAIT: Duration = Duration::from_hours(30);
/// A mail that waited this long failed, or no process sends mail.
const MAIL_WAITS: Duration = Duration::from_mins(15);
const MAILS_LOOKED_AT: i64 = 100;

/// Writes durably and deletes in the same transaction, so that nothing becomes visible.
#[boxed::future]
pub async fn probe_write(app: &App) -> Result<(), Error> {
    let text = "x".repeat(PROBE_BYTES);
    let lane = WriteLane::foreground(TenantId::SERVER);
    Ok(app.db.write(lane, text, |tx, text| Box::pin(write_and_delete_probe(tx, text))).await?)
}

async fn write_and_delete_probe(tx: &mut Tx, text: &str) -> Result<(), storage::Error> {
    settings::upsert_setting(tx, ServerSetting::WriteProbe, text).await?;
    settings::delete_setting(tx, ServerSetting::WriteProbe).await
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachmentSample {
    pub looked_at: usize,
    /// Missing files, by tenant and code.
    pub missing: Vec<(TenantId, FileCode)>,
    /// Files whose size differs from the recorded one.
    pub damaged: Vec<(TenantId, FileCode)>,
}

/// Checks that the content of the newest attachments and of a random sample exists.
#[boxed::future]
pub async fn sample_attachments(app: &App, place: &FileStore) -> Result<AttachmentSample, Error> {
    let mut sample = AttachmentSample::default();
    for tenant in tenants::list_tenants(&app.db).await?.iter().map(|one| one.id) {
        for file in list_sampled_files(app, tenant).await? {
            sample.looked_at += 1;
            match place.find_size(&file.storage_key).await? {
                None => sample.missing.push((tenant, file.code)),
                Some(size) if i64::try_from(size) != Ok(file.size) => {
                    sample.damaged.push((tenant, file.code));
                }
                Some(_) => {}
            }
        }
    }
    Ok(sample)
}

async fn list_sampled_files(app: &App, tenant: TenantId) -> Result<Vec<BlobLocation>, Error> {
    let mut sample = attachments::list_newest_blobs(&app.db, tenant, SAMPLED_FILES).await?;
    let Some(oldest) = sample.last().map(|file| file.code.get()) else { return Ok(sample) };
    for _ in 0..SAMPLED_FILES {
        let mut random = [0; 4];
        app.random_source.fill(&mut random);
        let code = FileCode::new(i32::from_be_bytes(random).rem_euclid(oldest.max(1)));
        sample.extend(attachments::find_blob_from_code(&app.db, tenant, code).await?);
    }
    sample.sort_by_key(|file| file.code.get());
    sample.dedup_by_key(|file| file.code);
    Ok(sample)
}

/// A receiver whose deliveries are stuck or fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverTrouble {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub kind: TroubleKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    PausedSince(Moment),
    FailingSince(Moment),
    /// Nothing is sent before this moment, which is far away.
    WaitingUntil(Moment),
    /// The number of triggers that ran out of attempts.
    Exhausted(i64),
}

/// The active receivers with delivery problems, of every tenant.
#[boxed::future]
pub async fn find_receiver_troubles(app: &App) -> Result<Vec<ReceiverTrouble>, Error> {
    let mut troubles = Vec::new();
    for tenant in tenants::list_tenants(&app.db).await?.iter().filter(|one| one.active).map(|one| one.id) {
        for receiver in receivers::list_receivers(&app.db, tenant).await?.iter().filter(|one| one.active) {
            let kinds = list_receiver_troubles(app, tenant, receiver).await?;
            troubles.extend(kinds.into_iter().map(|kind| ReceiverTrouble {
                tenant,
                receiver: receiver.code,
                kind,
            }));
        }
    }
    Ok(troubles)
}

async fn list_receiver_troubles(
    app: &App,
    tenant: TenantId,
    receiver: &StoredReceiver,
) -> Result<Vec<TroubleKind>, Error> {
    let now = app.now();
    let mut kinds = Vec::new();
    let exhausted =
        deliveries::count_exhausted_deliveries(&app.db, tenant, receiver.code, EXHAUSTED_COUNTED).await?;
    if exhausted > 0 {
        kinds.push(TroubleKind::Exhausted(exhausted));
    }
    if let Some((since, _)) = receiver.paused {
        kinds.push(TroubleKind::PausedSince(since));
        return Ok(kinds);
    }
    if let Some(since) = receiver.health.failing_since.filter(|since| since.plus(FAILING_FOR) <= now) {
        kinds.push(TroubleKind::FailingSince(since));
    }
    let first_wait = queues::find_first_wait(&app.db, tenant, receiver.code).await?;
    let waits =
        [receiver.health.not_before.map(|at| (at, ONE_HOUR)), first_wait.map(|at| (at, LONGEST_WAIT))];
    let far = waits.into_iter().flatten().filter(|(at, most)| *at > now.plus(*most)).map(|(at, _)| at).max();
    kinds.extend(far.map(TroubleKind::WaitingUntil));
    Ok(kinds)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StuckMail {
    /// Overdue mails, and the moment of the oldest.
    pub waiting: i64,
    pub oldest: Option<Moment>,
    /// Mails given up, among the newest of each tenant.
    pub given_up: usize,
}

#[boxed::future]
pub async fn find_stuck_mail(app: &App) -> Result<StuckMail, Error> {
    let (waiting, oldest) = mails::count_waiting_mails(&app.db, app.now().minus(MAIL_WAITS)).await?;
    let mut stuck = StuckMail { waiting, oldest, given_up: 0 };
    for tenant in tenants::list_tenants(&app.db).await?.iter().map(|one| one.id) {
        let listed = mails::list_outbox_mails(&app.db, tenant, i32::MAX, MAILS_LOOKED_AT).await?;
        stuck.given_up += listed.iter().filter(|one| !one.is_waiting && one.sent_at.is_none()).count();
    }
    Ok(stuck)
}
