//! What hangs on each benefit, and on each member.

use super::{Failed, NO_LIST, Run, absent, phase, refused, unread};
use crate::client::{Answer, Trouble};
use crate::details;
use crate::lenient::{code, items, list, money};
use crate::missing::Missing;
use app::base::Registers;
use app::mirroring::{self, CardsSeen, DetailsSeen, Note};
use domain::{BenefitCode, BenefitKind, PersonCode, PlanCode};
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Benefits, or members, that are read and written together: what a run that is cut off reads again, at most.
const TOGETHER: i64 = 50;

/// What was answered of a benefit; none where it could not be read.
struct Deep {
    benefit: BenefitCode,
    items: Option<Json>,
    dependents: Option<Json>,
    equipment: Option<Json>,
    notes: Vec<Note>,
}

impl Run<'_> {
    /// A list about a record; what cannot be read is noted of it.
    async fn about(
        &self,
        path: String,
        (kind, record): (&'static str, i32),
        notes: &mut Vec<Note>,
    ) -> Result<Option<Json>, Failed> {
        notes.push(match self.client.get(&path).await {
            Ok(Answer::Json { body, .. }) if list(&body).is_some() => return Ok(Some(body)),
            Ok(Answer::Json { .. }) => unread(kind, record, NO_LIST.to_owned()),
            Ok(Answer::Absent) => absent(kind, record),
            Ok(Answer::Refused(status, _)) => refused(kind, record, status),
            Err(Trouble::One(reason)) => unread(kind, record, reason),
            Err(end) => return Err(end.into()),
        });
        Ok(None)
    }

    async fn deep(&self, benefit: BenefitCode, kind: BenefitKind) -> Result<Deep, Failed> {
        let mut notes = Vec::new();
        let path = |what: &str| format!("/ext/beneficio/{benefit}/{what}");
        let own = benefit.get();
        let items = self.about(path("itens"), ("itens", own), &mut notes).await?;
        let dependents = self.about(path("dependentes"), ("dependentes", own), &mut notes).await?;
        let equipment = match kind {
            BenefitKind::Vehicle => {
                self.about(path("equipamentos"), ("equipamentos", own), &mut notes).await?
            }
            _ => None,
        };
        Ok(Deep { benefit, items, dependents, equipment, notes })
    }

    pub(super) async fn read_details(&mut self) -> Result<(), Failed> {
        self.begin(phase::DETAILS);
        let mut done = 0;
        loop {
            let some =
                mirroring::benefits_behind(self.app, &self.mirror, self.mirror.place, TOGETHER).await?;
            let Some((last, _)) = some.last().copied() else { return Ok(()) };
            done += some.len() as u64;
            let read = {
                let this: &Run<'_> = self;
                let reading = some.into_iter().map(|(benefit, kind)| this.deep(benefit, kind));
                let reading = futures_util::stream::iter(reading).buffered(this.client.at_once());
                reading.collect::<Vec<_>>().await
            };
            let read = read.into_iter().collect::<Result<Vec<Deep>, Failed>>()?;
            self.write_deep(last.get(), &read).await?;
            self.told("itens, dependentes e equipamentos", done, None);
        }
    }

    async fn write_deep(&mut self, place: i32, read: &[Deep]) -> Result<(), Failed> {
        for attempt in 1.. {
            self.learn_of(read).await?;
            let (now, zone) = (self.now(), &self.registers.zone);
            let today = now.date_in(zone).to_iso();
            let mut notes: Vec<Note> = Vec::new();
            let mut seen = Vec::with_capacity(read.len());
            for one in read {
                notes.extend(one.notes.iter().cloned());
                let benefit = one.benefit;
                let items =
                    one.items.as_ref().map(|json| details::benefit_items(json, benefit, &today, &mut notes));
                let dependents = one
                    .dependents
                    .as_ref()
                    .map(|json| details::dependents(json, benefit, &self.registers, now, &mut notes));
                let equipment =
                    one.equipment.as_ref().map(|json| details::equipment(json, benefit, &mut notes));
                seen.push(DetailsSeen { benefit, items, dependents, equipment });
            }
            let part = self.part(place, seen, notes);
            let done = mirroring::write_details(self.app, part).await;
            if self.is_written(attempt, done).await? {
                break;
            }
        }
        Ok(())
    }

    /// Plans and suppliers that are named; what plans protect, and what they cost: a dependent's plan is told at its own price.
    async fn learn_of(&mut self, read: &[Deep]) -> Result<(), Failed> {
        let mut missing = Missing::new(&self.registers);
        let mut told = Vec::new();
        for one in read {
            for item in one.items.iter().flat_map(items) {
                missing.item(item);
            }
            for dependent in one.dependents.iter().flat_map(items) {
                missing.plans(&dependent["planos"], None);
                told.extend(items(&dependent["planos"]));
            }
            for installed in one.equipment.iter().flat_map(items) {
                missing.supplier(installed, &self.suppliers);
            }
        }
        for plan in told {
            price(plan, &self.registers, &mut self.priced, &mut missing);
        }
        let wanted = missing.into_wanted();
        self.learn(wanted).await
    }

    pub(super) async fn read_cards(&mut self) -> Result<(), Failed> {
        self.begin(phase::CARDS);
        let mut done = 0;
        loop {
            let some = mirroring::members_behind(self.app, &self.mirror, self.mirror.place, TOGETHER).await?;
            let Some(last) = some.last().copied() else { return Ok(()) };
            done += some.len() as u64;
            let read = {
                let this: &Run<'_> = self;
                let reading = some.into_iter().map(|person| this.cards(person));
                let reading = futures_util::stream::iter(reading).buffered(this.client.at_once());
                reading.collect::<Vec<_>>().await
            };
            let (mut seen, mut notes) = (Vec::new(), Vec::new());
            for one in read {
                let (own, noted) = one?;
                seen.extend(own);
                notes.extend(noted);
            }
            for attempt in 1.. {
                let part = self.part(last.get(), seen.clone(), notes.clone());
                let done = mirroring::write_cards(self.app, part).await;
                if self.is_written(attempt, done).await? {
                    break;
                }
            }
            self.told("cartões de crédito", done, None);
        }
    }

    async fn cards(&self, person: PersonCode) -> Result<(Option<CardsSeen>, Vec<Note>), Failed> {
        let mut notes = Vec::new();
        let path = format!("/ext/associado/{person}/cartaoCredito");
        let read = self.about(path, ("cartaoCredito", person.get()), &mut notes).await?;
        let seen =
            read.map(|json| CardsSeen { person, cards: details::cards(&json, person.get(), &mut notes) });
        Ok((seen, notes))
    }
}

/// What a plan costs by itself, as those tell who have it without a price of their own; once in each run.
pub(super) fn price(
    plan: &Json,
    registers: &Registers,
    priced: &mut BTreeSet<i32>,
    missing: &mut Missing<'_>,
) {
    let (Some(own), Some(price)) = (code(&plan["codPlano"]), money(&plan["valor"])) else { return };
    let known = registers.plan(PlanCode::new(own));
    if priced.insert(own)
        && let Some(known) = known.filter(|known| known.price != price)
    {
        missing.reprice(own, known.active, price);
    }
}
