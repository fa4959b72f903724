//! What a revision of a benefit's titles is made from.

use super::super::charge_lines::{ChargeInput, JoiningFeeState, charge_benefit};
use super::super::run_terms::RunTerms;
use super::taken_charges::match_charges;
use app::Error;
use app::register_snapshot::TenantRegisters;
use domain::finance::{ChargeItemKind, ChargeLine, NotChargedReason};
use domain::{
    BenefitCode, BranchCode, ChargeItemCode, ChargingRunCode, Date, GroupCode, Moment, PersonCode, Scope,
    SituationCode, TenantId, TitleCode,
};
use finance_storage::charging::chargeable_benefits::{ChargeableBenefit, list_chargeable_benefits};
use finance_storage::charging::charged_months::{
    StoredChargedMonth, list_months_not_due, list_months_of_benefits,
};
use finance_storage::charging::granted_discounts::{StoredGrant, list_grants_of_range};
use finance_storage::charging::joining_fees::list_titles_with_items;
use finance_storage::charging::run_benefits::RunLine;
use finance_storage::charging::runs::{ChargedBenefitFilter, StoredChargingRun, find_run};
use finance_storage::charging::title_revisions::list_situations_of_title_benefits;
use finance_storage::pending_charges::{StoredPendingCharge, list_taken_charges};
use finance_storage::settlements::list_settlements;
use finance_storage::titles::{StoredTitle, list_title_lines, list_titles_by_code};
use std::collections::{BTreeMap, BTreeSet};
use storage::Tx;

/// Months before that of a title in which a charge shows that the benefit was charged before.
const MONTHS_BEFORE: i32 = 3;

/// A title that is not yet due, as it is.
pub(super) struct IssuedCharge {
    pub code: TitleCode,
    pub title: StoredTitle,
    pub month: StoredChargedMonth,
    /// `None` if the title came from another system or was issued by hand.
    pub run: Option<StoredChargingRun>,
    pub lines: Vec<ChargeLine>,
    /// Of a title without a run, all benefits that it names, with their situations; none, if it names no benefit.
    pub situations: Vec<(BenefitCode, SituationCode)>,
    /// The one-off charges among the lines.
    pub taken: Vec<StoredPendingCharge>,
    pub is_paid_with_money: bool,
    pub is_paid_with_credit: bool,
}

/// A benefit as it is, with its titles that are not yet due.
pub(super) struct RevisedBenefitSources {
    pub benefit: ChargeableBenefit,
    pub charges: Vec<IssuedCharge>,
    charged_months: Vec<StoredChargedMonth>,
    grants: Vec<StoredGrant>,
    /// The titles that charge the joining fee.
    joining_fees: Vec<TitleCode>,
    joining_items: Vec<ChargeItemCode>,
}

/// What is read of the registers before a revision reads its sources.
pub(super) struct JoiningItemsOnDay {
    pub today: Date,
    /// The items that a joining fee may be charged by.
    joining_items: Vec<ChargeItemCode>,
}

impl JoiningItemsOnDay {
    pub(super) fn new(registers: &TenantRegisters, now: Moment) -> JoiningItemsOnDay {
        let items = registers.money.charge_items.iter().filter(|item| item.kind == ChargeItemKind::Joining);
        JoiningItemsOnDay {
            today: now.date_in(&registers.zone),
            joining_items: items.map(|item| item.code).collect(),
        }
    }
}

/// What the benefit would be charged now for the month of a title.
pub(super) struct NewCharge {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub group: GroupCode,
    pub due_on: Date,
    pub lines: Vec<RunLine>,
}

impl RevisedBenefitSources {
    /// `None` for a benefit that does not exist.
    pub(super) async fn load(
        tx: &mut Tx,
        (tenant, code): (TenantId, BenefitCode),
        day: &JoiningItemsOnDay,
    ) -> Result<Option<RevisedBenefitSources>, Error> {
        let after = code.get() - 1;
        let everything = ChargedBenefitFilter::default();
        let mut found = list_chargeable_benefits(tx, tenant, &everything, (after, 1)).await?;
        let Some(benefit) = found.pop().filter(|one| one.code == code) else { return Ok(None) };
        let months = list_months_not_due(tx, (tenant, code), day.today).await?;
        let charged_months = match (months.first(), months.last()) {
            (Some(first), Some(last)) => {
                let range = (first.month.plus_months(-MONTHS_BEFORE), last.month);
                list_months_of_benefits(tx, tenant, [code], range).await?
            }
            _ => Vec::new(),
        };
        let charges = load_charges(tx, tenant, months).await?;
        let grants = list_grants_of_range(tx, tenant, (after, code)).await?;
        let items = day.joining_items.iter().copied();
        let joining_fees = list_titles_with_items(tx, tenant, [code], items).await?;
        let joining_fees = joining_fees.into_iter().map(|(_, title)| title).collect();
        let joining_items = day.joining_items.clone();
        Ok(Some(RevisedBenefitSources {
            benefit,
            charges,
            charged_months,
            grants,
            joining_fees,
            joining_items,
        }))
    }

    /// Whether a title that is revised charges the joining fee of the benefit, or another one does.
    pub(super) fn find_joining_fee(&self, charge: &IssuedCharge) -> JoiningFeeState {
        let lines = match_charges(&charge.lines, &charge.taken);
        // One that was added by hand is no price of the plan.
        let is_here = lines.iter().any(|one| one.pending_charge.is_none() && self.is_joining_fee(&one.line));
        match self.joining_fees.is_empty() {
            _ if is_here => JoiningFeeState::ChargedHere,
            true => JoiningFeeState::NotCharged,
            false => JoiningFeeState::Charged,
        }
    }

    pub(super) fn is_joining_fee(&self, line: &ChargeLine) -> bool {
        line.benefit == Some(self.benefit.code) && self.joining_items.contains(&line.item)
    }

    /// Charges the benefit again, with the prices and discounts of today. One-off charges stay as they were taken.
    pub(super) fn charge_again(
        &self,
        registers: &TenantRegisters,
        (charge, issued_by): (&IssuedCharge, &StoredChargingRun),
        joining_fee: JoiningFeeState,
        today: Date,
    ) -> Result<NewCharge, NotChargedReason> {
        let run = StoredChargingRun {
            month: charge.month.month,
            scope: ChargedBenefitFilter::default(),
            instalments: 1,
            prepared_on: today,
            ..issued_by.clone()
        };
        let terms = RunTerms::new(registers, &run);
        let earliest = run.month.plus_months(-MONTHS_BEFORE);
        let start = self.charged_months.partition_point(|one| one.month < earliest);
        let end = self.charged_months.partition_point(|one| one.month < run.month);
        let input = ChargeInput {
            benefit: &self.benefit,
            charged_months: &self.charged_months[start..end],
            grants: &self.grants,
            pending_charges: &[],
            taken: &BTreeSet::new(),
            joining_fee,
        };
        let charged = charge_benefit(&terms, &input).ok_or(NotChargedReason::NotUsable)?;
        if let Some(reason) = charged.row.reason {
            return Err(reason);
        }
        let title = &charge.title;
        let due_day = self.benefit.due_day.ok_or(NotChargedReason::NoDueDay)?;
        let (rule, _) = terms.find_rule(charged.row.group).ok_or(NotChargedReason::NotUsable)?;
        // As it was found when the title was issued, or the first one in its place. Somebody may have agreed on another day
        // since.
        let issued = [title.issued_on, issued_by.issued_on.unwrap_or(title.issued_on)];
        let is_due_day_kept =
            issued.iter().any(|day| terms.find_due_on(1, due_day, (*day, rule)) == title.original_due_on);
        let due_on = charged.row.due_on.filter(|_| !is_due_day_kept).unwrap_or(title.due_on);
        Ok(NewCharge {
            person: charged.row.person,
            branch: charged.row.branch,
            group: charged.row.group,
            due_on,
            lines: charged.lines,
        })
    }
}

async fn load_charges(
    tx: &mut Tx,
    tenant: TenantId,
    months: Vec<StoredChargedMonth>,
) -> Result<Vec<IssuedCharge>, Error> {
    let codes: Vec<TitleCode> = months.iter().map(|one| one.title).collect();
    let mut titles: BTreeMap<TitleCode, StoredTitle> =
        list_titles_by_code(&mut *tx, tenant, &codes).await?.into_iter().collect();
    let mut taken: BTreeMap<TitleCode, Vec<StoredPendingCharge>> = BTreeMap::new();
    for charge in list_taken_charges(tx, tenant, codes).await? {
        if let Some(title) = charge.title {
            taken.entry(title).or_default().push(charge);
        }
    }
    let mut runs: BTreeMap<ChargingRunCode, StoredChargingRun> = BTreeMap::new();
    for code in months.iter().filter_map(|one| one.origin.run()).collect::<BTreeSet<_>>() {
        if let Some(run) = find_run(&mut *tx, &Scope::for_tenant(tenant), code).await? {
            runs.insert(code, run);
        }
    }
    let outside: Vec<TitleCode> =
        months.iter().filter(|one| one.origin.run().is_none()).map(|one| one.title).collect();
    let mut situations: BTreeMap<TitleCode, Vec<(BenefitCode, SituationCode)>> = BTreeMap::new();
    for (title, benefit, situation) in list_situations_of_title_benefits(tx, tenant, outside).await? {
        situations.entry(title).or_default().push((benefit, situation));
    }
    let mut charges = Vec::with_capacity(months.len());
    for month in months {
        let code = month.title;
        let missing = || Error::Defect(format!("title {code} or its charging run is gone"));
        let settlements = list_settlements(&mut *tx, tenant, code).await?;
        let in_force = || settlements.iter().filter(|one| one.reversal.is_none());
        charges.push(IssuedCharge {
            code,
            title: titles.remove(&code).ok_or_else(missing)?,
            month,
            run: month.origin.run().map(|run| runs.get(&run).cloned().ok_or_else(missing)).transpose()?,
            lines: list_title_lines(&mut *tx, tenant, code).await?,
            situations: situations.remove(&code).unwrap_or_default(),
            taken: taken.remove(&code).unwrap_or_default(),
            is_paid_with_money: in_force().any(|one| one.money.is_some()),
            is_paid_with_credit: in_force().any(|one| one.money.is_none()),
        });
    }
    Ok(charges)
}
