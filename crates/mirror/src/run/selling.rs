//! Leads and deals.

use super::deep::price;
use super::{Failed, Run, absent, phase};
use crate::lenient::{code, items};
use crate::missing::Missing;
use crate::sales;
use app::mirroring::{self, LeadSeen, Note, Users};
use domain::UserCode;
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
        let (mut listed, mut has_all) = (BTreeSet::new(), true);
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
                has_all &= seen.len() == some.len();
                listed.extend(seen.iter().map(|one| one.code));
                let part = self.part(0, seen, notes);
                let done = mirroring::write_leads(self.app, part).await;
                if self.is_written(attempt, done).await? {
                    break;
                }
            }
            self.told("leads", ((at + 1) * TOGETHER) as u64, Some(all.len() as u64));
        }
        // One that came without a code may be any of those that are here.
        if has_all {
            let retired = mirroring::retire_leads(self.app, &self.mirror, &listed, &self.branches).await?;
            self.written += retired;
        }
        Ok(())
    }

    /// Open deals are listed; the others are asked for by their codes, as far as those go.
    pub(super) async fn read_deals(&mut self) -> Result<(), Failed> {
        const PATH: &str = "/ext/crm/negocio";
        self.begin(phase::DEALS);
        let Some(json) = self.list(PATH).await? else { return Ok(()) };
        let open: BTreeSet<i32> =
            items(&json).into_iter().filter_map(|json| code(&json["codNegocio"])).collect();
        let mut known: BTreeSet<i32> = open.clone();
        let here = mirroring::open_deals(self.app, self.mirror.tenant).await?;
        known.extend(here.into_iter().map(domain::DealCode::get));
        known.extend(mirroring::unread(self.app, self.mirror.tenant, "negocio").await?);
        let end = known.last().map_or(0, |last| last.saturating_add(GAP));
        let mut fills = self.mirror.since.is_none();
        let (mut found, mut gaps) = (0, 0);
        loop {
            let next = self.mirror.place.saturating_add(1);
            let some: Vec<i32> = match fills {
                true => (next..=end).take(TOGETHER).collect(),
                false => known.range(next..).copied().take(TOGETHER).collect(),
            };
            let Some(last) = some.last().copied() else { return Ok(()) };
            let mut each = self.read_each(("negocio", PATH), some).await?;
            (found, gaps) = (found + each.read.len(), gaps + each.absent.len());
            let missing = each.absent.iter().filter(|code| open.contains(code));
            each.notes.extend(missing.map(|code| absent("negocio", *code)));
            self.write_read_deals(last, &each.read, &each.notes).await?;
            self.told("negócios", u64::from(last.unsigned_abs()), Some(u64::from(end.unsigned_abs())));
            if fills && gaps > found * 4 + 1_000 {
                fills = false;
                let reason = "quase nenhum código é de um negócio; dos encerrados, lidos só os anteriores";
                self.unread.push(format!("GET {PATH}/{last}: {reason}"));
            }
            if last == i32::MAX {
                return Ok(());
            }
        }
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
            let seen =
                read.iter().filter_map(|json| sales::deal(json, &self.registers, now, &users, &mut notes));
            let seen: Vec<_> = seen.collect();
            let part = self.part(place, seen, notes);
            let done = mirroring::write_deals(self.app, part).await;
            if self.is_written(attempt, done).await? {
                break;
            }
        }
        Ok(())
    }

    /// Makes users known who are named, with a code or without one.
    pub(super) async fn users(
        &mut self,
        coded: BTreeMap<UserCode, String>,
        named: BTreeSet<String>,
    ) -> Result<Users, Failed> {
        if coded.is_empty() && named.is_empty() {
            return Ok(Users::default());
        }
        let (coded, named) = (coded.into_iter().collect(), named.into_iter().collect());
        Ok(mirroring::write_users(self.app, &self.mirror, coded, named).await?)
    }
}
