//! Writes members with all their records in large transactions. Besides `app::benefits` this is the only place that
//! sets the situation of a benefit: without triggers, because no receiver waits for demo data.

mod cases;

use crate::benefits::SampleBenefit;
use crate::people::SampleMember;
use crate::progress::DemoLoadProgress;
use app::listing_rows::{ListedDays, build_benefit_row, build_listed_member, build_member_row};
use app::register_snapshot::TenantRegisters;
use app::situations::{RecordSituationChange, render_benefit_trigger_body};
use app::{ActorContext, Error};
use domain::{
    Benefit, BenefitCode, BenefitItem, CardNumber, CaseKind, CreditCardCode, Dependent, DependentCode,
    Entity, HistoryCode, InstallationCode, ItemCode, PersonCode, PersonProfile, Plate, TenantId, TrackerCode,
    TrackerInstallation,
};
use std::sync::Arc;
use storage::Tx;
use storage::benefits;
use storage::benefits::installations;
use storage::benefits::items;
use storage::benefits::monthly_counts;
use storage::history::situation_changes::{self, NewHistoryRow};
use storage::members::credit_cards::{self, NewCreditCardRow};
use storage::members::dependents;
use storage::members::phones;
use storage::registers::trackers::{self, NewTrackerRow};
use storage::search::rows::{self, SearchListingRow};
use storage::server::counters::{self, Counter};

/// The origin of demo situations in the history.
const ORIGIN: &str = "demonstração";

/// The next members, and the load's progress when they were generated.
pub struct SampleMemberBatch {
    pub progress: DemoLoadProgress,
    pub registers: Arc<TenantRegisters>,
    pub members: Vec<SampleMember>,
}

/// Writes the next members. If another process wrote some meanwhile, writes nothing and returns that process's
/// progress, so that two processes can load the same demo together.
#[boxed::future]
pub async fn write_members(tx: &mut Tx, part: &SampleMemberBatch) -> Result<DemoLoadProgress, Error> {
    let missing_progress = || storage::Error::Broken("the progress of a demonstration is gone".to_owned());
    let found = DemoLoadProgress::load(&mut *tx).await?.ok_or_else(missing_progress)?;
    if found != part.progress {
        return Ok(found);
    }
    let tenant = part.progress.tenant;
    let first = reserve_codes(tx, tenant, part).await?;
    let (person, people) = (PersonCode::new(first.person), part.members.iter());
    storage::members::insert_people_from(tx, tenant, person, people.clone().map(|member| &member.person))
        .await?;
    phones::insert_phones_from(tx, tenant, person, people.map(|member| &member.phones[..])).await?;
    let history = HistoryCode::new(first.history);
    let case_codes = first.cases;
    let rows = BatchRows::from_batch(part, first);
    tx.execute_batch(benefits::insert_benefits(tenant, rows.benefits())).await?;
    let mut months = monthly_counts::BenefitCountChanges::default();
    for (_, benefit) in rows.benefits() {
        if let Some(day) = benefit.cancelled_on {
            months.count(monthly_counts::BenefitMovement::Cancelled, day, benefit.branch, 1);
        }
    }
    tx.execute_batch(months.into_statements(tenant)).await?;
    tx.execute_batch(items::insert_dated_items(tenant, rows.items())).await?;
    tx.execute_batch(dependents::insert_dependents(tenant, rows.dependents())).await?;
    tx.execute_batch(trackers::insert_trackers(tenant, rows.equipment().filter_map(build_tracker))).await?;
    tx.execute_batch(installations::insert_installations(tenant, rows.equipment())).await?;
    tx.execute_batch(credit_cards::insert_credit_cards(tenant, rows.credit_cards())).await?;
    tx.execute_batch(rows.listing_statements(&part.registers)).await?;
    let changes: Result<Vec<_>, Error> = (history.get()..)
        .zip(rows.benefits())
        .map(|(code, one)| build_situation_change(part, code, one))
        .collect();
    tx.execute_batch(situation_changes::insert_silent_entries(history, changes?)).await?;
    tx.execute_batch(cases::build_case_statements(part, &rows.members, case_codes)?).await?;
    let progress =
        DemoLoadProgress { loaded: part.progress.loaded + part.members.len() as u32, ..part.progress };
    progress.save(tx).await?;
    Ok(progress)
}

/// The next code of each kind.
struct MemberCodeCounters {
    person: i32,
    slot: i32,
    benefit: i32,
    sequence: i32,
    card: i32,
    item: i32,
    history: i32,
    cases: cases::CaseCodeCounters,
    installation: i32,
    credit_card: i32,
    dependent: i32,
}

async fn reserve_codes(
    tx: &mut Tx,
    tenant: TenantId,
    part: &SampleMemberBatch,
) -> Result<MemberCodeCounters, Error> {
    let members = &part.members;
    let sum_over_members =
        |count: &dyn Fn(&SampleMember) -> usize| members.iter().map(count).sum::<usize>() as i32;
    let benefits = sum_over_members(&|member| member.benefits.len());
    let [claims, inspections, tickets, appointments] =
        CaseKind::ALL.map(|kind| cases::count_cases(part, kind) as i32);
    let counts = [
        (Counter::Person, members.len() as i32),
        (Counter::Slot, sum_over_members(&|member| member.benefits.len().max(1))),
        (Counter::Benefit, benefits),
        (Counter::Sequence, benefits),
        (Counter::Card, sum_over_members(&count_cards)),
        (Counter::Item, sum_over_members(&|member| member.benefits.iter().map(|one| one.items.len()).sum())),
        (Counter::History, benefits + cases::count_situation_changes(part) as i32),
        (Counter::Claim, claims),
        (Counter::ClaimProtocol, claims),
        (Counter::Inspection, inspections),
        (Counter::InspectionProtocol, inspections),
        (Counter::Ticket, tickets),
        (Counter::TicketProtocol, tickets),
        (Counter::Appointment, appointments),
        (Counter::AppointmentProtocol, appointments),
        (
            Counter::Installation,
            sum_over_members(&|member| member.benefits.iter().map(|one| one.equipment.len()).sum()),
        ),
        (
            Counter::Tracker,
            sum_over_members(&|member| member.benefits.iter().map(|one| one.equipment.len()).sum()),
        ),
        (Counter::CreditCard, sum_over_members(&|member| member.credit_cards.len())),
        (
            Counter::Dependent,
            sum_over_members(&|member| member.benefits.iter().map(|one| one.dependents.len()).sum()),
        ),
        (Counter::Listing, 1),
    ];
    let [
        person,
        slot,
        benefit,
        sequence,
        card,
        item,
        history,
        claim,
        _,
        inspection,
        _,
        ticket,
        _,
        appointment,
        _,
        installation,
        // As many as installations, so that one number serves as both codes.
        _,
        credit_card,
        dependent,
        _,
    ] = counters::reserve_number_blocks(tx, tenant, counts).await?;
    Ok(MemberCodeCounters {
        person,
        slot,
        benefit,
        sequence,
        card,
        item,
        history,
        cases: cases::CaseCodeCounters {
            claim,
            inspection,
            ticket,
            appointment,
            history: history + benefits,
        },
        installation,
        credit_card,
        dependent,
    })
}

/// Cards that a member needs, including those of dependents.
fn count_cards(member: &SampleMember) -> usize {
    let count_dependent_cards =
        |one: &SampleBenefit| one.dependents.iter().filter(|one| one.new_card).count();
    member.benefits.iter().map(|one| usize::from(one.new_card) + count_dependent_cards(one)).sum()
}

struct MemberRows<'m> {
    person: PersonCode,
    profile: &'m PersonProfile,
    /// The search slot, if the member has no benefit.
    slot: i32,
    benefits: Vec<BenefitRows>,
    credit_cards: Vec<NewCreditCardRow>,
}

struct BenefitRows {
    code: BenefitCode,
    benefit: Benefit,
    items: Vec<BenefitItem>,
    dependents: Vec<(DependentCode, Dependent)>,
    equipment: Vec<TrackerInstallation>,
}

struct BatchRows<'m> {
    tenant: TenantId,
    members: Vec<MemberRows<'m>>,
}

impl BatchRows<'_> {
    fn from_batch(part: &SampleMemberBatch, mut next: MemberCodeCounters) -> BatchRows<'_> {
        let tenant = part.progress.tenant;
        let members =
            part.members.iter().map(|member| build_member_rows(tenant, member, &mut next)).collect();
        BatchRows { tenant, members }
    }

    fn benefits(&self) -> impl Iterator<Item = (BenefitCode, &Benefit)> {
        let all = self.members.iter().flat_map(|row| &row.benefits);
        all.map(|one| (one.code, &one.benefit))
    }

    fn dependents(&self) -> impl Iterator<Item = (DependentCode, &Dependent)> + Clone {
        let all = self.members.iter().flat_map(|row| &row.benefits).flat_map(|one| &one.dependents);
        all.map(|(code, one)| (*code, one))
    }

    /// Items have the creation time of their benefit.
    fn items(&self) -> impl Iterator<Item = (BenefitCode, i32, domain::Moment, &BenefitItem)> {
        self.members.iter().flat_map(|row| &row.benefits).flat_map(|one| {
            let (slot, created_at) = (one.benefit.slot, one.benefit.created_at);
            one.items.iter().map(move |item| (one.code, slot, created_at, item))
        })
    }

    fn equipment(&self) -> impl Iterator<Item = (BenefitCode, domain::Moment, &TrackerInstallation)> {
        self.members.iter().flat_map(|row| &row.benefits).flat_map(|row_benefit| {
            row_benefit.equipment.iter().map(|one| (row_benefit.code, row_benefit.benefit.created_at, one))
        })
    }

    fn credit_cards(&self) -> impl Iterator<Item = (PersonCode, &NewCreditCardRow)> {
        self.members.iter().flat_map(|row| row.credit_cards.iter().map(|card| (row.person, card)))
    }

    fn listing_statements(&self, registers: &TenantRegisters) -> Vec<storage::Statement> {
        // The rows borrow from this list.
        let prepared: Vec<_> = self
            .members
            .iter()
            .flat_map(|row| {
                let alone = row
                    .benefits
                    .is_empty()
                    .then(|| (ListedDays::of_member(row.profile, &registers.zone), None));
                let benefits = row.benefits.iter().map(|BenefitRows { benefit, .. }| {
                    let days = ListedDays::of_benefit(benefit, row.profile, &registers.zone);
                    (days, benefit.vehicle.plate.as_ref().map(Plate::comparison_key))
                });
                alone.into_iter().chain(benefits)
            })
            .collect();
        let mut prepared = prepared.iter();
        let mut rows = Vec::with_capacity(prepared.len());
        for row in &self.members {
            if row.benefits.is_empty() {
                rows.extend(prepared.next().map(|(days, _)| SearchListingRow {
                    slot: row.slot,
                    member: build_listed_member(row.person, row.profile),
                    row_fields: build_member_row(row.profile, *days),
                }));
            }
            for BenefitRows { code, benefit, .. } in &row.benefits {
                rows.extend(prepared.next().map(|(days, plate_key)| {
                    build_benefit_row(*code, benefit, (row.person, row.profile), *days, plate_key.as_deref())
                }));
            }
        }
        rows::insert_listing_rows(self.tenant, &rows)
    }
}

/// Assigns the next codes to a member and their benefits.
fn build_member_rows<'m>(
    tenant: TenantId,
    member: &'m SampleMember,
    next: &mut MemberCodeCounters,
) -> MemberRows<'m> {
    let count = |counter: &mut i32| std::mem::replace(counter, *counter + 1);
    let (person, slot) = (PersonCode::new(count(&mut next.person)), next.slot);
    next.slot += i32::from(member.benefits.is_empty());
    let mut card = None;
    let benefits = member.benefits.iter().map(|holding| {
        if holding.new_card {
            card = Some(CardNumber::generate(tenant, count(&mut next.card)));
        }
        let benefit = Benefit {
            person,
            sequence: count(&mut next.sequence),
            card: card.clone(),
            slot: count(&mut next.slot),
            ..holding.benefit.clone()
        };
        let items = holding.items.iter();
        let items =
            items.map(|item| BenefitItem { code: ItemCode::new(count(&mut next.item)), ..item.clone() });
        let items = items.collect();
        let code = BenefitCode::new(count(&mut next.benefit));
        let dependents = holding.dependents.iter().map(|relative| {
            let own_card = relative.new_card.then(|| CardNumber::generate(tenant, count(&mut next.card)));
            let card = own_card.or_else(|| benefit.card.clone());
            let dependent = Dependent { benefit: code, card, ..relative.dependent.clone() };
            (DependentCode::new(count(&mut next.dependent)), dependent)
        });
        let dependents = dependents.collect();
        let equipment = holding.equipment.iter().map(|one| {
            let code = count(&mut next.installation);
            let tracker = Some(TrackerCode::new(code));
            TrackerInstallation { code: InstallationCode::new(code), tracker, ..one.clone() }
        });
        let equipment = equipment.collect();
        BenefitRows { code, benefit, items, dependents, equipment }
    });
    let benefits = benefits.collect();
    let mut credit_cards = member.credit_cards.clone();
    for new in &mut credit_cards {
        new.card.code = CreditCardCode::new(count(&mut next.credit_card));
    }
    MemberRows { person, profile: &member.person, slot, benefits, credit_cards }
}

/// The installed device, which the association owns.
fn build_tracker(
    (_, created_at, one): (BenefitCode, domain::Moment, &TrackerInstallation),
) -> Option<NewTrackerRow<'_>> {
    Some(NewTrackerRow {
        code: one.tracker?,
        serial_number: one.serial_number.as_deref()?,
        imei: one.imei.as_deref(),
        model: one.model.as_deref(),
        maker: one.maker.as_deref(),
        supplier: one.supplier,
        created_at,
    })
}

/// The first situation, with the trigger body that a receiver would have got.
fn build_situation_change(
    part: &SampleMemberBatch,
    history: i32,
    (code, benefit): (BenefitCode, &Benefit),
) -> Result<(NewHistoryRow, String), Error> {
    let context = ActorContext {
        tenant: part.progress.tenant,
        registers: &part.registers,
        user: None,
        operation: domain::AuditedOperation::LoadDemo,
        origin: ORIGIN,
        quiet: false,
        now: benefit.created_at,
    };
    let change = RecordSituationChange {
        entity: Entity::Benefit,
        record: code.get(),
        branch: benefit.branch,
        from: None,
        to: benefit.situation,
        reason: None,
    };
    let body = render_benefit_trigger_body(&context, HistoryCode::new(history), code, benefit)?;
    Ok((change.into_history_row(&context), body))
}
