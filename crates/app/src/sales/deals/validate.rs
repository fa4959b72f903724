//! Validation of a sent deal against the registers: collects every problem, not only the first, and applies the fields
//! to the stored deal. References that a deal already has may be inactive.

use crate::benefits::vehicle;
use crate::register_snapshot::{TenantRegisters, find_first_stage};
use domain::{
    BenefitKind, BranchCode, Deal, DealState, FunnelCode, InputField, LeadCode, Moment, PlanCode, Rejection,
    Scope, StageCode, TimeZone, UserCode, VehicleDetails, is_usable_reference,
};
use wire::read::FieldPatch;
use wire::records::NegocioInput;

pub struct DealInputValidator<'a> {
    registers: &'a TenantRegisters,
    scope: &'a Scope,
    pub problems: Vec<Rejection>,
}

impl<'a> DealInputValidator<'a> {
    pub fn new(registers: &'a TenantRegisters, scope: &'a Scope) -> DealInputValidator<'a> {
        DealInputValidator { registers, scope, problems: Vec::new() }
    }

    /// Builds a new deal without its lead and numbers; `None` if branch or stage is missing or invalid. The branch may
    /// already have been checked with the lead.
    pub fn build_new_deal(
        &mut self,
        input: &NegocioInput,
        (default_branch, is_checked): (Option<BranchCode>, bool),
        caller: Option<UserCode>,
        now: Moment,
    ) -> Option<Deal> {
        let branch = match input.branch {
            FieldPatch::Set(branch) if !is_checked => self.check_branch(branch),
            FieldPatch::Set(branch) => Some(branch),
            FieldPatch::Keep | FieldPatch::Clear => default_branch,
        };
        let position = self.resolve_stage(input, None, true);
        let mut deal = build_blank_deal(now, &self.registers.zone);
        deal.responsible = caller;
        self.apply_fields(input, (true, true), &mut deal);
        (deal.branch, (deal.funnel, deal.stage)) = (branch?, position?);
        Some(deal)
    }

    /// Builds the changed deal. The input is validated even if there is no deal with this code.
    pub fn build_changed_deal(
        &mut self,
        input: &NegocioInput,
        before: Option<&Deal>,
        now: Moment,
    ) -> Option<Deal> {
        let mut deal = before.cloned().unwrap_or_else(|| build_blank_deal(now, &self.registers.zone));
        if let FieldPatch::Set(branch) = input.branch
            && before.is_none_or(|before| before.branch != branch)
        {
            self.check_branch(branch);
            deal.branch = branch;
        }
        if let FieldPatch::Set(lead) = input.lead {
            deal.lead = lead;
        }
        let position = self.resolve_stage(input, before.map(|before| (before.funnel, before.stage)), false);
        if let Some((funnel, stage)) = position
            && before.is_some()
        {
            if deal.stage != stage {
                deal.stage_since = now;
            }
            (deal.funnel, deal.stage) = (funnel, stage);
        }
        self.apply_fields(input, (false, before.is_some()), &mut deal);
        match input.responsible {
            FieldPatch::Set(_) | FieldPatch::Keep => {}
            FieldPatch::Clear => deal.responsible = None,
        }
        before.map(|_| deal)
    }

    fn check_branch(&mut self, branch: BranchCode) -> Option<BranchCode> {
        let is_usable = self.registers.is_usable_branch(self.scope, branch);
        if !is_usable {
            self.problems.push(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() });
        }
        is_usable.then_some(branch)
    }

    /// Resolves funnel and stage: defaults are the present ones, or the first ones of a new deal.
    fn resolve_stage(
        &mut self,
        input: &NegocioInput,
        present: Option<(FunnelCode, StageCode)>,
        is_new: bool,
    ) -> Option<(FunnelCode, StageCode)> {
        let funnel = match (&input.funnel, present) {
            (FieldPatch::Set(code), Some((current, _))) if *code == current => Some(current),
            (FieldPatch::Set(code), _) => self.find_active_funnel(*code),
            (_, Some((current, _))) => Some(current),
            (_, None) if is_new => self.find_first_funnel(),
            (_, None) => None,
        };
        let stage = match (&input.stage, funnel) {
            (FieldPatch::Set(code), Some(funnel)) if present == Some((funnel, *code)) => Some(*code),
            (FieldPatch::Set(code), _) => self.find_active_stage(*code, funnel),
            (_, Some(funnel)) => match present {
                Some((current, stage)) if current == funnel => Some(stage),
                _ => self.find_first_stage(funnel),
            },
            (_, None) => None,
        };
        funnel.zip(stage)
    }

    fn find_active_funnel(&mut self, code: FunnelCode) -> Option<FunnelCode> {
        let found = self.registers.funnel(code).filter(|funnel| funnel.active);
        if found.is_none() {
            self.problems.push(Rejection::UnknownCode { field: InputField::Funnel, code: code.get() });
        }
        found.map(|funnel| funnel.code)
    }

    fn find_first_funnel(&mut self) -> Option<FunnelCode> {
        let first = self.registers.first_funnel().map(|funnel| funnel.code);
        if first.is_none() {
            self.problems.push(Rejection::NoStage);
        }
        first
    }

    fn find_first_stage(&mut self, funnel: FunnelCode) -> Option<StageCode> {
        let stage = self.registers.funnel(funnel).and_then(find_first_stage).map(|stage| stage.code);
        if stage.is_none() {
            self.problems.push(Rejection::NoStage);
        }
        stage
    }

    fn find_active_stage(&mut self, code: StageCode, funnel: Option<FunnelCode>) -> Option<StageCode> {
        let stage_funnel =
            self.registers.funnels.iter().find(|one| one.stages.iter().any(|stage| stage.code == code));
        let is_active = self.registers.stage(code).is_some_and(|stage| stage.active);
        let Some(stage_funnel) = stage_funnel.filter(|stage_funnel| stage_funnel.active && is_active) else {
            self.problems.push(Rejection::UnknownCode { field: InputField::Stage, code: code.get() });
            return None;
        };
        if funnel.is_some_and(|funnel| funnel != stage_funnel.code) {
            self.problems.push(Rejection::OtherFunnel(code.get()));
            return None;
        }
        Some(code)
    }

    /// For an unknown deal, a loss reason is refused only if the input also sets a state other than lost.
    fn apply_fields(&mut self, input: &NegocioInput, (is_new, is_known): (bool, bool), deal: &mut Deal) {
        input.title.apply_to(&mut deal.title, ToString::to_string);
        if let FieldPatch::Set(user) = input.responsible {
            deal.responsible = Some(user);
        }
        input.price.apply_to(&mut deal.price, |money| *money);
        input.expected.apply_to(&mut deal.expected_on, |day| *day);
        input.note.apply_to(&mut deal.note, |note| note.as_str().to_owned());
        match &input.plans {
            FieldPatch::Set(plans) => deal.plans = self.check_plans(plans, &deal.plans),
            FieldPatch::Clear => deal.plans.clear(),
            FieldPatch::Keep => {}
        }
        input.kind.apply_to(&mut deal.kind, |kind| *kind);
        let may_follow = is_new || input.kind == FieldPatch::Keep;
        if let (None, FieldPatch::Set(_), true) = (deal.kind, &input.plans, may_follow) {
            deal.kind = self.infer_kind(&deal.plans);
        }
        if let FieldPatch::Set(state) = input.state {
            deal.state = state;
        }
        input.lost_because.apply_to(&mut deal.lost_because, |reason| reason.as_str().to_owned());
        if deal.state != DealState::Lost && deal.lost_because.is_some() {
            if matches!(input.lost_because, FieldPatch::Set(_))
                && (is_known || matches!(input.state, FieldPatch::Set(_)))
            {
                self.problems.push(Rejection::NotLost);
            }
            deal.lost_because = None;
        }
        match &input.vehicle {
            FieldPatch::Set(vehicle) => {
                vehicle::apply_full_vehicle(self.registers, vehicle, &mut deal.vehicle, &mut self.problems);
            }
            FieldPatch::Clear => deal.vehicle = VehicleDetails::default(),
            FieldPatch::Keep => {}
        }
    }

    /// Without duplicates, in the given order.
    pub fn check_plans(&mut self, requested: &[PlanCode], old_plans: &[PlanCode]) -> Vec<PlanCode> {
        let mut plans = Vec::new();
        for code in requested.iter().copied() {
            if plans.contains(&code) {
                continue;
            }
            let is_active = self.registers.plan(code).is_some_and(|plan| plan.active);
            if !is_usable_reference(code, is_active, old_plans) {
                self.problems.push(Rejection::UnknownCode { field: InputField::Plans, code: code.get() });
            }
            plans.push(code);
        }
        plans
    }

    fn infer_kind(&self, plans: &[PlanCode]) -> Option<BenefitKind> {
        plans.first().and_then(|code| self.registers.plan(*code)).map(|plan| plan.kind)
    }
}

/// An empty deal with placeholder codes.
fn build_blank_deal(now: Moment, zone: &TimeZone) -> Deal {
    Deal {
        sequence: 0,
        lead: LeadCode::new(0),
        branch: BranchCode::new(0),
        title: None,
        funnel: FunnelCode::new(0),
        stage: StageCode::new(0),
        stage_since: now,
        responsible: None,
        kind: None,
        plans: Vec::new(),
        price: None,
        expected_on: None,
        state: DealState::Open,
        lost_because: None,
        note: None,
        opened_on: now.date_in(zone),
        vehicle: VehicleDetails::default(),
        benefit: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}
