//! Every template, rendered full, empty and with hostile texts. A page that is not here fails: its module says in `CASES`
//! how it is filled, and stands in the list below.

use crate::board::{Board, Card, Column};
use crate::exporting::Links;
use crate::frame::Frame;
use crate::lists::{Around, Cell, Chip};
use crate::members::{Badge, Choice, Row};
use crate::notice::Undo;
use crate::person::{Event, Timeline};
use crate::records::{Conflict, Input, Kind, Spec};
use crate::show::{Chart, Columns, Pager};
use askama::Template;
use domain::Moment;
use std::collections::BTreeSet;
use std::path::Path;

/// The modules that have pages.
const ALL: &[Cases] = &[
    crate::about::CASES,
    crate::audit::CASES,
    crate::entering::CASES,
    crate::finding::CASES,
    crate::help::CASES,
    crate::mails::CASES,
    crate::members::CASES,
    crate::open_validation::CASES,
    crate::panel::CASES,
    crate::password::CASES,
    crate::person::CASES,
    crate::refused::CASES,
    crate::second::CASES,
    crate::setup::CASES,
    crate::sheet::CASES,
    crate::situation::CASES,
    crate::style::CASES,
    crate::users::CASES,
    crate::CASES,
];

/// The areas whose pages are in several modules.
const AREAS: &[&[Cases]] = &[
    crate::benefit::ALL_CASES,
    crate::cases::ALL_CASES,
    crate::files::ALL_CASES,
    crate::importing::ALL_CASES,
    crate::registering::ALL_CASES,
    crate::sales::ALL_CASES,
    crate::triggers::ALL_CASES,
];

fn every() -> impl Iterator<Item = &'static (&'static str, fn(&Sample) -> String)> {
    ALL.iter().chain(AREAS.iter().copied().flatten()).copied().flatten()
}

/// Templates of a module by their paths, and how each is filled with a sample.
pub type Cases = &'static [(&'static str, fn(&Sample) -> String)];

/// What a page is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// As on a good day.
    Full,
    /// Nothing is there.
    Empty,
    /// Whoever typed this means harm, or writes without end.
    Hostile,
}

const HARM: &str = r#""><script>alert('x')</script><img src=x onerror=alert(1)> {{ 7*7 }} ' 🚗👨‍👩‍👧 "#;

impl Sample {
    const EACH: [Sample; 3] = [Sample::Full, Sample::Empty, Sample::Hostile];

    /// A text that somebody typed.
    pub fn text(self) -> String {
        match self {
            Sample::Full => "Maria da Conceição Souza".to_owned(),
            Sample::Empty => String::new(),
            Sample::Hostile => format!("{HARM}{}", "Ñ".repeat(300)),
        }
    }

    /// A list.
    pub fn many<T>(self, one: impl Fn() -> T) -> Vec<T> {
        let length = if self == Sample::Empty { 0 } else { 3 };
        (0..length).map(|_| one()).collect()
    }

    /// What may be absent.
    pub fn maybe<T>(self, one: impl FnOnce() -> T) -> Option<T> {
        (self != Sample::Empty).then(one)
    }

    pub fn is_full(self) -> bool {
        self != Sample::Empty
    }

    pub fn frame(self) -> Frame {
        Frame {
            root: String::new(),
            current: "painel",
            user: self.text(),
            user_code: 7,
            initials: "MS".to_owned(),
            base: self.text(),
            is_admin: self.is_full(),
            theme: self.maybe(|| "escuro"),
            query: self.text(),
            path: self.text(),
            notice: self.maybe(|| self.text()),
            undo: self.maybe(|| Undo { action: self.text(), fields: vec![(self.text(), self.text())] }),
            colours: 1,
            version: "9.8.7",
        }
    }

    pub fn badge(self) -> Badge {
        Badge { code: 3, name: self.text() }
    }

    pub fn event(self) -> Event {
        Event {
            when: self.text(),
            who: self.text(),
            situation: self.maybe(|| self.badge()),
            text: self.text(),
            link: self.maybe(|| self.text()),
            at: Moment::from_millis(0),
        }
    }

    pub fn timeline(self) -> Timeline {
        Timeline { newest: self.many(|| self.event()), older: self.many(|| self.event()) }
    }

    pub fn facts(self) -> Vec<(&'static str, String)> {
        self.many(|| ("Cartão", self.text()))
    }

    pub fn choices(self) -> Vec<Choice> {
        self.many(|| Choice { value: self.text(), name: self.text(), is_chosen: true })
    }

    /// A field of every kind.
    pub fn inputs(self) -> Vec<Input> {
        let kinds = [
            Kind::Text,
            Kind::Masked("documento"),
            Kind::Email,
            Kind::Area,
            Kind::Choice,
            Kind::Many,
            Kind::Number,
            Kind::Money,
            Kind::Flag,
            Kind::Colour,
        ];
        let input = |kind| Input {
            spec: Spec { name: "nome", label: "Nome", kind, longest: 200, hint: "Completo." },
            own_label: self.maybe(|| self.text()),
            value: self.text(),
            problem: self.maybe(|| self.text()),
            choices: self.many(|| (self.text(), self.text())),
        };
        kinds.map(input).into()
    }

    pub fn conflict(self) -> Conflict {
        let rows = self.many(|| (self.text(), self.text(), self.text()));
        Conflict { since: self.text(), version: 4, rows }
    }

    pub fn pager(self) -> Pager {
        Pager::new(2, if self.is_full() { 250 } else { 0 }, 100, |_| self.text()).exporting(self.links())
    }

    pub fn links(self) -> Links {
        Links { csv: self.text(), xlsx: self.text() }
    }

    pub fn around(self) -> Around {
        let chip = || Chip {
            code: 7,
            name: self.text(),
            link: self.text(),
            is_current: true,
            is_shared: true,
            may_change: true,
        };
        let columns = vec![("loja", "Loja", true), ("email", "E-mail", false)];
        Around { list: "associados", chips: self.many(chip), columns, query: self.text(), is_kept: false }
    }

    pub fn row(self) -> Row {
        let cell = |badge| Cell {
            title: "Loja",
            class: "",
            text: self.text(),
            link: self.maybe(|| self.text()),
            note: self.text(),
            badge,
        };
        Row {
            person: 7,
            link: self.text(),
            name: self.text(),
            note: self.text(),
            document: self.text(),
            branch: self.text(),
            cells: vec![cell(None), cell(self.maybe(|| self.badge()))],
        }
    }

    pub fn chart(self) -> Chart {
        let bar = || (self.text(), 3, "s3".to_owned(), self.maybe(|| self.text()));
        Chart::new("Um", "O quê", self.many(bar))
    }

    pub fn columns(self) -> Columns {
        let month = || (self.text(), [3, 1], [self.text(), self.text()]);
        Columns::new("Um", ["Entradas", "Cancelamentos"], self.many(month))
    }

    pub fn board(self) -> Board {
        let card = || Card {
            id: 7,
            title: self.text(),
            link: self.text(),
            lines: self.many(|| self.text()),
            version: 3,
            badge: self.maybe(|| ("warn", self.text())),
            age: self.text(),
            is_late: true,
            order: 1,
            mover: self.text(),
        };
        let column = || Column {
            id: 3,
            title: self.text(),
            class: "s3".to_owned(),
            count: self.text(),
            note: self.text(),
            cards: self.many(card),
            more: self.maybe(|| self.text()),
            newest_first: true,
            from: vec![1, 2],
            needs_reason: vec![2],
        };
        Board {
            title: self.text(),
            moves: self.text(),
            changes: self.text(),
            since: 5,
            columns: self.many(column),
            triggers: self.text(),
            takes_reason: true,
        }
    }
}

/// The page as a browser gets it.
pub fn text(template: &impl Template) -> String {
    template.render().unwrap()
}

/// The templates that are pages of their own, by path: parts of others extend nothing.
fn pages() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let files = ["", "console"].iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let paths = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "html"));
    let pages = paths.filter(|path| std::fs::read_to_string(path).unwrap().starts_with("{% extends"));
    pages.map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_template_has_a_case() {
    let known: BTreeSet<String> = every().map(|(path, _)| (*path).to_owned()).collect();
    let missing: Vec<String> = pages().difference(&known).cloned().collect();
    assert!(missing.is_empty(), "no CASES for {missing:?}: see “Adding a page” in lib.rs");
    let gone: Vec<String> = known.difference(&pages()).cloned().collect();
    assert!(gone.is_empty(), "there is no such template: {gone:?}");
}

/// What a tag says, from its name to before its end.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<').skip(1).filter_map(|from| from.split('>').next())
}

#[test]
fn no_page_is_harmed_by_what_it_is_filled_with() {
    for (path, case) in every() {
        for sample in Sample::EACH {
            let page = case(&sample);
            assert!(page.contains("lang=\"pt-BR\"") && page.contains("<h1"), "{path}, {sample:?}: {page}");
            assert!(!page.contains("<script>") && !page.contains("<img src=x"), "{path}, {sample:?}: {page}");
            assert!(!page.contains("alert('x')"), "{path}, {sample:?}: a quote is not escaped");
            for tag in tags(&page) {
                let is_ours = !tag.starts_with("script") || tag.starts_with("script src=\"/console/");
                // What stands between quotes is a value, whatever it looks like.
                let names: String = tag.split('"').step_by(2).collect();
                let is_plain = !names.contains(" style=") && !names.contains(" on");
                assert!(is_ours && is_plain && !tag.starts_with("style"), "{path}, {sample:?}: <{tag}>");
                assert!(!tag.contains("javascript:"), "{path}, {sample:?}: <{tag}>");
            }
        }
    }
}
