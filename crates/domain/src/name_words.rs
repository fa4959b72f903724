//! The words of a name: how it is split for searches, and which typed words find it.

use crate::fold_text;

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
}
