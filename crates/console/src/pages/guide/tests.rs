//! Tests that the guide covers every menu entry and names only labels that exist.

use super::*;
use crate::widgets::help_path::{PLACES_BESIDE_MENU, build_help_path};
use crate::widgets::menu_entries::{ADMINISTRATION, WORK};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn text_of(chapter: &GuideChapter) -> String {
    fs::read_to_string(root().join(format!("templates/console/guia/{}.html", chapter.name))).unwrap()
}

/// Contents of all files below a folder, without those of the guide.
fn below(folder: &Path, ending: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("guia") && !path.ends_with("guide") {
            texts.extend(below(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) && !path.ends_with("guide.rs")
        {
            texts.push(fs::read_to_string(&path).unwrap());
        }
    }
    texts
}

/// Replaces everything from each `open` to its `close` with a line break.
fn without(text: &str, open: &str, close: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(open) {
        left.push_str(before);
        left.push('\n');
        rest = behind.split_once(close).map_or("", |(_, after)| after);
    }
    left + rest
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Visible text pieces of a template.
fn shown(template: &str) -> Vec<String> {
    let plain = without(&without(&on_one_line(template), "{%", "%}"), "{{", "}}");
    without(&plain, "<", ">").lines().map(|line| line.trim().to_owned()).collect()
}

fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('“').skip(1).filter_map(|from| from.split('”').next())
}

#[test]
fn every_place_of_the_menu_has_a_chapter() {
    for (name, label, path) in WORK.iter().chain(ADMINISTRATION) {
        assert_eq!(build_help_path(name), format!("/guia/{name}"), "{label}");
        let chapter = CHAPTERS.iter().find(|chapter| chapter.name == *name).unwrap();
        assert_eq!(chapter.title, *label);
        assert!(path.is_empty() || *path == format!("/{name}"), "its chapter leads elsewhere");
    }
}

#[test]
fn pages_lead_to_every_chapter_and_to_no_other() {
    for chapter in CHAPTERS {
        assert_eq!(build_help_path(chapter.name), format!("/guia/{}", chapter.name));
    }
    for place in PLACES_BESIDE_MENU {
        assert!(CHAPTERS.iter().any(|chapter| chapter.name == place), "{place}");
    }
    for elsewhere in ["sobre", "guia", "estilo", ""] {
        assert_eq!(build_help_path(elsewhere), "/guia");
    }
}

#[test]
fn every_chapter_is_written_and_small() {
    for chapter in CHAPTERS {
        let text = text_of(chapter);
        let words = without(&text, "<", ">").split_whitespace().count();
        assert!((120..=300).contains(&words), "{}: {words} words", chapter.name);
        let page = fs::read_to_string(root().join("templates/console/guia_capitulo.html")).unwrap();
        assert!(page.contains(&format!("\"console/guia/{}.html\"", chapter.name)), "{}", chapter.name);
        let picture = &chapter.picture;
        assert!(picture.png.len() < 92_000, "{}: {} bytes", chapter.name, picture.png.len());
        assert!(picture.width() > 300 && picture.height() > 200 && !picture.description.is_empty());
    }
}

#[test]
fn the_guide_names_only_what_pages_show() {
    let templates = below(&root().join("templates"), "html");
    let mut labels: Vec<String> = templates.iter().flat_map(|one| shown(one)).collect();
    labels.extend(registers::REGISTERS.iter().map(crate::pages::registers::format_new_title));
    // A label may also be a string literal in the code or an argument of a template.
    let sources =
        [below(&root().join("src"), "rs"), below(&root().join("../registers/src"), "rs"), templates].concat();
    let mut missing = Vec::new();
    for chapter in CHAPTERS {
        let text = on_one_line(&text_of(chapter)) + chapter.picture.description;
        for name in quoted(&text) {
            let as_literal = format!("\"{name}\"");
            let is_there = labels.iter().any(|one| one == name)
                || sources.iter().any(|source| source.contains(&as_literal));
            if !is_there {
                missing.push(format!("{}: “{name}”", chapter.name));
            }
        }
    }
    assert!(missing.is_empty(), "no page shows {missing:#?}");
}
