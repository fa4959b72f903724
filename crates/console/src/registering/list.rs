//! The records of a register, found by what its description says they are found by.

use super::fields::{Names, choices, shown, spec};
use super::{Which, all_of, badge_class, named_by, new_one, title};
use crate::exporting::Links;
use crate::frame::Frame;
use crate::page::show;
use crate::records::{Input, Problems, Values, inputs, labelled};
use crate::show::Pager;
use crate::visitor::{Guest, Query};
use app::registering::{self, Record};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use registers::{FieldSpec, Kind, Register, Search, Value};

const PAGE: i64 = 100;

struct Row {
    code: i32,
    title: String,
    badge: Option<String>,
    /// The column's name and what stands in it.
    cells: Vec<(&'static str, String, bool)>,
    active: bool,
}

#[derive(Template)]
#[template(path = "console/cadastro.html")]
struct List {
    frame: Frame,
    path: &'static str,
    name: String,
    new_one: String,
    about: &'static str,
    first: &'static str,
    columns: Vec<(&'static str, bool)>,
    rows: Vec<Row>,
    pager: Pager,
    filter: String,
    filter_hint: &'static str,
    filters: Vec<Input>,
    active: String,
    problems: Vec<String>,
    is_filtered: bool,
    /// Nothing is shown before it is said whose.
    needs_filter: bool,
    /// What a new record begins with.
    begins: String,
}

pub async fn page(State(app): State<App>, guest: Guest, which: Which, query: Query) -> Response {
    show(&guest, made(&app, &guest, which.0, &query).await)
}

type Column = (usize, &'static FieldSpec);

/// The columns that a list has beside the name.
fn columns(register: &'static Register) -> Vec<Column> {
    let name = named_by(register).map(|(at, _)| at);
    let own = register.columns.iter().filter_map(|name| register.field(name));
    own.filter(|(at, _)| Some(*at) != name).collect()
}

fn is_number(field: &FieldSpec) -> bool {
    matches!(field.kind, Kind::Money | Kind::Integer { .. })
}

async fn made(app: &App, guest: &Guest, register: &'static Register, query: &Query) -> Result<List, Error> {
    let caller = guest.session();
    let frame = Frame::of(app, guest, "cadastros").await?;
    let given = ["filtro", "ativo"].into_iter().chain(register.filters.iter().copied());
    let given = given.map(|name| (name, query.text(name))).filter(|(_, text)| !text.is_empty());
    let given: Vec<(&'static str, String)> = given.map(|(name, text)| (name, text.to_owned())).collect();
    let asked = given.iter().map(|(name, text)| ((*name).to_owned(), text.clone()));
    let page = ("pagina".to_owned(), query.page().to_string());
    let is_asked = !register.needs_filter || given.iter().any(|(name, _)| register.filters.contains(name));
    let labels: Vec<(&str, &str)> = register.fields.iter().map(|field| (field.name, field.label)).collect();
    let (mut records, total, problems) = match wire::register::asked(register, asked.chain([page])) {
        Err(problems) => (Vec::new(), 0, labelled(problems.into_lines(), &labels)),
        Ok(_) if !is_asked => (Vec::new(), 0, Vec::new()),
        Ok(asked) => match registering::page(app, caller, register, asked).await {
            Ok(page) => (page.records, page.total, Vec::new()),
            Err(Error::Refused(problems)) => {
                (Vec::new(), 0, labelled(problems.iter().map(wire::refusal::text).collect(), &labels))
            }
            Err(error) => return Err(error),
        },
    };
    if total <= PAGE {
        in_order(register, &mut records);
    }
    let columns = columns(register);
    let filtered = register.filters.iter().filter_map(|name| register.field(name)).map(|(_, field)| field);
    let needed = columns.iter().map(|(_, field)| *field).chain(filtered.clone());
    let names = Names::of(app, caller, needed).await?;
    let values: Values =
        filtered.clone().map(|field| (field.name, query.text(field.name).to_owned())).collect();
    let specs: Vec<_> = filtered.map(|field| crate::records::Spec { hint: "", ..spec(field) }).collect();
    let filters = inputs(&specs, &values, &Problems::default(), |name| {
        choices(register, None, (&names, &values), name)
    });
    Ok(List {
        path: register.path,
        name: all_of(register),
        new_one: new_one(register),
        about: register.about,
        first: named_by(register).map_or("Registro", |(_, field)| field.label),
        rows: records.iter().map(|record| row(register, &columns, &names, record)).collect(),
        columns: columns.iter().map(|(_, field)| (field.label, is_number(field))).collect(),
        pager: Pager::new(query.page(), total, PAGE, |page| query.with_page(page)).exporting(Links::new(
            &frame.root,
            register.path,
            given.iter().map(|(name, text)| (*name, text.as_str())),
        )),
        filter: query.text("filtro").to_owned(),
        filter_hint: match register.search {
            Search::Words => "Nome ou código",
            Search::Beginnings(_) => "Começo do número",
        },
        filters,
        active: query.text("ativo").to_owned(),
        problems,
        is_filtered: !given.is_empty(),
        needs_filter: !is_asked,
        begins: begins(&values),
        frame,
    })
}

/// What has a place among others stands there; what belongs together stands together.
fn in_order(register: &'static Register, records: &mut [Record]) {
    let Some((position, _)) = register.field("ordem") else { return };
    let by: Vec<usize> =
        register.filters.iter().filter_map(|name| register.field(name)).map(|(at, _)| at).take(1).collect();
    let number = |record: &Record, at: usize| match record.values.get(at) {
        Some(Value::Number(number)) => *number,
        _ => i64::MAX,
    };
    records.sort_by_key(|record| {
        let group = by.first().map_or(0, |at| number(record, *at));
        (group, number(record, position), record.code)
    });
}

fn row(register: &'static Register, columns: &[Column], names: &Names, record: &Record) -> Row {
    let cells = columns
        .iter()
        .map(|(at, field)| (field.label, shown(field, &record.values[*at], names), is_number(field)));
    Row {
        code: record.code,
        title: title(register, record.code, &record.values),
        badge: badge_class(register, record.code),
        cells: cells.collect(),
        active: record.active,
    }
}

/// A new record begins with what the list is narrowed to.
fn begins(values: &Values) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let given = values.iter().filter(|(_, value)| !value.is_empty());
    let query = given.fold(&mut query, |query, (name, value)| query.append_pair(name, value));
    match query.finish() {
        empty if empty.is_empty() => empty,
        some => format!("?{some}"),
    }
}

#[cfg(test)]
pub const CASES: crate::rendered::Cases = &[("console/cadastro.html", |with| {
    let row = || Row {
        code: 7,
        title: with.text(),
        badge: with.maybe(|| "s3".to_owned()),
        cells: with.many(|| ("Valor", with.text(), true)),
        active: false,
    };
    crate::rendered::text(&List {
        frame: with.frame(),
        path: "plano",
        name: with.text(),
        new_one: with.text(),
        about: "O que se oferece.",
        first: "Nome",
        columns: with.many(|| ("Valor", true)),
        rows: with.many(row),
        pager: with.pager(),
        filter: with.text(),
        filter_hint: "Nome ou código",
        filters: with.inputs(),
        active: with.text(),
        problems: with.many(|| with.text()),
        is_filtered: with.is_full(),
        needs_filter: !with.is_full(),
        begins: with.text(),
    })
})];
