//! Translates the shared migration and statement texts into the dialect of an engine, word by word.

/// Replaces words outside of quotes and comments.
pub fn replace_words(text: &str, word: impl Fn(&str) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.lines() {
        let code = line.split_once("--").map_or(line, |(code, _)| code);
        let mut rest = code;
        while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '\'') {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            if let Some(quoted) = rest.strip_prefix('\'') {
                let end = quoted.find('\'').map_or(rest.len(), |at| at + 2);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push_str(word(&rest[..end]).unwrap_or(&rest[..end]));
            rest = &rest[end..];
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// Statements differ between the engines only in the name index: its key, the order by that key, the match of a row
/// (alias `n`) against a query, and the words of a new row.
pub fn translate_name_index(text: &str, [key, order, matches, words]: [&'static str; 4]) -> Option<String> {
    text.contains("NAME").then(|| {
        replace_words(text, |word| match word {
            "NAME_KEY" => Some(key),
            "NAME_ORDER" => Some(order),
            "MATCHES_NAME" => Some(matches),
            "NAME_WORDS" => Some(words),
            _ => None,
        })
    })
}

/// The non-empty statements of a migration.
pub fn split_statements(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|statement| !statement.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_outside_quotes_and_comments_are_exchanged() {
        let word = |word: &str| (word == "TEXT").then_some("STRING");
        assert_eq!(
            replace_words("a TEXT, TEXTS TEXT, 'TEXT' -- TEXT\nTEXT", word),
            "a STRING, TEXTS STRING, 'TEXT' \nSTRING\n"
        );
    }
}
