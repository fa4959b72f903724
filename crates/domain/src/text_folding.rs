//! Text folding: the single way in which names are compared, so that both database engines give the same results.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Removes case and accents and collapses whitespace: `  João da  SILVA ` → `joao da silva`.
pub fn fold_text(text: &str) -> String {
    let bare: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect::<String>().to_lowercase();
    // Lower-casing may add combining marks (İ), so they are removed again.
    let bare: String = bare.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
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

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = fold_text(&text);
            prop_assert_eq!(fold_text(&once), once);
        }
    }
}
