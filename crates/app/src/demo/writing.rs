//! Writes members with everything that is theirs, many in one unit. It is the one place besides
//! `crate::situations` that gives a benefit its situation: quietly, since nobody waits to be told of a demonstration.

mod cases;

use super::benefits::Holding;
use super::people::Member;
use super::progress::Progress;
use crate::Error;
use crate::base::Registers;
use crate::people::{listed_days, own};
use crate::situations::{self, Acting, benefit_row, member};
use domain::{
    BenefitCode, CardNumber, CaseKind, CreditCardCode, DependentCode, Entity, HistoryCode, InstallationCode,
    ItemCode, PersonCode, Plate, TenantId, TrackerCode,
};
use std::sync::Arc;
use storage::benefits::{self, Benefit};
use storage::counters::{self, Counter};
use storage::credit_cards::{self, NewCreditCard};
use storage::dependents::{self, Dependent};
use storage::history::{self, Change};
use storage::installations::{self, Installation};
use storage::items::{self, Item};
use storage::listing::{self, ListedRow};
use storage::people::Profile;
use storage::trackers::{self, NewTracker};
use storage::{Tx, monthly, phones};

/// Where the history says that a demonstration's situations come from.
const ORIGIN: &str = "demonstração";

/// The next members, and how far the load was when they were made.
pub struct Part {
    pub known: Progress,
    pub registers: Arc<Registers>,
    pub members: Vec<Member>,
}

/// Writes the next members. Where another process has written some meanwhile, it writes nothing and says how far that
/// one is, so that two that load the same demonstration help each other.
#[boxed::future]
pub async fn write_members(tx: &mut Tx, part: &Part) -> Result<Progress, Error> {
    let gone = || storage::Error::Broken("the progress of a demonstration is gone".to_owned());
    let found = Progress::read(&mut *tx).await?.ok_or_else(gone)?;
    if found != part.known {
        return Ok(found);
    }
    let tenant = part.known.tenant;
    let first = take_codes(tx, tenant, part).await?;
    let (person, people) = (PersonCode::new(first.person), part.members.iter());
    storage::people::insert_all(tx, tenant, person, people.clone().map(|member| &member.person)).await?;
    phones::insert_all(tx, tenant, person, people.map(|member| &member.phones[..])).await?;
    let history = HistoryCode::new(first.history);
    let of_cases = first.cases;
    let rows = Rows::of(part, first);
    tx.batch(benefits::insert(tenant, rows.benefits())).await?;
    let mut months = monthly::Changes::default();
    for (_, benefit) in rows.benefits() {
        let day = benefit.cancelled_on.as_deref().unwrap_or_default();
        months.count(monthly::Turn::Cancelled, day, benefit.branch, 1);
    }
    tx.batch(months.statements(tenant)).await?;
    tx.batch(items::insert_each(tenant, rows.items())).await?;
    tx.batch(dependents::insert(tenant, rows.dependents())).await?;
    tx.batch(trackers::insert(tenant, rows.equipment().filter_map(tracker))).await?;
    tx.batch(installations::insert(tenant, rows.equipment())).await?;
    tx.batch(credit_cards::insert(tenant, rows.credit_cards())).await?;
    tx.batch(rows.listing(&part.registers)).await?;
    let changes: Result<Vec<_>, Error> =
        (history.get()..).zip(rows.benefits()).map(|(code, one)| change(part, code, one)).collect();
    tx.batch(history::insert_quietly(history, changes?)).await?;
    tx.batch(cases::statements(part, &rows.members, of_cases)?).await?;
    let progress = Progress { loaded: part.known.loaded + part.members.len() as u32, ..part.known };
    progress.write(tx).await?;
    Ok(progress)
}

/// The first of each kind that these members take, counted on from there.
struct Codes {
    person: i32,
    slot: i32,
    benefit: i32,
    sequence: i32,
    card: i32,
    item: i32,
    history: i32,
    cases: cases::Codes,
    installation: i32,
    credit_card: i32,
    dependent: i32,
}

async fn take_codes(tx: &mut Tx, tenant: TenantId, part: &Part) -> Result<Codes, Error> {
    let members = &part.members;
    let of_each = |count: &dyn Fn(&Member) -> usize| members.iter().map(count).sum::<usize>() as i32;
    let benefits = of_each(&|member| member.benefits.len());
    let [claims, inspections, tickets, appointments] =
        CaseKind::ALL.map(|kind| cases::count(part, kind) as i32);
    let wanted = [
        (Counter::Person, members.len() as i32),
        (Counter::Slot, of_each(&|member| member.benefits.len().max(1))),
        (Counter::Benefit, benefits),
        (Counter::Sequence, benefits),
        (Counter::Card, of_each(&cards)),
        (Counter::Item, of_each(&|member| member.benefits.iter().map(|one| one.items.len()).sum())),
        (Counter::History, benefits + cases::count_changes(part) as i32),
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
            of_each(&|member| member.benefits.iter().map(|one| one.equipment.len()).sum()),
        ),
        (Counter::Tracker, of_each(&|member| member.benefits.iter().map(|one| one.equipment.len()).sum())),
        (Counter::CreditCard, of_each(&|member| member.credit_cards.len())),
        (Counter::Dependent, of_each(&|member| member.benefits.iter().map(|one| one.dependents.len()).sum())),
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
        // As many as installations, so that one number is both codes.
        _,
        credit_card,
        dependent,
        _,
    ] = counters::take_all(tx, tenant, wanted).await?;
    Ok(Codes {
        person,
        slot,
        benefit,
        sequence,
        card,
        item,
        history,
        cases: cases::Codes { claim, inspection, ticket, appointment, history: history + benefits },
        installation,
        credit_card,
        dependent,
    })
}

/// How many cards a member takes, with those of his dependents.
fn cards(member: &Member) -> usize {
    let of_dependents = |one: &Holding| one.dependents.iter().filter(|one| one.new_card).count();
    member.benefits.iter().map(|one| usize::from(one.new_card) + of_dependents(one)).sum()
}

/// What is written of one member.
struct Row<'m> {
    person: PersonCode,
    profile: &'m Profile,
    /// His place in the searches where he has no benefit.
    slot: i32,
    benefits: Vec<Given>,
    credit_cards: Vec<NewCreditCard>,
}

/// What is written of one benefit.
struct Given {
    code: BenefitCode,
    benefit: Benefit,
    items: Vec<Item>,
    dependents: Vec<(DependentCode, Dependent)>,
    equipment: Vec<Installation>,
}

struct Rows<'m> {
    tenant: TenantId,
    members: Vec<Row<'m>>,
}

impl Rows<'_> {
    fn of(part: &Part, mut next: Codes) -> Rows<'_> {
        let tenant = part.known.tenant;
        let members = part.members.iter().map(|member| row(tenant, member, &mut next)).collect();
        Rows { tenant, members }
    }

    fn benefits(&self) -> impl Iterator<Item = (BenefitCode, &Benefit)> {
        let all = self.members.iter().flat_map(|row| &row.benefits);
        all.map(|one| (one.code, &one.benefit))
    }

    fn dependents(&self) -> impl Iterator<Item = (DependentCode, &Dependent)> + Clone {
        let all = self.members.iter().flat_map(|row| &row.benefits).flat_map(|one| &one.dependents);
        all.map(|(code, one)| (*code, one))
    }

    /// Items came with their benefit.
    fn items(&self) -> impl Iterator<Item = (BenefitCode, i32, domain::Moment, &Item)> {
        self.members.iter().flat_map(|row| &row.benefits).flat_map(|one| {
            let (slot, came) = (one.benefit.slot, one.benefit.created_at);
            one.items.iter().map(move |item| (one.code, slot, came, item))
        })
    }

    fn equipment(&self) -> impl Iterator<Item = (BenefitCode, domain::Moment, &Installation)> {
        self.members
            .iter()
            .flat_map(|row| &row.benefits)
            .flat_map(|given| given.equipment.iter().map(|one| (given.code, given.benefit.created_at, one)))
    }

    fn credit_cards(&self) -> impl Iterator<Item = (PersonCode, &NewCreditCard)> {
        self.members.iter().flat_map(|row| row.credit_cards.iter().map(|card| (row.person, card)))
    }

    fn listing(&self, registers: &Registers) -> Vec<storage::Statement> {
        // What the rows borrow is made first.
        let made: Vec<_> = self
            .members
            .iter()
            .flat_map(|row| {
                let alone =
                    row.benefits.is_empty().then(|| (listed_days(row.profile, &registers.zone), None));
                let benefits = row.benefits.iter().map(|Given { benefit, .. }| {
                    let days = situations::listed_days(registers, row.profile, benefit);
                    (days, benefit.vehicle.plate.as_ref().map(Plate::key))
                });
                alone.into_iter().chain(benefits)
            })
            .collect();
        let mut made = made.iter();
        let mut rows = Vec::with_capacity(made.len());
        for row in &self.members {
            if row.benefits.is_empty() {
                rows.extend(made.next().map(|(days, _)| ListedRow {
                    slot: row.slot,
                    member: member(row.person, row.profile),
                    own: own(row.profile, days),
                }));
            }
            for Given { code, benefit, .. } in &row.benefits {
                rows.extend(made.next().map(|(days, plate_key)| {
                    benefit_row(*code, benefit, (row.person, row.profile), days, plate_key.as_deref())
                }));
            }
        }
        listing::add(self.tenant, &rows)
    }
}

/// Gives a member and his benefits the next of everything that is counted.
fn row<'m>(tenant: TenantId, member: &'m Member, next: &mut Codes) -> Row<'m> {
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
        let items = items.map(|item| Item { code: ItemCode::new(count(&mut next.item)), ..item.clone() });
        let items = items.collect();
        let code = BenefitCode::new(count(&mut next.benefit));
        let dependents = holding.dependents.iter().map(|relative| {
            let own = relative.new_card.then(|| CardNumber::generate(tenant, count(&mut next.card)));
            let card = own.or_else(|| benefit.card.clone());
            let dependent = Dependent { benefit: code, card, ..relative.dependent.clone() };
            (DependentCode::new(count(&mut next.dependent)), dependent)
        });
        let dependents = dependents.collect();
        let equipment = holding.equipment.iter().map(|one| {
            let code = count(&mut next.installation);
            let tracker = Some(TrackerCode::new(code));
            Installation { code: InstallationCode::new(code), tracker, ..one.clone() }
        });
        let equipment = equipment.collect();
        Given { code, benefit, items, dependents, equipment }
    });
    let benefits = benefits.collect();
    let mut credit_cards = member.credit_cards.clone();
    for new in &mut credit_cards {
        new.card.code = CreditCardCode::new(count(&mut next.credit_card));
    }
    Row { person, profile: &member.person, slot, benefits, credit_cards }
}

/// What was installed, which the association owns.
fn tracker((_, created_at, one): (BenefitCode, domain::Moment, &Installation)) -> Option<NewTracker<'_>> {
    Some(NewTracker {
        code: one.tracker?,
        serial_number: one.serial_number.as_deref()?,
        imei: one.imei.as_deref(),
        model: one.model.as_deref(),
        maker: one.maker.as_deref(),
        supplier: one.supplier,
        created_at,
    })
}

/// Its first situation, with the body that a receiver would have been sent.
fn change(
    part: &Part,
    history: i32,
    (code, benefit): (BenefitCode, &Benefit),
) -> Result<(Change, String), Error> {
    let acting = Acting {
        tenant: part.known.tenant,
        registers: &part.registers,
        user: None,
        operation: ORIGIN,
        origin: ORIGIN,
        quiet: false,
        now: benefit.created_at,
    };
    let change = Change {
        tenant: acting.tenant,
        entity: Entity::Benefit,
        record: code.get(),
        branch: benefit.branch,
        from: None,
        to: benefit.situation,
        user: None,
        reason: None,
        origin: ORIGIN,
        at: benefit.created_at,
    };
    Ok((change, situations::body(&acting, HistoryCode::new(history), code, benefit)?))
}
