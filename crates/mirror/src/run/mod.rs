//! Runs a mirror phase by phase.

mod claims;
mod details;
mod registers;
mod sales;
mod walk;

use crate::client::{RequestPace, SleepFunction, SourceAnswer, SourceClient, SourceError};
use crate::lenient;
use crate::report::MirrorRunReport;
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use domain::{BranchCode, Moment, TenantId};
use exchange::mirror_store::{
    self, MirrorLease, MirrorStartOutcome, MirrorWriteBatch, MirroredRegisterRecord, NewMirrorNote,
    StoredMirror,
};
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Clone, Debug)]
pub struct MirrorOptions {
    /// `https://…`, before `/ext`.
    pub from: String,
    pub login: String,
    pub password: String,
    /// The tenant to write to, which must already mirror this source; by default the tenant of an earlier run, or a new
    /// one.
    pub into: Option<TenantId>,
    /// The name of a new tenant, if it differs from the source's.
    pub name: Option<String>,
    pub time_zone: String,
    pub pace: RequestPace,
    /// Compares everything, not only what changed.
    pub is_full: bool,
}

/// Why a run was aborted.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    #[error(transparent)]
    App(Error),
    #[error(transparent)]
    Trouble(#[from] SourceError),
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

impl From<Error> for MirrorError {
    fn from(error: Error) -> MirrorError {
        match error {
            Error::LeaseLost => MirrorError::Lost,
            other => MirrorError::App(other),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressUpdate {
    pub what: &'static str,
    pub done: u64,
    /// If known.
    pub of: Option<u64>,
    pub requests: u64,
}

/// Phases that can be continued; the registers are read at every start.
pub(crate) mod phase {
    pub const LIST: i32 = 1;
    pub const MEMBERS: i32 = 2;
    pub const DETAILS: i32 = 3;
    pub const CARDS: i32 = 4;
    pub const LEADS: i32 = 5;
    pub const DEALS: i32 = 6;
    pub const CLAIMS: i32 = 7;
}

/// State shared by the phases.
pub(crate) struct MirrorRunner<'r> {
    pub app: &'r App,
    pub client: &'r SourceClient,
    pub mirror: StoredMirror,
    pub lease: &'r MirrorLease,
    pub registers: Arc<TenantRegisters>,
    pub unread: Vec<String>,
    pub written: u64,
    /// Requests of earlier processes in the same run.
    pub before: u64,
    pub on_progress: &'r mut (dyn FnMut(ProgressUpdate) + Send + Sync),
    /// Registered suppliers, and plans whose price was updated in this run.
    pub suppliers: Vec<i32>,
    pub priced: BTreeSet<i32>,
    /// The branches that the source lists for the signed-in user.
    pub branches: BTreeSet<BranchCode>,
}

/// Records fetched by code.
#[derive(Default)]
pub(crate) struct FetchedRecords {
    pub read: Vec<Json>,
    pub absent: Vec<i32>,
    pub notes: Vec<NewMirrorNote>,
}

const NO_LIST: &str = "a resposta não é uma lista";

/// Marks a record that could not be read, so that the next run asks for it again.
pub(crate) fn build_unread_note(kind: &'static str, record: i32, reason: String) -> NewMirrorNote {
    NewMirrorNote { kind, record, field: mirror_store::UNREAD_FIELD.to_owned(), reason }
}

pub(crate) fn build_absent_note(kind: &'static str, record: i32) -> NewMirrorNote {
    NewMirrorNote {
        kind,
        record,
        field: "acesso".to_owned(),
        reason: "a origem diz que não existe".to_owned(),
    }
}

pub(crate) fn build_refused_note(kind: &'static str, record: i32, status: u16) -> NewMirrorNote {
    let reason = format!("a origem recusou a leitura ({status})");
    NewMirrorNote { kind, record, field: "acesso".to_owned(), reason }
}

const TRIES_FOR_HOLD: usize = 20;
const BETWEEN: Duration = Duration::from_secs(2);
const KEEP_EVERY: Duration = Duration::from_secs(10);

/// Runs a mirror from the start, or continues an interrupted run.
#[boxed::future]
pub async fn run_mirror(
    app: &App,
    options: &MirrorOptions,
    sleep: SleepFunction,
    on_progress: &mut (dyn FnMut(ProgressUpdate) + Send + Sync),
) -> Result<MirrorRunReport, MirrorError> {
    let began = Instant::now();
    let login = (options.login.as_str(), options.password.as_str());
    let client =
        SourceClient::new(&options.from, login, options.pace, Arc::clone(&app.clock), Arc::clone(&sleep))?;
    let access = client.sign_in().await?;
    let source = registers::read_source(&client, options, &access).await?;
    let base_name = source.name.clone();
    let (tenant, is_new) = match mirror_store::find_or_create_mirror(app, &source).await? {
        MirrorStartOutcome::Base { tenant, is_new } => (tenant, is_new),
        MirrorStartOutcome::NoMirror(tenant) => return Err(MirrorError::NoMirror(tenant)),
        MirrorStartOutcome::OtherSource(one) => {
            return Err(MirrorError::OtherSource(
                one.tenant,
                one.source,
                one.login,
                source.address,
                source.login,
            ));
        }
    };
    let lease = acquire_lease(app, tenant, &sleep).await?;
    let mirror = mirror_store::start_mirror_run(app, &source, &lease).await?;
    let registers = mirror_store::load_current_registers(app, mirror.tenant).await?;
    let before = u64::try_from(mirror.requests).unwrap_or(0);
    let mut run = MirrorRunner {
        app,
        client: &client,
        registers,
        unread: Vec::new(),
        written: u64::try_from(mirror.written).unwrap_or(0),
        before,
        mirror,
        lease: &lease,
        on_progress,
        suppliers: Vec::new(),
        priced: BTreeSet::new(),
        branches: BTreeSet::new(),
    };
    let result = tokio::select! {
        result = Box::pin(run.run_phases(&access)) => result,
        error = renew_lease(app, &lease) => Err(error),
    };
    let requests = before + client.request_count();
    let (unread, written, mirror) = (run.unread, run.written, run.mirror);
    let completed = match result {
        Ok(()) => mirror_store::complete_mirror_run(app, &mirror, &lease).await.map_err(MirrorError::from),
        Err(failed) => Err(failed),
    };
    mirror_store::release_mirror_lease(app, &lease).await?;
    let mirror = completed?;
    let note_summary = mirror_store::summarize_notes(app, mirror.tenant).await?;
    Ok(MirrorRunReport {
        mirror,
        base_name,
        is_new,
        requests,
        written,
        took: began.elapsed(),
        noted: note_summary,
        unread,
    })
}

async fn acquire_lease(
    app: &App,
    tenant: TenantId,
    sleep: &SleepFunction,
) -> Result<MirrorLease, MirrorError> {
    for _ in 0..TRIES_FOR_HOLD {
        if let Some(lease) = mirror_store::lease_mirror(app, tenant).await? {
            return Ok(lease);
        }
        // The lease of a killed process is still valid for a while.
        sleep(BETWEEN).await;
    }
    Err(MirrorError::Busy(tenant))
}

/// Renews the lease; returns only when it is lost.
async fn renew_lease(app: &App, lease: &MirrorLease) -> MirrorError {
    loop {
        tokio::time::sleep(KEEP_EVERY).await;
        match mirror_store::extend_mirror_lease(app, lease).await {
            Ok(true) => {}
            Ok(false) => return MirrorError::Lost,
            Err(error) if error.is_transient() => {}
            Err(error) => return error.into(),
        }
    }
}

impl MirrorRunner<'_> {
    async fn run_phases(&mut self, access: &Json) -> Result<(), MirrorError> {
        self.read_registers(access).await?;
        if self.mirror.phase <= phase::LIST {
            self.stage_benefit_list().await?;
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

    /// Starts a phase at its first position, unless it is being continued.
    pub fn begin_phase(&mut self, phase: i32) {
        if self.mirror.phase != phase {
            (self.mirror.phase, self.mirror.place) = (phase, 0);
        }
    }

    /// The state to store once everything up to this position is written.
    pub fn mark_checkpoint(&mut self, place: i32) -> StoredMirror {
        self.mirror.place = place;
        self.mirror.requests = i64::try_from(self.before + self.client.request_count()).unwrap_or(i64::MAX);
        self.mirror.written = i64::try_from(self.written).unwrap_or(i64::MAX);
        self.mirror.clone()
    }

    pub fn build_part<T>(
        &mut self,
        place: i32,
        mirrored: T,
        notes: Vec<NewMirrorNote>,
    ) -> MirrorWriteBatch<T> {
        let mirror = self.mark_checkpoint(place);
        let (lease, registers) = (self.lease.clone(), Arc::clone(&self.registers));
        MirrorWriteBatch { mirror, lease, registers, records: mirrored, notes, now: self.now() }
    }

    pub fn report_progress(&mut self, what: &'static str, done: u64, total: Option<u64>) {
        let requests = self.before + self.client.request_count();
        (self.on_progress)(ProgressUpdate { what, done, of: total, requests });
    }

    /// Registers missing records and reloads the registers.
    #[boxed::future]
    pub async fn register_missing(
        &mut self,
        records: Vec<MirroredRegisterRecord>,
    ) -> Result<(), MirrorError> {
        if records.is_empty() {
            return Ok(());
        }
        let suppliers = records.iter().filter(|one| one.path == "fornecedor").filter_map(|one| one.code);
        self.suppliers.extend(suppliers);
        self.written += mirror_store::write_registers(self.app, &self.mirror, records, Vec::new()).await?;
        self.registers = mirror_store::load_current_registers(self.app, self.mirror.tenant).await?;
        Ok(())
    }

    /// Whether a batch was written. If a register changed meanwhile, the batch must be rebuilt with the new registers.
    #[boxed::future]
    pub async fn confirm_write(
        &mut self,
        attempt: usize,
        result: Result<u64, Error>,
    ) -> Result<bool, MirrorError> {
        match result {
            Err(Error::StaleRegisters) if attempt < mirror_store::BATCH_ATTEMPTS => {
                self.registers = mirror_store::load_current_registers(self.app, self.mirror.tenant).await?;
                Ok(false)
            }
            other => {
                self.written += other?;
                Ok(true)
            }
        }
    }

    /// Fetches records by code, several concurrently; failures are noted. Also returns the codes that do not exist.
    #[boxed::future]
    pub async fn fetch_records(
        &self,
        (kind, path): (&'static str, &str),
        codes: Vec<i32>,
    ) -> Result<FetchedRecords, MirrorError> {
        let client = self.client;
        let requests =
            codes.into_iter().map(|code| async move { (code, client.get(&format!("{path}/{code}")).await) });
        let answers: Vec<_> =
            futures_util::stream::iter(requests).buffered(client.concurrency()).collect().await;
        let mut fetched = FetchedRecords::default();
        for (code, answer) in answers {
            match answer {
                Ok(SourceAnswer::Json { body, .. }) => fetched.read.push(body),
                Ok(SourceAnswer::Absent) => fetched.absent.push(code),
                Ok(SourceAnswer::Refused(status, _)) => {
                    fetched.notes.push(build_refused_note(kind, code, status));
                }
                Err(SourceError::Single(reason)) => fetched.notes.push(build_unread_note(kind, code, reason)),
                Err(end) => return Err(end.into()),
            }
        }
        Ok(fetched)
    }

    /// Fetches a list that the source may lack, which is then reported at the end.
    #[boxed::future]
    pub async fn fetch_list(&mut self, path: &str) -> Result<Option<Json>, MirrorError> {
        match self.client.get_list(path).await {
            Ok(SourceAnswer::Json { body, .. }) if lenient::read_list(&body).is_none() => {
                self.skip_list(path, NO_LIST)
            }
            Ok(SourceAnswer::Json { body, .. }) => Ok(Some(body)),
            Ok(SourceAnswer::Absent) => self.skip_list(path, "a origem não tem esta operação (404)"),
            Ok(SourceAnswer::Refused(status, text)) => {
                self.skip_list(path, &format!("a origem recusou ({status}): {text}"))
            }
            Err(SourceError::Single(reason)) => self.skip_list(path, &reason),
            Err(end) => Err(end.into()),
        }
    }

    fn skip_list(&mut self, path: &str, reason: &str) -> Result<Option<Json>, MirrorError> {
        let path = path.split('?').next().unwrap_or(path);
        self.unread.push(format!("GET {path}: {reason}"));
        Ok(None)
    }
}
