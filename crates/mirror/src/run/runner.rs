//! The state of a run that its phases share, and what they have in common.

use super::error::MirrorError;
use super::notes::{build_refused_note, build_unread_note};
use super::phase;
use super::progress_update::ProgressUpdate;
use crate::client::{SourceAnswer, SourceClient, SourceError};
use crate::lenient;
use crate::report::UncarriedTitleCounts;
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use domain::{BranchCode, Moment};
use exchange::mirror_store::{
    self, MirrorLease, MirrorWriteBatch, MirroredRegisterRecord, NewMirrorNote, StoredMirror,
};
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;

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
    pub uncarried_titles: UncarriedTitleCounts,
    pub unmatched_charging_types: Vec<String>,
}

/// Records fetched by code.
#[derive(Default)]
pub(crate) struct FetchedRecords {
    pub read: Vec<Json>,
    pub absent: Vec<i32>,
    pub notes: Vec<NewMirrorNote>,
}

pub(super) const NO_LIST: &str = "a resposta não é uma lista";

impl MirrorRunner<'_> {
    pub(super) async fn run_phases(&mut self, access: &Json) -> Result<(), MirrorError> {
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
        if self.mirror.phase <= phase::CLAIMS {
            self.read_claims().await?;
        }
        self.read_titles().await
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
        let answer = self.client.get_list(path).await;
        self.accept_list(path, answer)
    }

    /// The list that was asked for; if there is none, the reason is reported at the end.
    pub(super) fn accept_list(
        &mut self,
        path: &str,
        answer: Result<SourceAnswer, SourceError>,
    ) -> Result<Option<Json>, MirrorError> {
        match answer {
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
        let line = format!("GET {path}: {reason}");
        if !self.unread.contains(&line) {
            self.unread.push(line);
        }
        Ok(None)
    }
}
