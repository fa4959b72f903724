//! Finds the known name nearest to a misspelt one.

/// Compares full paths, and also the last segments alone: a key may be in the wrong section.
pub fn find_nearest_name<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (unknown.chars().count() / 3).clamp(1, 3);
    known
        .map(|name| {
            (
                count_edits(unknown, name)
                    .min(1 + count_edits(take_last_segment(unknown), take_last_segment(name))),
                name,
            )
        })
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn take_last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The Levenshtein distance.
fn count_edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let exchanged = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_the_changes() {
        assert_eq!(count_edits("listen", "listen"), 0);
        assert_eq!(count_edits("lisen", "listen"), 1);
        assert_eq!(count_edits("listne", "listen"), 2);
        assert_eq!(count_edits("", "abc"), 3);
        assert_eq!(count_edits("kitten", "sitting"), 3);
    }

    #[test]
    fn the_nearest_is_suggested_only_when_near() {
        let known = ["listen", "log", "http.max_connections", "storage.readers"];
        let nearest = |unknown| find_nearest_name(unknown, known.into_iter());
        assert_eq!(nearest("lisen"), Some("listen"));
        assert_eq!(nearest("htp.max_conections"), Some("http.max_connections"));
        assert_eq!(nearest("readers"), Some("storage.readers"));
        assert_eq!(nearest("http.readers"), Some("storage.readers"));
        assert_eq!(nearest("color"), None);
    }
}
