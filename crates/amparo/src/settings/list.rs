//! The list of settings, read from the embedded `config.default.toml`: its keys, types, defaults and comments.

use super::PREFIX;
use super::kind::ValueKind;
use std::sync::LazyLock;
use toml_edit::{Decor, DocumentMut, Item, RawString, Table, Value};

const DEFAULTS: &str = include_str!("../../../../config.default.toml");
const SECRET_MARK: &str = "(secreto)";
const TOP_HEADING: &str = "Configurações gerais";

static ALL: LazyLock<Vec<SettingDefinition>> = LazyLock::new(|| parse_definitions(DEFAULTS));

#[derive(Debug)]
pub struct SettingDefinition {
    /// `None` at the top level of the file.
    pub section: Option<String>,
    /// The key within its section.
    pub name: String,
    /// The full path: `http.header_timeout`.
    pub key: String,
    /// Without the leading dashes: `http-header-timeout`.
    pub flag: String,
    /// `AMPARO_HTTP_HEADER_TIMEOUT`
    pub variable: String,
    pub heading: String,
    /// The first paragraph of the comment.
    pub help: String,
    pub secret: bool,
    pub kind: ValueKind,
    pub default: Value,
}

pub fn list_definitions() -> &'static [SettingDefinition] {
    &ALL
}

/// Panics on invalid text: only the embedded file is parsed, and the tests read it.
pub fn parse_definitions(text: &str) -> Vec<SettingDefinition> {
    let document: DocumentMut = text.parse().expect("the embedded defaults are TOML");
    let mut settings = Vec::new();
    parse_table(document.as_table(), None, TOP_HEADING, &mut settings);
    for (name, item) in document.iter() {
        if let Item::Table(table) = item {
            let heading = extract_first_paragraph(&read_comment(table.decor()));
            parse_table(table, Some(name), &heading, &mut settings);
        }
    }
    settings
}

fn parse_table(table: &Table, section: Option<&str>, heading: &str, settings: &mut Vec<SettingDefinition>) {
    for (name, item) in table {
        let Item::Value(value) = item else { continue };
        let key = table.key(name).expect("a key that was just listed");
        settings.push(build_definition(section, name, value, heading, &read_comment(key.leaf_decor())));
    }
}

fn build_definition(
    section: Option<&str>,
    name: &str,
    value: &Value,
    heading: &str,
    comment: &[String],
) -> SettingDefinition {
    let key = section.map_or_else(|| name.to_owned(), |section| format!("{section}.{name}"));
    let kind = ValueKind::from_value(value).expect("a default is a text, an integer, a boolean or a list");
    SettingDefinition {
        section: section.map(str::to_owned),
        name: name.to_owned(),
        flag: key.replace(['.', '_'], "-"),
        variable: format!("{PREFIX}{}", key.replace('.', "_").to_uppercase()),
        heading: heading.to_owned(),
        help: extract_first_paragraph(comment),
        secret: comment.iter().any(|line| line.starts_with(SECRET_MARK)),
        kind,
        default: kind.normalize(value).expect("a list holds texts"),
        key,
    }
}

/// The comment lines directly above; a blank line separates them from earlier comments.
fn read_comment(decor: &Decor) -> Vec<String> {
    let prefix = decor.prefix().and_then(RawString::as_str).unwrap_or_default();
    let mut lines: Vec<String> =
        prefix.lines().rev().map_while(|line| Some(line.strip_prefix('#')?.trim().to_owned())).collect();
    lines.reverse();
    lines
}

fn extract_first_paragraph(comment: &[String]) -> String {
    let lines: Vec<&str> = comment
        .iter()
        .map(|line| line.strip_prefix(SECRET_MARK).map_or(line.as_str(), str::trim))
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rule() {
        let named = |key: &str| {
            let setting = list_definitions().iter().find(|setting| setting.key == key).unwrap();
            (setting.flag.as_str(), setting.variable.as_str())
        };
        assert_eq!(named("listen"), ("listen", "AMPARO_LISTEN"));
        assert_eq!(named("key_file"), ("key-file", "AMPARO_KEY_FILE"));
        assert_eq!(named("http.header_timeout"), ("http-header-timeout", "AMPARO_HTTP_HEADER_TIMEOUT"));
    }

    #[test]
    fn names_of_flags_and_variables_do_not_meet() {
        let mut flags: Vec<&str> = list_definitions().iter().map(|setting| setting.flag.as_str()).collect();
        flags.sort_unstable();
        assert!(flags.windows(2).all(|pair| pair[0] != pair[1]), "{flags:?}");
        for reserved in ["config", "help", "version"] {
            assert!(!flags.contains(&reserved), "{reserved}");
        }
    }

    #[test]
    fn the_manual_explains_every_setting_in_portuguese() {
        for setting in list_definitions() {
            let words: Vec<String> = setting.help.split_whitespace().map(str::to_lowercase).collect();
            let portuguese = ["o", "a", "de", "do", "da", "que", "um", "uma"];
            assert!(words.len() > 5, "{}: {:?}", setting.key, setting.help);
            assert!(words.iter().any(|word| portuguese.contains(&word.as_str())), "{}", setting.key);
            assert!(setting.help.ends_with('.'), "{}: {:?}", setting.key, setting.help);
            assert!(!setting.heading.is_empty(), "{}", setting.key);
        }
    }

    #[test]
    fn the_comment_is_the_block_right_above() {
        let settings = parse_definitions(
            "# The head.\n\n# Primeira frase\n# continua.\n#\n# Mais.\nplain = 1\n# (secreto)\n# Uma senha.\nword = \"\"\n\
             # (secreto) Outra.\nother = []\n\n# Seção\n[part]\n\nbare = true # aside\n",
        );
        let found: Vec<(&str, &str, bool)> =
            settings.iter().map(|s| (s.key.as_str(), s.help.as_str(), s.secret)).collect();
        assert_eq!(
            found,
            [
                ("plain", "Primeira frase continua.", false),
                ("word", "Uma senha.", true),
                ("other", "Outra.", true),
                ("part.bare", "", false)
            ]
        );
        assert_eq!(settings[3].heading, "Seção");
        assert_eq!(settings[3].default.to_string(), "true");
    }
}
