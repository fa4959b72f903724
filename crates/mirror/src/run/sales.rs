//! Reads leads and deals.

use super::details::update_plan_price;
use super::error::MirrorError;
use super::notes::build_absent_note;
use super::phase;
use super::runner::MirrorRunner;
use crate::lenient::{read_code, read_items};
use crate::sales;
use crate::unregistered_references::UnregisteredReferences;
use domain::UserCode;
use exchange::mirror_store::{self, MirroredLead, MirroredUserCodes, NewMirrorNote};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

const RECORDS_PER_BATCH: usize = 100;
/// How many codes after the last known deal are tried.
const CODES_PROBED: i32 = 25;

impl MirrorRunner<'_> {
    pub(super) async fn read_leads(&mut self) -> Result<(), MirrorError> {
        self.begin_phase(phase::LEADS);
        let Some(json) = self.fetch_list("/ext/crm/lead").await? else { return Ok(()) };
        let all = read_items(&json);
        let (mut listed, mut has_all) = (BTreeSet::new(), true);
        for (at, batch) in all.chunks(RECORDS_PER_BATCH).enumerate() {
            for attempt in 1.. {
                let mut missing = UnregisteredReferences::new(&self.registers);
                batch.iter().for_each(|json| missing.collect_branch(json));
                let records = missing.into_records();
                self.register_missing(records).await?;
                let (mut notes, now) = (Vec::new(), self.now());
                let mirrored: Vec<MirroredLead> = batch
                    .iter()
                    .filter_map(|json| sales::read_lead(json, &self.registers, now, &mut notes))
                    .collect();
                has_all &= mirrored.len() == batch.len();
                listed.extend(mirrored.iter().map(|one| one.code));
                let part = self.build_part(0, mirrored, notes);
                let result = mirror_store::write_leads(self.app, part).await;
                if self.confirm_write(attempt, result).await? {
                    break;
                }
            }
            self.report_progress("leads", ((at + 1) * RECORDS_PER_BATCH) as u64, Some(all.len() as u64));
        }
        // A lead that came without a code may be any of the stored ones.
        if has_all {
            let retired = mirror_store::retire_leads(self.app, &self.mirror, &listed, &self.branches).await?;
            self.written += retired;
        }
        Ok(())
    }

    /// Open deals are listed; the others are fetched by code.
    pub(super) async fn read_deals(&mut self) -> Result<(), MirrorError> {
        const PATH: &str = "/ext/crm/negocio";
        self.begin_phase(phase::DEALS);
        let Some(json) = self.fetch_list(PATH).await? else { return Ok(()) };
        let open: BTreeSet<i32> =
            read_items(&json).into_iter().filter_map(|json| read_code(&json["codNegocio"])).collect();
        let mut known: BTreeSet<i32> = open.clone();
        let stored_open = mirror_store::list_open_deals(self.app, self.mirror.tenant).await?;
        known.extend(stored_open.into_iter().map(domain::DealCode::get));
        known.extend(mirror_store::list_unread_records(self.app, self.mirror.tenant, "negocio").await?);
        let end = known.last().map_or(0, |last| last.saturating_add(CODES_PROBED));
        let mut fills_gaps = self.mirror.since.is_none();
        let (mut found, mut gaps) = (0, 0);
        loop {
            let next = self.mirror.place.saturating_add(1);
            let batch: Vec<i32> = match fills_gaps {
                true => (next..=end).take(RECORDS_PER_BATCH).collect(),
                false => known.range(next..).copied().take(RECORDS_PER_BATCH).collect(),
            };
            let Some(last) = batch.last().copied() else { return Ok(()) };
            let mut fetched = self.fetch_records(("negocio", PATH), batch).await?;
            (found, gaps) = (found + fetched.read.len(), gaps + fetched.absent.len());
            let missing = fetched.absent.iter().filter(|code| open.contains(code));
            fetched.notes.extend(missing.map(|code| build_absent_note("negocio", *code)));
            self.write_deals(last, &fetched.read, &fetched.notes).await?;
            self.report_progress(
                "negócios",
                u64::from(last.unsigned_abs()),
                Some(u64::from(end.unsigned_abs())),
            );
            if fills_gaps && gaps > found * 4 + 1_000 {
                fills_gaps = false;
                let reason = "quase nenhum código é de um negócio; dos encerrados, lidos só os anteriores";
                self.unread.push(format!("GET {PATH}/{last}: {reason}"));
            }
            if last == i32::MAX {
                return Ok(());
            }
        }
    }

    async fn write_deals(
        &mut self,
        place: i32,
        read: &[Json],
        earlier_notes: &[NewMirrorNote],
    ) -> Result<(), MirrorError> {
        let users_with_code = read.iter().filter_map(sales::read_responsible_user).collect();
        let user_names = read.iter().flat_map(sales::list_history_users).collect();
        let users = self.register_users(users_with_code, user_names).await?;
        for attempt in 1.. {
            let mut missing = UnregisteredReferences::new(&self.registers);
            for json in read {
                missing.collect_from_deal(json);
                missing.collect_plans(&json["planos"], None);
                for plan in read_items(&json["planos"]) {
                    update_plan_price(plan, &self.registers, &mut self.priced, &mut missing);
                }
            }
            let records = missing.into_records();
            self.register_missing(records).await?;
            let (mut notes, now) = (earlier_notes.to_vec(), self.now());
            let mirrored = read
                .iter()
                .filter_map(|json| sales::read_deal(json, &self.registers, now, &users, &mut notes));
            let mirrored: Vec<_> = mirrored.collect();
            let part = self.build_part(place, mirrored, notes);
            let result = mirror_store::write_deals(self.app, part).await;
            if self.confirm_write(attempt, result).await? {
                break;
            }
        }
        Ok(())
    }

    /// Creates users that are named with or without a code.
    pub(super) async fn register_users(
        &mut self,
        users_with_code: BTreeMap<UserCode, String>,
        user_names: BTreeSet<String>,
    ) -> Result<MirroredUserCodes, MirrorError> {
        if users_with_code.is_empty() && user_names.is_empty() {
            return Ok(MirroredUserCodes::default());
        }
        let (users_with_code, user_names) =
            (users_with_code.into_iter().collect(), user_names.into_iter().collect());
        Ok(mirror_store::write_users(self.app, &self.mirror, users_with_code, user_names).await?)
    }
}
