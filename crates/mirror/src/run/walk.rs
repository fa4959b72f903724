//! Walks the two long lists: the benefit list and the member search.

use super::error::MirrorError;
use super::phase;
use super::runner::MirrorRunner;
use crate::client::{SourceAnswer, SourceError, escape_query_value};
use crate::lenient::{read_code, read_flag, read_int, read_items, read_list};
use crate::members::read_member_row;
use crate::unregistered_references::UnregisteredReferences;
use domain::BenefitCode;
use exchange::mirror_store::{self, MirroredMember};
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashSet};

/// Rows per transaction, whatever the page size.
const ROWS_PER_TRANSACTION: usize = 100;
/// After this many consecutive pages without new rows the source is only repeating itself.
const MOST_REPEATED_PAGES: u32 = 3;

/// The result of requesting a page.
enum PageOutcome {
    Content {
        body: Json,
        has_next: Option<bool>,
        total: Option<u64>,
    },
    /// It could not be read; later pages may be readable.
    Unreadable,
    /// The source says that the page does not exist.
    Absent,
}

impl PageOutcome {
    fn rows(&self) -> Vec<&Json> {
        match self {
            PageOutcome::Content { body, .. } => read_items(body),
            PageOutcome::Unreadable | PageOutcome::Absent => Vec::new(),
        }
    }
}

/// A walk through the pages of a list. It ends when the source says so, or when no new rows come.
struct PageWalk {
    path: String,
    first: i32,
    seen_keys: HashSet<(i32, i32)>,
    rows: u64,
    total: Option<u64>,
    repeated: u32,
    promised: bool,
}

struct PageVerdict {
    is_new: bool,
    has_record_queue: bool,
}

impl PageWalk {
    fn new(path: String, first: i32) -> PageWalk {
        let (seen_keys, total) = (HashSet::new(), None);
        PageWalk { path, first, seen_keys, rows: 0, total, repeated: 0, promised: false }
    }

    fn record_page(&mut self, page: &PageOutcome) -> PageVerdict {
        let PageOutcome::Content { has_next, total, .. } = page else {
            return PageVerdict { is_new: false, has_record_queue: matches!(page, PageOutcome::Unreadable) };
        };
        let rows = page.rows();
        let key = |json: &&Json| {
            let (person, benefit) = (read_code(&json["codPessoa"]), read_code(&json["codBeneficio"]));
            person.or(benefit).map(|_| (person.unwrap_or(0), benefit.unwrap_or(0)))
        };
        let mut is_new = false;
        for key in rows.iter().filter_map(key) {
            is_new |= self.seen_keys.insert(key);
        }
        is_new |= self.rows == 0 && !rows.is_empty();
        self.repeated = if is_new { 0 } else { self.repeated + 1 };
        if is_new {
            self.rows += rows.len() as u64;
        }
        self.total = total.or(self.total);
        self.promised = *has_next == Some(true);
        let has_record_queue = match has_next {
            Some(is_announced) => *is_announced && !rows.is_empty() && self.repeated < MOST_REPEATED_PAGES,
            None => is_new,
        };
        PageVerdict { is_new, has_record_queue }
    }
}

impl MirrorRunner<'_> {
    async fn fetch_page(&self, path: &str, number: i32) -> Result<PageOutcome, MirrorError> {
        let mark = if path.contains('?') { '&' } else { '?' };
        let status = match self.client.get_list(&format!("{path}{mark}pagina={number}")).await {
            Ok(SourceAnswer::Json { body, .. }) if read_list(&body).is_none() => {
                return Ok(PageOutcome::Unreadable);
            }
            Ok(SourceAnswer::Json { body, .. }) => {
                let has_next = read_flag(&body["proximaPagina"]);
                let total = read_int(&body["quantidade"]).and_then(|total| u64::try_from(total).ok());
                return Ok(PageOutcome::Content { body, has_next, total });
            }
            Ok(SourceAnswer::Absent | SourceAnswer::Refused(..)) if number > 1 => {
                return Ok(PageOutcome::Absent);
            }
            Ok(SourceAnswer::Absent) => "não existe".to_owned(),
            Ok(SourceAnswer::Refused(status, text)) => format!("respondeu {status}: {text}"),
            Err(SourceError::Single(_)) => return Ok(PageOutcome::Unreadable),
            Err(end) => return Err(end.into()),
        };
        Err(MirrorError::Missing("a lista", format!("GET {path} {status}")))
    }

    /// Reports that a part is missing; the next run reads it.
    fn report_missing(&mut self, what: &str, reason: &str) {
        self.mirror.has_all = false;
        self.unread.push(format!("GET {what}: {reason}; rode de novo mais tarde"));
    }

    /// Reports a page that could not be read, or that was announced but does not exist.
    fn check_page(&mut self, walk: &PageWalk, number: i32, page: &PageOutcome) {
        let what = format!("{}, página {number}", walk.path);
        match page {
            PageOutcome::Unreadable => self.report_missing(&what, "a página não pôde ser lida"),
            PageOutcome::Absent if walk.promised => {
                self.report_missing(&what, "a origem anunciou a página e não a deu");
            }
            PageOutcome::Content { .. } | PageOutcome::Absent => {}
        }
    }

    /// Compares the number of rows with the source's total, if the walk started at the first page.
    fn check_row_count(&mut self, walk: &PageWalk) {
        if let Some(total) = walk.total.filter(|total| walk.first == 1 && walk.rows < *total) {
            self.report_missing(
                &walk.path,
                &format!("vieram {} das {total} linhas que a origem conta", walk.rows),
            );
        }
    }

    /// Stages the complete benefit list. If only changes are read, each benefit is fetched individually instead.
    pub(super) async fn stage_benefit_list(&mut self) -> Result<(), MirrorError> {
        self.begin_phase(phase::LIST);
        if self.mirror.since.is_some() {
            return Ok(());
        }
        let mut number = self.mirror.place + 1;
        let mut walk = PageWalk::new("/ext/beneficio/lista".to_owned(), number);
        let mut next = self.fetch_page(&walk.path, number).await?;
        loop {
            let page = next;
            self.check_page(&walk, number, &page);
            let turn = walk.record_page(&page);
            let (mirror, app, lease) = (self.mark_checkpoint(number), self.app, self.lease);
            let (stored, next_page) = tokio::join!(
                mirror_store::stage_benefits(app, &mirror, lease, collect_staged_rows(&page)),
                async {
                    if turn.has_record_queue {
                        Some(self.fetch_page(&walk.path, number + 1).await)
                    } else {
                        None
                    }
                }
            );
            stored?;
            self.report_progress("lista de benefícios", walk.rows, walk.total);
            match next_page {
                Some(next_page) => next = next_page?,
                None => break,
            }
            number += 1;
        }
        self.check_row_count(&walk);
        Ok(())
    }

    /// Writes members and benefits, in the order of the search.
    pub(super) async fn read_members(&mut self) -> Result<(), MirrorError> {
        self.begin_phase(phase::MEMBERS);
        let mut path = "/ext/associado?situacaoBeneficio=Todos".to_owned();
        if let Some(since) = self.mirror.since {
            path.push_str(&format!("&dataAtualizacao={}", escape_query_value(&since.to_br())));
        }
        let mut number = self.mirror.place + 1;
        let mut walk = PageWalk::new(path, number);
        let mut next = self.fetch_page(&walk.path, number).await?;
        loop {
            let page = next;
            self.check_page(&walk, number, &page);
            let turn = walk.record_page(&page);
            next = match turn.has_record_queue {
                true => self.fetch_page(&walk.path, number + 1).await?,
                false => PageOutcome::Absent,
            };
            if turn.is_new {
                let rows = page.rows();
                let parts = rows.len().div_ceil(ROWS_PER_TRANSACTION);
                for (part, batch) in (1..).zip(rows.chunks(ROWS_PER_TRANSACTION)) {
                    // A run interrupted in the middle of a page reads the page again.
                    self.write_member_rows(if part == parts { number } else { number - 1 }, batch).await?;
                }
            }
            self.report_progress("associados e benefícios", walk.rows, walk.total);
            if !turn.has_record_queue {
                break;
            }
            number += 1;
        }
        self.check_row_count(&walk);
        Ok(())
    }

    async fn write_member_rows(&mut self, place: i32, rows: &[&Json]) -> Result<(), MirrorError> {
        let listed = self.load_listed_benefits(rows).await?;
        for attempt in 1.. {
            let mut missing = UnregisteredReferences::new(&self.registers);
            for json in rows {
                missing.collect_from_benefit(json);
                if let Some(list) = read_code(&json["codBeneficio"]).and_then(|code| listed.get(&code)) {
                    missing.collect_from_benefit(list);
                }
            }
            let records = missing.into_records();
            self.register_missing(records).await?;
            let (mut notes, now) = (Vec::new(), self.now());
            let read = rows.iter().filter_map(|json| {
                let list = read_code(&json["codBeneficio"]).and_then(|code| listed.get(&code));
                read_member_row(json, list, &self.registers, now, &mut notes)
            });
            let mirrored: Vec<MirroredMember> = read.collect();
            let part = self.build_part(place, mirrored, notes);
            let result = mirror_store::write_members(self.app, part).await;
            if self.confirm_write(attempt, result).await? {
                break;
            }
        }
        Ok(())
    }

    /// The list entries of a page's benefits: staged ones, or else fetched one by one.
    async fn load_listed_benefits(&mut self, rows: &[&Json]) -> Result<BTreeMap<i32, Json>, MirrorError> {
        let codes: Vec<i32> = rows.iter().filter_map(|json| read_code(&json["codBeneficio"])).collect();
        let benefit_codes: Vec<BenefitCode> = codes.iter().copied().map(BenefitCode::new).collect();
        let staged = mirror_store::list_staged_benefits(self.app, &self.mirror, &benefit_codes).await?;
        let mut found: BTreeMap<i32, Json> = staged
            .into_iter()
            .filter_map(|(code, body)| Some((code.get(), serde_json::from_str(&body).ok()?)))
            .collect();
        let missing = rows.iter().filter_map(|json| {
            let benefit_code =
                read_code(&json["codBeneficio"]).filter(|benefit_code| !found.contains_key(benefit_code))?;
            Some((benefit_code, read_int(&json["sequencial"]).filter(|number| *number > 0)?))
        });
        let missing: Vec<(i32, i32)> = missing.collect();
        let (client, mut has_all) = (self.client, true);
        let requests =
            futures_util::stream::iter(missing.into_iter().map(|(benefit_code, sequence)| async move {
                (benefit_code, client.get(&format!("/ext/beneficio?sequencial={sequence}")).await)
            }));
        let mut answers = requests.buffered(client.concurrency());
        while let Some((benefit_code, answer)) = answers.next().await {
            match answer {
                Ok(SourceAnswer::Json { body, .. }) => {
                    let one = read_items(&body)
                        .into_iter()
                        .find(|json| read_code(&json["codBeneficio"]) == Some(benefit_code));
                    found.extend(one.map(|json| (benefit_code, json.clone())));
                }
                Ok(_) => {}
                Err(SourceError::Single(_)) => has_all = false,
                Err(end) => return Err(end.into()),
            }
        }
        drop(answers);
        // Makes the next run ask for the same changes again.
        self.mirror.has_all &= has_all;
        Ok(found)
    }
}

fn collect_staged_rows(page: &PageOutcome) -> Vec<(BenefitCode, String)> {
    let one = |json: &&Json| Some((BenefitCode::new(read_code(&json["codBeneficio"])?), json.to_string()));
    let mut all: BTreeMap<BenefitCode, String> = BTreeMap::new();
    all.extend(page.rows().iter().filter_map(one));
    all.into_iter().collect()
}
