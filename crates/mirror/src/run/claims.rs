//! Reads claims: the complete list, and each claim that is new or differs from the stored one.

use super::error::MirrorError;
use super::notes::build_absent_note;
use super::phase;
use super::runner::{MirrorRunner, NO_LIST};
use crate::claims::{ListedClaim, ListedClaimMap, read_claim_with_related};
use crate::client::{SourceAnswer, SourceError};
use crate::lenient::{read_code, read_day, read_items, read_list, read_text};
use crate::unregistered_references::UnregisteredReferences;
use domain::{BranchCode, ClaimCode, Date, fold_text};
use exchange::mirror_store::{self, MirroredClaim, NewMirrorNote};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use wire::set_names;

const CLAIMS_PER_BATCH: usize = 100;

impl MirrorRunner<'_> {
    pub(super) async fn read_claims(&mut self) -> Result<(), MirrorError> {
        self.begin_phase(phase::CLAIMS);
        let Some((opened, differing)) = self.list_claims().await? else { return Ok(()) };
        let codes: Vec<ClaimCode> = differing.into_iter().collect();
        let total = codes.len() as u64;
        for (at, batch) in codes.chunks(CLAIMS_PER_BATCH).enumerate() {
            let codes = batch.iter().map(|code| code.get()).collect();
            let mut fetched = self.fetch_records(("evento", "/ext/evento"), codes).await?;
            fetched.notes.extend(fetched.absent.iter().map(|code| build_absent_note("evento", *code)));
            self.write_claims(&fetched.read, &opened, &fetched.notes).await?;
            self.report_progress("eventos", ((at + 1) * CLAIMS_PER_BATCH) as u64, Some(total));
        }
        Ok(())
    }

    /// When each was opened, and which must be read: all, or those that differ from the stored ones.
    async fn list_claims(&mut self) -> Result<Option<(ListedClaimMap, BTreeSet<ClaimCode>)>, MirrorError> {
        const PATH: &str = "/ext/evento";
        let mut days: Vec<(ClaimCode, Date, Option<BranchCode>)> = Vec::new();
        let mut differing = BTreeSet::new();
        let mut known = BTreeSet::new();
        for number in 1.. {
            let (body, total) = match self.client.get_list(&format!("{PATH}?pagina={number}")).await {
                Ok(SourceAnswer::Json { body, total }) => (body, total),
                Ok(SourceAnswer::Absent) => {
                    return self.skip_claims("a origem não tem esta operação (404)".to_owned());
                }
                Ok(SourceAnswer::Refused(status, text)) => {
                    return self.skip_claims(format!("{status} {text}"));
                }
                Err(SourceError::Single(reason)) => return self.skip_claims(reason),
                Err(end) => return Err(end.into()),
            };
            let Some(rows) = read_list(&body) else { return self.skip_claims(NO_LIST.to_owned()) };
            let found =
                rows.iter().filter_map(|json| Some((ClaimCode::new(read_code(&json["codEvento"])?), *json)));
            let found: Vec<(ClaimCode, &Json)> = found.filter(|(code, _)| known.insert(*code)).collect();
            if found.is_empty() {
                break;
            }
            let today = self.now().date_in(&self.registers.zone);
            days.extend(found.iter().map(|(code, json)| {
                let branch_name = read_text(&json["nomeLoja"]);
                let branch =
                    self.registers.branches.iter().find(|one| Some(&one.name) == branch_name.as_ref());
                (*code, read_day(&json["dataAbertura"]).unwrap_or(today), branch.map(|one| one.code))
            }));
            for batch in found.chunks(CLAIMS_PER_BATCH) {
                differing.extend(self.find_differing_claims(batch).await?);
            }
            // Without a total the list was not paginated.
            if total.is_none_or(|total| total <= days.len() as i64) {
                break;
            }
        }
        let opened = assign_opening_moments(&days, &self.registers.zone);
        let shifted = self.find_moved_claims(&opened).await?;
        differing.extend(shifted);
        Ok(Some((opened, differing)))
    }

    fn skip_claims(
        &mut self,
        reason: String,
    ) -> Result<Option<(ListedClaimMap, BTreeSet<ClaimCode>)>, MirrorError> {
        self.unread.push(format!("GET /ext/evento: {reason}"));
        Ok(None)
    }

    async fn find_differing_claims(
        &self,
        found: &[(ClaimCode, &Json)],
    ) -> Result<Vec<ClaimCode>, MirrorError> {
        if self.mirror.since.is_none() {
            return Ok(found.iter().map(|(code, _)| *code).collect());
        }
        let codes: Vec<ClaimCode> = found.iter().map(|(code, _)| *code).collect();
        let stored = mirror_store::list_known_claims(self.app, self.mirror.tenant, &codes).await?;
        let stored: BTreeMap<_, _> =
            stored.into_iter().map(|(code, claim, user)| (code, (claim, user))).collect();
        let registers = &self.registers;
        let is_alike = |(claim_code, json): &&(ClaimCode, &Json)| {
            let Some((claim, user)) = stored.get(claim_code) else { return false };
            let source_text = |name: &str| read_text(&json[name]).map(|text| fold_text(&text));
            let situation_name = registers.situation(claim.head.situation).map(|one| fold_text(&one.name));
            let kind = registers.claim_type(claim.kind).map(|one| fold_text(&one.name));
            source_text("situacao") == situation_name
                && source_text("tipoEvento") == kind
                && source_text("prioridade") == Some(fold_text(set_names::priority(claim.priority)))
                && source_text("envolvido") == Some(fold_text(set_names::involved(claim.involved)))
                && source_text("responsavel") == user.as_deref().map(fold_text)
                && read_day(&json["dataEvento"]) == claim.happened_on
        };
        Ok(found.iter().filter(|one| !is_alike(one)).map(|(code, _)| *code).collect())
    }

    /// Claims whose order within their day has changed.
    async fn find_moved_claims(&self, opened: &ListedClaimMap) -> Result<Vec<ClaimCode>, MirrorError> {
        if self.mirror.since.is_none() {
            return Ok(Vec::new());
        }
        let mut shifted = Vec::new();
        let codes: Vec<ClaimCode> = opened.keys().copied().collect();
        for batch in codes.chunks(1_000) {
            let stored = mirror_store::list_known_claims(self.app, self.mirror.tenant, batch).await?;
            let is_other = |code: &ClaimCode, claim: &domain::Claim| {
                let listed = opened.get(code);
                listed.is_some_and(|listed| {
                    listed.opened_at != claim.head.opened_at
                        || listed.branch.is_some_and(|branch| branch != claim.head.branch)
                })
            };
            let moved = stored.iter().filter(|(code, claim, _)| is_other(code, claim));
            shifted.extend(moved.map(|(code, ..)| *code));
        }
        Ok(shifted)
    }

    async fn write_claims(
        &mut self,
        read: &[Json],
        opened: &ListedClaimMap,
        earlier_notes: &[NewMirrorNote],
    ) -> Result<(), MirrorError> {
        let list_related =
            |json: &Json| read_items(&json["relacionados"]).into_iter().cloned().collect::<Vec<_>>();
        let related: Vec<Json> = read.iter().flat_map(list_related).collect();
        let named = read.iter().chain(&related).filter_map(|json| read_text(&json["responsavel"])).collect();
        let users = self.register_users(BTreeMap::new(), named).await?;
        for attempt in 1.. {
            let mut missing = UnregisteredReferences::new(&self.registers);
            read.iter().chain(&related).for_each(|json| missing.collect_from_claim(json));
            let records = missing.into_records();
            self.register_missing(records).await?;
            let (mut notes, now) = (earlier_notes.to_vec(), self.now());
            let known = |name: &str| users.by_name.get(name).copied();
            let mut mirrored: BTreeMap<ClaimCode, MirroredClaim> = BTreeMap::new();
            for json in read {
                for one in read_claim_with_related(json, &self.registers, opened, now, &known, &mut notes) {
                    // A claim fetched by its own code has more data than one included in another.
                    if one.related.is_some() || !mirrored.contains_key(&one.code) {
                        mirrored.insert(one.code, one);
                    }
                }
            }
            let part = self.build_part(0, mirrored.into_values().collect(), notes);
            let result = mirror_store::write_claims(self.app, part).await;
            if self.confirm_write(attempt, result).await? {
                break;
            }
        }
        Ok(())
    }
}

/// The list is sorted newest first and gives only the day: seconds are added to keep the order within a day.
fn assign_opening_moments(
    newest_first: &[(ClaimCode, Date, Option<BranchCode>)],
    zone: &domain::TimeZone,
) -> ListedClaimMap {
    let mut opened = ListedClaimMap::new();
    let (mut day, mut place) = (None, 0);
    for (code, opened_on, branch) in newest_first.iter().rev() {
        place = if day == Some(*opened_on) { place + 1 } else { 0 };
        day = Some(*opened_on);
        let opened_at = opened_on.start_in(zone).plus(Duration::from_secs(place.min(86_000)));
        opened.insert(*code, ListedClaim { opened_at, branch: *branch });
    }
    opened
}
