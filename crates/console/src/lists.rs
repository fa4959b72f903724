//! What surrounds a list: the filters that people keep of it as chips above it, and the columns that each chose for himself.

use crate::form::Form;
use crate::members::Badge;
use crate::notice::{Undo, tell, tell_undo};
use crate::page::Refusal;
use crate::visitor::{Guest, Number, Query, inside, redirect, root};
use app::saved::{self, List, Wanted};
use app::{App, Error};
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use dispatch::post;
use domain::FilterCode;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/console/filtros", post(keep))
        .route("/console/filtros/{codigo}", post(change))
        .route("/console/filtros/{codigo}/apagar", post(forget))
        .route("/console/colunas", post(choose))
}

/// A column that a list may have: its name, its title, and whether it is there before anybody chooses.
pub struct Column {
    pub name: &'static str,
    pub title: &'static str,
    pub is_usual: bool,
}

pub const fn column(name: &'static str, title: &'static str, is_usual: bool) -> Column {
    Column { name, title, is_usual }
}

/// What stands where a row and a column meet.
#[derive(Default)]
pub struct Cell {
    pub title: &'static str,
    pub class: &'static str,
    pub text: String,
    pub link: Option<String>,
    /// Something small behind it.
    pub note: String,
    pub badge: Option<Badge>,
}

/// A filter that somebody keeps.
pub struct Chip {
    pub code: i32,
    pub name: String,
    pub link: String,
    pub is_current: bool,
    pub is_shared: bool,
    pub may_change: bool,
}

/// What a page shows around its list.
pub struct Around {
    pub list: &'static str,
    pub chips: Vec<Chip>,
    /// Name, title, whether it is chosen.
    pub columns: Vec<(&'static str, &'static str, bool)>,
    /// What is filtered now, if anything is.
    pub query: String,
    /// Whether it is kept already.
    pub is_kept: bool,
}

impl Around {
    /// The columns of a file: those that always stand there, and those that were chosen.
    pub fn exported(&self, always: &[&str]) -> String {
        let chosen = self.columns.iter().filter(|(_, _, is_chosen)| *is_chosen).map(|(name, ..)| *name);
        always.iter().copied().chain(chosen).collect::<Vec<_>>().join(",")
    }

    /// The titles of the columns that are shown.
    pub fn titles(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.columns.iter().filter(|(_, _, is_chosen)| *is_chosen).map(|(_, title, _)| *title)
    }
}

/// What is there before anybody chooses, and nothing else.
pub fn usual(columns: &'static [Column]) -> Around {
    let columns = columns.iter().map(|one| (one.name, one.title, one.is_usual));
    Around { list: "", chips: Vec::new(), columns: columns.collect(), query: String::new(), is_kept: false }
}

pub async fn around(
    app: &App,
    guest: &Guest,
    list: List,
    columns: &'static [Column],
    query: &Query,
) -> Result<Around, Error> {
    let chosen = saved::columns(app, guest.session(), list).await?;
    let is_chosen = |one: &Column| match &chosen {
        Some(chosen) => chosen.iter().any(|name| name == one.name),
        None => one.is_usual,
    };
    let now = query.filters();
    let base = format!("{}/console/{}", root(app), list.name());
    let chips: Vec<Chip> = saved::all(app, guest.session(), list)
        .await?
        .into_iter()
        .map(|one| Chip {
            code: one.code.get(),
            may_change: saved::may_change(guest.session(), &one),
            link: format!("{base}?{}", one.query),
            is_current: !now.is_empty() && one.query == now,
            is_shared: one.is_shared,
            name: one.name,
        })
        .collect();
    Ok(Around {
        list: list.name(),
        is_kept: chips.iter().any(|chip| chip.is_current),
        chips,
        columns: columns.iter().map(|one| (one.name, one.title, is_chosen(one))).collect(),
        query: now,
    })
}

fn list_of(app: &App, list: List, query: &str) -> Response {
    redirect(&format!("{}/console/{}?{query}", root(app), list.name()))
}

fn refused(app: &App, error: Error, list: List, query: &str) -> Response {
    match error {
        Error::Refused(problems) => {
            let mut response = list_of(app, list, query);
            let problems: Vec<String> = problems.iter().map(wire::refusal::sentence).collect();
            tell(&mut response, &format!("O filtro não foi salvo: {}", problems.join(" ")));
            response
        }
        Error::NoSuch { .. } => Refusal::NotThere.into_response(),
        error => Refusal::from(&error).into_response(),
    }
}

/// What a form says of a query, read and written again, so that only a query comes of it.
fn clean(text: &str) -> String {
    Query::read(text).filters()
}

/// `POST /console/filtros`
async fn keep(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let Some(list) = List::named(sent.text("lista")) else { return Refusal::NotThere.into_response() };
    let query = clean(sent.text("consulta"));
    let wanted = Wanted {
        name: sent.text("nome").trim().to_owned(),
        query: query.clone(),
        is_shared: sent.text("todos") == "sim",
    };
    let text = format!("Filtro “{}” salvo.", wanted.name);
    match saved::keep(&app, guest.session(), list, wanted).await {
        Ok(_) => {
            let mut response = list_of(&app, list, &query);
            tell(&mut response, &text);
            response
        }
        Err(error) => refused(&app, error, list, &query),
    }
}

/// `POST /console/filtros/{codigo}`: another name, shared or no longer.
async fn change(
    State(app): State<App>,
    guest: Guest,
    Number(code): Number,
    sent: Result<Form, Refusal>,
) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let Some(list) = List::named(sent.text("lista")) else { return Refusal::NotThere.into_response() };
    let wanted = (sent.text("nome").trim(), sent.text("todos") == "sim");
    match saved::change(&app, guest.session(), FilterCode::new(code), wanted).await {
        Ok(after) => {
            let mut response = list_of(&app, list, &after.query);
            tell(&mut response, &format!("Filtro “{}” salvo.", after.name));
            response
        }
        Err(error) => refused(&app, error, list, &clean(sent.text("consulta"))),
    }
}

/// `POST /console/filtros/{codigo}/apagar`
async fn forget(State(app): State<App>, guest: Guest, Number(code): Number) -> Response {
    match saved::forget(&app, guest.session(), FilterCode::new(code)).await {
        Ok(before) => {
            let Some(list) = List::named(&before.list) else { return Refusal::NotThere.into_response() };
            let mut response = list_of(&app, list, &before.query);
            let fields = [
                ("lista", before.list.as_str()),
                ("nome", before.name.as_str()),
                ("consulta", before.query.as_str()),
                ("todos", if before.is_shared { "sim" } else { "" }),
            ];
            let undo = Undo::new("/console/filtros".to_owned(), &fields);
            tell_undo(&mut response, &format!("Filtro “{}” apagado.", before.name), &undo);
            response
        }
        Err(Error::NoSuch { .. }) => Refusal::NotThere.into_response(),
        Err(error) => Refusal::from(&error).into_response(),
    }
}

/// `POST /console/colunas`
async fn choose(State(app): State<App>, guest: Guest, sent: Result<Form, Refusal>) -> Response {
    let sent = match sent {
        Ok(sent) => sent,
        Err(refusal) => return refusal.into_response(),
    };
    let Some(list) = List::named(sent.text("lista")) else { return Refusal::NotThere.into_response() };
    let known = match list {
        List::Members => crate::members::COLUMNS,
        List::Benefits => crate::benefit::COLUMNS,
    };
    let chosen = known.iter().filter(|one| sent.all("coluna").any(|name| name == one.name));
    let chosen = chosen.map(|one| one.name.to_owned()).collect();
    match saved::choose(&app, guest.session(), list, chosen).await {
        Ok(()) => redirect(&format!("{}{}", root(&app), inside(sent.text("para")))),
        Err(error) => Refusal::from(&error).into_response(),
    }
}
