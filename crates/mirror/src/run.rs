//! A run, phase by phase.

mod deep;
mod events;
mod registers;
mod selling;
mod walk;

use crate::client::{Answer, Client, Pace, Sleep, Trouble};
use crate::lenient;
use crate::report::Report;
use app::base::Registers;
use app::mirroring::{self, Begun, Hold, Mirror, Note, Part, Wanted};
use app::{App, Error};
use domain::{BranchCode, Moment, TenantId};
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::BTreeSet;
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
    App(Error),
    #[error(transparent)]
    Trouble(#[from] Trouble),
    #[error("a base {0} não é o espelho de outra; diga outra em --base, ou nenhuma")]
    NoMirror(TenantId),
    #[error("a base {0} espelha o que {1} mostra ao usuário {2}, e não o que {3} mostra a {4}")]
    OtherSource(TenantId, String, String, String, String),
    #[error("outro processo está espelhando a base {0}; espere ele terminar")]
    Busy(TenantId),
    #[error("outro processo tomou este espelho")]
    Lost,
    #[error("a origem não oferece {0}, sem o que não há espelho: {1}")]
    Missing(&'static str, String),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        match error {
            Error::Lost => Failed::Lost,
            other => Failed::App(other),
        }
    }
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
    pub hold: &'r Hold,
    pub registers: Arc<Registers>,
    pub unread: Vec<String>,
    pub written: u64,
    /// Requests of earlier processes of the same run.
    pub before: u64,
    pub tell: &'r mut (dyn FnMut(Stage) + Send + Sync),
    /// Suppliers that are registered, and plans whose price was told in this run.
    pub suppliers: Vec<i32>,
    pub priced: BTreeSet<i32>,
    /// The branches that the source lists for whoever reads.
    pub branches: BTreeSet<BranchCode>,
}

/// Records that were read by their codes.
#[derive(Default)]
pub(crate) struct Each {
    pub read: Vec<Json>,
    pub absent: Vec<i32>,
    pub notes: Vec<Note>,
}

const NO_LIST: &str = "a resposta não é uma lista";

/// Of what could not be read just now: the next run asks for it again.
pub(crate) fn unread(kind: &'static str, record: i32, reason: String) -> Note {
    Note { kind, record, field: mirroring::UNREAD.to_owned(), reason }
}

pub(crate) fn absent(kind: &'static str, record: i32) -> Note {
    Note { kind, record, field: "acesso".to_owned(), reason: "a origem diz que não existe".to_owned() }
}

pub(crate) fn refused(kind: &'static str, record: i32, status: u16) -> Note {
    let reason = format!("a origem recusou a leitura ({status})");
    Note { kind, record, field: "acesso".to_owned(), reason }
}

const TRIES_FOR_HOLD: usize = 20;
const BETWEEN: Duration = Duration::from_secs(2);
const KEEP_EVERY: Duration = Duration::from_secs(10);

/// Mirrors, from the beginning or from where an earlier run was cut off.
#[boxed::future]
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
    let (tenant, is_new) = match mirroring::begin(app, &source).await? {
        Begun::Base { tenant, is_new } => (tenant, is_new),
        Begun::NoMirror(tenant) => return Err(Failed::NoMirror(tenant)),
        Begun::OtherSource(one) => {
            return Err(Failed::OtherSource(one.tenant, one.source, one.login, source.address, source.login));
        }
    };
    let hold = take(app, tenant, &sleep).await?;
    let mirror = mirroring::choose(app, &source, &hold).await?;
    let registers = mirroring::registers(app, mirror.tenant).await?;
    let before = u64::try_from(mirror.requests).unwrap_or(0);
    let mut run = Run {
        app,
        client: &client,
        registers,
        unread: Vec::new(),
        written: u64::try_from(mirror.written).unwrap_or(0),
        before,
        mirror,
        hold: &hold,
        tell,
        suppliers: Vec::new(),
        priced: BTreeSet::new(),
        branches: BTreeSet::new(),
    };
    let done = tokio::select! {
        done = Box::pin(run.all(&access)) => done,
        lost = keep(app, &hold) => Err(lost),
    };
    let requests = before + client.asked();
    let (unread, written, mirror) = (run.unread, run.written, run.mirror);
    let completed = match done {
        Ok(()) => mirroring::complete(app, &mirror, &hold).await.map_err(Failed::from),
        Err(failed) => Err(failed),
    };
    mirroring::give_back(app, &hold).await?;
    let mirror = completed?;
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
        let (hold, registers) = (self.hold.clone(), Arc::clone(&self.registers));
        Part { mirror, hold, registers, seen, notes, now: self.now() }
    }

    pub fn told(&mut self, what: &'static str, done: u64, of: Option<u64>) {
        let requests = self.before + self.client.asked();
        (self.tell)(Stage { what, done, of, requests });
    }

    /// Registers what is missing, and knows it from then on.
    #[boxed::future]
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

    /// Whether a part is written now. Where a register changed meanwhile it is to be made anew, by what is registered now.
    #[boxed::future]
    pub async fn is_written(&mut self, attempt: usize, done: Result<u64, Error>) -> Result<bool, Failed> {
        match done {
            Err(Error::Stale) if attempt < mirroring::TRIES => {
                self.registers = mirroring::registers(self.app, self.mirror.tenant).await?;
                Ok(false)
            }
            other => {
                self.written += other?;
                Ok(true)
            }
        }
    }

    /// Reads records by their codes, some at once; what cannot be read is noted. Gives which are none, too.
    #[boxed::future]
    pub async fn read_each(
        &self,
        (kind, path): (&'static str, &str),
        codes: Vec<i32>,
    ) -> Result<Each, Failed> {
        let client = self.client;
        let asked =
            codes.into_iter().map(|code| async move { (code, client.get(&format!("{path}/{code}")).await) });
        let answers: Vec<_> = futures_util::stream::iter(asked).buffered(client.at_once()).collect().await;
        let mut each = Each::default();
        for (code, answer) in answers {
            match answer {
                Ok(Answer::Json { body, .. }) => each.read.push(body),
                Ok(Answer::Absent) => each.absent.push(code),
                Ok(Answer::Refused(status, _)) => each.notes.push(refused(kind, code, status)),
                Err(Trouble::One(reason)) => each.notes.push(unread(kind, code, reason)),
                Err(end) => return Err(end.into()),
            }
        }
        Ok(each)
    }

    /// A list that may be missing: then it is told at the end.
    #[boxed::future]
    pub async fn list(&mut self, path: &str) -> Result<Option<Json>, Failed> {
        match self.client.get_list(path).await {
            Ok(Answer::Json { body, .. }) if lenient::list(&body).is_none() => self.skip(path, NO_LIST),
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
