//! What was sent of a deal, judged against the registers: every problem is found, not the first alone, and what was given is
//! put onto the deal as it is. What a deal has already may be out of use meanwhile.

use crate::base::{Registers, first_stage};
use crate::vehicles;
use domain::{
    BenefitKind, BranchCode, DealState, Field, FunnelCode, LeadCode, Moment, Money, PlanCode, Rejection,
    Scope, StageCode, UserCode,
};
use storage::benefits::Vehicle;
use storage::deals::Deal;
use wire::read::Given;
use wire::records::NegocioInput;

pub struct Wish<'a> {
    registers: &'a Registers,
    scope: &'a Scope,
    pub problems: Vec<Rejection>,
}

impl<'a> Wish<'a> {
    pub fn new(registers: &'a Registers, scope: &'a Scope) -> Wish<'a> {
        Wish { registers, scope, problems: Vec::new() }
    }

    /// A new deal, but for its lead and what is counted; `None` where it cannot even be begun, for a reason that was told.
    /// Its branch may have been judged with the lead already.
    pub fn new_deal(
        &mut self,
        input: &NegocioInput,
        (home, is_judged): (Option<BranchCode>, bool),
        caller: UserCode,
        now: Moment,
    ) -> Option<Deal> {
        let branch = match input.branch {
            Given::Set(branch) if !is_judged => self.usable_branch(branch),
            Given::Set(branch) => Some(branch),
            Given::Keep | Given::Clear => home,
        };
        let place = self.place(input, None, true);
        let mut deal = blank(now, &now.date_in(&self.registers.zone).to_iso());
        deal.responsible = Some(caller);
        self.apply(input, (true, true), &mut deal);
        (deal.branch, (deal.funnel, deal.stage)) = (branch?, place?);
        Some(deal)
    }

    /// A deal as it becomes. Where there is none of its code, what was sent is judged all the same.
    pub fn changed_deal(&mut self, input: &NegocioInput, before: Option<&Deal>, now: Moment) -> Option<Deal> {
        let mut deal = before.cloned().unwrap_or_else(|| blank(now, ""));
        if let Given::Set(branch) = input.branch
            && before.is_none_or(|before| before.branch != branch)
        {
            self.usable_branch(branch);
            deal.branch = branch;
        }
        if let Given::Set(lead) = input.lead {
            deal.lead = lead;
        }
        let place = self.place(input, before.map(|before| (before.funnel, before.stage)), false);
        if let Some((funnel, stage)) = place
            && before.is_some()
        {
            if deal.stage != stage {
                deal.stage_since = now;
            }
            (deal.funnel, deal.stage) = (funnel, stage);
        }
        self.apply(input, (false, before.is_some()), &mut deal);
        match input.responsible {
            Given::Set(_) | Given::Keep => {}
            Given::Clear => deal.responsible = None,
        }
        before.map(|_| deal)
    }

    fn usable_branch(&mut self, branch: BranchCode) -> Option<BranchCode> {
        let is_usable = self.registers.is_usable(self.scope, branch);
        if !is_usable {
            self.problems.push(Rejection::UnknownCode { field: Field::Branch, code: branch.get() });
        }
        is_usable.then_some(branch)
    }

    /// The funnel and the stage that were asked for: what is not said stays, or is the first.
    fn place(
        &mut self,
        input: &NegocioInput,
        present: Option<(FunnelCode, StageCode)>,
        is_new: bool,
    ) -> Option<(FunnelCode, StageCode)> {
        let funnel = match (&input.funnel, present) {
            (Given::Set(code), Some((had, _))) if *code == had => Some(had),
            (Given::Set(code), _) => self.active_funnel(*code),
            (_, Some((had, _))) => Some(had),
            (_, None) if is_new => self.first_funnel(),
            (_, None) => None,
        };
        let stage = match (&input.stage, funnel) {
            (Given::Set(code), Some(funnel)) if present == Some((funnel, *code)) => Some(*code),
            (Given::Set(code), _) => self.active_stage(*code, funnel),
            (_, Some(funnel)) => match present {
                Some((had, stage)) if had == funnel => Some(stage),
                _ => self.first_stage(funnel),
            },
            (_, None) => None,
        };
        funnel.zip(stage)
    }

    fn active_funnel(&mut self, code: FunnelCode) -> Option<FunnelCode> {
        let found = self.registers.funnel(code).filter(|funnel| funnel.active);
        if found.is_none() {
            self.problems.push(Rejection::UnknownCode { field: Field::Funnel, code: code.get() });
        }
        found.map(|funnel| funnel.code)
    }

    fn first_funnel(&mut self) -> Option<FunnelCode> {
        let first = self.registers.first_funnel().map(|funnel| funnel.code);
        if first.is_none() {
            self.problems.push(Rejection::NoStage);
        }
        first
    }

    fn first_stage(&mut self, funnel: FunnelCode) -> Option<StageCode> {
        let stage = self.registers.funnel(funnel).and_then(first_stage).map(|stage| stage.code);
        if stage.is_none() {
            self.problems.push(Rejection::NoStage);
        }
        stage
    }

    fn active_stage(&mut self, code: StageCode, funnel: Option<FunnelCode>) -> Option<StageCode> {
        let of = self.registers.funnels.iter().find(|one| one.stages.iter().any(|stage| stage.code == code));
        let is_active = self.registers.stage(code).is_some_and(|stage| stage.active);
        let Some(of) = of.filter(|of| of.active && is_active) else {
            self.problems.push(Rejection::UnknownCode { field: Field::Stage, code: code.get() });
            return None;
        };
        if funnel.is_some_and(|funnel| funnel != of.code) {
            self.problems.push(Rejection::OtherFunnel(code.get()));
            return None;
        }
        Some(code)
    }

    /// Of a deal that is not known, nobody knows whether it is lost.
    fn apply(&mut self, input: &NegocioInput, (is_new, is_known): (bool, bool), deal: &mut Deal) {
        input.title.change(&mut deal.title, ToString::to_string);
        if let Given::Set(user) = input.responsible {
            deal.responsible = Some(user);
        }
        input.price.change(&mut deal.price, |money: &Money| money.cents());
        input.expected.change(&mut deal.expected_on, |day| day.to_iso());
        input.note.change(&mut deal.note, |note| note.as_str().to_owned());
        match &input.plans {
            Given::Set(plans) => deal.plans = self.plans(plans, &deal.plans),
            Given::Clear => deal.plans.clear(),
            Given::Keep => {}
        }
        input.kind.change(&mut deal.kind, |kind| *kind);
        let may_follow = is_new || input.kind == Given::Keep;
        if let (None, Given::Set(_), true) = (deal.kind, &input.plans, may_follow) {
            deal.kind = self.kind_of(&deal.plans);
        }
        if let Given::Set(state) = input.state {
            deal.state = state;
        }
        input.lost_because.change(&mut deal.lost_because, |why| why.as_str().to_owned());
        if deal.state != DealState::Lost && deal.lost_because.is_some() {
            if matches!(input.lost_because, Given::Set(_))
                && (is_known || matches!(input.state, Given::Set(_)))
            {
                self.problems.push(Rejection::NotLost);
            }
            deal.lost_because = None;
        }
        match &input.vehicle {
            Given::Set(vehicle) => {
                vehicles::apply_whole(self.registers, vehicle, &mut deal.vehicle, &mut self.problems);
            }
            Given::Clear => deal.vehicle = Vehicle::default(),
            Given::Keep => {}
        }
    }

    /// Each once, as they were given.
    pub fn plans(&mut self, given: &[PlanCode], had: &[PlanCode]) -> Vec<PlanCode> {
        let mut plans = Vec::new();
        for code in given.iter().copied() {
            if plans.contains(&code) {
                continue;
            }
            let is_active = self.registers.plan(code).is_some_and(|plan| plan.active);
            if !is_active && !had.contains(&code) {
                self.problems.push(Rejection::UnknownCode { field: Field::Plans, code: code.get() });
            }
            plans.push(code);
        }
        plans
    }

    fn kind_of(&self, plans: &[PlanCode]) -> Option<BenefitKind> {
        plans.first().and_then(|code| self.registers.plan(*code)).map(|plan| plan.kind)
    }
}

/// A deal of which nothing is known yet.
fn blank(now: Moment, today: &str) -> Deal {
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
        opened_on: today.to_owned(),
        vehicle: Vehicle::default(),
        benefit: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}
