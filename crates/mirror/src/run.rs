//! A run, phase by phase.

mod deep;
mod events;
mod registers;
mod selling;
mod walk;

use crate::client::{Answer, Client, Pace, Sleep, Trouble};
use crate::report::Report;
use app::base::Registers;
use app::mirroring::{self, Begun, Hold, Mirror, Note, Part, Wanted};
use app::{App, Error};
use domain::{Moment, TenantId};
use serde_json::Value as Json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What is to be mirrored, and how.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `https://…`, before `/ext`.
    pub from: String,
    pub login: String,
    pub password: String,
    /// Into this base, which mirrors the same already; else where it was mirrored before, else into a new one.
    pub into: Option<TenantId>,
    /// What a new base is called, where not as over there.
    pub name: Option<String>,
    pub time_zone: String,
    pub pace: Pace,
    /// Everything is compared, not what changed alone.
    pub whole: bool,
}

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error(transparent)]
    App(#[from] Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
    #[error("a base {0} não é o espelho de outra; diga outra em --base, ou nenhuma")]
    NoMirror(TenantId),
    #[error("a base {0} espelha {1}, e não a base {2} de {3}")]
    OtherSource(TenantId, String, i32, String),
    #[error("outro processo está espelhando a base {0}; espere ele terminar")]
    Busy(TenantId),
    #[error("outro processo tomou este espelho")]
    Lost,
    #[error("a origem não oferece {0}, sem o que não há espelho: {1}")]
    Missing(&'static str, String),
}

/// How far a run is, for whoever watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    pub what: &'static str,
    pub done: u64,
    /// As far as it is known.
    pub of: Option<u64>,
    pub requests: u64,
}

/// The phases that are gone on with; the registers are read at every beginning.
pub(crate) mod phase {
    pub const LIST: i32 = 1;
    pub const MEMBERS: i32 = 2;
    pub const DETAILS: i32 = 3;
    pub const CARDS: i32 = 4;
    pub const LEADS: i32 = 5;
    pub const DEALS: i32 = 6;
    pub const CLAIMS: i32 = 7;
}

/// What the phases share.
pub(crate) struct Run<'r> {
    pub app: &'r App,
    pub client: &'r Client,
    pub mirror: Mirror,
    pub registers: Arc<Registers>,
    pub unread: Vec<String>,
    pub written: u64,
    /// No page of the long walks is missing.
    pub has_all: bool,
    /// Requests of earlier processes of the same run.
    pub before: u64,
    pub tell: &'r mut (dyn FnMut(Stage) + Send + Sync),
    /// Suppliers that are registered, and plans whose price was told in this run.
    pub suppliers: Vec<i32>,
    pub priced: std::collections::BTreeSet<i32>,
}

const TRIES_FOR_HOLD: usize = 20;
const BETWEEN: Duration = Duration::from_secs(2);
const KEEP_EVERY: Duration = Duration::from_secs(10);

/// Mirrors, from the beginning or from where an earlier run was cut off.
pub async fn run(
    app: &App,
    asked: &Asked,
    sleep: Sleep,
    tell: &mut (dyn FnMut(Stage) + Send + Sync),
) -> Result<Report, Failed> {
    let began = Instant::now();
    let login = (asked.login.as_str(), asked.password.as_str());
    let client = Client::new(&asked.from, login, asked.pace, Arc::clone(&app.clock), Arc::clone(&sleep))?;
    let access = client.enter().await?;
    let source = registers::source(&client, asked, &access).await?;
    let base_name = source.name.clone();
    let (mirror, is_new) = match mirroring::begin(app, &source).await? {
        Begun::Run { mirror, is_new } => (mirror, is_new),
        Begun::NoMirror(tenant) => return Err(Failed::NoMirror(tenant)),
        Begun::OtherSource(other) => {
            return Err(Failed::OtherSource(other.tenant, other.source, source.base, source.address));
        }
    };
    let hold = take(app, mirror.tenant, &sleep).await?;
    // What another process wrote before it let go.
    let mirror = mirroring::mirror_of(app, mirror.tenant).await?.unwrap_or(mirror);
    let registers = mirroring::registers(app, mirror.tenant).await?;
    let before = u64::try_from(mirror.requests).unwrap_or(0);
    let mut run = Run {
        app,
        client: &client,
        registers,
        unread: Vec::new(),
        written: u64::try_from(mirror.written).unwrap_or(0),
        has_all: true,
        before,
        mirror,
        tell,
        suppliers: Vec::new(),
        priced: Default::default(),
    };
    let done = tokio::select! {
        done = Box::pin(run.all(&access)) => done,
        lost = keep(app, &hold) => Err(lost),
    };
    let requests = before + client.asked();
    let (unread, written, mirror, has_all) = (run.unread, run.written, run.mirror, run.has_all);
    mirroring::give_back(app, &hold).await?;
    done?;
    let mirror = mirroring::complete(app, &mirror, has_all).await?;
    let noted = mirroring::noted(app, mirror.tenant).await?;
    Ok(Report { mirror, base_name, is_new, requests, written, took: began.elapsed(), noted, unread })
}

async fn take(app: &App, tenant: TenantId, sleep: &Sleep) -> Result<Hold, Failed> {
    for _ in 0..TRIES_FOR_HOLD {
        if let Some(hold) = mirroring::hold(app, tenant).await? {
            return Ok(hold);
        }
        // One that was killed still looks alive for a while.
        sleep(BETWEEN).await;
    }
    Err(Failed::Busy(tenant))
}

/// Holds on; comes back only where it was lost.
async fn keep(app: &App, hold: &Hold) -> Failed {
    loop {
        tokio::time::sleep(KEEP_EVERY).await;
        match mirroring::keep_hold(app, hold).await {
            Ok(true) => {}
            Ok(false) => return Failed::Lost,
            Err(error) if error.is_passing() => {}
            Err(error) => return error.into(),
        }
    }
}

impl Run<'_> {
    async fn all(&mut self, access: &Json) -> Result<(), Failed> {
        self.read_registers(access).await?;
        if self.mirror.phase <= phase::LIST {
            self.read_list().await?;
        }
        if self.mirror.phase <= phase::MEMBERS {
            self.read_members().await?;
        }
        if self.mirror.phase <= phase::DETAILS {
            self.read_details().await?;
        }
        if self.mirror.phase <= phase::CARDS {
            self.read_cards().await?;
        }
        if self.mirror.phase <= phase::LEADS {
            self.read_leads().await?;
        }
        if self.mirror.phase <= phase::DEALS {
            self.read_deals().await?;
        }
        self.read_claims().await
    }

    pub fn now(&self) -> Moment {
        self.app.now()
    }

    /// Where a phase begins: at its first place, unless it is gone on with.
    pub fn begin(&mut self, phase: i32) {
        if self.mirror.phase != phase {
            (self.mirror.phase, self.mirror.place) = (phase, 0);
        }
    }

    /// What is kept once everything to this place is written.
    pub fn reached(&mut self, place: i32) -> Mirror {
        self.mirror.place = place;
        self.mirror.requests = i64::try_from(self.before + self.client.asked()).unwrap_or(i64::MAX);
        self.mirror.written = i64::try_from(self.written).unwrap_or(i64::MAX);
        self.mirror.clone()
    }

    pub fn part<T>(&mut self, place: i32, seen: T, notes: Vec<Note>) -> Part<T> {
        let mirror = self.reached(place);
        Part { mirror, registers: Arc::clone(&self.registers), seen, notes, now: self.now() }
    }

    pub fn told(&mut self, what: &'static str, done: u64, of: Option<u64>) {
        let requests = self.before + self.client.asked();
        (self.tell)(Stage { what, done, of, requests });
    }

    /// Registers what is missing, and knows it from then on.
    pub async fn learn(&mut self, wanted: Vec<Wanted>) -> Result<(), Failed> {
        if wanted.is_empty() {
            return Ok(());
        }
        let suppliers = wanted.iter().filter(|one| one.path == "fornecedor").filter_map(|one| one.code);
        self.suppliers.extend(suppliers);
        self.written += mirroring::write_lists(self.app, &self.mirror, wanted, Vec::new()).await?;
        self.registers = mirroring::registers(self.app, self.mirror.tenant).await?;
        Ok(())
    }

    /// A list that may be missing: then it is told at the end.
    pub async fn list(&mut self, path: &str) -> Result<Option<Json>, Failed> {
        match self.client.get(path).await {
            Ok(Answer::Json { body, .. }) => Ok(Some(body)),
            Ok(Answer::Absent) => self.skip(path, "a origem não tem esta operação (404)"),
            Ok(Answer::Refused(status, text)) => {
                self.skip(path, &format!("a origem recusou ({status}): {text}"))
            }
            Err(Trouble::One(reason)) => self.skip(path, &reason),
            Err(end) => Err(end.into()),
        }
    }

    fn skip(&mut self, path: &str, reason: &str) -> Result<Option<Json>, Failed> {
        let path = path.split('?').next().unwrap_or(path);
        self.unread.push(format!("GET {path}: {reason}"));
        Ok(None)
    }
}
