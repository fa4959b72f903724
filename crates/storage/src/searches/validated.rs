//! The one benefit that a validation is about.

use super::found::{self, FoundBenefit};
use crate::{Error, Source, Weight};
use domain::{Branches, CardNumber, Document, Scope, SituationCode, ValidationKeys};

/// The benefit in the scope that has everything of `keys`: of several an active one, then one of the `preferred` branches,
/// then the newest. `active` are the situations that count as such.
#[boxed::future]
pub async fn validated(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    keys: &ValidationKeys,
    active: &[SituationCode],
    preferred: &Branches,
) -> Result<Option<FoundBenefit>, Error> {
    let head = found::benefits(false).ending("WHERE b.tenant = $1").arg(scope.tenant());
    let card = keys.card.as_ref().map(CardNumber::as_str);
    let document = keys.document.as_ref().map(Document::as_str);
    // The first of these leads, and the others are disguised (see the head of `searches`).
    let led = match (keys.sequence, card, document) {
        (Some(number), ..) => head
            .then("AND b.sequence = ?", [number])
            .when("AND b.card || '' = ?", card)
            .when("AND p.document || '' = ?", document),
        (None, Some(card), _) => {
            head.then("AND b.card = ?", [card]).when("AND p.document || '' = ?", document)
        }
        // By his person, of whom there is one.
        (None, None, Some(document)) => {
            head.then("AND p.tenant = ?", [scope.tenant()]).then("AND p.document = ?", [document])
        }
        (None, None, None) => return Ok(None),
    };
    let seen = led.scoped("b.branch + 0", scope.branches());
    let marks = |count: usize| vec!["?"; count].join(", ");
    let mut ordered = seen.ending("ORDER BY");
    if !active.is_empty() {
        let first = format!("CASE WHEN b.situation IN ({}) THEN 0 ELSE 1 END,", marks(active.len()));
        ordered = ordered.then(&first, active.iter().copied());
    }
    if let Branches::Only(some) = preferred
        && !some.is_empty()
    {
        let first = format!("CASE WHEN b.branch IN ({}) THEN 0 ELSE 1 END,", marks(some.len()));
        ordered = ordered.then(&first, some.iter().copied());
    }
    let ordered = ordered.ending("b.code DESC LIMIT 1");
    let rows = from.all(Weight::Point, ordered).await?;
    Ok(found::read_benefits(rows)?.into_iter().next())
}
