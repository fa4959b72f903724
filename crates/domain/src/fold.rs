//! Text folding: the single way in which names are compared, so that both database engines give the same results.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Removes case and accents and collapses whitespace: `  João da  SILVA ` → `joao da silva`.
pub fn fold_text(text: &str) -> String {
    let bare: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect::<String>().to_lowercase();
    // Lower-casing may add combining marks (İ), so they are removed again.
    let bare: String = bare.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Longer words are cut: one engine cannot index words of kilobytes, and no name has one.
const LONGEST_WORD: usize = 60;

/// The distinct words of a name as searches compare them: `D'Ávila e Souza-Lima` → `avila`, `d`, `e`, `lima`, `souza`.
pub fn split_name_words(name: &str) -> Vec<String> {
    let folded = fold_text(name);
    let parts = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<String> = parts.map(|word| word.chars().take(LONGEST_WORD).collect()).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether each typed word (see [`split_name_words`]) is the beginning of a word of the name.
pub fn has_word_beginnings(typed: &[String], name: &str) -> bool {
    let words = split_name_words(name);
    typed.iter().all(|beginning| words.iter().any(|word| word.starts_with(beginning)))
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

    #[test]
    fn a_name_is_its_words_without_what_stands_between_them() {
        assert_eq!(split_name_words("D'Ávila e Souza-Lima, SOUZA"), ["avila", "d", "e", "lima", "souza"]);
        assert!(split_name_words(" -- ' ").is_empty());
        assert_eq!(split_name_words(&"㍿".repeat(200))[0].chars().count(), LONGEST_WORD);
    }

    #[test]
    fn what_is_typed_begins_words_in_any_order() {
        let finds = |typed: &str, name: &str| has_word_beginnings(&split_name_words(typed), name);
        assert!(finds("joao sil", "João da Silva") && finds("sil JOÃO", "Silvana de João"));
        assert!(!finds("ilva", "João da Silva") && !finds("joao x", "João da Silva"));
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = fold_text(&text);
            prop_assert_eq!(fold_text(&once), once);
        }
    }
}
