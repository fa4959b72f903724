//! Which answers of a receiver count as success.

/// Whether an HTTP status says that the receiver accepted the message: only 200 to 204.
pub const fn is_accepted_status(status: i32) -> bool {
    matches!(status, 200..=204)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_200_to_204_are_success() {
        let accepted: Vec<i32> = (100..600).filter(|status| is_accepted_status(*status)).collect();
        assert_eq!(accepted, [200, 201, 202, 203, 204]);
    }
}
