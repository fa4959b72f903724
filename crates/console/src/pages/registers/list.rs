//! The list of a register's records, with the search and the filters from its description.

use super::fields::{FormReferenceNames, build_input_spec, format_field_value, list_field_choices};
use super::{
    RegisterParam, ShownFields, find_badge_class, find_name_field, format_new_title, format_plural_title,
    format_record_title,
};
use crate::http::parameters::QueryParams;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::form_input::{FormInput, FormValues};
use crate::widgets::form_problems::{FormProblems, label_problems};
use crate::widgets::formats::ListPager;
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::record_form::build_inputs;
use ::registers::{FieldContent, FieldSpec, FieldType, Register, SearchMethod};
use app::registers::{self, StoredRecord};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::PAGE_SIZE;

struct RegisterRecordLine {
    code: i32,
    title: String,
    badge: Option<String>,
    /// Column label, text, whether it is a number.
    cells: Vec<(&'static str, String, bool)>,
    active: bool,
}

#[derive(Template)]
#[template(path = "console/cadastro.html")]
struct BrowseRegisterPage {
    frame: PageFrame,
    path: &'static str,
    name: String,
    new_one: String,
    about: &'static str,
    first: &'static str,
    columns: Vec<(&'static str, bool)>,
    rows: Vec<RegisterRecordLine>,
    pager: ListPager,
    filter: String,
    filter_hint: &'static str,
    filters: Vec<FormInput>,
    active: String,
    problems: Vec<String>,
    is_filtered: bool,
    /// The register requires a filter, and none is set.
    needs_filter: bool,
    /// Query string with the initial values of a new record.
    begins: String,
}

pub async fn show_register_list(
    State(app): State<App>,
    user: SignedInUser,
    RegisterParam(register): RegisterParam,
    query: QueryParams,
) -> HandlerResult {
    let caller = user.session();
    let frame = PageFrame::load(&app, &user, "cadastros").await?;
    let active_filters = ["filtro", "ativo"].into_iter().chain(register.filters.iter().copied());
    let active_filters =
        active_filters.map(|name| (name, query.text(name))).filter(|(_, text)| !text.is_empty());
    let active_filters: Vec<(&'static str, String)> =
        active_filters.map(|(name, text)| (name, text.to_owned())).collect();
    let may_list =
        !register.needs_filter || active_filters.iter().any(|(name, _)| register.filters.contains(name));
    let criteria = active_filters.iter().map(|(name, text)| ((*name).to_owned(), text.clone()));
    let page = ("pagina".to_owned(), query.page_number().to_string());
    let criteria = criteria.chain([page]).collect();
    let (mut records, total, problems) = find_records(&app, &user, register, criteria, may_list).await?;
    if total <= PAGE_SIZE {
        sort_records(register, &mut records);
    }
    let shown = ShownFields::load(&app, caller).await?;
    let columns = list_register_columns(register, &shown);
    let filtered =
        register.filters.iter().filter_map(|name| register.find_field(name)).map(|(_, field)| field);
    let needed = columns.iter().map(|(_, field)| *field).chain(filtered.clone());
    let names = FormReferenceNames::load(&app, caller, needed).await?;
    let values: FormValues =
        filtered.clone().map(|field| (field.name, query.text(field.name).to_owned())).collect();
    let specs: Vec<_> = filtered
        .map(|field| crate::widgets::form_input::InputSpec { hint: "", ..build_input_spec(field) })
        .collect();
    let filters = build_inputs(&specs, &values, &FormProblems::default(), |name| {
        list_field_choices(register, None, (&names, &values), name)
    });
    show_page(&BrowseRegisterPage {
        path: register.path,
        name: format_plural_title(register),
        new_one: format_new_title(register),
        about: register.about,
        first: find_name_field(register).map_or("Registro", |(_, field)| field.label),
        rows: records.iter().map(|record| build_record_line(register, &columns, &names, record)).collect(),
        columns: columns.iter().map(|(_, field)| (field.label, is_number_field(field))).collect(),
        pager: ListPager::new(query.page_number(), total, PAGE_SIZE, |page| query.with_page(page))
            .with_export(ExportLinks::new(
                &frame.root,
                register.path,
                active_filters.iter().map(|(name, text)| (*name, text.as_str())),
            )),
        filter: query.text("filtro").to_owned(),
        filter_hint: match register.search {
            SearchMethod::Words => "Nome ou código",
            SearchMethod::Beginnings(_) => "Começo do número",
        },
        filters,
        active: query.text("ativo").to_owned(),
        problems,
        is_filtered: !active_filters.is_empty(),
        needs_filter: !may_list,
        begins: build_new_record_query(&values),
        frame,
    })
}

/// One page of the records and the number of all, or the problems of the filters.
async fn find_records(
    app: &App,
    user: &SignedInUser,
    register: &'static Register,
    criteria: Vec<(String, String)>,
    may_list: bool,
) -> Result<(Vec<StoredRecord>, i64, Vec<String>), Error> {
    let found = match wire::register::read_list_query(register, criteria.into_iter()) {
        Ok(_) if !may_list => Vec::new(),
        Ok(criteria) => match registers::list_records(app, user.session(), register, criteria).await {
            Err(Error::Refused(problems)) => wire::refusal::describe_rejections(&problems),
            page => return page.map(|page| (page.records, page.total, Vec::new())),
        },
        Err(problems) => problems.into_problems(),
    };
    let labels: Vec<(&str, &str)> = register.fields.iter().map(|field| (field.name, field.label)).collect();
    Ok((Vec::new(), 0, label_problems(&found, &labels)))
}

type RegisterListColumn = (usize, &'static FieldSpec);

/// Columns besides the name.
fn list_register_columns(register: &'static Register, shown: &ShownFields) -> Vec<RegisterListColumn> {
    let name = find_name_field(register).map(|(at, _)| at);
    let columns = register.columns.iter().filter_map(|name| register.find_field(name));
    columns.filter(|(at, field)| Some(*at) != name && shown.has_field(field)).collect()
}

fn is_number_field(field: &FieldSpec) -> bool {
    matches!(field.kind, FieldType::Money | FieldType::Percent | FieldType::Integer { .. })
}

/// Sorts by the register's first filter, then by `ordem`.
fn sort_records(register: &'static Register, records: &mut [StoredRecord]) {
    let Some((position, _)) = register.find_field("ordem") else { return };
    let group_fields: Vec<usize> = register
        .filters
        .iter()
        .filter_map(|name| register.find_field(name))
        .map(|(at, _)| at)
        .take(1)
        .collect();
    let number = |record: &StoredRecord, at: usize| match record.values.get(at) {
        Some(FieldContent::Number(number)) => *number,
        _ => i64::MAX,
    };
    records.sort_by_key(|record| {
        let group = group_fields.first().map_or(0, |at| number(record, *at));
        (group, number(record, position), record.code)
    });
}

fn build_record_line(
    register: &'static Register,
    columns: &[RegisterListColumn],
    names: &FormReferenceNames,
    record: &StoredRecord,
) -> RegisterRecordLine {
    let cells = columns.iter().map(|(at, field)| {
        (field.label, format_field_value(field, &record.values[*at], names), is_number_field(field))
    });
    RegisterRecordLine {
        code: record.code,
        title: format_record_title(register, record.code, &record.values),
        badge: find_badge_class(register, record.code),
        cells: cells.collect(),
        active: record.active,
    }
}

/// The list's filters become the initial values of a new record.
fn build_new_record_query(values: &FormValues) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let filled = values.iter().filter(|(_, value)| !value.is_empty());
    let query = filled.fold(&mut query, |query, (name, value)| query.append_pair(name, value));
    match query.finish() {
        empty if empty.is_empty() => empty,
        encoded => format!("?{encoded}"),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/cadastro.html", |with| {
    let row = || RegisterRecordLine {
        code: 7,
        title: with.text(),
        badge: with.option_of(|| "s3".to_owned()),
        cells: with.list_of(|| ("Valor", with.text(), true)),
        active: false,
    };
    crate::template_tests::render_template(&BrowseRegisterPage {
        frame: with.frame(),
        path: "plano",
        name: with.text(),
        new_one: with.text(),
        about: "O que se oferece.",
        first: "Nome",
        columns: with.list_of(|| ("Valor", true)),
        rows: with.list_of(row),
        pager: with.pager(),
        filter: with.text(),
        filter_hint: "Nome ou código",
        filters: with.inputs(),
        active: with.text(),
        problems: with.list_of(|| with.text()),
        is_filtered: with.is_filled(),
        needs_filter: !with.is_filled(),
        begins: with.text(),
    })
})];
