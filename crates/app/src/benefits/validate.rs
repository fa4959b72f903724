//! Validation of a sent benefit against the registers: collects every problem, not only the first, and applies the
//! fields to the stored benefit.

use super::additional_field_values;
use super::vehicle;
use crate::register_snapshot::TenantRegisters;
use domain::{
    AdditionalFieldValues, Benefit, BenefitItem, BenefitKind, BoundedText, BranchCode, Date, Entity,
    InputField, ItemCode, Moment, PersonCode, PersonProfile, PlanCode, Rejection, Scope, SellerCode,
    SellerKind, SituationCode, SituationKind, VehicleDetails, is_usable_reference,
};
use storage::registers::plans::StoredPlan;
use wire::read::FieldPatch;
use wire::records::{BeneficioCampos, VeiculoCampos};

/// The sent fields of a benefit, independent of the endpoint.
#[derive(Clone, Copy)]
pub(crate) struct SentBenefitFields<'i> {
    pub fields: &'i BeneficioCampos,
    pub situation: Option<SituationRequest<'i>>,
    /// For vehicle benefits only; `stated_vehicle` holds details stated before.
    pub vehicle: Option<(&'i VeiculoCampos, &'i FieldPatch<BoundedText<20>>)>,
    pub stated_vehicle: Option<&'i VehicleDetails>,
}

/// By name, by flag or by both.
pub(crate) type SituationRequest<'i> = (&'i FieldPatch<BoundedText<200>>, &'i FieldPatch<bool>);

pub struct SentBenefitValidator<'a> {
    registers: &'a TenantRegisters,
    scope: &'a Scope,
    pub problems: Vec<Rejection>,
}

impl<'a> SentBenefitValidator<'a> {
    pub fn new(registers: &'a TenantRegisters, scope: &'a Scope) -> SentBenefitValidator<'a> {
        SentBenefitValidator { registers, scope, problems: Vec::new() }
    }

    /// Builds a new benefit and its first item; `None` if plan, branch or situation is missing or invalid.
    pub fn build_new_benefit(
        &mut self,
        input: SentBenefitFields<'_>,
        holder: Option<&(PersonCode, PersonProfile)>,
        now: Moment,
    ) -> Option<(Benefit, BenefitItem)> {
        let common = input.fields;
        let plan = self.choose_new_plan(input.vehicle.is_some(), &common.plan);
        let branch = self.choose_new_branch(&common.branch, holder);
        let situation = self.choose_situation(input.situation, None);
        let today = now.date_in(&self.registers.zone);
        // Placeholders stand in for missing parts, so that all other fields are validated too.
        let mut benefit = Benefit {
            person: holder.map_or(PersonCode::new(0), |(person, _)| *person),
            branch: branch.unwrap_or(BranchCode::new(0)),
            kind: plan.map_or(BenefitKind::Vehicle, |plan| plan.kind),
            situation: situation.unwrap_or(SituationCode::new(0)),
            plans: plan.map(|plan| (plan.code, plan.price)).into_iter().collect(),
            vehicle: input.stated_vehicle.cloned().unwrap_or_default(),
            ..build_blank_benefit(now)
        };
        // On the vehicle endpoint the kind is known even if the plan is not.
        let knows_kind = plan.is_some() || input.vehicle.is_some();
        self.apply_common_fields(common, knows_kind, &mut benefit);
        if let Some(vehicle) = input.vehicle {
            self.apply_vehicle(vehicle, &mut benefit.vehicle);
            if benefit.vehicle.plate.is_none() && benefit.vehicle.chassis.is_none() {
                self.problems.push(Rejection::NoPlateOrChassis);
            }
        }
        let plan = plan?;
        (branch.is_some() && situation.is_some()).then(|| (benefit, build_first_item(plan, today)))
    }

    /// Validates the fields sent for an unknown benefit as far as that is possible without it.
    pub fn check_without_benefit(&mut self, input: SentBenefitFields<'_>, now: Moment) {
        let common = input.fields;
        if let FieldPatch::Set(branch) = common.branch {
            self.require_usable_branch(branch);
        }
        if let FieldPatch::Set(plan) = common.plan {
            self.require_active_plan(plan);
        }
        self.choose_situation(input.situation, None);
        let mut benefit = build_blank_benefit(now);
        self.apply_common_fields(common, input.vehicle.is_some(), &mut benefit);
        if let Some(vehicle) = input.vehicle {
            self.apply_vehicle(vehicle, &mut benefit.vehicle);
        }
    }

    /// Builds the changed benefit and, if the plan changes, the new first item with the code of the item it replaces.
    pub fn build_changed_benefit(
        &mut self,
        input: SentBenefitFields<'_>,
        before: &Benefit,
        items: &[BenefitItem],
        now: Moment,
    ) -> (Benefit, Option<(BenefitItem, Option<ItemCode>)>) {
        let common = input.fields;
        let mut after = before.clone();
        if let FieldPatch::Set(branch) = common.branch
            && branch != before.branch
        {
            self.require_usable_branch(branch);
            after.branch = branch;
        }
        if let Some(situation) = self.choose_situation(input.situation, Some(before.situation)) {
            after.situation = situation;
        }
        self.apply_common_fields(common, true, &mut after);
        if let Some(vehicle) = input.vehicle {
            match before.kind.has_vehicle() {
                true => self.apply_vehicle(vehicle, &mut after.vehicle),
                false => {
                    self.problems.push(Rejection::WrongPath { field: InputField::Benefit, vehicle: false });
                }
            }
            let was_identified = before.vehicle.plate.is_some() || before.vehicle.chassis.is_some();
            if was_identified && after.vehicle.plate.is_none() && after.vehicle.chassis.is_none() {
                self.problems.push(Rejection::NoPlateOrChassis);
            }
        }
        let item = self.change_plan(&common.plan, &mut after, items, now);
        (after, item)
    }

    /// The plan of a new benefit; its kind must match the endpoint.
    fn choose_new_plan(
        &mut self,
        on_vehicle_path: bool,
        patch: &FieldPatch<PlanCode>,
    ) -> Option<&'a StoredPlan> {
        let FieldPatch::Set(code) = patch else {
            self.problems.push(Rejection::Missing(InputField::Plan));
            return None;
        };
        let plan = self.require_active_plan(*code)?;
        let vehicle = plan.kind.has_vehicle();
        if vehicle != on_vehicle_path {
            self.problems.push(Rejection::WrongPath { field: InputField::Plan, vehicle });
            return None;
        }
        Some(plan)
    }

    fn require_active_plan(&mut self, code: PlanCode) -> Option<&'a StoredPlan> {
        let plan = self.registers.plan(code).filter(|plan| plan.active);
        if plan.is_none() {
            self.problems.push(Rejection::UnknownCode { field: InputField::Plan, code: code.get() });
        }
        plan
    }

    /// A plan that the benefit already has changes nothing; another plan replaces the first item.
    fn change_plan(
        &mut self,
        patch: &FieldPatch<PlanCode>,
        after: &mut Benefit,
        items: &[BenefitItem],
        now: Moment,
    ) -> Option<(BenefitItem, Option<ItemCode>)> {
        let FieldPatch::Set(code) = patch else { return None };
        let active = || items.iter().filter(|item| item.active);
        if active().any(|item| item.plan == *code) {
            return None;
        }
        let plan = self.require_active_plan(*code)?;
        if plan.kind != after.kind {
            self.problems.push(Rejection::OtherKind);
            return None;
        }
        let first = active().find(|item| item.is_first);
        after.plans = std::iter::once((plan.code, plan.price))
            .chain(active().filter(|item| !item.is_first).map(|item| (item.plan, item.price)))
            .collect();
        let today = now.date_in(&self.registers.zone);
        Some((build_first_item(plan, today), first.map(|item| item.code)))
    }

    /// The given branch, else the branch of the holder if the caller may use it.
    fn choose_new_branch(
        &mut self,
        patch: &FieldPatch<BranchCode>,
        holder: Option<&(PersonCode, PersonProfile)>,
    ) -> Option<BranchCode> {
        match (patch, holder) {
            (FieldPatch::Set(branch), _) => self.require_usable_branch(*branch),
            (_, Some((_, profile))) if self.registers.is_usable_branch(self.scope, profile.branch) => {
                Some(profile.branch)
            }
            (_, Some(_)) => {
                self.problems.push(Rejection::Missing(InputField::Branch));
                None
            }
            (_, None) => None,
        }
    }

    fn require_usable_branch(&mut self, branch: BranchCode) -> Option<BranchCode> {
        if self.registers.is_usable_branch(self.scope, branch) {
            return Some(branch);
        }
        self.problems.push(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() });
        None
    }

    /// Resolves name and flag to a situation. A flag that the present situation already satisfies changes nothing.
    fn choose_situation(
        &mut self,
        requested: Option<SituationRequest<'_>>,
        present: Option<SituationCode>,
    ) -> Option<SituationCode> {
        let (name, flag) = requested.unwrap_or((&FieldPatch::Keep, &FieldPatch::Keep));
        let named = match name {
            FieldPatch::Set(name) => Some(self.find_situation_by_name(name.as_str(), present)?),
            FieldPatch::Keep | FieldPatch::Clear => None,
        };
        let flag = match flag {
            FieldPatch::Set(flag) => Some(*flag),
            FieldPatch::Keep | FieldPatch::Clear => None,
        };
        let is_active = |code| self.registers.situation_kind(code) == Some(SituationKind::Active);
        match (named, flag, present) {
            (Some(code), Some(flag), _) if is_active(code) != flag => {
                self.problems.push(Rejection::SituationDisagrees);
                None
            }
            (Some(code), ..) => Some(code),
            (None, Some(flag), Some(present)) if is_active(present) == flag => Some(present),
            (None, Some(true), _) => self.require_default_situation(SituationKind::Active),
            (None, Some(false), _) => self.require_default_situation(SituationKind::Inactive),
            (None, None, Some(present)) => Some(present),
            (None, None, None) => self.require_default_situation(SituationKind::Pending),
        }
    }

    /// The present situation of the benefit is accepted even if it is inactive.
    pub fn find_situation_by_name(
        &mut self,
        name: &str,
        present: Option<SituationCode>,
    ) -> Option<SituationCode> {
        let found = self.registers.find_situation_by_name(Entity::Benefit, name);
        let found = found.filter(|one| is_usable_reference(one.code, one.active, present.as_slice()));
        if let Some(found) = found {
            return Some(found.code);
        }
        let alternatives =
            self.registers.active_situations(Entity::Benefit).map(|one| one.name.to_uppercase()).collect();
        self.problems.push(Rejection::UnknownSituation { value: name.to_owned(), alternatives });
        None
    }

    fn require_default_situation(&mut self, kind: SituationKind) -> Option<SituationCode> {
        let found = self.registers.default_situation(Entity::Benefit, kind).map(|one| one.code);
        if found.is_none() {
            self.problems.push(Rejection::NoSituation);
        }
        found
    }

    /// Applies the fields common to all benefit kinds.
    fn apply_common_fields(&mut self, input: &BeneficioCampos, knows_kind: bool, benefit: &mut Benefit) {
        if let FieldPatch::Set(day) = input.due_day
            && benefit.due_day != Some(day)
            && !self.registers.due_days.contains(&day)
        {
            let alternatives = self.registers.due_days.clone();
            self.problems.push(Rejection::NotADueDay { value: day, alternatives });
        }
        input.due_day.apply_to(&mut benefit.due_day, |day| *day);
        input.card.apply_to(&mut benefit.card, Clone::clone);
        self.apply_seller(
            &input.consultant,
            SellerKind::Consultant,
            InputField::Consultant,
            &mut benefit.consultant,
        );
        let representative = &mut benefit.representative;
        self.apply_seller(
            &input.representative,
            SellerKind::Representative,
            InputField::Representative,
            representative,
        );
        input.joined.apply_to(&mut benefit.joined_on, |day| *day);
        input.integration_code.apply_to(&mut benefit.integration_code, |code| code.as_str().to_owned());
        input.note.apply_to(&mut benefit.note, |note| note.as_str().to_owned());
        if let FieldPatch::Set(values) = &input.additional_fields
            && knows_kind
        {
            additional_field_values::apply_additional_fields(
                self.registers,
                benefit.kind,
                values,
                &mut benefit.fields,
                &mut self.problems,
            );
        }
    }

    /// The present seller of the benefit is accepted even if inactive.
    fn apply_seller(
        &mut self,
        patch: &FieldPatch<SellerCode>,
        kind: SellerKind,
        field: InputField,
        value: &mut Option<SellerCode>,
    ) {
        if let FieldPatch::Set(code) = patch
            && let is_active = self.registers.is_active_seller(self.scope, *code, kind)
            && !is_usable_reference(*code, is_active, value.as_slice())
        {
            self.problems.push(Rejection::UnknownCode { field, code: code.get() });
        }
        patch.apply_to(value, |code| *code);
    }

    fn apply_vehicle(
        &mut self,
        (input, fipe): (&VeiculoCampos, &FieldPatch<BoundedText<20>>),
        vehicle: &mut VehicleDetails,
    ) {
        if let FieldPatch::Set(kind) = input.kind
            && vehicle.kind != Some(kind)
            && !self.registers.vehicle_types.iter().any(|one| one.active && one.code == kind)
        {
            self.problems.push(Rejection::UnknownCode { field: InputField::VehicleType, code: kind.get() });
        }
        vehicle::apply_vehicle_fields(input, vehicle);
        input.kind.apply_to(&mut vehicle.kind, |kind| *kind);
        fipe.apply_to(&mut vehicle.fipe, ToString::to_string);
    }
}

/// An empty vehicle benefit with placeholder codes.
fn build_blank_benefit(now: Moment) -> Benefit {
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
        fields: AdditionalFieldValues::new(),
        vehicle: VehicleDetails::default(),
        slot: 0,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

/// The item code is assigned at the write.
pub(crate) fn build_first_item(plan: &StoredPlan, today: Date) -> BenefitItem {
    BenefitItem {
        code: ItemCode::new(0),
        plan: plan.code,
        price: plan.price,
        included_on: today,
        is_first: true,
        is_price_agreed: false,
        active: true,
    }
}
