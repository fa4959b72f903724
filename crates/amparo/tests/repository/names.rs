//! How the names of types and functions read, over all code but tests: a type is a noun phrase that stands without its
//! module, a function a verb with its object (CONTRIBUTING.md). The words of the crate, the folders and the file count for
//! nothing at the beginning of a type's name.

use super::{files, read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Types of one word, besides the entities of `domain` that bear their name in docs/glossary.md: each is the established
/// name of what it is. The list can only shrink.
const ONE_WORD_TYPES: &str = include_str!("one-word-types.txt");

/// No type ends in one of these, nor in anything else that ends in `ed`.
const PARTICIPLES_AND_PRONOUNS: [&str; 40] = [
    "Told", "Kept", "Shown", "Meant", "Found", "Known", "Given", "Sent", "Held", "Own", "Whole", "Whose",
    "Which", "Written", "Taken", "Seen", "Begun", "Born", "Brought", "Undone", "Doing", "Done", "Wish",
    "Around", "Behind", "Before", "After", "By", "Of", "From", "Then", "New", "Some", "Cut", "Left", "Lost",
    "Gone", "Half", "Ready", "Heard",
];
const ENDS_IN_ED_BUT_A_NOUN: [&str; 4] = ["Need", "Feed", "Seed", "Speed"];
const EMPTY_HEADS: [&str; 7] = ["Data", "Info", "Thing", "Object", "Value", "Manager", "Helper"];
/// Methods that need no object, for their type supplies it.
const USUAL_METHODS: [&str; 17] = [
    "new", "from", "parse", "get", "insert", "len", "is_empty", "default", "next", "fmt", "main", "run",
    "open", "close", "push", "remove", "take",
];
/// Of a hundred functions outside the implementations of traits, so many may be of one word.
const ONE_WORD_FUNCTIONS: usize = 10;
/// Of a hundred types, so many may share their name with another.
const SHARED_TYPES: usize = 5;
const SHORTEST_MEAN_NAME: usize = 12;
const LARGEST_PACKAGE: usize = 24_000;

struct Definitions {
    /// Each with its file and its words.
    types: Vec<(String, Vec<String>)>,
    functions: Vec<String>,
    lines: BTreeMap<String, usize>,
}

fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        match words.last_mut() {
            Some(word) if !letter.is_ascii_uppercase() => word.push(letter),
            _ => words.push(letter.to_string()),
        }
    }
    words
}

/// The words of a type's name without those that only repeat its crate, its folders or its file.
fn own_words(name: &str, place: &Path) -> Vec<String> {
    let parts =
        place.iter().map(|part| part.to_string_lossy().trim_end_matches(".rs").replace(['_', '-'], ""));
    let places: BTreeSet<String> = parts.map(|part| part.trim_end_matches('s').to_owned()).collect();
    let mut words = split_words(name);
    while words.len() > 1 && places.contains(words[0].to_lowercase().trim_end_matches('s')) {
        words.remove(0);
    }
    words
}

fn name_after<'t>(line: &'t str, keyword: &str) -> Option<&'t str> {
    let line = line
        .strip_prefix("pub ")
        .or_else(|| Some(line.strip_prefix("pub(")?.split_once(") ")?.1))
        .unwrap_or(line);
    let name = line.strip_prefix(keyword)?.strip_prefix(' ')?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

fn read_definitions() -> Definitions {
    let mut sources = Vec::new();
    files(&root().join("crates"), "rs", &mut sources);
    let mut found = Definitions { types: Vec::new(), functions: Vec::new(), lines: BTreeMap::new() };
    for path in sources {
        let place = path.strip_prefix(root().join("crates")).unwrap();
        let package = place.iter().next().unwrap().to_string_lossy().into_owned();
        if package.starts_with("testkit") || place.iter().any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
        *found.lines.entry(package).or_default() += text.lines().count();
        let mut is_trait_implementation = false;
        for line in text.lines() {
            if line.starts_with("impl") {
                is_trait_implementation = line.contains(" for ");
            } else if line == "}" {
                is_trait_implementation = false;
            }
            let code = line.trim_start();
            for keyword in ["struct", "enum", "trait", "type"] {
                let is_associated = keyword == "type" && line.len() != code.len();
                let is_type = |name: &&str| {
                    !is_associated && name.starts_with(|letter: char| letter.is_ascii_uppercase())
                };
                if let Some(name) = name_after(code, keyword).filter(is_type) {
                    found.types.push((place.display().to_string(), own_words(name, place)));
                }
            }
            let code = ["pub ", "pub(crate) ", "pub(super) ", "const ", "async ", "unsafe "]
                .iter()
                .fold(code, |code, prefix| code.strip_prefix(prefix).unwrap_or(code));
            if let Some(name) = name_after(code, "fn").filter(|_| !is_trait_implementation) {
                found.functions.push(name.to_owned());
            }
        }
    }
    found
}

/// The English words of the glossary's table of the business: `Deal`, `Lead`, `Benefit`…
fn read_business_words() -> BTreeSet<String> {
    let glossary = read("docs/glossary.md");
    let business = glossary.split("\n## ").find(|part| part.starts_with("Business")).unwrap();
    let english = business.lines().filter_map(|line| line.split('|').nth(2));
    let words = english.flat_map(|cell| cell.split(',')).map(str::trim);
    words.filter(|word| !word.contains(' ')).map(str::to_owned).collect()
}

#[test]
fn types_are_noun_phrases() {
    let found = read_definitions();
    assert!(found.types.len() > 1_000, "{}", found.types.len());
    let allowed: BTreeSet<&str> = ONE_WORD_TYPES.lines().collect();
    let business_words = read_business_words();
    assert!(business_words.contains("deal") && business_words.len() > 40, "{business_words:?}");
    let mut used = BTreeSet::new();
    let (mut letters, mut names) = (0, BTreeMap::<String, usize>::new());
    for (place, words) in &found.types {
        let last = words.last().unwrap().as_str();
        let is_participle = PARTICIPLES_AND_PRONOUNS.contains(&last)
            || (last.len() > 3 && last.ends_with("ed") && !ENDS_IN_ED_BUT_A_NOUN.contains(&last));
        assert!(!is_participle, "{place}: {} ends in no noun", words.concat());
        assert!(!EMPTY_HEADS.contains(&last) || words.len() == 1, "{place}: {} says nothing", words.concat());
        let is_entity = place.starts_with("domain/") && business_words.contains(&last.to_lowercase());
        if words.len() == 1 && !is_entity {
            let known = format!("{place} {last}");
            assert!(allowed.contains(known.as_str()), "{known}: one word does not stand without its module");
            used.insert(known);
        }
        letters += words.concat().len();
        *names.entry(words.concat()).or_default() += 1;
    }
    let gone: Vec<_> = allowed.iter().filter(|known| !used.contains(**known)).collect();
    assert!(gone.is_empty(), "take out of one-word-types.txt: {gone:?}");
    let shared: usize =
        names.iter().filter(|(name, count)| **count > 1 && *name != "Error").map(|(_, count)| count).sum();
    assert!(shared * 100 <= SHARED_TYPES * found.types.len(), "{shared} types share their name with another");
    assert!(
        letters / found.types.len() >= SHORTEST_MEAN_NAME,
        "{letters} letters in {} names",
        found.types.len()
    );
}

#[test]
fn functions_are_a_verb_with_its_object() {
    let found = read_definitions();
    let all: Vec<_> = found.functions.iter().filter(|name| !USUAL_METHODS.contains(&name.as_str())).collect();
    assert!(all.len() > 3_000, "{}", all.len());
    let short = all.iter().filter(|name| !name.contains('_')).count();
    assert!(
        short * 100 <= ONE_WORD_FUNCTIONS * all.len(),
        "{short} of {} functions have one word",
        all.len()
    );
}

#[test]
fn no_package_is_too_large() {
    for (package, lines) in read_definitions().lines {
        assert!(lines <= LARGEST_PACKAGE, "{package} has {lines} lines");
    }
}

/// Two packages of one name in the lock file are told apart by nobody.
#[test]
fn packages_bear_the_prefix() {
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().file_name().into_string().unwrap();
        let manifest = read(format!("crates/{folder}/Cargo.toml"));
        let name = if folder == "amparo" { folder } else { format!("amparo-{folder}") };
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
