//! The life of a database: from its making, or from the moment at which an older copy of it was put back, to the next such
//! moment. What was ended after the copy was made is good again in it: sessions that somebody closed, links that were used.
//! So a new life begins without any of them, and everybody signs in again.
//!
//! Where the engine tells one copy from another by itself, what it says is kept in the database and compared. Where it does
//! not, a small file beside the database bears the life and how often it was marked; a database that was marked less often
//! than the file says is an older copy. docs/adr/0009-lives.md tells why so.

use crate::server_key::hex;
use crate::whole::half_brought;
use crate::{App, Error};
use domain::{Moment, TenantId};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use storage::settings::{self, Setting};
use storage::versions::{self, Versions};
use storage::{Lane, Tx, audit, tenants, tokens};

/// How this process tells whether the database is still the one that it was.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The file beside the database, where one is needed.
    pub mark: Option<PathBuf>,
}

/// What was found of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nobody looked before.
    First,
    Same,
    /// A new life has begun.
    PutBack(Reason),
}

/// Why a database is taken for a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The engine says that it is another: restored, copied, or promoted after a failure.
    OtherDatabase,
    /// It was marked less often than the file beside it says.
    BehindMark,
    /// The file beside it is not there, or is another life's.
    NoMark,
    /// Somebody says so.
    Asked,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Reason::OtherDatabase => "the engine says that it is another database or timeline",
            Reason::BehindMark => "it is older than the mark beside it",
            Reason::NoMark => "the mark beside it is missing or of another life",
            Reason::Asked => "asked for",
        }
    }
}

/// What the database keeps of its life.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Life {
    id: String,
    /// How often it was marked.
    marks: i64,
    /// What the engine said when it began.
    identity: Option<String>,
}

impl Life {
    fn to_text(&self) -> String {
        format!("life={} marks={} identity={}", self.id, self.marks, self.identity.as_deref().unwrap_or("-"))
    }

    fn parse(text: &str) -> Option<Life> {
        let mut values = text.split(' ').map(|part| part.split_once('=').map(|(_, value)| value));
        let mut next = || values.next().flatten();
        let (id, marks) = (next()?.to_owned(), next()?.parse().ok()?);
        let identity = Some(next()?).filter(|text| *text != "-").map(str::to_owned);
        Some(Life { id, marks, identity })
    }

    async fn read(tx: &mut Tx) -> Result<Option<Life>, Error> {
        let kept = settings::get(&mut *tx, Setting::Life).await?;
        Ok(kept.as_deref().and_then(Life::parse))
    }
}

/// Life and marks, as the file beside the database has them.
type Mark = (String, i64);

/// What one look at the database needs.
struct Look {
    identity: Option<String>,
    /// Absent where no file is needed.
    mark: Option<Option<Mark>>,
    fresh: String,
    half: Option<TenantId>,
    now: Moment,
}

struct Looked {
    found: Found,
    life: Life,
    raised: Vec<(TenantId, Versions)>,
}

/// Looks whether the database is still the one that it was, before anybody is served; begins a new life where it is not.
#[boxed::future]
pub async fn check(app: &App, watch: &Watch) -> Result<Found, Error> {
    let mark = watch.mark.as_deref().map(read_mark);
    look(app, watch, mark).await
}

/// The same while it is served: marks that the life goes on, and notices a database that was exchanged meanwhile.
#[boxed::future]
pub async fn keep(app: &App, watch: &Watch) -> Result<Found, Error> {
    if watch.mark.is_none() {
        // Most often nothing is to be written.
        let (identity, kept) = (app.db.identity().await?, settings::get(&app.db, Setting::Life).await?);
        let kept = kept.as_deref().and_then(Life::parse);
        if kept.is_some_and(|life| identity.is_none() || life.identity == identity) {
            return Ok(Found::Same);
        }
    }
    look(app, watch, None).await
}

/// Begins a new life, for whoever has put a copy back himself. Every session, half-done sign-in and link that sets a password
/// ends, in every process.
#[boxed::future]
pub async fn begin_life(app: &App, watch: &Watch) -> Result<(), Error> {
    let look = new_look(app, None).await?;
    let begun =
        app.db.write(lane(), look, |tx, look| Box::pin(async move { begin(tx, look, Reason::Asked).await }));
    conclude(app, watch, begun.await?).await;
    Ok(())
}

fn lane() -> Lane {
    Lane::of(TenantId::SERVER)
}

async fn new_look(app: &App, mark: Option<Option<Mark>>) -> Result<Look, Error> {
    let mut random = [0; 8];
    app.chance.fill(&mut random);
    let (identity, half) = (app.db.identity().await?, half_brought(app).await?);
    Ok(Look { identity, mark, fresh: hex(&random), half, now: app.now() })
}

async fn look(app: &App, watch: &Watch, mark: Option<Option<Mark>>) -> Result<Found, Error> {
    let look = new_look(app, mark).await?;
    let looked = app.db.write(lane(), look, |tx, look| Box::pin(look_in(tx, look))).await?;
    Ok(conclude(app, watch, looked).await)
}

async fn conclude(app: &App, watch: &Watch, looked: Looked) -> Found {
    if let Found::PutBack(reason) = looked.found {
        tracing::warn!(
            why = reason.text(),
            life = looked.life.id,
            "the database was put back to an earlier state: every session has ended"
        );
    }
    for (tenant, versions) in looked.raised {
        app.memory.raise(tenant, versions);
    }
    if let Some(path) = watch.mark.clone() {
        let life = looked.life;
        let written = tokio::task::spawn_blocking(move || write_mark(&path, &life)).await;
        if let Err(error) = written.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
            tracing::warn!(%error, "the mark of the database could not be written");
        }
    }
    looked.found
}

/// In the server's lane: of several processes that notice it, one begins the new life.
async fn look_in(tx: &mut Tx, look: &Look) -> Result<Looked, Error> {
    let kept = Life::read(tx).await?;
    match (judge(kept.as_ref(), look), kept) {
        (Found::PutBack(reason), _) => begin(tx, look, reason).await,
        (found, kept) => {
            let id = kept.as_ref().map_or_else(|| look.fresh.clone(), |life| life.id.clone());
            let marks = kept.as_ref().map_or(0, |life| life.marks) + 1;
            let identity = look.identity.clone().or(kept.and_then(|life| life.identity));
            let life = Life { id, marks, identity };
            settings::set(tx, Setting::Life, &life.to_text()).await?;
            Ok(Looked { found, life, raised: Vec::new() })
        }
    }
}

fn judge(kept: Option<&Life>, look: &Look) -> Found {
    let Some(life) = kept else {
        // A file without a life is of a later state than this one.
        let has_mark = matches!(look.mark, Some(Some(_)));
        return if has_mark { Found::PutBack(Reason::BehindMark) } else { Found::First };
    };
    if life.identity.is_some() && look.identity.is_some() && life.identity != look.identity {
        return Found::PutBack(Reason::OtherDatabase);
    }
    match &look.mark {
        None => Found::Same,
        Some(Some((id, _))) if *id != life.id => Found::PutBack(Reason::NoMark),
        Some(Some((_, marks))) if life.marks < *marks => Found::PutBack(Reason::BehindMark),
        Some(Some(_)) => Found::Same,
        Some(None) => Found::PutBack(Reason::NoMark),
    }
}

async fn begin(tx: &mut Tx, look: &Look, reason: Reason) -> Result<Looked, Error> {
    tokens::end_everybody(tx).await?;
    let mut raised = vec![(TenantId::SERVER, versions::leap(tx, TenantId::SERVER, look.now).await?)];
    for tenant in tenants::all(&mut *tx).await? {
        raised.push((tenant.id, versions::leap(tx, tenant.id, look.now).await?));
        // What is being brought has its own numbers on their way.
        if look.half != Some(tenant.id) {
            audit::append(tx, &entry(tenant.id, look.now)).await?;
        }
    }
    let life = Life { id: look.fresh.clone(), marks: 1, identity: look.identity.clone() };
    settings::set(tx, Setting::Life, &life.to_text()).await?;
    Ok(Looked { found: Found::PutBack(reason), life, raised })
}

fn entry(tenant: TenantId, at: Moment) -> audit::Entry {
    let detail = "o banco de dados voltou a um estado anterior: todas as sessões foram encerradas".to_owned();
    let operation = "banco de dados restaurado";
    audit::Entry { tenant, at, user: None, operation, person: None, detail: Some(detail) }
}

/// One that cannot be understood says nothing.
fn read_mark(path: &Path) -> Option<Mark> {
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

/// Whole or not at all, readable by its owner alone. It is written behind the commit: it never knows more than the database.
fn write_mark(path: &Path, life: &Life) -> std::io::Result<()> {
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

    fn life(identity: Option<&str>) -> Life {
        Life { id: "ab12".to_owned(), marks: 7, identity: identity.map(str::to_owned) }
    }

    fn seen(identity: Option<&str>, mark: Option<Option<(&str, i64)>>) -> Look {
        Look {
            identity: identity.map(str::to_owned),
            mark: mark.map(|mark| mark.map(|(id, marks)| (id.to_owned(), marks))),
            fresh: "cd34".to_owned(),
            half: None,
            now: Moment::from_millis(0),
        }
    }

    #[test]
    fn what_is_kept_is_read_back() {
        for kept in [life(None), life(Some("7300/00000001/16384"))] {
            assert_eq!(Life::parse(&kept.to_text()), Some(kept));
        }
        assert_eq!(Life::parse("x"), None);
    }

    #[test]
    fn an_engine_that_tells_copies_apart_is_believed_and_one_that_says_nothing_is_not_asked() {
        let kept = life(Some("1/1/5"));
        for (said, found) in [
            (Some("1/1/5"), Found::Same),
            (Some("1/2/5"), Found::PutBack(Reason::OtherDatabase)),
            (None, Found::Same),
        ] {
            assert_eq!(judge(Some(&kept), &seen(said, None)), found, "{said:?}");
        }
        assert_eq!(judge(Some(&life(None)), &seen(Some("1/1/5"), None)), Found::Same);
        assert_eq!(judge(None, &seen(Some("1/1/5"), None)), Found::First);
    }

    #[test]
    fn a_database_that_is_behind_its_mark_is_a_copy() {
        for (mark, found) in [
            (Some(("ab12", 7)), Found::Same),
            // The last mark was not written any more.
            (Some(("ab12", 6)), Found::Same),
            (Some(("ab12", 8)), Found::PutBack(Reason::BehindMark)),
            (Some(("ef56", 1)), Found::PutBack(Reason::NoMark)),
            (None, Found::PutBack(Reason::NoMark)),
        ] {
            assert_eq!(judge(Some(&life(None)), &seen(None, Some(mark))), found, "{mark:?}");
        }
        assert_eq!(judge(None, &seen(None, Some(None))), Found::First);
        let later = seen(None, Some(Some(("ab12", 1))));
        assert_eq!(judge(None, &later), Found::PutBack(Reason::BehindMark));
    }
}
