//! What was sent, judged against the registers: every problem is found, not the first alone, and what was given is put onto
//! the benefit as it is.

use super::{fields, is_vehicle};
use crate::base::Registers;
use crate::vehicles;
use domain::{
    BenefitKind, BranchCode, Entity, Field, ItemCode, Moment, PersonCode, PlanCode, Rejection, Scope,
    SellerCode, SellerKind, SituationCode, SituationKind, Text,
};
use storage::benefits::{Benefit, FieldValues, Vehicle};
use storage::items::Item;
use storage::people::Profile;
use storage::plans::Plan;
use wire::read::Given;
use wire::records::{BeneficioCampos, VeiculoCampos};

/// What was sent of a benefit, whichever way it came.
#[derive(Clone, Copy)]
pub(crate) struct Sent<'i> {
    pub fields: &'i BeneficioCampos,
    pub situation: Option<Situation<'i>>,
    /// Of one of vehicles, with what is known of its vehicle already.
    pub vehicle: Option<(&'i VeiculoCampos, &'i Given<Text<20>>)>,
    pub known: Option<&'i Vehicle>,
}

/// By name, by flag or by both.
pub(crate) type Situation<'i> = (&'i Given<Text<200>>, &'i Given<bool>);

pub struct Wish<'a> {
    registers: &'a Registers,
    scope: &'a Scope,
    pub problems: Vec<Rejection>,
}

impl<'a> Wish<'a> {
    pub fn new(registers: &'a Registers, scope: &'a Scope) -> Wish<'a> {
        Wish { registers, scope, problems: Vec::new() }
    }

    /// A new benefit and its first item; `None` where it cannot even be begun, for a reason that was told.
    pub fn new_benefit(
        &mut self,
        sent: Sent<'_>,
        holder: Option<&(PersonCode, Profile)>,
        now: Moment,
    ) -> Option<(Benefit, Item)> {
        let common = sent.fields;
        let plan = self.new_plan(sent.vehicle.is_some(), &common.plan);
        let branch = self.new_branch(&common.branch, holder);
        let situation = self.situation(sent.situation, None);
        let today = now.date_in(&self.registers.zone).to_iso();
        // Begun with what may be missing, so that everything else is judged all the same.
        let mut benefit = Benefit {
            person: holder.map_or(PersonCode::new(0), |(person, _)| *person),
            branch: branch.unwrap_or(BranchCode::new(0)),
            kind: plan.map_or(BenefitKind::Vehicle, |plan| plan.kind),
            situation: situation.unwrap_or(SituationCode::new(0)),
            plans: plan.map(|plan| (plan.code, plan.price)).into_iter().collect(),
            vehicle: sent.known.cloned().unwrap_or_default(),
            ..blank(now)
        };
        // On its own path a benefit is one of vehicles, whatever its plan turned out to be.
        let knows_kind = plan.is_some() || sent.vehicle.is_some();
        self.apply(common, knows_kind, &mut benefit);
        if let Some(vehicle) = sent.vehicle {
            self.apply_vehicle(vehicle, &mut benefit.vehicle);
            if benefit.vehicle.plate.is_none() && benefit.vehicle.chassis.is_none() {
                self.problems.push(Rejection::NoPlateOrChassis);
            }
        }
        let plan = plan?;
        (branch.is_some() && situation.is_some()).then(|| (benefit, first_item(plan, today)))
    }

    /// Judges what was sent of a benefit that is not there, as far as it can be judged without it.
    pub fn of_nothing(&mut self, sent: Sent<'_>, now: Moment) {
        let common = sent.fields;
        if let Given::Set(branch) = common.branch {
            self.usable_branch(branch);
        }
        if let Given::Set(plan) = common.plan {
            self.active_plan(plan);
        }
        self.situation(sent.situation, None);
        let mut benefit = blank(now);
        self.apply(common, sent.vehicle.is_some(), &mut benefit);
        if let Some(vehicle) = sent.vehicle {
            self.apply_vehicle(vehicle, &mut benefit.vehicle);
        }
    }

    /// A benefit as it becomes, and the item that replaces its first one, with that.
    pub fn changed_benefit(
        &mut self,
        sent: Sent<'_>,
        before: &Benefit,
        items: &[Item],
        now: Moment,
    ) -> (Benefit, Option<(Item, Option<ItemCode>)>) {
        let common = sent.fields;
        let mut after = before.clone();
        if let Given::Set(branch) = common.branch
            && branch != before.branch
        {
            self.usable_branch(branch);
            after.branch = branch;
        }
        if let Some(situation) = self.situation(sent.situation, Some(before.situation)) {
            after.situation = situation;
        }
        self.apply(common, true, &mut after);
        if let Some(vehicle) = sent.vehicle {
            match is_vehicle(before.kind) {
                true => self.apply_vehicle(vehicle, &mut after.vehicle),
                false => {
                    self.problems.push(Rejection::WrongPath { field: Field::Benefit, vehicle: false });
                }
            }
            let had = before.vehicle.plate.is_some() || before.vehicle.chassis.is_some();
            if had && after.vehicle.plate.is_none() && after.vehicle.chassis.is_none() {
                self.problems.push(Rejection::NoPlateOrChassis);
            }
        }
        let item = self.other_plan(&common.plan, &mut after, items, now);
        (after, item)
    }

    /// The plan of a new benefit, which must be one of the path's kind.
    fn new_plan(&mut self, on_vehicle_path: bool, given: &Given<PlanCode>) -> Option<&'a Plan> {
        let Given::Set(code) = given else {
            self.problems.push(Rejection::Missing(Field::Plan));
            return None;
        };
        let plan = self.active_plan(*code)?;
        let vehicle = is_vehicle(plan.kind);
        if vehicle != on_vehicle_path {
            self.problems.push(Rejection::WrongPath { field: Field::Plan, vehicle });
            return None;
        }
        Some(plan)
    }

    fn active_plan(&mut self, code: PlanCode) -> Option<&'a Plan> {
        let plan = self.registers.plan(code).filter(|plan| plan.active);
        if plan.is_none() {
            self.problems.push(Rejection::UnknownCode { field: Field::Plan, code: code.get() });
        }
        plan
    }

    /// A plan that the benefit has already changes nothing; another replaces the one that it was created with.
    fn other_plan(
        &mut self,
        given: &Given<PlanCode>,
        after: &mut Benefit,
        items: &[Item],
        now: Moment,
    ) -> Option<(Item, Option<ItemCode>)> {
        let Given::Set(code) = given else { return None };
        let active = || items.iter().filter(|item| item.active);
        if active().any(|item| item.plan == *code) {
            return None;
        }
        let plan = self.active_plan(*code)?;
        if plan.kind != after.kind {
            self.problems.push(Rejection::OtherKind);
            return None;
        }
        let first = active().find(|item| item.is_first);
        after.plans = std::iter::once((plan.code, plan.price))
            .chain(active().filter(|item| !item.is_first).map(|item| (item.plan, item.price)))
            .collect();
        let today = now.date_in(&self.registers.zone).to_iso();
        Some((first_item(plan, today), first.map(|item| item.code)))
    }

    /// The branch that was given, else that of the holder, where the caller may work in it.
    fn new_branch(
        &mut self,
        given: &Given<BranchCode>,
        holder: Option<&(PersonCode, Profile)>,
    ) -> Option<BranchCode> {
        match (given, holder) {
            (Given::Set(branch), _) => self.usable_branch(*branch),
            (_, Some((_, profile))) if self.registers.is_usable(self.scope, profile.branch) => {
                Some(profile.branch)
            }
            (_, Some(_)) => {
                self.problems.push(Rejection::Missing(Field::Branch));
                None
            }
            (_, None) => None,
        }
    }

    fn usable_branch(&mut self, branch: BranchCode) -> Option<BranchCode> {
        if self.registers.is_usable(self.scope, branch) {
            return Some(branch);
        }
        self.problems.push(Rejection::UnknownCode { field: Field::Branch, code: branch.get() });
        None
    }

    /// The situation that name and flag ask for. A flag that the present type satisfies asks for nothing.
    fn situation(
        &mut self,
        sent: Option<Situation<'_>>,
        present: Option<SituationCode>,
    ) -> Option<SituationCode> {
        let (name, flag) = sent.unwrap_or((&Given::Keep, &Given::Keep));
        let named = match name {
            Given::Set(name) => Some(self.named_situation(name.as_str(), present)?),
            Given::Keep | Given::Clear => None,
        };
        let flag = match flag {
            Given::Set(flag) => Some(*flag),
            Given::Keep | Given::Clear => None,
        };
        let is_active = |code| self.registers.kind_of(code) == Some(SituationKind::Active);
        match (named, flag, present) {
            (Some(code), Some(flag), _) if is_active(code) != flag => {
                self.problems.push(Rejection::SituationDisagrees);
                None
            }
            (Some(code), ..) => Some(code),
            (None, Some(flag), Some(present)) if is_active(present) == flag => Some(present),
            (None, Some(true), _) => self.default_of(SituationKind::Active),
            (None, Some(false), _) => self.default_of(SituationKind::Inactive),
            (None, None, Some(present)) => Some(present),
            (None, None, None) => self.default_of(SituationKind::Pending),
        }
    }

    /// One that the benefit has already may be out of use meanwhile.
    pub fn named_situation(&mut self, name: &str, present: Option<SituationCode>) -> Option<SituationCode> {
        let found = self.registers.situation_named(Entity::Benefit, name);
        let found = found.filter(|one| one.active || Some(one.code) == present);
        if let Some(found) = found {
            return Some(found.code);
        }
        let known =
            self.registers.situations_of(Entity::Benefit).map(|one| one.name.to_uppercase()).collect();
        self.problems.push(Rejection::UnknownSituation { given: name.to_owned(), known });
        None
    }

    fn default_of(&mut self, kind: SituationKind) -> Option<SituationCode> {
        let found = self.registers.default_situation(Entity::Benefit, kind).map(|one| one.code);
        if found.is_none() {
            self.problems.push(Rejection::NoSituation);
        }
        found
    }

    /// Takes over what benefits of every kind have.
    fn apply(&mut self, input: &BeneficioCampos, knows_kind: bool, benefit: &mut Benefit) {
        if let Given::Set(day) = input.due_day
            && benefit.due_day != Some(day)
            && !self.registers.due_days.contains(&day)
        {
            let known = self.registers.due_days.clone();
            self.problems.push(Rejection::NotADueDay { given: day, known });
        }
        input.due_day.change(&mut benefit.due_day, |day| *day);
        input.card.change(&mut benefit.card, Clone::clone);
        self.seller(&input.consultant, SellerKind::Consultant, Field::Consultant, &mut benefit.consultant);
        let representative = &mut benefit.representative;
        self.seller(&input.representative, SellerKind::Representative, Field::Representative, representative);
        input.joined.change(&mut benefit.joined_on, |day| day.to_iso());
        input.integration_code.change(&mut benefit.integration_code, |code| code.as_str().to_owned());
        input.note.change(&mut benefit.note, |note| note.as_str().to_owned());
        if let Given::Set(values) = &input.additional_fields
            && knows_kind
        {
            fields::apply(self.registers, benefit.kind, values, &mut benefit.fields, &mut self.problems);
        }
    }

    /// One whom the benefit has already may have left meanwhile.
    fn seller(
        &mut self,
        given: &Given<SellerCode>,
        kind: SellerKind,
        field: Field,
        value: &mut Option<SellerCode>,
    ) {
        if let Given::Set(code) = given
            && *value != Some(*code)
            && !self.registers.sells(self.scope, *code, kind)
        {
            self.problems.push(Rejection::UnknownCode { field, code: code.get() });
        }
        given.change(value, |code| *code);
    }

    fn apply_vehicle(&mut self, (input, fipe): (&VeiculoCampos, &Given<Text<20>>), vehicle: &mut Vehicle) {
        if let Given::Set(kind) = input.kind
            && vehicle.kind != Some(kind)
            && !self.registers.vehicle_types.iter().any(|one| one.active && one.code == kind)
        {
            self.problems.push(Rejection::UnknownCode { field: Field::VehicleType, code: kind.get() });
        }
        vehicles::apply(input, vehicle);
        input.kind.change(&mut vehicle.kind, |kind| *kind);
        fipe.change(&mut vehicle.fipe, ToString::to_string);
    }
}

/// A new benefit of vehicles of which nothing is known.
fn blank(now: Moment) -> Benefit {
    Benefit {
        person: PersonCode::new(0),
        branch: BranchCode::new(0),
        kind: BenefitKind::Vehicle,
        situation: SituationCode::new(0),
        sequence: 0,
        card: None,
        due_day: None,
        consultant: None,
        representative: None,
        joined_on: None,
        activated_on: None,
        cancelled_on: None,
        integration_code: None,
        note: None,
        plans: Vec::new(),
        fields: FieldValues::new(),
        vehicle: Vehicle::default(),
        slot: 0,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

/// Its code is taken when it is written.
pub(crate) fn first_item(plan: &Plan, today: String) -> Item {
    Item {
        code: ItemCode::new(0),
        plan: plan.code,
        price: plan.price,
        included_on: today,
        is_first: true,
        active: true,
    }
}
