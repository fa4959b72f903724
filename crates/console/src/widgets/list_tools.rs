//! The toolbar of a list: saved filters as chips above it, and the columns that each user chose.

use super::situation_badge::SituationBadge;
use crate::http::parameters::QueryParams;
use crate::http::redirect::derive_root_path;
use crate::session::signed_in_user::SignedInUser;
use app::members::saved_filters::{self, FilterableList};
use app::{App, Error};

/// A possible column: name, title, and whether it is shown by default.
pub struct TableColumn {
    pub name: &'static str,
    pub title: &'static str,
    pub is_usual: bool,
}

pub const fn define_column(name: &'static str, title: &'static str, is_usual: bool) -> TableColumn {
    TableColumn { name, title, is_usual }
}

#[derive(Default)]
pub struct TableCell {
    pub title: &'static str,
    pub class: &'static str,
    pub text: String,
    pub link: Option<String>,
    /// Small text after the value.
    pub note: String,
    pub badge: Option<SituationBadge>,
}

/// A row of a list of members or benefits.
pub struct TableRow {
    pub person: i32,
    pub link: String,
    pub name: String,
    /// Small text after the name.
    pub note: String,
    pub document: String,
    pub branch: String,
    pub cells: Vec<TableCell>,
}

/// A saved filter.
pub struct FilterChip {
    pub code: i32,
    pub name: String,
    pub link: String,
    pub is_current: bool,
    pub is_shared: bool,
    pub may_change: bool,
}

/// Saved filters and columns of a list.
pub struct TableToolbar {
    pub list: &'static str,
    pub chips: Vec<FilterChip>,
    /// Name, title, whether it is shown.
    pub columns: Vec<(&'static str, &'static str, bool)>,
    /// Current filters; empty if there are none.
    pub query: String,
    /// Whether the current filters are saved.
    pub is_saved: bool,
}

impl TableToolbar {
    /// The export's columns: the fixed ones and the chosen ones.
    pub fn export_columns(&self, always: &[&str]) -> String {
        let chosen = self.columns.iter().filter(|(_, _, is_chosen)| *is_chosen).map(|(name, ..)| *name);
        always.iter().copied().chain(chosen).collect::<Vec<_>>().join(",")
    }

    pub fn titles(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.columns.iter().filter(|(_, _, is_chosen)| *is_chosen).map(|(_, title, _)| *title)
    }
}

/// A toolbar with the default columns and no filters.
pub fn build_default_toolbar(columns: &'static [TableColumn]) -> TableToolbar {
    let columns = columns.iter().map(|one| (one.name, one.title, one.is_usual));
    TableToolbar {
        list: "",
        chips: Vec::new(),
        columns: columns.collect(),
        query: String::new(),
        is_saved: false,
    }
}

pub async fn load_toolbar(
    app: &App,
    user: &SignedInUser,
    list: FilterableList,
    columns: &'static [TableColumn],
    query: &QueryParams,
) -> Result<TableToolbar, Error> {
    let chosen = saved_filters::read_chosen_columns(app, user.session(), list).await?;
    let is_chosen = |one: &TableColumn| match &chosen {
        Some(chosen) => chosen.iter().any(|name| name == one.name),
        None => one.is_usual,
    };
    let current_filters = query.canonical_filters();
    let base = format!("{}/console/{}", derive_root_path(app), list.name());
    let chips: Vec<FilterChip> = saved_filters::list_filters(app, user.session(), list)
        .await?
        .into_iter()
        .map(|one| FilterChip {
            code: one.code.get(),
            may_change: saved_filters::may_change_filter(user.session(), &one),
            link: format!("{base}?{}", one.query),
            is_current: !current_filters.is_empty() && one.query == current_filters,
            is_shared: one.is_shared,
            name: one.name,
        })
        .collect();
    Ok(TableToolbar {
        list: list.name(),
        is_saved: chips.iter().any(|chip| chip.is_current),
        chips,
        columns: columns.iter().map(|one| (one.name, one.title, is_chosen(one))).collect(),
        query: current_filters,
    })
}
