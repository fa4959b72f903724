//! What counts as a change of situation.

use crate::SituationCode;

/// Whether a record gets another situation: only then there is a history row, and receivers are told. A new record has
/// none before.
pub fn is_situation_change(from: Option<SituationCode>, to: SituationCode) -> bool {
    from != Some(to)
}
