//! The rows of a batch of members, with their codes.

use super::codes::MemberCodeCounters;
use super::members::SampleMemberBatch;
use crate::people::SampleMember;
use app::listing_rows::{ListedDays, build_benefit_row, build_listed_member, build_member_row};
use app::register_snapshot::TenantRegisters;
use domain::{
    Benefit, BenefitCode, BenefitItem, CardNumber, CreditCardCode, Dependent, DependentCode,
    InstallationCode, ItemCode, PersonCode, PersonProfile, Plate, TenantId, TrackerCode, TrackerInstallation,
};
use storage::members::credit_cards::NewCreditCardRow;
use storage::registers::trackers::NewTrackerRow;
use storage::search::rows::{self, SearchListingRow};

pub(super) struct MemberRows<'m> {
    pub(super) person: PersonCode,
    pub(super) profile: &'m PersonProfile,
    /// The search slot, if the member has no benefit.
    pub(super) slot: i32,
    pub(super) benefits: Vec<BenefitRows>,
    pub(super) credit_cards: Vec<NewCreditCardRow>,
}

pub(super) struct BenefitRows {
    pub(super) code: BenefitCode,
    pub(super) benefit: Benefit,
    pub(super) items: Vec<BenefitItem>,
    pub(super) dependents: Vec<(DependentCode, Dependent)>,
    pub(super) equipment: Vec<TrackerInstallation>,
}

pub(super) struct BatchRows<'m> {
    pub(super) tenant: TenantId,
    pub(super) members: Vec<MemberRows<'m>>,
}

impl BatchRows<'_> {
    pub(super) fn from_batch(part: &SampleMemberBatch, mut next: MemberCodeCounters) -> BatchRows<'_> {
        let tenant = part.progress.tenant;
        let members =
            part.members.iter().map(|member| build_member_rows(tenant, member, &mut next)).collect();
        BatchRows { tenant, members }
    }

    pub(super) fn benefits(&self) -> impl Iterator<Item = (BenefitCode, &Benefit)> {
        let all = self.members.iter().flat_map(|row| &row.benefits);
        all.map(|one| (one.code, &one.benefit))
    }

    pub(super) fn dependents(&self) -> impl Iterator<Item = (DependentCode, &Dependent)> + Clone {
        let all = self.members.iter().flat_map(|row| &row.benefits).flat_map(|one| &one.dependents);
        all.map(|(code, one)| (*code, one))
    }

    /// Items have the creation time of their benefit.
    pub(super) fn items(&self) -> impl Iterator<Item = (BenefitCode, i32, domain::Moment, &BenefitItem)> {
        self.members.iter().flat_map(|row| &row.benefits).flat_map(|one| {
            let (slot, created_at) = (one.benefit.slot, one.benefit.created_at);
            one.items.iter().map(move |item| (one.code, slot, created_at, item))
        })
    }

    pub(super) fn equipment(
        &self,
    ) -> impl Iterator<Item = (BenefitCode, domain::Moment, &TrackerInstallation)> {
        self.members.iter().flat_map(|row| &row.benefits).flat_map(|row_benefit| {
            row_benefit.equipment.iter().map(|one| (row_benefit.code, row_benefit.benefit.created_at, one))
        })
    }

    pub(super) fn credit_cards(&self) -> impl Iterator<Item = (PersonCode, &NewCreditCardRow)> {
        self.members.iter().flat_map(|row| row.credit_cards.iter().map(|card| (row.person, card)))
    }

    pub(super) fn listing_statements(&self, registers: &TenantRegisters) -> Vec<storage::Statement> {
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
pub(super) fn build_tracker(
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
