//! The toolbar of a list: saved filters as chips above it, and the columns that each user chose.

use super::form::SubmittedForm;
use super::notice::{redirect_with_notice, redirect_with_problem};
use super::page::{HandlerResult, Refusal};
use super::undo_form::{UndoForm, add_undo_notice};
use crate::routes::{PageRoute, routes};
use crate::session::parameters::{PathNumber, QueryParams};
use crate::session::redirect::{derive_root_path, redirect_to, sanitize_return_path};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::situation_badge::SituationBadge;
use app::members::saved_filters::{self, FilterDraft, FilterableList};
use app::{App, Error};
use axum::extract::State;
use domain::FilterCode;

pub fn list_toolbar_routes() -> Vec<PageRoute> {
    routes! {
        post "/console/filtros"                 SignedIn save_filter;
        post "/console/filtros/{codigo}"        SignedIn change_filter;
        post "/console/filtros/{codigo}/apagar" SignedIn delete_filter;
        post "/console/colunas"                 SignedIn choose_columns;
    }
}

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

fn build_list_path(app: &App, list: FilterableList, query: &str) -> String {
    format!("{}/console/{}?{query}", derive_root_path(app), list.name())
}

fn read_list_name(form: &SubmittedForm) -> Result<FilterableList, Refusal> {
    FilterableList::from_name(form.text("lista")).ok_or(Refusal::NotThere)
}

fn respond_refused_filter(app: &App, error: Error, list: FilterableList, query: &str) -> HandlerResult {
    let Error::Refused(problems) = error else { return Err(error.into()) };
    let problems: Vec<String> = problems.iter().map(wire::refusal::render_sentence).collect();
    let text = format!("O filtro não foi salvo: {}", problems.join(" "));
    Ok(redirect_with_problem(&build_list_path(app, list, query), &text))
}

/// Parses and serializes the submitted text again, so that only a query is stored.
fn normalize_query(text: &str) -> String {
    QueryParams::parse(text).canonical_filters()
}

/// `POST /console/filtros`
async fn save_filter(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    let list = read_list_name(&form)?;
    let query = normalize_query(form.text("consulta"));
    let draft = FilterDraft {
        name: form.text("nome").trim().to_owned(),
        query: query.clone(),
        is_shared: form.text("todos") == "sim",
    };
    let text = format!("Filtro “{}” salvo.", draft.name);
    match saved_filters::save_filter(&app, user.session(), list, draft).await {
        Ok(_) => Ok(redirect_with_notice(&build_list_path(&app, list, &query), &text)),
        Err(error) => respond_refused_filter(&app, error, list, &query),
    }
}

/// `POST /console/filtros/{codigo}`: renames, shares or unshares a filter.
async fn change_filter(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    form: SubmittedForm,
) -> HandlerResult {
    let list = read_list_name(&form)?;
    let changes = (form.text("nome").trim(), form.text("todos") == "sim");
    match saved_filters::change_filter(&app, user.session(), FilterCode::new(code), changes).await {
        Ok(after) => {
            let text = format!("Filtro “{}” salvo.", after.name);
            Ok(redirect_with_notice(&build_list_path(&app, list, &after.query), &text))
        }
        Err(error) => respond_refused_filter(&app, error, list, &normalize_query(form.text("consulta"))),
    }
}

/// `POST /console/filtros/{codigo}/apagar`
async fn delete_filter(
    State(app): State<App>,
    user: SignedInUser,
    PathNumber(code): PathNumber,
    _: SubmittedForm,
) -> HandlerResult {
    let before = saved_filters::delete_filter(&app, user.session(), FilterCode::new(code)).await?;
    let list = FilterableList::from_name(&before.list).ok_or(Refusal::NotThere)?;
    let fields = [
        ("lista", before.list.as_str()),
        ("nome", before.name.as_str()),
        ("consulta", before.query.as_str()),
        ("todos", if before.is_shared { "sim" } else { "" }),
    ];
    let undo = UndoForm::new("/console/filtros".to_owned(), &fields);
    let mut response = redirect_to(&build_list_path(&app, list, &before.query));
    add_undo_notice(&mut response, &format!("Filtro “{}” apagado.", before.name), &undo);
    Ok(response)
}

/// `POST /console/colunas`
async fn choose_columns(State(app): State<App>, user: SignedInUser, form: SubmittedForm) -> HandlerResult {
    let list = read_list_name(&form)?;
    let known = match list {
        FilterableList::Members => crate::pages::member_list::COLUMNS,
        FilterableList::Benefits => crate::pages::benefits::COLUMNS,
    };
    let chosen = known.iter().filter(|one| form.all_texts("coluna").any(|name| name == one.name));
    let chosen = chosen.map(|one| one.name.to_owned()).collect();
    saved_filters::save_chosen_columns(&app, user.session(), list, chosen).await?;
    Ok(redirect_to(&format!("{}{}", derive_root_path(&app), sanitize_return_path(form.text("para")))))
}
