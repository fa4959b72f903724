//! Splitting an amount in proportion to weights, without losing or inventing a cent.

use std::cmp::Reverse;

/// Shares of `total` in proportion to the weights. Their sum is exactly `total`: each share is rounded down, and the
/// cents that are left go to the largest remainders, of equal ones to the lower index. A total up to the sum of the
/// weights gives no weight more than itself.
///
/// `None` for a negative total or weight, and for an amount that no weight takes.
pub fn allocate_by_largest_remainder(total: i64, weights: &[i64]) -> Option<Vec<i64>> {
    let weight_sum = check_weights(total, weights)?;
    if total == 0 {
        return Some(vec![0; weights.len()]);
    }
    let exact = weights.iter().map(|weight| i128::from(total) * i128::from(*weight));
    let (mut shares, remainders): (Vec<i128>, Vec<i128>) =
        exact.map(|share| (share / weight_sum, share % weight_sum)).unzip();
    let left = i128::from(total) - shares.iter().sum::<i128>();
    let mut indexes: Vec<usize> = (0..weights.len()).collect();
    indexes.sort_by_key(|index| (Reverse(remainders[*index]), *index));
    // Fewer cents are left than there are remainders above zero, so a weight of zero never gets one.
    for index in indexes.into_iter().take(usize::try_from(left).ok()?) {
        shares[index] += 1;
    }
    shares.into_iter().map(|share| i64::try_from(share).ok()).collect()
}

/// The sum of the weights; 1 for a total of nothing, which every weight can take.
fn check_weights(total: i64, weights: &[i64]) -> Option<i128> {
    if total < 0 || weights.iter().any(|weight| *weight < 0) {
        return None;
    }
    let sum: i128 = weights.iter().copied().map(i128::from).sum();
    (sum > 0 || total == 0).then(|| sum.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cents_go_to_the_largest_remainders_then_to_the_lower_index() {
        assert_eq!(allocate_by_largest_remainder(100, &[1, 1, 1]), Some(vec![34, 33, 33]));
        assert_eq!(allocate_by_largest_remainder(101, &[1, 1, 1]), Some(vec![34, 34, 33]));
        assert_eq!(allocate_by_largest_remainder(10, &[1, 6, 6, 2]), Some(vec![1, 4, 4, 1]));
        assert_eq!(allocate_by_largest_remainder(1, &[0, 1, 0]), Some(vec![0, 1, 0]));
    }

    #[test]
    fn what_cannot_be_split_is_refused() {
        assert_eq!(allocate_by_largest_remainder(-1, &[1]), None);
        assert_eq!(allocate_by_largest_remainder(1, &[2, -1]), None);
        assert_eq!(allocate_by_largest_remainder(0, &[-1]), None);
        assert_eq!(allocate_by_largest_remainder(1, &[0, 0]), None);
        assert_eq!(allocate_by_largest_remainder(1, &[]), None);
        assert_eq!(allocate_by_largest_remainder(0, &[0, 0]), Some(vec![0, 0]));
        assert_eq!(allocate_by_largest_remainder(0, &[]), Some(vec![]));
        assert_eq!(allocate_by_largest_remainder(0, &[5, 3]), Some(vec![0, 0]));
    }

    #[test]
    fn the_largest_numbers_fit() {
        assert_eq!(allocate_by_largest_remainder(i64::MAX, &[i64::MAX, 0]), Some(vec![i64::MAX, 0]));
        let halves = allocate_by_largest_remainder(i64::MAX, &[i64::MAX; 2]).unwrap();
        assert_eq!(halves, [i64::MAX / 2 + 1, i64::MAX / 2]);
    }

    fn some_weights() -> impl Strategy<Value = Vec<i64>> {
        prop_oneof![
            prop::collection::vec(0i64..40, 1..6),
            prop::collection::vec(0i64..100_000, 1..6),
            prop::collection::vec(prop_oneof![Just(0i64), 0..=i64::MAX], 1..9),
        ]
        .prop_filter("some weight takes a cent", |weights| weights.iter().any(|weight| *weight > 0))
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_weight_of_zero_pays(
            total in prop_oneof![0i64..500, 0..=i64::MAX], weights in some_weights(),
        ) {
            let shares = allocate_by_largest_remainder(total, &weights).unwrap();
            prop_assert_eq!(shares.iter().copied().map(i128::from).sum::<i128>(), i128::from(total));
            prop_assert!(shares.iter().all(|share| *share >= 0));
            prop_assert!(shares.iter().zip(&weights).all(|(share, weight)| *weight > 0 || *share == 0));
        }

        #[test]
        fn a_share_is_within_a_cent(
            total in prop_oneof![0i64..500, 0..=i64::MAX], weights in some_weights(),
        ) {
            let sum: i128 = weights.iter().copied().map(i128::from).sum();
            let shares = allocate_by_largest_remainder(total, &weights).unwrap();
            for (share, weight) in shares.iter().zip(&weights) {
                let floor = i128::from(total) * i128::from(*weight) / sum;
                prop_assert!((floor..=floor + 1).contains(&i128::from(*share)));
            }
        }

        #[test]
        fn no_share_exceeds_its_weight_before_all_is_paid(
            weights in prop::collection::vec(0i64..1_000_000, 1..6), permille in 0i64..=1_000,
        ) {
            let sum: i64 = weights.iter().sum();
            let shares = allocate_by_largest_remainder(sum * permille / 1_000, &weights).unwrap();
            prop_assert!(shares.iter().zip(&weights).all(|(share, weight)| share <= weight));
            prop_assert_eq!(allocate_by_largest_remainder(sum, &weights).unwrap(), weights);
        }
    }
}
