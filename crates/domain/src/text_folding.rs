//! Text folding: the single way in which names are compared, so that both database engines give the same results.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// The letters below this one fold one by one, whatever stands beside them: Latin, without combining marks.
const END_OF_LATIN: char = '\u{300}';

/// Removes case and accents and collapses whitespace: `  João da  SILVA ` → `joao da silva`.
pub fn fold_text(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    if text.chars().all(|letter| letter < END_OF_LATIN) {
        text.chars().for_each(|letter| push_bare_letter(&mut bare, letter));
    } else {
        bare = fold_in_passes(text);
    }
    if is_collapsed(&bare) {
        return bare;
    }
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn fold_in_passes(text: &str) -> String {
    let bare: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect::<String>().to_lowercase();
    // Lower-casing may add combining marks (İ), so they are removed again.
    bare.nfkd().filter(|c| !is_combining_mark(*c)).collect()
}

/// Appends a letter in lower case, without its accents.
fn push_bare_letter(bare: &mut String, letter: char) {
    if letter.is_ascii() {
        return bare.push(letter.to_ascii_lowercase());
    }
    decompose_compatible(letter, |part| {
        // Lower-casing may add combining marks (İ), so the parts are decomposed again.
        for lower in part.to_lowercase().filter(|_| !is_combining_mark(part)) {
            decompose_compatible(lower, |part| {
                if !is_combining_mark(part) {
                    bare.push(part);
                }
            });
        }
    });
}

/// Whether words are separated by single spaces and nothing stands around them.
fn is_collapsed(text: &str) -> bool {
    let is_other_space = |sign: char| sign != ' ' && sign.is_whitespace();
    !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ") && !text.contains(is_other_space)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_accents_and_blanks_do_not_count() {
        assert_eq!(fold_text("  João  da\tSILVA "), "joao da silva");
        assert_eq!(fold_text("INADIMPLÊNCIA"), fold_text("inadimplencia"));
        assert_eq!(fold_text("İstanbul"), "istanbul");
    }

    fn collapse_passes(text: &str) -> String {
        fold_in_passes(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_latin_letter_folds_as_in_passes_over_the_text() {
        for letter in '\u{0}'..END_OF_LATIN {
            let text = format!("a{letter} {letter}b");
            assert_eq!(fold_text(&text), collapse_passes(&text), "{letter:?}");
        }
    }

    proptest! {
        #[test]
        fn letters_fold_as_in_passes_over_the_text(text in "[\\PC\\s\u{300}-\u{36f}ΣσςΑİǅ]{0,40}") {
            prop_assert_eq!(fold_text(&text), collapse_passes(&text));
        }

        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = fold_text(&text);
            prop_assert_eq!(fold_text(&once), once);
        }
    }
}
