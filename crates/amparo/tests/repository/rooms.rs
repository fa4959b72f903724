//! The rooms of a package (the folders and files beside `lib.rs`) do not use each other in circles, so that each can be
//! read after those it uses. `lib.rs` composes them and counts for nothing, but what it re-exports counts as the room
//! that it comes from. Tests may use any room.

use super::{files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Packages that are for tests, or have no `lib.rs` with rooms.
const LEFT_OUT: [&str; 5] = ["amparo", "boxed", "erased-routes", "testkit", "testkit-macros"];

/// The rooms that still stand on a circle, by package. The list can only shrink.
const CIRCLES: [(&str, &[&str]); 1] = [("storage", &["engine", "executor", "name_index"])];

type RoomUses = BTreeMap<String, BTreeSet<String>>;

/// The code of a source without comments, and with empty texts.
fn strip_comments_and_texts(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        let is_in_name = code.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            measure_block_comment(rest)
        } else if let Some(hashes) = count_raw_hashes(rest).filter(|_| !is_in_name) {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = hashes + 2;
            start + rest[start..].find(&end).unwrap() + end.len()
        } else if letter == '"' {
            measure_text(rest)
        } else {
            measure_character(rest)
        };
        if skipped == 0 {
            code.push(letter);
        }
        rest = &rest[if skipped == 0 { letter.len_utf8() } else { skipped }..];
    }
    code
}

/// Comments nest.
fn measure_block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += rest[at..].chars().next().unwrap().len_utf8();
        }
        if depth == 0 {
            return at;
        }
    }
}

/// The number of `#` of a raw text that begins here.
fn count_raw_hashes(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('r')?;
    let text = inner.trim_start_matches('#');
    text.starts_with('"').then_some(inner.len() - text.len())
}

fn measure_text(rest: &str) -> usize {
    let mut is_escaped = false;
    let end = rest[1..].find(|letter| {
        let is_end = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    });
    end.unwrap() + 2
}

/// The length of a character such as `'{'`; 0 for a lifetime or anything else.
fn measure_character(rest: &str) -> usize {
    let Some(inner) = rest.strip_prefix('\'') else { return 0 };
    if let Some(escaped) = inner.strip_prefix('\\') {
        let first = escaped.chars().next().unwrap().len_utf8();
        return 2 + first + escaped[first..].find('\'').unwrap() + 1;
    }
    let letter = inner.chars().next().unwrap();
    if inner[letter.len_utf8()..].starts_with('\'') { letter.len_utf8() + 2 } else { 0 }
}

/// Takes out every item that only tests have, and names the modules among them that have a file of their own.
fn remove_test_items(mut code: String) -> (String, Vec<String>) {
    let (mark, mut modules) = ("#[cfg(test)]", Vec::new());
    while let Some(at) = code.find(mark) {
        let item = &code[at + mark.len()..];
        let head = item.find([';', '{']).unwrap();
        let mut end = head + 1;
        if item[head..].starts_with('{') {
            let mut depth = 1;
            end += item[end..]
                .find(|letter| {
                    depth += i32::from(letter == '{') - i32::from(letter == '}');
                    depth == 0
                })
                .unwrap()
                + 1;
        } else if let Some((_, name)) = item[..head].rsplit_once("mod ") {
            modules.push(name.trim().to_owned());
        }
        code.replace_range(at..at + mark.len() + end, "");
    }
    (code, modules)
}

/// The names that a path such as `room::Name` or `{room, other::{One, Two}}` begins with.
fn list_first_names(path: &str) -> Vec<String> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let Some(group) = path.strip_prefix('{') else {
        return vec![path.chars().take_while(|letter| is_letter(*letter)).collect()];
    };
    let (mut depth, mut names) = (1, vec![String::new()]);
    let mut is_first = true;
    for letter in group.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        match letter {
            _ if depth == 0 => break,
            ',' if depth == 1 => {
                names.push(String::new());
                is_first = true;
            }
            _ if is_letter(letter) && is_first => names.last_mut().unwrap().push(letter),
            _ => is_first &= letter.is_whitespace() && names.last().unwrap().is_empty(),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The names at the root of the package that this code of a file names, which lies `depth` modules below the root.
fn list_root_names(code: &str, depth: usize) -> BTreeSet<String> {
    let from_root = ["crate::".to_owned(), "super::".repeat(depth)];
    let mut names = BTreeSet::new();
    for prefix in &from_root {
        for (at, _) in code.match_indices(prefix.as_str()) {
            let before = &code[..at];
            let is_longer =
                before.ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == ':');
            if !is_longer {
                names.extend(list_first_names(code[at + prefix.len()..].trim_start_matches("super::")));
            }
        }
    }
    names
}

/// The room that each name comes from which `lib.rs` imports or re-exports.
fn list_reexports(code: &str, rooms: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut reexports = BTreeMap::new();
    for statement in code.split(';') {
        let Some((_, path)) = statement.rsplit_once("use ") else { continue };
        let path = path.trim().trim_start_matches("crate::");
        let Some((room, names)) = path.split_once("::").filter(|(room, _)| rooms.contains(*room)) else {
            continue;
        };
        assert!(!names.contains('*'), "lib.rs re-exports all of {room}");
        let names = names.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        reexports.extend(names.map(|name| (name.to_owned(), room.to_owned())));
    }
    reexports
}

fn read_room_uses(package: &str) -> RoomUses {
    let folder = root().join("crates").join(package).join("src");
    let mut sources = Vec::new();
    files(&folder, "rs", &mut sources);
    let mut codes = BTreeMap::new();
    let mut tests = BTreeSet::new();
    for source in sources {
        let text = strip_comments_and_texts(&std::fs::read_to_string(&source).unwrap());
        let (code, modules) = remove_test_items(text);
        let place = source.strip_prefix(&folder).unwrap().with_extension("");
        let is_parent = place.ends_with("mod") || place.ends_with("lib");
        let module = if is_parent { place.parent().unwrap().to_owned() } else { place };
        tests.extend(modules.into_iter().map(|name| module.join(name)));
        codes.insert(module, code);
    }
    codes.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    let library = codes.remove(Path::new("")).unwrap();
    let room_of = |module: &Path| module.iter().next().unwrap().to_string_lossy().into_owned();
    let rooms: BTreeSet<String> = codes.keys().map(|module| room_of(module)).collect();
    let reexports = list_reexports(&library, &rooms);
    let mut uses: RoomUses = rooms.iter().map(|room| (room.clone(), BTreeSet::new())).collect();
    for (module, code) in &codes {
        let room = room_of(module);
        for name in list_root_names(code, module.iter().count()) {
            let used = if rooms.contains(&name) { Some(&name) } else { reexports.get(&name) };
            if let Some(used) = used.filter(|used| **used != room) {
                uses.get_mut(&room).unwrap().insert(used.clone());
            }
        }
    }
    uses
}

/// The rooms that use themselves by way of others, with those others.
fn list_circling_rooms(uses: &RoomUses) -> BTreeSet<&str> {
    let returns = |room: &str| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![room]);
        while let Some(one) = next.pop() {
            next.extend(uses[one].iter().map(String::as_str).filter(|used| reached.insert(*used)));
        }
        reached.contains(room)
    };
    uses.keys().map(String::as_str).filter(|room| returns(room)).collect()
}

#[test]
fn rooms_do_not_use_each_other_in_circles() {
    let known: BTreeMap<&str, BTreeSet<&str>> =
        CIRCLES.into_iter().map(|(package, rooms)| (package, rooms.iter().copied().collect())).collect();
    let packages = std::fs::read_dir(root().join("crates")).unwrap();
    let packages = packages.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut looked_at = 0;
    for package in packages.filter(|package| !LEFT_OUT.contains(&package.as_str())) {
        let uses = read_room_uses(&package);
        looked_at += uses.values().map(BTreeSet::len).sum::<usize>();
        let circling = list_circling_rooms(&uses);
        let expected = known.get(package.as_str()).cloned().unwrap_or_default();
        let new: Vec<_> = circling
            .difference(&expected)
            .map(|room| {
                (room, uses[*room].iter().filter(|used| circling.contains(used.as_str())).collect::<Vec<_>>())
            })
            .collect();
        assert!(new.is_empty(), "{package}: these rooms use each other in a circle: {new:?}");
        let gone: Vec<_> = expected.difference(&circling).collect();
        assert!(gone.is_empty(), "take out of CIRCLES, for {package} has them no longer: {gone:?}");
    }
    assert!(looked_at > 300, "{looked_at}");
}

#[test]
fn uses_are_read_as_they_are_written() {
    let source = r##"
        //! crate::comment
        use crate::one::Thing;
        use crate::{App, two, three::{self, Four}};
        /* crate::block /* crate::nested */ crate::block */
        use super::super::five;
        fn text<'a>() -> &'a str { let _ = ('"', '\'', '{', "\"crate::text", r#"crate::"raw"#); crate::six::call() }
        #[cfg(test)]
        mod tests { fn test() { if true { crate::tested::call() } } }
        #[cfg(test)]
        mod apart;
        use other_crate::seven;
        mod inner { use super::super::super::nine; }
        fn last() { crate::eight::call() }
    "##;
    let (code, modules) = remove_test_items(strip_comments_and_texts(source));
    assert_eq!(modules, ["apart"]);
    let names = list_root_names(&code, 2);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(names, ["App", "eight", "five", "nine", "one", "six", "three", "two"]);
    let rooms = ["one", "two"].map(str::to_owned).into();
    let reexports =
        list_reexports("mod one; pub use one::{A, b::C}; use crate::two::D; use std::sync::Arc;", &rooms);
    let reexports: Vec<_> = reexports.iter().map(|(name, room)| (name.as_str(), room.as_str())).collect();
    assert!(["A", "C"].iter().all(|name| reexports.contains(&(name, "one"))), "{reexports:?}");
    assert!(reexports.contains(&("D", "two")) && !reexports.iter().any(|(name, _)| *name == "Arc"));
}

#[test]
fn a_circle_is_found_however_long() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses = RoomUses::new();
        for (room, used) in pairs {
            uses.entry((*used).to_owned()).or_default();
            uses.entry((*room).to_owned()).or_default().insert((*used).to_owned());
        }
        uses
    };
    assert!(list_circling_rooms(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let long = uses(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "a")]);
    assert_eq!(list_circling_rooms(&long).into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
}
