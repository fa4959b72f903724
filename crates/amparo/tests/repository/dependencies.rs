//! What the binary is made of: licences, bans and sources as deny.toml says, and one set of features for all.

use super::{read, root};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use toml_edit::DocumentMut;

/// The platform that packages are looked at for; the others differ in what speaks to their system.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

fn cargo(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    let done = command.current_dir(root()).args(arguments).arg("--locked").output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn rules() -> DocumentMut {
    read("deny.toml").parse().unwrap()
}

/// What `cargo tree` tells of each package that ships, in its format.
fn shipped(format: &str, more: &[&str]) -> BTreeSet<String> {
    let mut all = vec!["tree", "--package", "amparo", "--edges", "normal,build", "--prefix", "none"];
    all.extend(["--target", PLATFORM, "--format", format]);
    all.extend(more);
    cargo(&all)
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn every_package_has_a_licence_that_is_allowed() {
    let rules = rules();
    let allowed: Vec<&str> =
        rules["licenses"]["allow"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let packages = shipped("{p}|{l}", &[]);
    assert!(packages.len() > 100, "{packages:?}");
    for (package, licence) in packages.iter().filter_map(|line| line.split_once('|')) {
        assert!(allows(&allowed, licence), "{package}: {licence:?}");
    }
}

/// Whether an expression can be met with these licences.
fn allows(allowed: &[&str], expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any_of(allowed, &mut words);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(allowed: &[&str], words: &mut Words<'_>) -> bool {
    let mut met = all_of(allowed, words);
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(allowed, words);
    }
    met
}

fn all_of(allowed: &[&str], words: &mut Words<'_>) -> bool {
    let mut met = one(allowed, words);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(allowed, words);
    }
    met
}

fn one(allowed: &[&str], words: &mut Words<'_>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let met = any_of(allowed, words);
        return words.next() == Some(")") && met;
    }
    let name = words.next().unwrap_or_default();
    // An exception gives rights and takes none.
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    allowed.contains(&name)
}

#[test]
fn licences_are_weighed_as_they_are_written() {
    let allowed = ["MIT", "ISC"];
    for met in
        ["MIT", "GPL-3.0 OR MIT", "MIT AND ISC", "(GPL-3.0 OR MIT) AND ISC", "Apache/MIT", "ISC WITH x"]
    {
        assert!(allows(&allowed, met), "{met}");
    }
    for not in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "MIT ISC", "(MIT"] {
        assert!(!allows(&allowed, not), "{not}");
    }
}

#[test]
fn no_package_is_here_that_is_banned() {
    let rules = rules();
    let banned = rules["bans"]["deny"].as_array().unwrap();
    assert!(!banned.is_empty());
    let packages = shipped("{p}", &[]);
    let name = |package: &str| package.split(' ').next().unwrap().to_owned();
    for ban in banned.iter().map(|ban| ban.as_inline_table().unwrap()) {
        let banned = ban.get("crate").unwrap().as_str().unwrap();
        if !packages.iter().any(|package| name(package) == banned) {
            continue;
        }
        let wrappers = ban.get("wrappers").and_then(toml_edit::Value::as_array);
        let wrappers: Vec<&str> = wrappers.into_iter().flatten().filter_map(|one| one.as_str()).collect();
        let askers = shipped("{p}", &["--invert", banned, "--depth", "1"]);
        let mut askers = askers.iter().map(|asker| name(asker)).filter(|asker| asker != banned);
        assert!(askers.all(|asker| wrappers.contains(&asker.as_str())), "{banned} is asked for by others");
    }
}

#[test]
fn every_package_comes_from_the_registry_in_a_stated_version() {
    let told: Value = serde_json::from_str(&cargo(&["metadata", "--format-version", "1"])).unwrap();
    let packages = told["packages"].as_array().unwrap();
    let sources: BTreeSet<&str> = packages.iter().filter_map(|package| package["source"].as_str()).collect();
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert!(sources.iter().all(|source| source.starts_with("registry+")), "{sources:?}");
    for package in packages.iter().filter(|package| package["source"].is_null()) {
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_stated = dependency["req"] != "*" || !dependency["path"].is_null();
            assert!(is_stated, "{} asks for any {}", package["name"], dependency["name"]);
        }
    }
}

/// Each package with the features that it is compiled with.
fn features(arguments: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = vec!["tree", "--prefix", "none", "--format", "{p}|{f}", "--target", PLATFORM];
    all.extend(arguments);
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in cargo(&all).lines() {
        let line = line.trim_end_matches(" (*)");
        let Some((package, features)) = line.split_once('|') else { continue };
        found.entry(package.to_owned()).or_default().insert(features.to_owned());
    }
    found
}

#[test]
fn the_binary_under_test_is_the_one_that_ships() {
    let ships = features(&["--package", "amparo", "--edges", "normal,build"]);
    let tested = features(&["--workspace", "--edges", "normal,build,dev"]);
    for (package, features) in ships {
        assert_eq!(features, tested[&package], "{package} has other features in tests");
    }
}

/// Two versions of a package are compiled twice. Each that cannot be avoided yet is in the list of `deny.toml`, and leaves
/// it when it can.
#[test]
fn no_package_has_a_second_version_but_those_on_the_list() {
    let lock: DocumentMut = read("Cargo.lock").parse().unwrap();
    let packages = lock["package"].as_array_of_tables().unwrap();
    let mut versions = BTreeMap::<&str, usize>::new();
    for package in packages {
        *versions.entry(package["name"].as_str().unwrap()).or_default() += 1;
    }
    let repeated: BTreeSet<&str> =
        versions.iter().filter(|(_, count)| **count > 1).map(|(name, _)| *name).collect();
    let rules = rules();
    let skipped = rules["bans"]["skip"].as_array().unwrap().iter();
    let skipped: BTreeSet<&str> =
        skipped.map(|entry| entry.as_inline_table().unwrap()["crate"].as_str().unwrap()).collect();
    assert_eq!(repeated, skipped);
}
