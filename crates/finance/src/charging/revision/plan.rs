//! What a revision does with each title of a benefit.

use super::super::charge_lines::{JoiningFeeState, find_situation_refusal};
use super::super::issue_charges::convert_line;
use super::sources::{IssuedCharge, RevisedBenefitSources};
use super::taken_charges::{TitleLine, match_charges};
use app::register_snapshot::TenantRegisters;
use domain::finance::{ChargeLine, ChargedMonth, LegalNature, NotChargedReason};
use domain::{
    BenefitCode, BranchCode, ChargeItemCode, Date, GroupCode, PendingChargeCode, PersonCode, SituationCode,
    TitleCode, encode_hex,
};
use finance_storage::titles::StoredTitle;
use sha2::{Digest, Sha256};

/// What becomes of a benefit's titles that are not yet due, by month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TitleRevision {
    pub benefit: BenefitCode,
    pub titles: Vec<RevisedTitle>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisedTitle {
    pub code: TitleCode,
    pub title: StoredTitle,
    pub month: ChargedMonth,
    pub outcome: TitleRevisionOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TitleRevisionOutcome {
    /// It charges what it would charge if it were issued now.
    Unchanged,
    /// Money came for it, and it stays.
    Paid,
    /// It is cancelled, and these take its place.
    Replaced {
        titles: Vec<PlannedTitle>,
        /// Why the benefit is no longer charged.
        not_charged: Option<NotChargedReason>,
    },
}

/// A title that is issued instead of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTitle {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub group: GroupCode,
    pub due_on: Date,
    pub lines: Vec<ChargeLine>,
    /// The one-off charges among the lines.
    pub pending_charges: Vec<PendingChargeCode>,
}

impl PlannedTitle {
    /// Cents.
    pub fn amount(&self) -> i64 {
        self.lines.iter().map(|line| line.amount).sum()
    }

    fn has_same_terms(&self, other: &PlannedTitle) -> bool {
        (self.person, self.branch, self.group, self.due_on)
            == (other.person, other.branch, other.group, other.due_on)
    }

    fn push(&mut self, line: TitleLine) {
        self.pending_charges.extend(line.pending_charge);
        self.lines.push(line.line);
    }
}

/// What a revision cancels and issues, in sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TitleRevisionTotals {
    pub cancelled_titles: i64,
    /// Cents.
    pub cancelled_amount: i64,
    pub issued_titles: i64,
    /// Cents.
    pub issued_amount: i64,
}

impl TitleRevision {
    /// Tells apart what two revisions do, by which titles they cancel and what they issue instead. Whoever applies one
    /// names the digest of what they saw.
    pub fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for revised in &self.titles {
            if let TitleRevisionOutcome::Replaced { titles, .. } = &revised.outcome {
                digest.update(format!("{} {} {titles:?};", revised.code, revised.title.version));
            }
        }
        encode_hex(&digest.finalize()[..8])
    }

    pub fn totals(&self) -> TitleRevisionTotals {
        let mut totals = TitleRevisionTotals::default();
        for revised in &self.titles {
            if let TitleRevisionOutcome::Replaced { titles, .. } = &revised.outcome {
                totals.cancelled_titles += 1;
                totals.cancelled_amount += revised.title.amount;
                totals.issued_titles += i64::try_from(titles.len()).unwrap_or(i64::MAX);
                totals.issued_amount += titles.iter().map(PlannedTitle::amount).sum::<i64>();
            }
        }
        totals
    }
}

pub(super) fn plan_revision(
    registers: &TenantRegisters,
    sources: &RevisedBenefitSources,
    today: Date,
) -> TitleRevision {
    // The joining fee of a title that falls away is charged by the next one.
    let mut is_fee_left = false;
    let revise = |charge: &IssuedCharge| {
        let joining_fee = match is_fee_left {
            true => JoiningFeeState::ChargedHere,
            false => sources.find_joining_fee(charge),
        };
        let outcome = plan_outcome(registers, sources, (charge, joining_fee), today);
        if let TitleRevisionOutcome::Replaced { titles, .. } = &outcome {
            let mut lines = titles.iter().flat_map(|title| &title.lines);
            is_fee_left = joining_fee == JoiningFeeState::ChargedHere
                && !lines.any(|line| sources.is_joining_fee(line));
        }
        RevisedTitle { code: charge.code, title: charge.title.clone(), month: charge.month.month, outcome }
    };
    TitleRevision { benefit: sources.benefit.code, titles: sources.charges.iter().map(revise).collect() }
}

fn plan_outcome(
    registers: &TenantRegisters,
    sources: &RevisedBenefitSources,
    (charge, joining_fee): (&IssuedCharge, JoiningFeeState),
    today: Date,
) -> TitleRevisionOutcome {
    if charge.is_paid_with_money {
        return TitleRevisionOutcome::Paid;
    }
    let Some(run) = &charge.run else { return plan_outside_title(registers, sources, charge) };
    let benefit = sources.benefit.code;
    let (own, others): (Vec<TitleLine>, Vec<TitleLine>) =
        match_charges(&charge.lines, &charge.taken).into_iter().partition(|one| one.is_of(benefit));
    let was = list_amounts(own.iter().map(|one| &one.line));
    let mut rest = build_rest(&charge.title);
    others.into_iter().for_each(|one| rest.push(one));
    let (new, not_charged) = match sources.charge_again(registers, (charge, run), joining_fee, today) {
        Err(reason) => (None, Some(reason)),
        Ok(again) => {
            let mut new = PlannedTitle {
                person: again.person,
                branch: again.branch,
                group: again.group,
                due_on: again.due_on,
                lines: again.lines.into_iter().map(convert_line).collect(),
                pending_charges: Vec::new(),
            };
            // One-off charges belong to a branch and a group. Elsewhere, they wait for the next charge.
            if (new.branch, new.group) == (charge.title.branch, charge.title.group) {
                own.into_iter().filter(|one| one.pending_charge.is_some()).for_each(|one| new.push(one));
            }
            (Some(new), None)
        }
    };
    let is_same = |new: &PlannedTitle| new.has_same_terms(&rest) && list_amounts(&new.lines) == was;
    if new.as_ref().is_some_and(is_same) {
        return TitleRevisionOutcome::Unchanged;
    }
    TitleRevisionOutcome::Replaced { titles: join_titles(rest, new), not_charged }
}

/// A title that no run issued is as somebody wanted it: it only falls away where all its benefits are cancelled. Nobody knows
/// what it charges of those that are left.
fn plan_outside_title(
    registers: &TenantRegisters,
    sources: &RevisedBenefitSources,
    charge: &IssuedCharge,
) -> TitleRevisionOutcome {
    let revised = &sources.benefit;
    let has_left = |(benefit, stored): &(BenefitCode, SituationCode)| {
        // A preview has another situation than the one that is stored.
        let situation = if *benefit == revised.code { revised.situation } else { *stored };
        find_situation_refusal(registers, situation) == Some(NotChargedReason::Left)
    };
    if charge.situations.is_empty() || !charge.situations.iter().all(has_left) {
        return TitleRevisionOutcome::Unchanged;
    }
    TitleRevisionOutcome::Replaced { titles: Vec::new(), not_charged: Some(NotChargedReason::Left) }
}

/// A title without lines on the terms of another.
fn build_rest(title: &StoredTitle) -> PlannedTitle {
    PlannedTitle {
        person: title.person,
        branch: title.branch,
        group: title.group,
        due_on: title.due_on,
        lines: Vec::new(),
        pending_charges: Vec::new(),
    }
}

/// What lines charge, whatever their order and wording.
fn list_amounts<'l>(
    lines: impl IntoIterator<Item = &'l ChargeLine>,
) -> Vec<(ChargeItemCode, LegalNature, i64)> {
    let mut amounts: Vec<_> = lines.into_iter().map(|line| (line.item, line.nature, line.amount)).collect();
    amounts.sort_unstable();
    amounts
}

/// What the other benefits of the title were charged, and what the benefit is charged now: one title, if they agree in
/// everything else.
fn join_titles(mut rest: PlannedTitle, new: Option<PlannedTitle>) -> Vec<PlannedTitle> {
    match new {
        Some(new) if new.has_same_terms(&rest) => {
            rest.lines.extend(new.lines);
            rest.pending_charges.extend(new.pending_charges);
            vec![rest]
        }
        new => std::iter::once(rest).chain(new).filter(|title| !title.lines.is_empty()).collect(),
    }
}
