//! Reserves the codes of a batch of members and their records.

use super::cases;
use super::members::SampleMemberBatch;
use crate::benefits::SampleBenefit;
use crate::people::SampleMember;
use app::Error;
use domain::{CaseKind, TenantId};
use storage::Tx;
use storage::server::counters::{self, Counter};

/// The next code of each kind.
pub(super) struct MemberCodeCounters {
    pub(super) person: i32,
    pub(super) slot: i32,
    pub(super) benefit: i32,
    pub(super) sequence: i32,
    pub(super) card: i32,
    pub(super) item: i32,
    pub(super) history: i32,
    pub(super) cases: cases::CaseCodeCounters,
    pub(super) installation: i32,
    pub(super) credit_card: i32,
    pub(super) dependent: i32,
}

pub(super) async fn reserve_codes(
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
