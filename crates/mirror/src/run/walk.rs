//! The two long walks: the list of benefits, and the member search.

use super::{Failed, Run, phase};
use crate::client::{Answer, Trouble, escaped};
use crate::lenient::{code, flag, int, items, list};
use crate::members::row;
use crate::missing::Missing;
use app::mirroring::{self, MemberSeen};
use domain::{BenefitCode, shown};
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashSet};

/// Rows that are written together, however long a page is.
const TOGETHER: usize = 100;
/// So many pages in a row that bring nothing new, and the source only repeats itself.
const REPEATED: u32 = 3;

/// What came of asking for a page.
enum Page {
    Read {
        body: Json,
        has_next: Option<bool>,
        total: Option<u64>,
    },
    /// It could not be read; those behind it perhaps can.
    Missed,
    /// The source says that there is none.
    Absent,
}

impl Page {
    fn rows(&self) -> Vec<&Json> {
        match self {
            Page::Read { body, .. } => items(body),
            Page::Missed | Page::Absent => Vec::new(),
        }
    }
}

/// A walk through the pages of a list, which ends where the source says so, else where nothing new comes.
struct Walk {
    path: String,
    first: i32,
    seen: HashSet<(i32, i32)>,
    rows: u64,
    total: Option<u64>,
    repeated: u32,
    promised: bool,
}

/// What a page means for a walk.
struct Turn {
    is_new: bool,
    goes_on: bool,
}

impl Walk {
    fn new(path: String, first: i32) -> Walk {
        let (seen, total) = (HashSet::new(), None);
        Walk { path, first, seen, rows: 0, total, repeated: 0, promised: false }
    }

    fn takes(&mut self, page: &Page) -> Turn {
        let Page::Read { has_next, total, .. } = page else {
            return Turn { is_new: false, goes_on: matches!(page, Page::Missed) };
        };
        let rows = page.rows();
        let key = |json: &&Json| {
            let (person, benefit) = (code(&json["codPessoa"]), code(&json["codBeneficio"]));
            person.or(benefit).map(|_| (person.unwrap_or(0), benefit.unwrap_or(0)))
        };
        let mut is_new = false;
        for key in rows.iter().filter_map(key) {
            is_new |= self.seen.insert(key);
        }
        is_new |= self.rows == 0 && !rows.is_empty();
        self.repeated = if is_new { 0 } else { self.repeated + 1 };
        if is_new {
            self.rows += rows.len() as u64;
        }
        self.total = total.or(self.total);
        self.promised = *has_next == Some(true);
        let goes_on = match has_next {
            Some(told) => *told && !rows.is_empty() && self.repeated < REPEATED,
            None => is_new,
        };
        Turn { is_new, goes_on }
    }
}

impl Run<'_> {
    async fn page(&self, path: &str, number: i32) -> Result<Page, Failed> {
        let mark = if path.contains('?') { '&' } else { '?' };
        let status = match self.client.get_list(&format!("{path}{mark}pagina={number}")).await {
            Ok(Answer::Json { body, .. }) if list(&body).is_none() => return Ok(Page::Missed),
            Ok(Answer::Json { body, .. }) => {
                let has_next = flag(&body["proximaPagina"]);
                let total = int(&body["quantidade"]).and_then(|total| u64::try_from(total).ok());
                return Ok(Page::Read { body, has_next, total });
            }
            Ok(Answer::Absent | Answer::Refused(..)) if number > 1 => return Ok(Page::Absent),
            Ok(Answer::Absent) => "não existe".to_owned(),
            Ok(Answer::Refused(status, text)) => format!("respondeu {status}: {text}"),
            Err(Trouble::One(_)) => return Ok(Page::Missed),
            Err(end) => return Err(end.into()),
        };
        Err(Failed::Missing("a lista", format!("GET {path} {status}")))
    }

    /// Tells that something of a walk is missing; the next run reads it.
    fn missed(&mut self, what: &str, reason: &str) {
        self.mirror.has_all = false;
        self.unread.push(format!("GET {what}: {reason}; rode de novo mais tarde"));
    }

    /// What a page that is none means: nothing, unless there should have been one.
    fn look_at(&mut self, walk: &Walk, number: i32, page: &Page) {
        let what = format!("{}, página {number}", walk.path);
        match page {
            Page::Missed => self.missed(&what, "a página não pôde ser lida"),
            Page::Absent if walk.promised => self.missed(&what, "a origem anunciou a página e não a deu"),
            Page::Read { .. } | Page::Absent => {}
        }
    }

    /// Whether as many rows came as the source counts, where the walk began at the beginning.
    fn count(&mut self, walk: &Walk) {
        if let Some(total) = walk.total.filter(|total| walk.first == 1 && walk.rows < *total) {
            self.missed(&walk.path, &format!("vieram {} das {total} linhas que a origem conta", walk.rows));
        }
    }

    /// Keeps the whole list of benefits aside. Where only changes are read, each benefit is asked for by itself instead.
    pub(super) async fn read_list(&mut self) -> Result<(), Failed> {
        self.begin(phase::LIST);
        if self.mirror.since.is_some() {
            return Ok(());
        }
        let mut number = self.mirror.place + 1;
        let mut walk = Walk::new("/ext/beneficio/lista".to_owned(), number);
        let mut next = self.page(&walk.path, number).await?;
        loop {
            let page = next;
            self.look_at(&walk, number, &page);
            let turn = walk.takes(&page);
            let (mirror, app, hold) = (self.reached(number), self.app, self.hold);
            let (stored, ahead) = tokio::join!(mirroring::stage(app, &mirror, hold, staged(&page)), async {
                if turn.goes_on { Some(self.page(&walk.path, number + 1).await) } else { None }
            });
            stored?;
            self.told("lista de benefícios", walk.rows, walk.total);
            match ahead {
                Some(ahead) => next = ahead?,
                None => break,
            }
            number += 1;
        }
        self.count(&walk);
        Ok(())
    }

    /// Writes members and benefits, in the order of the search.
    pub(super) async fn read_members(&mut self) -> Result<(), Failed> {
        self.begin(phase::MEMBERS);
        let mut path = "/ext/associado?situacaoBeneficio=Todos".to_owned();
        if let Some(since) = &self.mirror.since {
            path.push_str(&format!("&dataAtualizacao={}", escaped(&shown::day(since))));
        }
        let mut number = self.mirror.place + 1;
        let mut walk = Walk::new(path, number);
        let mut next = self.page(&walk.path, number).await?;
        loop {
            let page = next;
            self.look_at(&walk, number, &page);
            let turn = walk.takes(&page);
            next = match turn.goes_on {
                true => self.page(&walk.path, number + 1).await?,
                false => Page::Absent,
            };
            if turn.is_new {
                let rows = page.rows();
                let parts = rows.len().div_ceil(TOGETHER);
                for (part, some) in (1..).zip(rows.chunks(TOGETHER)) {
                    // One that is cut off in the middle of a page reads it again.
                    self.write_page(if part == parts { number } else { number - 1 }, some).await?;
                }
            }
            self.told("associados e benefícios", walk.rows, walk.total);
            if !turn.goes_on {
                break;
            }
            number += 1;
        }
        self.count(&walk);
        Ok(())
    }

    async fn write_page(&mut self, place: i32, rows: &[&Json]) -> Result<(), Failed> {
        let listed = self.listed(rows).await?;
        for attempt in 1.. {
            let mut missing = Missing::new(&self.registers);
            for json in rows {
                missing.of_benefit(json);
                if let Some(list) = code(&json["codBeneficio"]).and_then(|code| listed.get(&code)) {
                    missing.of_benefit(list);
                }
            }
            let wanted = missing.into_wanted();
            self.learn(wanted).await?;
            let (mut notes, now) = (Vec::new(), self.now());
            let read = rows.iter().filter_map(|json| {
                let list = code(&json["codBeneficio"]).and_then(|code| listed.get(&code));
                row(json, list, &self.registers, now, &mut notes)
            });
            let seen: Vec<MemberSeen> = read.collect();
            let part = self.part(place, seen, notes);
            let done = mirroring::write_members(self.app, part).await;
            if self.is_written(attempt, done).await? {
                break;
            }
        }
        Ok(())
    }

    /// What the list of benefits tells of those of a page: as it was kept aside, else asked for one by one.
    async fn listed(&mut self, rows: &[&Json]) -> Result<BTreeMap<i32, Json>, Failed> {
        let codes: Vec<i32> = rows.iter().filter_map(|json| code(&json["codBeneficio"])).collect();
        let asked: Vec<BenefitCode> = codes.iter().copied().map(BenefitCode::new).collect();
        let kept = mirroring::staged(self.app, &self.mirror, &asked).await?;
        let mut found: BTreeMap<i32, Json> = kept
            .into_iter()
            .filter_map(|(code, body)| Some((code.get(), serde_json::from_str(&body).ok()?)))
            .collect();
        let missing = rows.iter().filter_map(|json| {
            let own = code(&json["codBeneficio"]).filter(|own| !found.contains_key(own))?;
            Some((own, int(&json["sequencial"]).filter(|number| *number > 0)?))
        });
        let missing: Vec<(i32, i32)> = missing.collect();
        let (client, mut has_all) = (self.client, true);
        let asked = futures_util::stream::iter(missing.into_iter().map(|(own, sequence)| async move {
            (own, client.get(&format!("/ext/beneficio?sequencial={sequence}")).await)
        }));
        let mut answers = asked.buffered(client.at_once());
        while let Some((own, answer)) = answers.next().await {
            match answer {
                Ok(Answer::Json { body, .. }) => {
                    let one = items(&body).into_iter().find(|json| code(&json["codBeneficio"]) == Some(own));
                    found.extend(one.map(|json| (own, json.clone())));
                }
                Ok(_) => {}
                Err(Trouble::One(_)) => has_all = false,
                Err(end) => return Err(end.into()),
            }
        }
        drop(answers);
        // The next run asks for the same changes again.
        self.mirror.has_all &= has_all;
        Ok(found)
    }
}

fn staged(page: &Page) -> Vec<(BenefitCode, String)> {
    let one = |json: &&Json| Some((BenefitCode::new(code(&json["codBeneficio"])?), json.to_string()));
    let mut all: BTreeMap<BenefitCode, String> = BTreeMap::new();
    all.extend(page.rows().iter().filter_map(one));
    all.into_iter().collect()
}
