//! The one benefit that a validation is about.

use super::found::{self, FoundBenefit};
use crate::{Error, Source, Weight};
use domain::{CardNumber, Document, Scope, SituationCode, ValidationKeys};

/// The benefit in the scope that has everything of `keys`: of several an active one, then the newest. `active` are the
/// situations that count as such.
pub async fn validated(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    keys: &ValidationKeys,
    active: &[SituationCode],
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
    let ordered = match active.is_empty() {
        true => seen.ending("ORDER BY b.code DESC LIMIT 1"),
        false => {
            let marks = vec!["?"; active.len()].join(", ");
            let first =
                format!("ORDER BY CASE WHEN b.situation IN ({marks}) THEN 0 ELSE 1 END, b.code DESC LIMIT 1");
            seen.then(&first, active.iter().copied())
        }
    };
    let rows = from.into().all(Weight::Point, ordered).await?;
    Ok(found::read_benefits(rows)?.into_iter().next())
}
