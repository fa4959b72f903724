//! The searches for members and benefits.
//!
//! A search is driven by one criterion: the most selective one with an index, or the order of the rows. All others
//! are checked row by row, in a form that no index serves: `l.branch + 0`, `l.chassis || ''`. A search only by branch
//! and situation needs no driver: the tally locates its pages (`search/tally.rs`).

mod benefits;
mod by_key;
mod by_name;
mod conditions;
mod count;
mod found_rows;
mod leading_criterion;
mod shapes;
mod slots;
mod validation;

pub use benefits::{list_benefits_between, list_benefits_by_code, list_benefits_by_criteria};
pub use by_key::{build_key_search, list_rows_by_key};
pub use count::count_search_rows;
pub use found_rows::{FoundBenefit, FoundMemberBenefit, FoundMemberRow, FoundPerson};
pub use leading_criterion::{LeadingMemberCriterion, find_certain_criterion};
pub use slots::{list_benefits_of_slots, list_rows_of_slots, list_slots_in_range};
pub use validation::find_validated_benefit;

use crate::{Error, Tx};
use by_name::NameWordMatches;
use count::parse_count;
use domain::{MemberCriteria, Scope};
use leading_criterion::choose_leading_criterion;

/// A search with its driving criterion.
pub struct MemberSearch<'s> {
    scope: &'s Scope,
    criteria: &'s MemberCriteria,
    driver: LeadingMemberCriterion,
    /// The matches of the name words, if they drive the search.
    words: Option<NameWordMatches>,
}

impl<'s> MemberSearch<'s> {
    /// `None` if the search is only by branch and situation.
    #[boxed::future]
    pub async fn prepare(
        tx: &mut Tx,
        scope: &'s Scope,
        criteria: &'s MemberCriteria,
    ) -> Result<Option<MemberSearch<'s>>, Error> {
        let Some(driver) = choose_leading_criterion(tx, scope, criteria).await? else { return Ok(None) };
        let words = match driver {
            LeadingMemberCriterion::Words => Some(NameWordMatches::look_up(tx, scope, criteria).await?),
            _ => None,
        };
        Ok(Some(MemberSearch { scope, criteria, driver, words }))
    }

    /// The slots of a page: those after `after`, without the first `skip`.
    #[boxed::future]
    pub async fn list_slots(&self, tx: &mut Tx, after: i32, skip: i64) -> Result<Vec<i32>, Error> {
        let search = (self.scope, self.criteria);
        slots::list_page_slots(tx, search, self.driver, self.words.as_ref(), (after, skip)).await
    }

    #[boxed::future]
    pub async fn count_rows(&self, tx: &mut Tx) -> Result<i64, Error> {
        let statement = match &self.words {
            Some(NameWordMatches::Slots(slots)) => return Ok(slots.len() as i64),
            Some(NameWordMatches::IndexQuery(query)) => {
                by_name::build_word_count(self.scope, self.criteria, query)
            }
            None => return count_search_rows(tx, self.scope, self.criteria, self.driver).await,
        };
        parse_count(tx.fetch_all(statement).await?, "rows")
    }
}
