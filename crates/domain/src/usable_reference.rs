//! Which entries of a register a record may refer to.

/// An active entry may be chosen; one that the record already has may stay.
pub fn is_usable_reference<C: PartialEq>(code: C, is_active: bool, current: &[C]) -> bool {
    is_active || current.contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inactive_entry_stays_but_is_not_chosen() {
        assert!(is_usable_reference(7, true, &[]));
        assert!(!is_usable_reference(7, false, &[8]));
        assert!(is_usable_reference(7, false, &[8, 7]));
    }
}
