//! Renders every template with full, empty and hostile content. A page template that is missing here fails: its module
//! defines `CASES` and is listed below.

use crate::pages::members::timeline::{EventTimeline, TimelineEvent};
use crate::session::notice::PageNotice;
use crate::session::undo_form::UndoForm;
use crate::widgets::board::{KanbanBoard, KanbanCard, KanbanColumn};
use crate::widgets::export_links::ExportLinks;
use crate::widgets::form_input::{FormInput, InputKind, InputSpec};
use crate::widgets::formats::{BarChart, ColumnChart, ListPager};
use crate::widgets::frame::PageFrame;
use crate::widgets::list_tools::{FilterChip, TableCell, TableRow, TableToolbar};
use crate::widgets::select_option::SelectOption;
use crate::widgets::situation_badge::SituationBadge;
use crate::widgets::version_conflict::VersionConflict;
use askama::Template;
use domain::Moment;
use std::collections::BTreeSet;
use std::path::Path;

/// Modules that have pages.
const ALL: &[TemplateCases] = &[
    crate::pages::about::CASES,
    crate::pages::audit::CASES,
    crate::pages::sign_in::CASES,
    crate::pages::quick_search::CASES,
    crate::pages::guide::CASES,
    crate::pages::mails::CASES,
    crate::pages::member_list::CASES,
    crate::pages::open_validation::CASES,
    crate::pages::panel::CASES,
    crate::pages::password_reset::CASES,
    crate::pages::members::show::CASES,
    crate::widgets::refusal_page::CASES,
    crate::pages::second_factor::CASES,
    crate::pages::setup::CASES,
    crate::widgets::form_page::CASES,
    crate::widgets::situation_form::CASES,
    crate::pages::style_guide::CASES,
    crate::pages::users::CASES,
    crate::pages::root_page::CASES,
];

/// Areas with pages in several modules.
const AREAS: &[&[TemplateCases]] = &[
    crate::pages::benefits::ALL_CASES,
    crate::pages::cases::ALL_CASES,
    crate::pages::attachments::ALL_CASES,
    crate::pages::finance::ALL_CASES,
    crate::pages::finance::charging::ALL_CASES,
    crate::pages::import::ALL_CASES,
    crate::pages::registers::ALL_CASES,
    crate::pages::sales::ALL_CASES,
    crate::pages::triggers::ALL_CASES,
];

fn list_template_cases() -> impl Iterator<Item = &'static (&'static str, fn(&SampleContent) -> String)> {
    ALL.iter().chain(AREAS.iter().copied().flatten()).copied().flatten()
}

/// Template paths of a module, and how each is rendered with sample content.
pub type TemplateCases = &'static [(&'static str, fn(&SampleContent) -> String)];

/// Content that pages are rendered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleContent {
    /// Ordinary data.
    Full,
    /// No data.
    Empty,
    /// Markup injection and very long texts.
    Hostile,
}

const HARM: &str = r#""><script>alert('x')</script><img src=x onerror=alert(1)> {{ 7*7 }} ' 🚗👨‍👩‍👧 "#;

impl SampleContent {
    const EACH: [SampleContent; 3] = [SampleContent::Full, SampleContent::Empty, SampleContent::Hostile];

    /// A text typed by a user.
    pub fn text(self) -> String {
        match self {
            SampleContent::Full => "Maria da Conceição Souza".to_owned(),
            SampleContent::Empty => String::new(),
            SampleContent::Hostile => format!("{HARM}{}", "Ñ".repeat(300)),
        }
    }

    pub fn list_of<T>(self, one: impl Fn() -> T) -> Vec<T> {
        let length = if self == SampleContent::Empty { 0 } else { 3 };
        (0..length).map(|_| one()).collect()
    }

    pub fn option_of<T>(self, one: impl FnOnce() -> T) -> Option<T> {
        (self != SampleContent::Empty).then(one)
    }

    pub fn is_filled(self) -> bool {
        self != SampleContent::Empty
    }

    pub fn frame(self) -> PageFrame {
        PageFrame {
            root: String::new(),
            current: "painel",
            user: self.text(),
            user_code: 7,
            initials: "MS".to_owned(),
            base: self.text(),
            is_admin: self.is_filled(),
            sees_money: self.is_filled(),
            theme: self.option_of(|| "escuro"),
            query: self.text(),
            path: self.text(),
            notice: self.option_of(|| self.notice()),
            colours: 1,
            version: "9.8.7",
        }
    }

    fn notice(self) -> PageNotice {
        let undo = UndoForm { action: self.text(), fields: vec![(self.text(), self.text())] };
        PageNotice { text: self.text(), is_problem: self == SampleContent::Hostile, undo: Some(undo) }
    }

    pub fn badge(self) -> SituationBadge {
        SituationBadge { code: 3, name: self.text() }
    }

    pub fn event(self) -> TimelineEvent {
        TimelineEvent {
            when: self.text(),
            who: self.text(),
            situation: self.option_of(|| self.badge()),
            text: self.text(),
            link: self.option_of(|| self.text()),
            at: Moment::from_millis(0),
        }
    }

    pub fn timeline(self) -> EventTimeline {
        EventTimeline { newest: self.list_of(|| self.event()), older: self.list_of(|| self.event()) }
    }

    pub fn facts(self) -> Vec<(&'static str, String)> {
        self.list_of(|| ("Cartão", self.text()))
    }

    pub fn choices(self) -> Vec<SelectOption> {
        self.list_of(|| SelectOption { value: self.text(), name: self.text(), is_chosen: true })
    }

    /// One field of every kind.
    pub fn inputs(self) -> Vec<FormInput> {
        let kinds = [
            InputKind::Text,
            InputKind::Masked("documento"),
            InputKind::Email,
            InputKind::Area,
            InputKind::Choice,
            InputKind::Many,
            InputKind::Number,
            InputKind::Money,
            InputKind::Percent,
            InputKind::Flag,
            InputKind::Colour,
        ];
        let input = |kind| FormInput {
            spec: InputSpec { name: "nome", label: "Nome", kind, longest: 200, hint: "Completo." },
            own_label: self.option_of(|| self.text()),
            value: self.text(),
            problem: self.option_of(|| self.text()),
            choices: self.list_of(|| (self.text(), self.text())),
        };
        kinds.map(input).into()
    }

    pub fn conflict(self) -> VersionConflict {
        let rows = self.list_of(|| (self.text(), self.text(), self.text()));
        VersionConflict { since: self.text(), version: 4, rows }
    }

    pub fn pager(self) -> ListPager {
        ListPager::new(2, if self.is_filled() { 250 } else { 0 }, 100, |_| self.text())
            .with_export(self.links())
    }

    pub fn links(self) -> ExportLinks {
        ExportLinks { csv: self.text(), xlsx: self.text() }
    }

    pub fn toolbar(self) -> TableToolbar {
        let chip = || FilterChip {
            code: 7,
            name: self.text(),
            link: self.text(),
            is_current: true,
            is_shared: true,
            may_change: true,
        };
        let columns = vec![("loja", "Loja", true), ("email", "E-mail", false)];
        TableToolbar {
            list: "associados",
            chips: self.list_of(chip),
            columns,
            query: self.text(),
            is_saved: false,
        }
    }

    pub fn row(self) -> TableRow {
        let cell = |badge| TableCell {
            title: "Loja",
            class: "",
            text: self.text(),
            link: self.option_of(|| self.text()),
            note: self.text(),
            badge,
        };
        TableRow {
            person: 7,
            link: self.text(),
            name: self.text(),
            note: self.text(),
            document: self.text(),
            branch: self.text(),
            cells: vec![cell(None), cell(self.option_of(|| self.badge()))],
        }
    }

    pub fn chart(self) -> BarChart {
        let bar = || (self.text(), 3, "s3".to_owned(), self.option_of(|| self.text()));
        BarChart::new("Um", "O quê", self.list_of(bar))
    }

    pub fn columns(self) -> ColumnChart {
        let month = || (self.text(), [3, 1], [self.text(), self.text()]);
        ColumnChart::new("Um", ["Entradas", "Cancelamentos"], self.list_of(month))
    }

    pub fn board(self) -> KanbanBoard {
        let card = || KanbanCard {
            id: 7,
            title: self.text(),
            link: self.text(),
            lines: self.list_of(|| self.text()),
            version: 3,
            badge: self.option_of(|| ("warn", self.text())),
            age: self.text(),
            is_late: true,
            order: 1,
            mover: self.text(),
        };
        let column = || KanbanColumn {
            id: 3,
            title: self.text(),
            class: "s3".to_owned(),
            count: self.text(),
            note: self.text(),
            cards: self.list_of(card),
            more: self.option_of(|| self.text()),
            newest_first: true,
            from: vec![1, 2],
            needs_reason: vec![2],
        };
        KanbanBoard {
            title: self.text(),
            moves: self.text(),
            changes: self.text(),
            since: 5,
            columns: self.list_of(column),
            triggers: self.text(),
            takes_reason: true,
        }
    }
}

pub fn render_template(template: &impl Template) -> String {
    template.render().unwrap()
}

/// Paths of page templates; partial templates extend nothing.
fn list_page_templates() -> BTreeSet<String> {
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
    let known: BTreeSet<String> = list_template_cases().map(|(path, _)| (*path).to_owned()).collect();
    let missing: Vec<String> = list_page_templates().difference(&known).cloned().collect();
    assert!(missing.is_empty(), "no CASES for {missing:?}: see “Adding a page” in lib.rs");
    let gone: Vec<String> = known.difference(&list_page_templates()).cloned().collect();
    assert!(gone.is_empty(), "there is no such template: {gone:?}");
}

/// Contents of each tag, without the angle brackets.
fn split_tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<').skip(1).filter_map(|from| from.split('>').next())
}

#[test]
fn no_page_is_harmed_by_what_it_is_filled_with() {
    for (path, case) in list_template_cases() {
        for sample in SampleContent::EACH {
            let page = case(&sample);
            assert!(page.contains("lang=\"pt-BR\"") && page.contains("<h1"), "{path}, {sample:?}: {page}");
            assert!(!page.contains("<script>") && !page.contains("<img src=x"), "{path}, {sample:?}: {page}");
            assert!(!page.contains("alert('x')"), "{path}, {sample:?}: a quote is not escaped");
            for tag in split_tags(&page) {
                let is_ours = !tag.starts_with("script") || tag.starts_with("script src=\"/console/");
                // Text between quotes is a value, never an attribute's name.
                let names: String = tag.split('"').step_by(2).collect();
                let is_plain = !names.contains(" style=") && !names.contains(" on");
                assert!(is_ours && is_plain && !tag.starts_with("style"), "{path}, {sample:?}: <{tag}>");
                assert!(!tag.contains("javascript:"), "{path}, {sample:?}: <{tag}>");
            }
        }
    }
}
