//! Reads the details of each benefit and of each member.

use super::error::MirrorError;
use super::notes::{build_absent_note, build_refused_note, build_unread_note};
use super::phase;
use super::runner::{MirrorRunner, NO_LIST};
use crate::client::{SourceAnswer, SourceError};
use crate::details;
use crate::lenient::{read_code, read_items, read_list, read_money};
use crate::unregistered_references::UnregisteredReferences;
use app::register_snapshot::TenantRegisters;
use domain::{BenefitCode, BenefitKind, PersonCode, PlanCode};
use exchange::mirror_store::{self, MirroredBenefitDetails, MirroredCreditCards, NewMirrorNote};
use futures_util::StreamExt;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Benefits or members per batch: the most that an interrupted run reads again.
const RECORDS_PER_BATCH: i64 = 50;

/// The responses for a benefit; `None` for those that could not be read.
struct FetchedDetails {
    benefit: BenefitCode,
    items: Option<Json>,
    dependents: Option<Json>,
    equipment: Option<Json>,
    notes: Vec<NewMirrorNote>,
}

impl MirrorRunner<'_> {
    /// Fetches a child list of a record; a failure is noted on the record.
    async fn fetch_related_list(
        &self,
        path: String,
        (kind, record): (&'static str, i32),
        notes: &mut Vec<NewMirrorNote>,
    ) -> Result<Option<Json>, MirrorError> {
        notes.push(match self.client.get(&path).await {
            Ok(SourceAnswer::Json { body, .. }) if read_list(&body).is_some() => return Ok(Some(body)),
            Ok(SourceAnswer::Json { .. }) => build_unread_note(kind, record, NO_LIST.to_owned()),
            Ok(SourceAnswer::Absent) => build_absent_note(kind, record),
            Ok(SourceAnswer::Refused(status, _)) => build_refused_note(kind, record, status),
            Err(SourceError::Single(reason)) => build_unread_note(kind, record, reason),
            Err(end) => return Err(end.into()),
        });
        Ok(None)
    }

    async fn fetch_details(
        &self,
        benefit: BenefitCode,
        kind: BenefitKind,
    ) -> Result<FetchedDetails, MirrorError> {
        let mut notes = Vec::new();
        let path = |what: &str| format!("/ext/beneficio/{benefit}/{what}");
        let benefit_code = benefit.get();
        let items = self.fetch_related_list(path("itens"), ("itens", benefit_code), &mut notes).await?;
        let dependents =
            self.fetch_related_list(path("dependentes"), ("dependentes", benefit_code), &mut notes).await?;
        let equipment = match kind {
            BenefitKind::Vehicle => {
                self.fetch_related_list(path("equipamentos"), ("equipamentos", benefit_code), &mut notes)
                    .await?
            }
            _ => None,
        };
        Ok(FetchedDetails { benefit, items, dependents, equipment, notes })
    }

    pub(super) async fn read_details(&mut self) -> Result<(), MirrorError> {
        self.begin_phase(phase::DETAILS);
        let mut done = 0;
        loop {
            let batch = mirror_store::list_benefits_after(
                self.app,
                &self.mirror,
                self.mirror.place,
                RECORDS_PER_BATCH,
            )
            .await?;
            let Some((last, _)) = batch.last().copied() else { return Ok(()) };
            done += batch.len() as u64;
            let read = {
                let runner: &MirrorRunner<'_> = self;
                let reading = batch.into_iter().map(|(benefit, kind)| runner.fetch_details(benefit, kind));
                let reading = futures_util::stream::iter(reading).buffered(runner.client.concurrency());
                reading.collect::<Vec<_>>().await
            };
            let read = read.into_iter().collect::<Result<Vec<FetchedDetails>, MirrorError>>()?;
            self.write_details(last.get(), &read).await?;
            self.report_progress("itens, dependentes e equipamentos", done, None);
        }
    }

    async fn write_details(&mut self, place: i32, read: &[FetchedDetails]) -> Result<(), MirrorError> {
        for attempt in 1.. {
            self.register_detail_references(read).await?;
            let (now, zone) = (self.now(), &self.registers.zone);
            let today = now.date_in(zone);
            let mut notes: Vec<NewMirrorNote> = Vec::new();
            let mut mirrored = Vec::with_capacity(read.len());
            for one in read {
                notes.extend(one.notes.iter().cloned());
                let benefit = one.benefit;
                let items = one
                    .items
                    .as_ref()
                    .map(|json| details::read_benefit_items(json, benefit, today, &mut notes));
                let dependents = one
                    .dependents
                    .as_ref()
                    .map(|json| details::read_dependents(json, benefit, &self.registers, now, &mut notes));
                let equipment =
                    one.equipment.as_ref().map(|json| details::read_equipment(json, benefit, &mut notes));
                mirrored.push(MirroredBenefitDetails { benefit, items, dependents, equipment });
            }
            let part = self.build_part(place, mirrored, notes);
            let result = mirror_store::write_benefit_details(self.app, part).await;
            if self.confirm_write(attempt, result).await? {
                break;
            }
        }
        Ok(())
    }

    /// Registers missing plans and suppliers, and updates the kinds and prices of plans: a dependent's plan shows its
    /// base price.
    async fn register_detail_references(&mut self, read: &[FetchedDetails]) -> Result<(), MirrorError> {
        let mut missing = UnregisteredReferences::new(&self.registers);
        let mut plans = Vec::new();
        for one in read {
            for item in one.items.iter().flat_map(read_items) {
                missing.collect_item(item);
            }
            for dependent in one.dependents.iter().flat_map(read_items) {
                missing.collect_plans(&dependent["planos"], None);
                plans.extend(read_items(&dependent["planos"]));
            }
            for installed in one.equipment.iter().flat_map(read_items) {
                missing.collect_supplier(installed, &self.suppliers);
            }
        }
        for plan in plans {
            update_plan_price(plan, &self.registers, &mut self.priced, &mut missing);
        }
        let records = missing.into_records();
        self.register_missing(records).await
    }

    pub(super) async fn read_cards(&mut self) -> Result<(), MirrorError> {
        self.begin_phase(phase::CARDS);
        let mut done = 0;
        loop {
            let batch = mirror_store::list_members_after(
                self.app,
                &self.mirror,
                self.mirror.place,
                RECORDS_PER_BATCH,
            )
            .await?;
            let Some(last) = batch.last().copied() else { return Ok(()) };
            done += batch.len() as u64;
            let read = {
                let runner: &MirrorRunner<'_> = self;
                let reading = batch.into_iter().map(|person| runner.fetch_cards(person));
                let reading = futures_util::stream::iter(reading).buffered(runner.client.concurrency());
                reading.collect::<Vec<_>>().await
            };
            let (mut mirrored, mut notes) = (Vec::new(), Vec::new());
            for one in read {
                let (cards, new_notes) = one?;
                mirrored.extend(cards);
                notes.extend(new_notes);
            }
            for attempt in 1.. {
                let part = self.build_part(last.get(), mirrored.clone(), notes.clone());
                let result = mirror_store::write_credit_cards(self.app, part).await;
                if self.confirm_write(attempt, result).await? {
                    break;
                }
            }
            self.report_progress("cartões de crédito", done, None);
        }
    }

    async fn fetch_cards(
        &self,
        person: PersonCode,
    ) -> Result<(Option<MirroredCreditCards>, Vec<NewMirrorNote>), MirrorError> {
        let mut notes = Vec::new();
        let path = format!("/ext/associado/{person}/cartaoCredito");
        let read = self.fetch_related_list(path, ("cartaoCredito", person.get()), &mut notes).await?;
        let mirrored = read.map(|json| MirroredCreditCards {
            person,
            cards: details::read_cards(&json, person.get(), &mut notes),
        });
        Ok((mirrored, notes))
    }
}

/// Updates the base price of a plan from a record without a price of its own; once per run.
pub(super) fn update_plan_price(
    plan: &Json,
    registers: &TenantRegisters,
    priced: &mut BTreeSet<i32>,
    missing: &mut UnregisteredReferences<'_>,
) {
    let (Some(plan_code), Some(price)) = (read_code(&plan["codPlano"]), read_money(&plan["valor"])) else {
        return;
    };
    let known = registers.plan(PlanCode::new(plan_code));
    if priced.insert(plan_code)
        && let Some(known) = known.filter(|known| known.price != price)
    {
        missing.reprice(plan_code, known.active, price);
    }
}
