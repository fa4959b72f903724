//! Finds the benefit that a validation refers to.

use super::found_rows::{self, FoundBenefit};
use crate::{Error, QueryWeight, ReadSource};
use domain::{CardNumber, Document, Scope, SituationCode, ValidationKeys, VisibleBranches};

/// The benefit in the scope that matches all of `keys`: preferring active ones, then the `preferred` branches, then
/// the newest. `active` lists the situations that count as active.
#[boxed::future]
pub async fn find_validated_benefit(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    keys: &ValidationKeys,
    active: &[SituationCode],
    preferred: &VisibleBranches,
) -> Result<Option<FoundBenefit>, Error> {
    let head = found_rows::build_benefit_search(false).append_text("WHERE b.tenant = $1").arg(scope.tenant());
    let card = keys.card.as_ref().map(CardNumber::as_str);
    let document = keys.document.as_ref().map(Document::as_str);
    // The first of these drives the query; the others have a form that no index serves (see the docs of
    // `search::members`).
    let filtered = match (keys.sequence, card, document) {
        (Some(number), ..) => head
            .append("AND b.sequence = ?", [number])
            .append_if_some("AND b.card || '' = ?", card)
            .append_if_some("AND p.document || '' = ?", document),
        (None, Some(card), _) => {
            head.append("AND b.card = ?", [card]).append_if_some("AND p.document || '' = ?", document)
        }
        // By the person, who is unique by document.
        (None, None, Some(document)) => {
            head.append("AND p.tenant = ?", [scope.tenant()]).append("AND p.document = ?", [document])
        }
        (None, None, None) => return Ok(None),
    };
    let visible = filtered.filter_branches("b.branch + 0", scope.branches());
    let marks = |count: usize| vec!["?"; count].join(", ");
    let mut ordered = visible.append_text("ORDER BY");
    if !active.is_empty() {
        let first = format!("CASE WHEN b.situation IN ({}) THEN 0 ELSE 1 END,", marks(active.len()));
        ordered = ordered.append(&first, active.iter().copied());
    }
    if let VisibleBranches::Only(allowed) = preferred
        && !allowed.is_empty()
    {
        let first = format!("CASE WHEN b.branch IN ({}) THEN 0 ELSE 1 END,", marks(allowed.len()));
        ordered = ordered.append(&first, allowed.iter().copied());
    }
    let ordered = ordered.append_text("b.code DESC LIMIT 1");
    let rows = source.fetch_all(QueryWeight::Point, ordered).await?;
    Ok(found_rows::parse_found_benefits(rows)?.into_iter().next())
}
