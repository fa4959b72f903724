//! Which charge lines are shown when not all of them have room.

use crate::slip_document::{ChargeGroupOnSlip, ChargeLineOnSlip};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ChargeRow<'t> {
    /// A nature with its sum.
    Nature {
        text: String,
        total: &'t str,
    },
    Line {
        description: &'t str,
        amount: &'t str,
    },
    /// How many lines are not shown.
    Rest {
        text: String,
    },
}

/// At most so many rows. Every nature is named with its sum before lines are shown, and each gets its share of them: a
/// member with sixty lines of one nature still sees what the others are.
pub(super) fn choose_charge_rows<'t>(
    groups: &[ChargeGroupOnSlip<'t>],
    most_rows: usize,
) -> Vec<ChargeRow<'t>> {
    if groups.len() > most_rows {
        return list_some_natures(groups, most_rows);
    }
    let mut rows = Vec::new();
    for (group, count) in groups.iter().zip(share_rows(groups, most_rows - groups.len())) {
        let hidden = group.lines.len() - count_shown(group, count);
        let is_counted_above = hidden > 0 && count < 2;
        let text = match is_counted_above {
            true => format!("{} ({})", group.nature, count_lines(hidden)),
            false => group.nature.to_owned(),
        };
        rows.push(ChargeRow::Nature { text, total: group.total });
        rows.extend(group.lines[..group.lines.len() - hidden].iter().map(show_line));
        if hidden > 0 && !is_counted_above {
            rows.push(ChargeRow::Rest { text: format!("e mais {}", count_lines(hidden)) });
        }
    }
    rows
}

/// How many rows below its heading each group has. One after the other takes a row until all have what they need, or no
/// row is left.
fn share_rows(groups: &[ChargeGroupOnSlip<'_>], mut rows: usize) -> Vec<usize> {
    let mut shares = vec![0; groups.len()];
    let mut is_satisfied = false;
    while rows > 0 && !is_satisfied {
        is_satisfied = true;
        for (share, group) in shares.iter_mut().zip(groups) {
            if *share < group.lines.len() && rows > 0 {
                *share += 1;
                rows -= 1;
                is_satisfied = false;
            }
        }
    }
    shares
}

/// The last row of a group that is shortened tells how many lines are missing.
fn count_shown(group: &ChargeGroupOnSlip<'_>, rows: usize) -> usize {
    if rows >= group.lines.len() { group.lines.len() } else { rows.saturating_sub(1) }
}

fn show_line<'t>(line: &ChargeLineOnSlip<'t>) -> ChargeRow<'t> {
    ChargeRow::Line { description: line.description, amount: line.amount }
}

fn list_some_natures<'t>(groups: &[ChargeGroupOnSlip<'t>], most_rows: usize) -> Vec<ChargeRow<'t>> {
    let Some(count) = most_rows.checked_sub(1) else { return Vec::new() };
    let (shown, hidden) = groups.split_at(count);
    let natures = shown.iter().map(|group| {
        let text = match group.lines.len() {
            0 => group.nature.to_owned(),
            lines => format!("{} ({})", group.nature, count_lines(lines)),
        };
        ChargeRow::Nature { text, total: group.total }
    });
    let rest: usize = hidden.iter().map(|group| group.lines.len().max(1)).sum();
    natures.chain([ChargeRow::Rest { text: format!("e mais {}", count_lines(rest)) }]).collect()
}

fn count_lines(count: usize) -> String {
    if count == 1 { "1 lançamento".to_owned() } else { format!("{count} lançamentos") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn write_rows(counts: &[usize], most_rows: usize) -> Vec<String> {
        let line = ChargeLineOnSlip { description: "l", amount: "1" };
        let lines: Vec<Vec<_>> = counts.iter().map(|count| vec![line; *count]).collect();
        let groups: Vec<_> =
            lines.iter().map(|lines| ChargeGroupOnSlip { nature: "N", total: "9", lines }).collect();
        let rows = choose_charge_rows(&groups, most_rows);
        rows.iter()
            .map(|row| match row {
                ChargeRow::Nature { text, .. } | ChargeRow::Rest { text } => text.clone(),
                ChargeRow::Line { description, .. } => (*description).to_owned(),
            })
            .collect()
    }

    #[test]
    fn every_nature_has_its_share() {
        assert_eq!(write_rows(&[2, 1], 5), ["N", "l", "l", "N", "l"]);
        assert_eq!(write_rows(&[58, 1], 7), ["N", "l", "l", "l", "e mais 55 lançamentos", "N", "l"]);
        assert_eq!(write_rows(&[2, 1], 4), ["N (2 lançamentos)", "N", "l"]);
        assert_eq!(write_rows(&[2, 1], 2), ["N (2 lançamentos)", "N (1 lançamento)"]);
        assert_eq!(write_rows(&[2, 1, 3], 2), ["N (2 lançamentos)", "e mais 4 lançamentos"]);
        assert_eq!(write_rows(&[2], 0), [""; 0]);
        assert_eq!(write_rows(&[], 3), [""; 0]);
        assert_eq!(write_rows(&[0], 1), ["N"]);
    }

    proptest! {
        #[test]
        fn rows_have_room_and_no_line_is_forgotten(
            counts in proptest::collection::vec(0..40_usize, 0..12),
            most_rows in 0..20_usize,
        ) {
            let rows = write_rows(&counts, most_rows);
            prop_assert!(rows.len() <= most_rows);
            let count = |row: &String| match row.as_str() {
                "l" => 1,
                other => other.split(|c: char| !c.is_ascii_digit()).find_map(|part| part.parse().ok()).unwrap_or(0),
            };
            let total: usize = counts.iter().sum();
            if counts.len() <= most_rows {
                prop_assert_eq!(rows.iter().map(count).sum::<usize>(), total);
            }
        }
    }
}
