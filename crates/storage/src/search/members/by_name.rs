//! Searches driven by the words of a name.

use super::conditions::{append_other_criteria, filter_by_words, has_other_criteria};
use super::leading_criterion::LeadingMemberCriterion;
use crate::name_index::{self, TypedWord};
use crate::{Error, Statement, Tx, sql};
use domain::{MemberCriteria, Scope};

/// Up to this many rows, names are read instead of querying a word with many completions.
const MOST_CANDIDATES: usize = 500;

/// The matches of the words of a search.
pub enum NameWordMatches {
    /// The rows that the name index finds for this query.
    IndexQuery(String),
    /// These rows, which also match all other criteria.
    Slots(Vec<i32>),
}

impl NameWordMatches {
    /// Looks the words up. A word such as `da` is the prefix of dozens of others and expensive to query; if the other
    /// words leave few rows, it is checked in their names instead.
    #[boxed::future]
    pub async fn look_up(
        tx: &mut Tx,
        scope: &Scope,
        criteria: &MemberCriteria,
    ) -> Result<NameWordMatches, Error> {
        let typed = TypedWord::look_up(tx, scope.tenant(), &criteria.words).await?;
        if typed.iter().any(TypedWord::is_unknown) {
            return Ok(NameWordMatches::Slots(Vec::new()));
        }
        let (easy, others): (Vec<&TypedWord>, Vec<&TypedWord>) = typed.iter().partition(|one| one.is_easy());
        if !easy.is_empty() && !others.is_empty() {
            let query = name_index::build_exact_query(scope, easy);
            if let Some(candidates) = list_candidate_slots(tx, query).await? {
                return Ok(NameWordMatches::Slots(
                    filter_slots_by_words(tx, scope, criteria, &candidates, &others).await?,
                ));
            }
        }
        Ok(NameWordMatches::IndexQuery(name_index::build_exact_query(scope, &typed)))
    }
}

/// The rows that a query finds; `None` if there are too many.
async fn list_candidate_slots(tx: &mut Tx, query: String) -> Result<Option<Vec<i32>>, Error> {
    let found =
        sql("SELECT NAME_ORDER AS place FROM name_index n WHERE MATCHES_NAME(CAST($1 AS TEXT)) LIMIT $2");
    let rows = tx.fetch_all(found.arg(query).arg(MOST_CANDIDATES as i64 + 1)).await?;
    if rows.len() > MOST_CANDIDATES {
        return Ok(None);
    }
    rows.iter().map(|row| row.get("place").map(name_index::extract_slot)).collect::<Result<_, _>>().map(Some)
}

/// The slots whose names contain these words and that match all other criteria.
async fn filter_slots_by_words(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &MemberCriteria,
    candidates: &[i32],
    words: &[&TypedWord],
) -> Result<Vec<i32>, Error> {
    let rows =
        sql("SELECT l.slot, p.name FROM listing l JOIN people p ON p.tenant = l.tenant AND p.code = l.person
         WHERE l.tenant = $1")
        .arg(scope.tenant())
        .filter_in("l.slot", candidates.iter().copied());
    let rows = tx
        .fetch_all(
            append_other_criteria(rows, LeadingMemberCriterion::Words, scope, criteria)
                .append_text("ORDER BY l.slot"),
        )
        .await?;
    let mut slots = Vec::new();
    for row in &rows {
        let name: String = row.get("name")?;
        if words.iter().all(|word| word.is_in_name(&name)) {
            slots.push(row.get("slot")?);
        }
    }
    Ok(slots)
}

/// The slots after `after`, not yet ordered, and the ordering expression. The index may have no order, so its results
/// are sorted before they are checked.
pub fn select_slots_after(
    scope: &Scope,
    criteria: &MemberCriteria,
    query: &str,
    after: i32,
) -> (Statement, &'static str) {
    let tenant = scope.tenant();
    let after = name_index::build_index_key(tenant, after);
    if !has_other_criteria(LeadingMemberCriterion::Words, scope, criteria) {
        let found = sql("SELECT NAME_ORDER AS place FROM name_index n WHERE MATCHES_NAME(CAST($1 AS TEXT))");
        return (found.arg(query).append("AND NAME_ORDER > ?", [after]), "NAME_ORDER");
    }
    let found = sql("SELECT n.place FROM (SELECT NAME_ORDER AS place FROM name_index n
             WHERE MATCHES_NAME(CAST($1 AS TEXT))")
    .arg(query)
    .append("AND NAME_ORDER > ?", [after])
    .append_text("ORDER BY NAME_ORDER) AS n CROSS JOIN listing l")
    .append("WHERE l.tenant = ?", [tenant])
    .append("AND l.slot = n.place - ?", [name_index::build_index_key(tenant, 0)]);
    (append_other_criteria(found, LeadingMemberCriterion::Words, scope, criteria), "n.place")
}

pub fn build_word_count(scope: &Scope, criteria: &MemberCriteria, query: &str) -> Statement {
    append_other_criteria(
        filter_by_words(sql("SELECT COUNT(*) AS rows"), scope, criteria, query),
        LeadingMemberCriterion::Words,
        scope,
        criteria,
    )
}
