//! Leads and deals.

use super::deep::price;
use super::{Failed, Run, phase};
use crate::client::{Answer, Trouble};
use crate::lenient::{code, items};
use crate::missing::Missing;
use crate::sales;
use app::Error;
use app::mirroring::{self, LeadSeen, Note};
use domain::UserCode;
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

const TOGETHER: usize = 100;
/// So many codes in a row that are no deal's, behind the last that is known, and there are no more.
const GAP: i32 = 25;

impl Run<'_> {
    pub(super) async fn read_leads(&mut self) -> Result<(), Failed> {
        self.begin(phase::LEADS);
        let Some(json) = self.list("/ext/crm/lead").await? else { return Ok(()) };
        let all = items(&json);
        let mut listed = BTreeSet::new();
        for (at, some) in all.chunks(TOGETHER).enumerate() {
            for attempt in 1.. {
                let mut missing = Missing::new(&self.registers);
                some.iter().for_each(|json| missing.branch(json));
                let wanted = missing.into_wanted();
                self.learn(wanted).await?;
                let (mut notes, now) = (Vec::new(), self.now());
                let seen: Vec<LeadSeen> = some
                    .iter()
                    .filter_map(|json| sales::lead(json, &self.registers, now, &mut notes))
                    .collect();
                listed.extend(seen.iter().map(|one| one.code));
                let part = self.part(0, seen, notes);
                match mirroring::write_leads(self.app, part).await {
                    Err(Error::Stale) if attempt < mirroring::TRIES => {
                        self.registers = mirroring::registers(self.app, self.mirror.tenant).await?;
                    }
                    other => {
                        self.written += other?;
                        break;
                    }
                }
            }
            self.told("leads", ((at + 1) * TOGETHER) as u64, Some(all.len() as u64));
        }
        self.written += mirroring::retire_leads(self.app, &self.mirror, listed).await?;
        Ok(())
    }

    /// Open deals are listed; the others are asked for by their codes, as far as those go.
    pub(super) async fn read_deals(&mut self) -> Result<(), Failed> {
        self.begin(phase::DEALS);
        let Some(json) = self.list("/ext/crm/negocio").await? else { return Ok(()) };
        let open: BTreeSet<i32> =
            items(&json).into_iter().filter_map(|json| code(&json["codNegocio"])).collect();
        let mut codes: BTreeSet<i32> = open.clone();
        codes.extend(
            mirroring::open_deals(self.app, self.mirror.tenant).await?.into_iter().map(domain::DealCode::get),
        );
        if self.mirror.since.is_none() {
            let last = codes.last().copied().unwrap_or(0);
            codes.extend(1..=last.saturating_add(GAP).min(last.saturating_mul(4).saturating_add(1_000)));
        }
        let codes: Vec<i32> = codes.into_iter().filter(|code| *code > self.mirror.place).collect();
        let total = codes.len() as u64;
        for (at, some) in codes.chunks(TOGETHER).enumerate() {
            let (client, place) = (self.client, some.last().copied().unwrap_or(0));
            let asked = some
                .iter()
                .copied()
                .map(|code| async move { (code, client.get(&format!("/ext/crm/negocio/{code}")).await) });
            let answers: Vec<_> =
                futures_util::stream::iter(asked).buffered(client.at_once()).collect().await;
            let (mut read, mut notes) = (Vec::new(), Vec::new());
            for (code, answer) in answers {
                let reason = match answer {
                    Ok(Answer::Json { body, .. }) => {
                        read.push(body);
                        continue;
                    }
                    Ok(Answer::Absent) if !open.contains(&code) => continue,
                    Ok(Answer::Absent) => "a origem diz que não existe".to_owned(),
                    Ok(Answer::Refused(status, _)) => format!("a origem recusou a leitura ({status})"),
                    Err(Trouble::One(reason)) => reason,
                    Err(end) => return Err(end.into()),
                };
                notes.push(Note { kind: "negocio", record: code, field: "leitura".to_owned(), reason });
            }
            self.write_read_deals(place, &read, &notes).await?;
            self.told("negócios", ((at + 1) * TOGETHER) as u64, Some(total));
        }
        Ok(())
    }

    async fn write_read_deals(&mut self, place: i32, read: &[Json], noted: &[Note]) -> Result<(), Failed> {
        let coded = read.iter().filter_map(sales::users).collect();
        let named = read.iter().flat_map(sales::movers).collect();
        let users = self.users(coded, named).await?;
        for attempt in 1.. {
            let mut missing = Missing::new(&self.registers);
            for json in read {
                missing.of_deal(json);
                missing.plans(&json["planos"], None);
                for plan in items(&json["planos"]) {
                    price(plan, &self.registers, &mut self.priced, &mut missing);
                }
            }
            let wanted = missing.into_wanted();
            self.learn(wanted).await?;
            let (mut notes, now) = (noted.to_vec(), self.now());
            let known = |name: &str| users.get(name).copied();
            let seen =
                read.iter().filter_map(|json| sales::deal(json, &self.registers, now, known, &mut notes));
            let seen: Vec<_> = seen.collect();
            let part = self.part(place, seen, notes);
            match mirroring::write_deals(self.app, part).await {
                Err(Error::Stale) if attempt < mirroring::TRIES => {
                    self.registers = mirroring::registers(self.app, self.mirror.tenant).await?;
                }
                other => {
                    self.written += other?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Makes users known who are named, with a code or without one.
    pub(super) async fn users(
        &mut self,
        coded: BTreeMap<UserCode, String>,
        named: BTreeSet<String>,
    ) -> Result<BTreeMap<String, UserCode>, Failed> {
        let mut found: BTreeMap<String, UserCode> =
            coded.iter().map(|(code, name)| (name.clone(), *code)).collect();
        let others: Vec<String> = named.into_iter().filter(|name| !found.contains_key(name)).collect();
        let coded: Vec<(UserCode, String)> = coded.into_iter().collect();
        if coded.is_empty() && others.is_empty() {
            return Ok(found);
        }
        let codes = mirroring::write_users(self.app, &self.mirror, coded, others.clone()).await?;
        found.extend(others.into_iter().zip(codes));
        Ok(found)
    }
}
