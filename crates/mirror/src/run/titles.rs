//! Reads titles: each that the source lists as open, or as settled of this month or later, if it is new there or differs
//! from the stored one; and each that is no longer open there.

use super::error::MirrorError;
use super::notes::{build_absent_note, build_unread_note, build_vanished_note};
use super::phase;
use super::runner::{FetchedRecords, MirrorRunner};
use super::title_lists::{TitleList, TitleListQuery};
use crate::client::{SourceAnswer, SourceError};
use crate::lenient::{read_code, read_int, read_items};
use crate::report::UncarriedTitleCounts;
use crate::titles::{complete_payments, read_title};
use crate::unregistered_references::UnregisteredReferences;
use domain::TitleCode;
use domain::finance::{LaunchKind, TitleSituation};
use exchange::mirror_store::{self, MirroredTitleRecord, NewMirrorNote, TITLE_NOTE_KIND, UNREAD_FIELD};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PATH: &str = "/ext/financeiro/titulo";
pub(super) const TITLES_PER_BATCH: usize = 100;
/// How many other titles are asked for before a source counts as one that shows none alone.
const PROBED_TITLES: usize = 3;

impl MirrorRunner<'_> {
    pub(super) async fn read_titles(&mut self) -> Result<(), MirrorError> {
        self.begin_phase(phase::TITLES);
        let list = self.list_titles().await?;
        if list.read_kinds.is_empty() {
            return Ok(());
        }
        let codes: Vec<TitleCode> = self.list_titles_to_read(&list).await?.into_iter().collect();
        let total = codes.len() as u64;
        let mut shows_titles = true;
        for (at, batch) in codes.chunks(TITLES_PER_BATCH).enumerate() {
            let (titles, notes) = self.fetch_titles(batch, &list, &mut shows_titles).await?;
            self.write_titles(&titles, &notes).await?;
            self.report_progress("títulos em aberto", ((at + 1) * TITLES_PER_BATCH) as u64, Some(total));
        }
        self.claim_title_months().await?;
        self.count_uncarried_titles().await
    }

    /// Those that differ, those that are open here alone, and those of which something could not be taken over before.
    async fn list_titles_to_read(&self, list: &TitleList) -> Result<BTreeSet<TitleCode>, MirrorError> {
        let mut codes: BTreeSet<TitleCode> = list.differing.keys().chain(&list.noted).copied().collect();
        let mut after = TitleCode::new(0);
        loop {
            let batch = mirror_store::list_open_titles_after(self.app, self.mirror.tenant, after).await?;
            let Some(last) = batch.last() else { return Ok(codes) };
            after = last.code;
            let of_read_kind = batch.iter().filter(|one| list.read_kinds.contains(&one.launch_kind));
            let at_source = of_read_kind.filter_map(|one| one.code_at_source);
            codes.extend(at_source.filter(|code| !list.codes.contains(code)));
        }
    }

    /// Fetches titles by code. Where the source does not show single titles, the rows of its list stand for them. A row
    /// does not tell what was paid of the amount, so that one title that is refused stays as it is here.
    async fn fetch_titles(
        &mut self,
        codes: &[TitleCode],
        list: &TitleList,
        shows_titles: &mut bool,
    ) -> Result<(Vec<Json>, Vec<NewMirrorNote>), MirrorError> {
        let fetched = match *shows_titles {
            true => {
                let numbers = codes.iter().map(|code| code.get()).collect();
                self.fetch_records((TITLE_NOTE_KIND, PATH), numbers).await?
            }
            false => FetchedRecords::default(),
        };
        let mut titles: Vec<Json> = fetched.read.iter().flat_map(read_items).cloned().collect();
        let read: BTreeSet<TitleCode> = titles.iter().filter_map(read_title_code).collect();
        let unread = fetched.notes.iter().filter(|note| note.field == UNREAD_FIELD);
        let unread: BTreeSet<TitleCode> = unread.map(|note| TitleCode::new(note.record)).collect();
        let missing = codes.iter().copied().filter(|code| !read.contains(code) && !unread.contains(code));
        let (listed, unlisted): (Vec<TitleCode>, Vec<TitleCode>) =
            missing.partition(|code| list.codes.contains(code));
        if *shows_titles
            && read.is_empty()
            && !listed.is_empty()
            && !self.shows_other_titles(codes, list).await?
        {
            *shows_titles = false;
            self.unread.push(format!(
                "GET {PATH}/{{codTitulo}}: a origem não mostra um título; o que se sabe deles vem da lista"
            ));
        }
        let is_of_missing = |note: &NewMirrorNote| unlisted.iter().any(|code| code.get() == note.record);
        let is_kept = |note: &NewMirrorNote| note.field == UNREAD_FIELD || is_of_missing(note);
        let mut notes: Vec<NewMirrorNote> = fetched.notes.into_iter().filter(is_kept).collect();
        for code in &unlisted {
            let is_refused = notes.iter().any(|note| note.record == code.get());
            match *shows_titles {
                _ if is_refused => {}
                true => notes.push(build_absent_note(TITLE_NOTE_KIND, code.get())),
                false => notes.push(build_vanished_note(TITLE_NOTE_KIND, code.get())),
            }
        }
        for title in &mut titles {
            let code = read_title_code(title);
            let Some((code, row)) = code.and_then(|code| Some((code, find_listed_row(list, code)?))) else {
                continue;
            };
            if complete_payments(title, &row) {
                notes.push(NewMirrorNote {
                    kind: TITLE_NOTE_KIND,
                    record: code.get(),
                    field: "liquidacoes".to_owned(),
                    reason: "a origem não as mostra; o que foi pago é o que a lista diz".to_owned(),
                });
            }
        }
        let known = match *shows_titles {
            true => mirror_store::list_known_titles(self.app, self.mirror.tenant, &listed).await?,
            false => Vec::new(),
        };
        let known: BTreeSet<TitleCode> = known.into_iter().map(|(code, _)| code).collect();
        for code in listed {
            if known.contains(&code) {
                let reason = "a origem lista o título, mas não o mostra; ficou como estava".to_owned();
                notes.push(build_unread_note(TITLE_NOTE_KIND, code.get(), reason));
            } else {
                titles.extend(find_listed_row(list, code));
            }
        }
        Ok((titles, notes))
    }

    /// Whether the source shows any of a few listed titles that are not among these.
    async fn shows_other_titles(&self, codes: &[TitleCode], list: &TitleList) -> Result<bool, MirrorError> {
        let others = list.codes.iter().filter(|code| !codes.contains(code));
        let others: Vec<i32> = others.take(PROBED_TITLES).map(|code| code.get()).collect();
        let fetched = self.fetch_records((TITLE_NOTE_KIND, PATH), others).await?;
        Ok(fetched.read.iter().flat_map(read_items).any(|json| read_title_code(json).is_some()))
    }

    async fn write_titles(
        &mut self,
        titles: &[Json],
        earlier_notes: &[NewMirrorNote],
    ) -> Result<(), MirrorError> {
        for attempt in 1.. {
            let mut missing = UnregisteredReferences::new(&self.registers);
            titles.iter().for_each(|json| missing.collect_from_title(json));
            let records = missing.into_records();
            self.register_missing(records).await?;
            let (mut notes, now) = (earlier_notes.to_vec(), self.now());
            let mut mirrored: BTreeMap<TitleCode, MirroredTitleRecord> = BTreeMap::new();
            for json in titles {
                let read = read_title(json, &self.registers, now, &mut notes);
                mirrored.extend(read.map(|one| (one.title.code, one)));
            }
            let part = self.build_part(0, mirrored.into_values().collect(), notes);
            let result = mirror_store::write_titles(self.app, part).await;
            if self.confirm_write(attempt, result).await? {
                break;
            }
        }
        Ok(())
    }

    /// Claims the months of titles whose type a charging rule has come to use, and finds the rules that no title matches.
    async fn claim_title_months(&mut self) -> Result<(), MirrorError> {
        let tenant = self.mirror.tenant;
        let unclaimed = mirror_store::list_unclaimed_titles(self.app, tenant, &self.registers).await?;
        for titles in unclaimed.chunks(mirror_store::CLAIMED_TITLES_PER_UNIT) {
            for attempt in 1.. {
                let part = self.build_part(0, titles.to_vec(), Vec::new());
                let result = mirror_store::claim_title_months(self.app, part).await;
                if self.confirm_write(attempt, result).await? {
                    break;
                }
            }
        }
        // What the run has written is stored when it is complete, also if this was nothing.
        self.mark_checkpoint(0);
        self.unmatched_charging_types =
            mirror_store::list_unmatched_charging_types(self.app, tenant, &self.registers).await?;
        Ok(())
    }

    /// Asks how many titles there are that are not carried.
    async fn count_uncarried_titles(&mut self) -> Result<(), MirrorError> {
        let (credit, debit) = (LaunchKind::Credit, LaunchKind::Debit);
        let (settled, pending) = (Some(TitleSituation::Settled), Some(TitleSituation::Pending));
        let due_until = self.find_first_carried_day().plus_days(-1);
        let earlier = TitleListQuery { due_until, ..TitleListQuery::new(credit, settled) };
        self.uncarried_titles = UncarriedTitleCounts {
            settled: self.count_titles(earlier).await?
                + self.count_titles(TitleListQuery::new(debit, settled)).await?,
            pending: self.count_titles(TitleListQuery::new(credit, pending)).await?
                + self.count_titles(TitleListQuery::new(debit, pending)).await?,
            cost_sharing: self.count_titles(TitleListQuery::new(LaunchKind::CostSharing, None)).await?,
        };
        Ok(())
    }

    async fn count_titles(&self, query: TitleListQuery) -> Result<u64, MirrorError> {
        let total = match self.client.get_list(&query.build_path(0)).await {
            Ok(SourceAnswer::Json { body, .. }) => read_int(&body["quantidade"]),
            Ok(_) | Err(SourceError::Single(_)) => None,
            Err(end) => return Err(end.into()),
        };
        Ok(total.and_then(|total| u64::try_from(total).ok()).unwrap_or(0))
    }
}

pub(super) fn read_title_code(json: &Json) -> Option<TitleCode> {
    read_code(&json["codTitulo"]).map(TitleCode::new)
}

fn find_listed_row(list: &TitleList, code: TitleCode) -> Option<Json> {
    list.differing.get(&code).and_then(|row| serde_json::from_str(row).ok())
}
