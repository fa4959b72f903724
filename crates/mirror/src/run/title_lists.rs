//! Walks the lists of titles: what is open, and what is settled of the months that a charging run here could still charge.

use super::error::MirrorError;
use super::runner::MirrorRunner;
use super::titles::{PATH, TITLES_PER_BATCH, read_title_code};
use crate::client::{SourceAnswer, escape_query_value};
use crate::lenient::{read_day, read_int, read_items};
use crate::titles::{ListedTitleTerms, read_listed_terms};
use domain::finance::{ChargedMonth, LaunchKind, TitleSituation};
use domain::{Date, TitleCode};
use exchange::mirror_store::{self, TITLE_NOTE_KIND};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use wire::set_names;

/// How often a list is walked that shows fewer titles than it counts.
const MOST_WALKS: usize = 2;

/// Which titles to list or count.
#[derive(Clone, Copy)]
pub(super) struct TitleListQuery {
    pub kind: LaunchKind,
    pub situation: Option<TitleSituation>,
    pub due_from: Option<Date>,
    pub due_until: Option<Date>,
}

impl TitleListQuery {
    pub(super) fn new(kind: LaunchKind, situation: Option<TitleSituation>) -> TitleListQuery {
        TitleListQuery { kind, situation, due_from: None, due_until: None }
    }

    /// `inicio` is the number of titles before the first one wanted.
    pub(super) fn build_path(&self, offset: usize) -> String {
        let mut path = format!("{PATH}?tipo={}", escape_query_value(set_names::launch_kind_label(self.kind)));
        if let Some(situation) = self.situation {
            path.push_str(&format!("&situacao={}", set_names::title_situation(situation)));
        }
        let days = [("dataVencimentoInicial", self.due_from), ("dataVencimentoFinal", self.due_until)];
        for (name, day) in days {
            if let Some(day) = day {
                path.push_str(&format!("&{name}={}", escape_query_value(&day.to_br())));
            }
        }
        path.push_str(&format!("&inicio={offset}"));
        path
    }

    /// A source may ignore the days that it was asked for.
    fn is_wanted(&self, json: &Json) -> bool {
        let due_on = read_day(&json["dataVencimento"]);
        self.due_from.is_none_or(|first| due_on.is_some_and(|day| day >= first))
    }
}

/// What the source lists of the titles that are carried.
#[derive(Default)]
pub(super) struct TitleList {
    pub codes: BTreeSet<TitleCode>,
    /// The rows, as JSON, of those that are not stored like that and of those in `noted`.
    pub differing: BTreeMap<TitleCode, Box<str>>,
    /// Those of which something could not be taken over before.
    pub noted: BTreeSet<TitleCode>,
    /// The kinds whose open titles were read.
    pub read_kinds: Vec<LaunchKind>,
}

/// The titles of one list, in however many walks.
#[derive(Default)]
struct WalkedTitles {
    codes: BTreeSet<TitleCode>,
    /// How many there are, as the source counts.
    total: Option<usize>,
}

impl MirrorRunner<'_> {
    pub(super) async fn list_titles(&mut self) -> Result<TitleList, MirrorError> {
        let noted = mirror_store::list_noted_records(self.app, self.mirror.tenant, TITLE_NOTE_KIND).await?;
        let noted = noted.into_iter().filter(|code| *code > 0).map(TitleCode::new).collect();
        let mut list = TitleList { noted, ..TitleList::default() };
        for kind in [LaunchKind::Credit, LaunchKind::Debit] {
            let open = TitleListQuery::new(kind, Some(TitleSituation::Open));
            if self.walk_titles(open, &mut list).await? {
                list.read_kinds.push(kind);
            }
        }
        if list.read_kinds.contains(&LaunchKind::Credit) {
            let settled = TitleListQuery::new(LaunchKind::Credit, Some(TitleSituation::Settled));
            let due_from = Some(self.find_first_carried_day());
            self.walk_titles(TitleListQuery { due_from, ..settled }, &mut list).await?;
        }
        Ok(list)
    }

    /// Settled titles are carried from this due day on.
    pub(super) fn find_first_carried_day(&self) -> Date {
        ChargedMonth::of_day(self.now().date_in(&self.registers.zone)).first_day()
    }

    /// Whether the list could be read to its end. Titles that another one pushes to an earlier page meanwhile come with
    /// the second walk.
    async fn walk_titles(
        &mut self,
        query: TitleListQuery,
        list: &mut TitleList,
    ) -> Result<bool, MirrorError> {
        let mut walked = WalkedTitles::default();
        for _ in 0..MOST_WALKS {
            if !self.walk_title_pages(query, &mut walked, list).await? {
                return Ok(false);
            }
            if walked.total.is_none_or(|total| total <= walked.codes.len()) {
                return Ok(true);
            }
        }
        let (kind, found) = (set_names::launch_kind_label(query.kind), walked.codes.len());
        let total = walked.total.unwrap_or(found);
        self.unread
            .push(format!("GET {PATH}: em {kind} vieram {found} dos {total} títulos que a origem conta"));
        Ok(true)
    }

    /// Ends at a page without new titles: the total may be that of a page, and a source may repeat its last one.
    async fn walk_title_pages(
        &mut self,
        query: TitleListQuery,
        walked: &mut WalkedTitles,
        list: &mut TitleList,
    ) -> Result<bool, MirrorError> {
        let (mut offset, mut seen) = (0, BTreeSet::new());
        loop {
            let path = query.build_path(offset);
            let answer = self.client.get_list(&path).await;
            if offset > 0 && matches!(answer, Ok(SourceAnswer::Absent)) {
                return Ok(true);
            }
            let Some(body) = self.accept_list(&path, answer)? else { return Ok(false) };
            let total = read_int(&body["quantidade"]).and_then(|total| usize::try_from(total).ok());
            walked.total = total.or(walked.total);
            let rows = read_items(&body);
            let coded = rows.iter().filter_map(|json| Some((read_title_code(json)?, *json)));
            let found: Vec<(TitleCode, &Json)> = coded.filter(|(code, _)| seen.insert(*code)).collect();
            if found.is_empty() {
                return Ok(true);
            }
            walked.codes.extend(found.iter().map(|(code, _)| *code));
            let wanted: Vec<(TitleCode, &Json)> =
                found.into_iter().filter(|(_, json)| query.is_wanted(json)).collect();
            list.codes.extend(wanted.iter().map(|(code, _)| *code));
            for batch in wanted.chunks(TITLES_PER_BATCH) {
                let alike = self.list_alike_titles(batch, query.situation).await?;
                for (code, json) in batch {
                    if !alike.contains(code) || list.noted.contains(code) {
                        list.differing.insert(*code, json.to_string().into_boxed_str());
                    }
                }
            }
            offset += rows.len();
            self.report_progress("lista de títulos", list.codes.len() as u64, None);
        }
    }

    /// The titles that are stored as the source lists them under a situation.
    async fn list_alike_titles(
        &self,
        rows: &[(TitleCode, &Json)],
        situation: Option<TitleSituation>,
    ) -> Result<BTreeSet<TitleCode>, MirrorError> {
        let codes: Vec<TitleCode> = rows.iter().map(|(code, _)| *code).collect();
        let known = mirror_store::list_known_titles(self.app, self.mirror.tenant, &codes).await?;
        let known = known.into_iter().filter(|(_, title)| Some(title.situation) == situation);
        let stored: BTreeMap<TitleCode, ListedTitleTerms> = known
            .map(|(code, title)| {
                let (amount, settled_total) = (title.amount, title.settled_total);
                (code, ListedTitleTerms { due_on: Some(title.due_on), amount, settled_total })
            })
            .collect();
        let is_alike = |(code, json): &&(TitleCode, &Json)| match situation {
            Some(TitleSituation::Open) => stored.get(code) == Some(&read_listed_terms(json)),
            _ => stored.contains_key(code),
        };
        Ok(rows.iter().filter(is_alike).map(|(code, _)| *code).collect())
    }
}
