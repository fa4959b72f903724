//! The life of a database: from its creation, or from the restore of an older copy, to the next restore. A restored
//! copy revives what ended after the copy was made: closed sessions and used links. A new life therefore starts
//! without any of them, and every user signs in again.
//!
//! If the engine can identify a copy itself, its identity is stored in the database and compared. Otherwise a small
//! file beside the database holds the life and its number of marks; a database with fewer marks than the file is an
//! older copy. Reasons: docs/adr/0009-lives.md.

use crate::upkeep::unfinished_restore::find_unfinished_restore;
use crate::{App, Error};
use domain::{AuditedAction, AuditedOperation, Moment, TenantId, encode_hex};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use storage::access::tokens;
use storage::history::audit;
use storage::server::settings::{self, ServerSetting};
use storage::server::tenants;
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane};

/// How this process detects that the database was replaced.
#[derive(Clone, Debug, Default)]
pub struct DatabaseLifeWatch {
    /// The file beside the database, if one is needed.
    pub mark: Option<PathBuf>,
    /// How many commits there were with the last mark.
    marked_commits: Arc<AtomicU64>,
}

impl DatabaseLifeWatch {
    pub fn new(mark: Option<PathBuf>) -> DatabaseLifeWatch {
        DatabaseLifeWatch { mark, ..DatabaseLifeWatch::default() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseLifeVerdict {
    /// The first check of this database.
    FirstCheck,
    SameDatabase,
    /// A new life has begun.
    RestoredCopy(RestoreReason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreReason {
    /// The engine reports another identity: restored, copied, or promoted after a failure.
    OtherDatabase,
    /// The database has fewer marks than the file beside it.
    BehindMark,
    /// The file beside the database is missing, or belongs to another life.
    NoMark,
    OperatorRequest,
}

impl RestoreReason {
    fn description(self) -> &'static str {
        match self {
            RestoreReason::OtherDatabase => "the engine says that it is another database or timeline",
            RestoreReason::BehindMark => "it is older than the mark beside it",
            RestoreReason::NoMark => "the mark beside it is missing or of another life",
            RestoreReason::OperatorRequest => "asked for",
        }
    }
}

/// The life as stored in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DatabaseLife {
    id: String,
    marks: i64,
    /// The identity the engine reported when the life began.
    identity: Option<String>,
}

impl DatabaseLife {
    fn to_text(&self) -> String {
        format!("life={} marks={} identity={}", self.id, self.marks, self.identity.as_deref().unwrap_or("-"))
    }

    fn parse(text: &str) -> Option<DatabaseLife> {
        let mut values = text.split(' ').map(|part| part.split_once('=').map(|(_, value)| value));
        let mut next = || values.next().flatten();
        let (id, marks) = (next()?.to_owned(), next()?.parse().ok()?);
        let identity = Some(next()?).filter(|text| *text != "-").map(str::to_owned);
        Some(DatabaseLife { id, marks, identity })
    }

    async fn read(tx: &mut Tx) -> Result<Option<DatabaseLife>, Error> {
        let stored = settings::find_setting(&mut *tx, ServerSetting::Life).await?;
        Ok(stored.as_deref().and_then(DatabaseLife::parse))
    }
}

/// Life and number of marks, as in the file beside the database.
type DatabaseMark = (String, i64);

/// The input of one check.
struct LifeCheckInput {
    identity: Option<String>,
    /// `None` if no file is needed.
    mark: Option<Option<DatabaseMark>>,
    fresh: String,
    half: Option<TenantId>,
    now: Moment,
}

struct LifeCheckOutcome {
    verdict: DatabaseLifeVerdict,
    life: DatabaseLife,
    raised: Vec<(TenantId, CacheVersions)>,
}

/// Checks at startup whether the database was replaced; begins a new life if so.
#[boxed::future]
pub async fn check_database_life(app: &App, watch: &DatabaseLifeWatch) -> Result<DatabaseLifeVerdict, Error> {
    let mark = watch.mark.as_deref().map(read_mark);
    run_life_check(app, watch, mark).await
}

/// The same check while serving: adds a mark if there were writes since the last one, and detects a database replaced
/// meanwhile.
#[boxed::future]
pub async fn continue_database_life(
    app: &App,
    watch: &DatabaseLifeWatch,
) -> Result<DatabaseLifeVerdict, Error> {
    if watch.mark.is_none() {
        // Usually nothing needs to be written.
        let (identity, stored) =
            (app.db.identity().await?, settings::find_setting(&app.db, ServerSetting::Life).await?);
        let stored = stored.as_deref().and_then(DatabaseLife::parse);
        if stored.is_some_and(|life| identity.is_none() || life.identity == identity) {
            return Ok(DatabaseLifeVerdict::SameDatabase);
        }
    }
    // What was not written to cannot have been set back.
    if watch.mark.is_some() && app.db.commit_count() == watch.marked_commits.load(Ordering::Relaxed) {
        return Ok(DatabaseLifeVerdict::SameDatabase);
    }
    run_life_check(app, watch, None).await
}

/// Begins a new life after a manual restore. Ends every session, unfinished login and reset link, in every process.
#[boxed::future]
pub async fn begin_new_life(app: &App, watch: &DatabaseLifeWatch) -> Result<(), Error> {
    let input = prepare_life_check(app, None).await?;
    let outcome = app.db.write(select_server_lane(), input, |tx, input| {
        Box::pin(async move { write_new_life(tx, input, RestoreReason::OperatorRequest).await })
    });
    conclude_life_check(app, watch, outcome.await?).await;
    Ok(())
}

fn select_server_lane() -> WriteLane {
    WriteLane::foreground(TenantId::SERVER)
}

async fn prepare_life_check(app: &App, mark: Option<Option<DatabaseMark>>) -> Result<LifeCheckInput, Error> {
    let mut random = [0; 8];
    app.random_source.fill(&mut random);
    let (identity, half) = (app.db.identity().await?, find_unfinished_restore(app).await?);
    Ok(LifeCheckInput { identity, mark, fresh: encode_hex(&random), half, now: app.now() })
}

async fn run_life_check(
    app: &App,
    watch: &DatabaseLifeWatch,
    mark: Option<Option<DatabaseMark>>,
) -> Result<DatabaseLifeVerdict, Error> {
    let input = prepare_life_check(app, mark).await?;
    let commits = app.db.commit_count();
    let outcome =
        app.db.write(select_server_lane(), input, |tx, input| Box::pin(write_life_check(tx, input))).await?;
    // One more for the mark itself.
    watch.marked_commits.store(commits + 1, Ordering::Relaxed);
    Ok(conclude_life_check(app, watch, outcome).await)
}

async fn conclude_life_check(
    app: &App,
    watch: &DatabaseLifeWatch,
    outcome: LifeCheckOutcome,
) -> DatabaseLifeVerdict {
    if let DatabaseLifeVerdict::RestoredCopy(reason) = outcome.verdict {
        tracing::warn!(
            why = reason.description(),
            life = outcome.life.id,
            "the database was restored to an earlier state: all sessions were ended"
        );
    }
    for (tenant, versions) in outcome.raised {
        app.versions.raise(tenant, versions);
    }
    if let Some(path) = watch.mark.clone() {
        let life = outcome.life;
        let written = tokio::task::spawn_blocking(move || write_mark(&path, &life)).await;
        if let Err(error) = written.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
            tracing::warn!(%error, "the mark of the database could not be written");
        }
    }
    outcome.verdict
}

/// In the server's lane: of several processes that notice a restore, one begins the new life.
async fn write_life_check(tx: &mut Tx, input: &LifeCheckInput) -> Result<LifeCheckOutcome, Error> {
    let stored = DatabaseLife::read(tx).await?;
    match (judge_database_life(stored.as_ref(), input), stored) {
        (DatabaseLifeVerdict::RestoredCopy(reason), _) => write_new_life(tx, input, reason).await,
        (verdict, stored) => {
            let id = stored.as_ref().map_or_else(|| input.fresh.clone(), |life| life.id.clone());
            let marks = stored.as_ref().map_or(0, |life| life.marks) + 1;
            let identity = input.identity.clone().or(stored.and_then(|life| life.identity));
            let life = DatabaseLife { id, marks, identity };
            settings::upsert_setting(tx, ServerSetting::Life, &life.to_text()).await?;
            Ok(LifeCheckOutcome { verdict, life, raised: Vec::new() })
        }
    }
}

fn judge_database_life(stored: Option<&DatabaseLife>, input: &LifeCheckInput) -> DatabaseLifeVerdict {
    let Some(life) = stored else {
        // A mark without a stored life comes from a later state than this database.
        let has_mark = matches!(input.mark, Some(Some(_)));
        return if has_mark {
            DatabaseLifeVerdict::RestoredCopy(RestoreReason::BehindMark)
        } else {
            DatabaseLifeVerdict::FirstCheck
        };
    };
    if life.identity.is_some() && input.identity.is_some() && life.identity != input.identity {
        return DatabaseLifeVerdict::RestoredCopy(RestoreReason::OtherDatabase);
    }
    match &input.mark {
        None => DatabaseLifeVerdict::SameDatabase,
        Some(Some((id, _))) if *id != life.id => DatabaseLifeVerdict::RestoredCopy(RestoreReason::NoMark),
        Some(Some((_, marks))) if life.marks < *marks => {
            DatabaseLifeVerdict::RestoredCopy(RestoreReason::BehindMark)
        }
        Some(Some(_)) => DatabaseLifeVerdict::SameDatabase,
        Some(None) => DatabaseLifeVerdict::RestoredCopy(RestoreReason::NoMark),
    }
}

async fn write_new_life(
    tx: &mut Tx,
    input: &LifeCheckInput,
    reason: RestoreReason,
) -> Result<LifeCheckOutcome, Error> {
    tokens::revoke_all_access(tx).await?;
    let mut raised =
        vec![(TenantId::SERVER, versions::raise_versions_past(tx, TenantId::SERVER, input.now).await?)];
    for tenant in tenants::list_tenants(&mut *tx).await? {
        raised.push((tenant.id, versions::raise_versions_past(tx, tenant.id, input.now).await?));
        // A tenant being restored gets its audit numbers from the archive.
        if input.half != Some(tenant.id) {
            audit::append_audit_entry(tx, &build_restore_entry(tenant.id, input.now)).await?;
        }
    }
    let life = DatabaseLife { id: input.fresh.clone(), marks: 1, identity: input.identity.clone() };
    settings::upsert_setting(tx, ServerSetting::Life, &life.to_text()).await?;
    Ok(LifeCheckOutcome { verdict: DatabaseLifeVerdict::RestoredCopy(reason), life, raised })
}

fn build_restore_entry(tenant: TenantId, at: Moment) -> audit::AuditEntry {
    let operation = AuditedOperation::DetectRestoredDatabase;
    audit::AuditEntry {
        tenant,
        at,
        user: None,
        operation,
        person: None,
        change: AuditedAction::RestoreDatabase.into(),
    }
}

/// An unreadable mark counts as missing.
fn read_mark(path: &Path) -> Option<DatabaseMark> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "the mark of the database could not be read");
            return None;
        }
    };
    let (id, marks) = text.trim().split_once(' ')?;
    Some((id.to_owned(), marks.parse().ok()?))
}

/// Atomic, readable by its owner only. Written after the commit, so it is never ahead of the database.
fn write_mark(path: &Path, life: &DatabaseLife) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let unfinished = PathBuf::from(name);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    writeln!(file, "{} {}", life.id, life.marks)?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(identity: Option<&str>) -> DatabaseLife {
        DatabaseLife { id: "ab12".to_owned(), marks: 7, identity: identity.map(str::to_owned) }
    }

    fn seen(identity: Option<&str>, mark: Option<Option<(&str, i64)>>) -> LifeCheckInput {
        LifeCheckInput {
            identity: identity.map(str::to_owned),
            mark: mark.map(|mark| mark.map(|(id, marks)| (id.to_owned(), marks))),
            fresh: "cd34".to_owned(),
            half: None,
            now: Moment::from_millis(0),
        }
    }

    #[test]
    fn what_is_kept_is_read_back() {
        for stored in [life(None), life(Some("7300/00000001/16384"))] {
            assert_eq!(DatabaseLife::parse(&stored.to_text()), Some(stored));
        }
        assert_eq!(DatabaseLife::parse("x"), None);
    }

    #[test]
    fn an_engine_that_tells_copies_apart_is_believed_and_one_that_says_nothing_is_not_asked() {
        let stored = life(Some("1/1/5"));
        for (said, found) in [
            (Some("1/1/5"), DatabaseLifeVerdict::SameDatabase),
            (Some("1/2/5"), DatabaseLifeVerdict::RestoredCopy(RestoreReason::OtherDatabase)),
            (None, DatabaseLifeVerdict::SameDatabase),
        ] {
            assert_eq!(judge_database_life(Some(&stored), &seen(said, None)), found, "{said:?}");
        }
        assert_eq!(
            judge_database_life(Some(&life(None)), &seen(Some("1/1/5"), None)),
            DatabaseLifeVerdict::SameDatabase
        );
        assert_eq!(judge_database_life(None, &seen(Some("1/1/5"), None)), DatabaseLifeVerdict::FirstCheck);
    }

    #[test]
    fn a_database_that_is_behind_its_mark_is_a_copy() {
        for (mark, found) in [
            (Some(("ab12", 7)), DatabaseLifeVerdict::SameDatabase),
            // The last mark was not written.
            (Some(("ab12", 6)), DatabaseLifeVerdict::SameDatabase),
            (Some(("ab12", 8)), DatabaseLifeVerdict::RestoredCopy(RestoreReason::BehindMark)),
            (Some(("ef56", 1)), DatabaseLifeVerdict::RestoredCopy(RestoreReason::NoMark)),
            (None, DatabaseLifeVerdict::RestoredCopy(RestoreReason::NoMark)),
        ] {
            assert_eq!(judge_database_life(Some(&life(None)), &seen(None, Some(mark))), found, "{mark:?}");
        }
        assert_eq!(judge_database_life(None, &seen(None, Some(None))), DatabaseLifeVerdict::FirstCheck);
        let later = seen(None, Some(Some(("ab12", 1))));
        assert_eq!(
            judge_database_life(None, &later),
            DatabaseLifeVerdict::RestoredCopy(RestoreReason::BehindMark)
        );
    }
}
