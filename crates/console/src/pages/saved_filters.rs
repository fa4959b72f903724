//! `/console/filtros` and `/console/colunas`: saves the filters and the columns that a user chose for a list. The lists
//! show them with `widgets/list_tools.rs`.

use super::{benefits, member_list};
use crate::http::form::SubmittedForm;
use crate::http::parameters::{PathNumber, QueryParams};
use crate::http::redirect::{derive_root_path, redirect_to, sanitize_return_path};
use crate::http::refusal::Refusal;
use crate::page_route::{PageRoute, routes};
use crate::session::notice::{add_undo_notice, redirect_with_notice, redirect_with_problem};
use crate::session::signed_in_user::SignedInUser;
use crate::session::undo_form::UndoForm;
use crate::widgets::page::HandlerResult;
use app::members::saved_filters::{self, FilterDraft, FilterableList};
use app::{App, Error};
use axum::extract::State;
use domain::FilterCode;

pub fn list_filter_routes() -> Vec<PageRoute> {
    routes! {
        post "/console/filtros"                 SignedIn save_filter;
        post "/console/filtros/{codigo}"        SignedIn change_filter;
        post "/console/filtros/{codigo}/apagar" SignedIn delete_filter;
        post "/console/colunas"                 SignedIn choose_columns;
    }
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
        FilterableList::Members => member_list::COLUMNS,
        FilterableList::Benefits => benefits::list::COLUMNS,
    };
    let chosen = known.iter().filter(|one| form.all_texts("coluna").any(|name| name == one.name));
    let chosen = chosen.map(|one| one.name.to_owned()).collect();
    saved_filters::save_chosen_columns(&app, user.session(), list, chosen).await?;
    Ok(redirect_to(&format!("{}{}", derive_root_path(&app), sanitize_return_path(form.text("para")))))
}
