//! The months that imported titles charge already, so that no charging run here charges them again: those of titles whose
//! type a charging rule came to use only after they were written. A mirror claims them when it has read its titles, and
//! every run before its first batch, for titles of sheets. A run also claims those of its own months for titles by hand.
//!
//! They are claimed in portions, each a unit of work. A title whose month is claimed is not listed again, so that what is
//! interrupted goes on where it was.

use crate::claimed_month::list_claimed_benefits;
use crate::mirrored_title::KEY_PREFIX;
use app::register_snapshot::TenantRegisters;
use app::{ActorContext, App, Error};
use domain::finance::{ChargedMonth, TitleSituation};
use domain::{BenefitCode, GroupCode, TenantId, TitleCode, TitleTypeCode};
use finance_storage::charging::charged_months::{ChargedMonthOrigin, claim_free_month};
use finance_storage::charging::unclaimed_titles::{
    self, UnclaimedTitle, UnclaimedTitleFilter, find_end_of_portion, list_unclaimed_titles_by_hand,
};
use finance_storage::opening::list_open_benefit_title_types;
use finance_storage::titles::{self, StoredTitle};
use std::collections::{BTreeMap, BTreeSet};
use storage::Tx;

/// Titles whose months one unit of work claims.
pub const CLAIMED_TITLES_PER_UNIT: usize = 100;

/// Benefits after which a unit of a run ends: a title of a company may be for a thousand.
pub(crate) const CLAIMS_PER_UNIT: usize = 500;

/// Imported titles that one statement looks at.
const TITLES_PER_LOOK: i64 = 5_000;

/// A run may be for a month of a year ago, and looks at three months before it.
const MONTHS_BEFORE: i32 = 15;

/// The imported titles that charge no month though a charging rule uses their type, by code.
#[boxed::future]
pub async fn list_unclaimed_titles(
    app: &App,
    tenant: TenantId,
    registers: &TenantRegisters,
) -> Result<Vec<TitleCode>, Error> {
    let mut search = UnclaimedTitleSearch::new(app, registers);
    let mut unclaimed = Vec::new();
    while let Some(found) = search.list_next(app, tenant).await? {
        unclaimed.extend(found);
    }
    Ok(unclaimed)
}

/// Looks for unclaimed titles in portions, so that a lease can be extended between them.
pub(crate) struct UnclaimedTitleSearch {
    claiming: BTreeSet<(GroupCode, TitleTypeCode)>,
    filter: UnclaimedTitleFilter,
    /// The last imported title that was looked at; `None` after the last of all.
    after: Option<TitleCode>,
}

impl UnclaimedTitleSearch {
    pub fn new(app: &App, registers: &TenantRegisters) -> UnclaimedTitleSearch {
        let money = &registers.money;
        let rules =
            money.groups.iter().filter_map(|group| Some((group.code, money.charging_rule(group.code)?)));
        let claiming: BTreeSet<(GroupCode, TitleTypeCode)> =
            rules.map(|(group, rule)| (group, rule.title_type)).collect();
        let title_types: BTreeSet<TitleTypeCode> =
            claiming.iter().map(|(_, title_type)| *title_type).collect();
        let charged = registers.situations.iter().filter(|one| one.is_charged);
        let this_month = ChargedMonth::of_day(app.now().date_in(&registers.zone));
        let filter = UnclaimedTitleFilter {
            title_types: title_types.into_iter().collect(),
            charged_situations: charged.map(|one| one.code).collect(),
            due_from: this_month.plus_months(-MONTHS_BEFORE).first_day(),
        };
        let after = Some(TitleCode::new(0)).filter(|_| !claiming.is_empty());
        UnclaimedTitleSearch { claiming, filter, after }
    }

    pub fn has_more(&self) -> bool {
        self.after.is_some()
    }

    /// The unclaimed ones of the next imported titles; `None` after the last of them.
    #[boxed::future]
    pub async fn list_next(&mut self, app: &App, tenant: TenantId) -> Result<Option<Vec<TitleCode>>, Error> {
        let Some(after) = self.after else { return Ok(None) };
        let end = find_end_of_portion(&app.db, tenant, (after, TITLES_PER_LOOK)).await?;
        let range = (after, end.unwrap_or(TitleCode::new(i32::MAX)));
        let found = unclaimed_titles::list_unclaimed_titles(&app.db, tenant, range, &self.filter).await?;
        self.after = end;
        Ok(Some(self.select_of_rules(&found)))
    }

    /// The unclaimed titles by hand of the months of a run.
    #[boxed::future]
    pub async fn list_by_hand(
        &self,
        app: &App,
        tenant: TenantId,
        months: (ChargedMonth, ChargedMonth),
    ) -> Result<Vec<TitleCode>, Error> {
        if self.claiming.is_empty() {
            return Ok(Vec::new());
        }
        let found = list_unclaimed_titles_by_hand(&app.db, tenant, months, &self.filter).await?;
        Ok(self.select_of_rules(&found))
    }

    fn select_of_rules(&self, found: &[UnclaimedTitle]) -> Vec<TitleCode> {
        let of_rules = found.iter().filter(|one| self.claiming.contains(&(one.group, one.title_type)));
        of_rules.map(|one| one.code).collect()
    }
}

/// Claims the months of imported titles, where nothing else has charged them. Returns how many there were. The caller
/// has confirmed its registers in this unit of work.
#[boxed::future]
pub async fn claim_months_of_titles(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    codes: &[TitleCode],
) -> Result<u64, Error> {
    let claimed = claim_some_months(tx, context, (codes, ChargedMonthOrigin::Import), usize::MAX).await?;
    Ok(claimed.months)
}

/// What a unit of claims came to.
pub(crate) struct ClaimedTitles {
    /// How many of the first titles are done.
    pub titles: usize,
    pub months: u64,
}

/// Claims the months of titles until these are for so many benefits. At least one title is done.
pub(crate) async fn claim_some_months(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    (codes, origin): (&[TitleCode], ChargedMonthOrigin),
    most_claims: usize,
) -> Result<ClaimedTitles, Error> {
    let tenant = context.tenant;
    let mut benefits: BTreeMap<TitleCode, Vec<BenefitCode>> = BTreeMap::new();
    for (title, benefit, _) in titles::list_title_benefits(&mut *tx, tenant, codes).await? {
        benefits.entry(title).or_default().push(benefit);
    }
    let found = titles::list_titles_by_code(&mut *tx, tenant, codes).await?;
    let found: BTreeMap<TitleCode, StoredTitle> = found.into_iter().collect();
    let (mut claimed, mut claims) = (ClaimedTitles { titles: 0, months: 0 }, 0);
    for code in codes {
        if claims >= most_claims {
            break;
        }
        claimed.titles += 1;
        // It may have been cancelled since it was listed.
        let is_in_force =
            |title: &&StoredTitle| matches!(title.situation, TitleSituation::Open | TitleSituation::Settled);
        let Some(title) = found.get(code).filter(is_in_force) else { continue };
        let named = benefits.remove(code).unwrap_or_default();
        let charged = list_claimed_benefits(tx, (tenant, context.registers), title, &named).await?;
        claims += charged.len();
        let month = (*code, ChargedMonth::of_day(title.original_due_on), origin);
        for claim in claim_free_month(tenant, month, &charged) {
            claimed.months += tx.execute(claim).await?;
        }
    }
    Ok(claimed)
}

/// The names of the types that charging rules use, of groups in which open mirrored titles of people with benefits are, but
/// none of that type. Their months are not claimed.
#[boxed::future]
pub async fn list_unmatched_charging_types(
    app: &App,
    tenant: TenantId,
    registers: &TenantRegisters,
) -> Result<Vec<String>, Error> {
    let found = list_open_benefit_title_types(&app.db, tenant, KEY_PREFIX).await?;
    let groups: BTreeSet<GroupCode> = found.iter().map(|(group, _)| *group).collect();
    let unmatched = groups.into_iter().filter_map(|group| {
        let title_type = registers.money.charging_rule(group)?.title_type;
        let is_matched = found.contains(&(group, title_type));
        registers.money.title_type(title_type).filter(|_| !is_matched).map(|one| one.name.clone())
    });
    let names: BTreeSet<String> = unmatched.collect();
    Ok(names.into_iter().collect())
}
