//! Sentences for people live in `wire` and in the console; the packages between them and the database hold types.

use super::{files, root};
use std::collections::BTreeSet;

/// Files with the titles of exported lists and of their columns, beside the values of the columns. The list can only
/// shrink.
const TITLES_OF_EXPORTS: [&str; 6] = [
    "exchange/src/export/administration_columns.rs",
    "exchange/src/export/case_columns.rs",
    "exchange/src/export/exportable_lists.rs",
    "exchange/src/export/member_columns.rs",
    "exchange/src/export/register_columns.rs",
    "exchange/src/export/title_columns.rs",
];

fn is_portuguese_letter(letter: char) -> bool {
    "áàâãéêíóôõúüç".contains(letter.to_lowercase().next().unwrap_or(letter))
}

#[test]
fn no_portuguese_sentence_is_below_the_wire() {
    let mut sources = Vec::new();
    for package in ["app", "storage", "exchange"] {
        files(&root().join("crates").join(package).join("src"), "rs", &mut sources);
    }
    assert!(sources.len() > 200, "{}", sources.len());
    let mut exceptions = BTreeSet::new();
    for path in sources.iter().filter(|path| !path.iter().any(|part| part == "tests" || part == "tests.rs")) {
        let place = path.strip_prefix(root().join("crates")).unwrap().display().to_string();
        let text = std::fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            if line.split('"').skip(1).step_by(2).any(|literal| literal.contains(is_portuguese_letter)) {
                assert!(
                    TITLES_OF_EXPORTS.contains(&place.as_str()),
                    "a sentence for `wire` in {place}: {line}"
                );
                exceptions.insert(place.clone());
            }
        }
    }
    assert_eq!(exceptions, TITLES_OF_EXPORTS.map(str::to_owned).into(), "take the others out of the list");
}
