//! The two long walks: the list of benefits, and the member search.

use super::{Failed, Run, phase};
use crate::client::{Answer, Trouble, escaped};
use crate::lenient::{code, int, items};
use crate::members::row;
use crate::missing::Missing;
use app::Error;
use app::mirroring::{self, MemberSeen};
use domain::{BenefitCode, shown};
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// A page of a long list.
struct Page {
    body: Json,
    has_next: bool,
    total: Option<u64>,
}

impl Page {
    /// By what it is told from the one before it, where a server ignores which page is asked for.
    fn sign(&self) -> Option<String> {
        let items = items(&self.body);
        Some(format!("{} {}", items.len(), items.first()?))
    }
}

impl Run<'_> {
    async fn page(&self, path: &str, number: i32) -> Result<Option<Page>, Failed> {
        let mark = if path.contains('?') { '&' } else { '?' };
        match self.client.get(&format!("{path}{mark}pagina={number}")).await {
            Ok(Answer::Json { body, .. }) => {
                let has_next = body["proximaPagina"].as_bool().unwrap_or(false) && !items(&body).is_empty();
                let total = int(&body["quantidade"]).and_then(|total| u64::try_from(total).ok());
                Ok(Some(Page { body, has_next, total }))
            }
            Ok(Answer::Absent) => Err(Failed::Missing("a lista", format!("GET {path} não existe"))),
            Ok(Answer::Refused(status, text)) => {
                Err(Failed::Missing("a lista", format!("GET {path} respondeu {status}: {text}")))
            }
            Err(Trouble::One(_)) => Ok(None),
            Err(end) => Err(end.into()),
        }
    }

    fn missed(&mut self, page: String) {
        self.has_all = false;
        self.unread.push(format!("{page}: a página não pôde ser lida; rode de novo mais tarde"));
    }

    /// Keeps the whole list of benefits aside. Where only changes are read, each benefit is asked for by itself instead.
    pub(super) async fn read_list(&mut self) -> Result<(), Failed> {
        self.begin(phase::LIST);
        if self.mirror.since.is_some() {
            return Ok(());
        }
        const PATH: &str = "/ext/beneficio/lista";
        let mut number = self.mirror.place + 1;
        let mut next = self.page(PATH, number).await?;
        let mut last = None;
        loop {
            let page = next;
            let has_next = page.as_ref().is_none_or(|page| page.has_next);
            let staged = page.as_ref().map(|page| staged(&page.body)).unwrap_or_default();
            if page.is_none() {
                self.missed(format!("GET {PATH}?pagina={number}"));
            }
            let sign = page.as_ref().and_then(Page::sign);
            if sign.is_some() && sign == last {
                break;
            }
            last = sign;
            let mirror = self.reached(number);
            let app = self.app;
            let (stored, ahead) = tokio::join!(mirroring::stage(app, &mirror, staged), async {
                if has_next { Some(self.page(PATH, number + 1).await) } else { None }
            });
            stored?;
            let total = page.and_then(|page| page.total);
            self.told("lista de benefícios", u64::from(number.unsigned_abs()) * 100, total);
            match ahead {
                Some(ahead) => next = ahead?,
                None => break,
            }
            number += 1;
        }
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
        let mut next = self.page(&path, number).await?;
        let mut last = None;
        loop {
            let page = next;
            let has_next = page.as_ref().is_none_or(|page| page.has_next);
            let total = page.as_ref().and_then(|page| page.total);
            let sign = page.as_ref().and_then(Page::sign);
            if sign.is_some() && sign == last {
                break;
            }
            last = sign;
            next = if has_next { self.page(&path, number + 1).await? } else { None };
            match &page {
                Some(page) => self.write_page(number, items(&page.body)).await?,
                None => self.missed(format!("GET /ext/associado?…&pagina={number}")),
            }
            self.told("associados e benefícios", u64::from(number.unsigned_abs()) * 100, total);
            if !has_next {
                return Ok(());
            }
            number += 1;
        }
        Ok(())
    }

    async fn write_page(&mut self, number: i32, rows: Vec<&Json>) -> Result<(), Failed> {
        let listed = self.listed(&rows).await?;
        for _ in 0..mirroring::TRIES {
            let mut missing = Missing::new(&self.registers);
            for json in &rows {
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
            let part = self.part(number, seen, notes);
            match mirroring::write_members(self.app, part).await {
                Err(Error::Stale) => {
                    self.registers = mirroring::registers(self.app, self.mirror.tenant).await?;
                }
                other => {
                    self.written += other?;
                    return Ok(());
                }
            }
        }
        Err(Error::Stale.into())
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
        let client = self.client;
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
                Ok(_) | Err(Trouble::One(_)) => {}
                Err(end) => return Err(end.into()),
            }
        }
        Ok(found)
    }
}

fn staged(body: &Json) -> Vec<(BenefitCode, String)> {
    let one = |json: &&Json| Some((BenefitCode::new(code(&json["codBeneficio"])?), json.to_string()));
    let mut all: BTreeMap<BenefitCode, String> = BTreeMap::new();
    all.extend(items(body).iter().filter_map(one));
    all.into_iter().collect()
}
