//! The list of a case kind: open cases by default, or as filtered in the URL.

use super::{
    CaseKindParam, CaseKindWording, describe_case_kind, find_planned_time, find_type_name, is_late,
    list_active_types,
};
use crate::http::parameters::QueryParams;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::board::format_age;
use crate::widgets::export_links::{ExportLinks, borrow_pairs};
use crate::widgets::form_problems::label_problems;
use crate::widgets::formats::{ListPager, format_count, format_moment};
use crate::widgets::frame::PageFrame;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use crate::widgets::situation_badge::{SituationBadge, build_situation_badge};
use app::access::users;
use app::cases::{self, ResolvedCase, board};
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::{CaseKind, Moment, PAGE_SIZE, Role};
use wire::records::CasoQuery;
use wire::set_names;

struct CaseSummaryLine {
    code: i32,
    protocol: i32,
    kind: String,
    person: i32,
    name: String,
    plate: String,
    branch: String,
    responsible: String,
    priority: &'static str,
    is_pressing: bool,
    opened: String,
    planned: String,
    situation: SituationBadge,
    since: String,
    is_late: bool,
}

#[derive(Template)]
#[template(path = "console/casos.html")]
struct BrowseCasesPage {
    frame: PageFrame,
    words: CaseKindWording,
    rows: Vec<CaseSummaryLine>,
    pager: ListPager,
    problems: Vec<String>,
    filter: String,
    from: String,
    to: String,
    /// Label of the state filter when none is chosen.
    usual: &'static str,
    states: Vec<SelectOption>,
    types: Vec<SelectOption>,
    branches: Vec<SelectOption>,
    responsibles: Vec<SelectOption>,
    priorities: Vec<SelectOption>,
    /// Member or benefit, kept while other filters change.
    narrowed: Vec<(&'static str, String)>,
    is_filtered: bool,
    /// Whether one of the `SELDOM` filters is set.
    is_narrow: bool,
    only_late: bool,
    has_priority: bool,
    has_plan: bool,
    /// How many are overdue, and how the sentence goes on.
    late: Option<(String, &'static str)>,
}

/// Filters passed to the query unchanged.
const FILTERS: [&str; 10] = [
    "filtro",
    "codLoja",
    "codTipo",
    "codResponsavel",
    "prioridade",
    "atrasado",
    "dataAberturaInicial",
    "dataAberturaFinal",
    "codPessoa",
    "codBeneficio",
];

/// Labels of the filters that are typed.
const LABELS: &[(&str, &str)] =
    &[("dataAberturaInicial", "Abertura de"), ("dataAberturaFinal", "Abertura até")];

/// Rarely used filters, shown after the others.
const SELDOM: [&str; 5] = ["codTipo", "codLoja", "prioridade", "dataAberturaInicial", "dataAberturaFinal"];

pub async fn show_case_list(
    State(app): State<App>,
    user: SignedInUser,
    CaseKindParam(kind): CaseKindParam,
    query: QueryParams,
) -> HandlerResult {
    let (words, caller) = (describe_case_kind(kind), user.session());
    let frame = PageFrame::load(&app, &user, words.path).await?;
    let registers = app::register_snapshot::load_registers(&app, caller.scope.tenant()).await?;
    let (found, total, problems) = find_cases(&app, &user, kind, &query).await?;
    let late = board::count_late_cases(&app, caller, kind).await?;
    let now = app.now();
    let is_chosen = |name: &str, value: &str| query.text(name) == value;
    let choice = |name: &'static str| {
        move |(value, text): (String, String)| SelectOption {
            is_chosen: is_chosen(name, &value),
            value,
            name: text,
        }
    };
    let branches =
        registers.usable_branches(&caller.scope).map(|one| (one.code.to_string(), one.name.clone()));
    let priorities = domain::Priority::ALL.iter().map(|one| set_names::priority(*one).to_owned());
    let narrowed = ["codPessoa", "codBeneficio"].map(|name| (name, query.text(name).to_owned()));
    show_page(&BrowseCasesPage {
        rows: found.iter().map(|item| build_case_summary(&registers, item, now)).collect(),
        pager: ListPager::new(query.page_number(), total, PAGE_SIZE, |page| query.with_page(page))
            .with_export(ExportLinks::new(
                &frame.root,
                wire::entity_path(kind.entity()),
                borrow_pairs(&build_case_query(&query)),
            )),
        problems,
        filter: query.text("filtro").to_owned(),
        from: query.text("dataAberturaInicial").to_owned(),
        to: query.text("dataAberturaFinal").to_owned(),
        usual: if has_search_terms(&query) { "Todas" } else { "Em aberto" },
        states: list_state_choices(&registers, kind, has_search_terms(&query))
            .into_iter()
            .map(choice("estado"))
            .collect(),
        types: list_active_types(&registers, kind).into_iter().map(choice("codTipo")).collect(),
        branches: branches.map(choice("codLoja")).collect(),
        responsibles: list_staff_choices(&app, &user)
            .await?
            .into_iter()
            .map(choice("codResponsavel"))
            .collect(),
        priorities: priorities.map(|name| (name.clone(), name)).map(choice("prioridade")).collect(),
        narrowed: narrowed.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
        is_filtered: FILTERS.iter().chain(&["estado"]).any(|name| !query.text(name).is_empty()),
        is_narrow: SELDOM.iter().any(|name| !query.text(name).is_empty()),
        only_late: query.text("atrasado") == "true",
        has_priority: matches!(kind, CaseKind::Claim | CaseKind::Ticket),
        has_plan: matches!(kind, CaseKind::Inspection | CaseKind::Appointment),
        late: (late > 0).then(|| (describe_overdue(late), describe_overdue_situation(late))),
        frame,
        words,
    })
}

/// One page of the cases and the number of all, or the problems of the filters.
async fn find_cases(
    app: &App,
    user: &SignedInUser,
    kind: CaseKind,
    query: &QueryParams,
) -> Result<(Vec<ResolvedCase>, i64, Vec<String>), Error> {
    let found = match wire::read::read_query::<CasoQuery>(build_case_query(query).into_iter()) {
        Ok(criteria) => match cases::list_cases(app, user.session(), kind, criteria).await {
            Err(Error::Refused(problems)) => wire::refusal::describe_rejections(&problems),
            page => return page.map(|page| (page.rows, page.total, Vec::new())),
        },
        Err(problems) => problems.into_problems(),
    };
    Ok((Vec::new(), 0, label_problems(&found, LABELS)))
}

fn has_search_terms(query: &QueryParams) -> bool {
    ["filtro", "codPessoa", "codBeneficio"].iter().any(|name| !query.text(name).is_empty())
}

/// Builds the list query. A search covers every state; otherwise the default is open cases.
fn build_case_query(query: &QueryParams) -> Vec<(String, String)> {
    let filters = FILTERS.iter().map(|name| (*name, query.text(name))).filter(|(_, text)| !text.is_empty());
    let mut all: Vec<(String, String)> =
        filters.map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let state = match query.text("estado") {
        "" if has_search_terms(query) => None,
        "" | "abertos" => Some(("aberto", "true")),
        "todos" => None,
        "encerrados" => Some(("aberto", "false")),
        code => Some(("codSituacao", code)),
    };
    all.extend(state.map(|(name, text)| (name.to_owned(), text.to_owned())));
    all.push(("pagina".to_owned(), query.page_number().to_string()));
    all
}

fn describe_overdue_situation(late: i64) -> &'static str {
    if late == 1 { "da situação em que está." } else { "da situação em que estão." }
}

/// `3 passaram do prazo`
pub fn describe_overdue(late: i64) -> String {
    match late {
        1 => "1 passou do prazo".to_owned(),
        many if many >= board::LARGEST_COUNT => {
            format!("Mais de {} passaram do prazo", format_count(board::LARGEST_COUNT))
        }
        many => format!("{} passaram do prazo", format_count(many)),
    }
}

fn list_state_choices(
    registers: &TenantRegisters,
    kind: CaseKind,
    is_searching: bool,
) -> Vec<(String, String)> {
    let other = if is_searching { ("abertos", "Em aberto") } else { ("todos", "Todas") };
    let fixed = [other, ("encerrados", "Encerradas")];
    let mut situations: Vec<_> =
        registers.situations.iter().filter(|one| one.entity == kind.entity()).collect();
    situations.sort_by_key(|one| (one.position, one.code));
    let situations = situations.into_iter().map(|one| (one.code.to_string(), one.name.clone()));
    fixed.into_iter().map(|(value, name)| (value.to_owned(), name.to_owned())).chain(situations).collect()
}

/// Users who may be assigned: active people in the signed-in user's scope, the signed-in user first.
pub async fn list_staff_choices(app: &App, signed_in: &SignedInUser) -> Result<Vec<(String, String)>, Error> {
    let current_user = signed_in.session().user;
    let mut all = users::list_users(app, &signed_in.session().scope).await?;
    all.retain(|user| user.active && user.role != Role::Integration);
    all.sort_by_cached_key(|user| (user.code != current_user, domain::fold_text(&user.name), user.code));
    let named = all.into_iter().map(|user| {
        let name = if user.code == current_user { format!("Eu ({})", user.name) } else { user.name };
        (user.code.to_string(), name)
    });
    Ok(named.collect())
}

fn build_case_summary(registers: &TenantRegisters, item: &ResolvedCase, now: Moment) -> CaseSummaryLine {
    let head = item.case.head();
    let zone = &registers.zone;
    CaseSummaryLine {
        code: item.code,
        protocol: head.protocol,
        kind: find_type_name(registers, &item.case),
        person: head.person.get(),
        name: item.name.clone(),
        plate: item.plate.clone().unwrap_or_default(),
        branch: registers.branch_name(head.branch).to_owned(),
        responsible: item.responsible.clone().unwrap_or_default(),
        priority: item.case.priority().map(set_names::priority).unwrap_or_default(),
        is_pressing: item.case.priority().is_some_and(|one| one >= domain::Priority::High),
        opened: format_moment(head.opened_at, zone),
        planned: find_planned_time(&item.case).map(|at| format_moment(at, zone)).unwrap_or_default(),
        situation: build_situation_badge(registers, head.situation),
        since: format_age(now.duration_since(head.situation_since)),
        is_late: is_late(registers, item, now),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/casos.html", |with| {
    let row = || CaseSummaryLine {
        code: 7,
        protocol: 4711,
        kind: with.text(),
        person: 7,
        name: with.text(),
        plate: with.text(),
        branch: with.text(),
        responsible: with.text(),
        priority: "Urgente",
        is_pressing: true,
        opened: with.text(),
        planned: with.text(),
        situation: with.badge(),
        since: with.text(),
        is_late: true,
    };
    crate::template_tests::render_template(&BrowseCasesPage {
        frame: with.frame(),
        words: describe_case_kind(CaseKind::Claim),
        rows: with.list_of(row),
        pager: with.pager(),
        problems: with.list_of(|| with.text()),
        filter: with.text(),
        from: with.text(),
        to: with.text(),
        usual: "Em aberto",
        states: with.choices(),
        types: with.choices(),
        branches: with.choices(),
        responsibles: with.choices(),
        priorities: with.choices(),
        narrowed: with.facts(),
        is_filtered: with.is_filled(),
        is_narrow: with.is_filled(),
        only_late: with.is_filled(),
        has_priority: true,
        has_plan: true,
        late: with.option_of(|| (with.text(), "da situação em que estão.")),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_overdue_case_is_not_spoken_of_as_many() {
        let sentence = |late| format!("{} {}", describe_overdue(late), describe_overdue_situation(late));
        assert_eq!(sentence(1), "1 passou do prazo da situação em que está.");
        assert_eq!(sentence(2), "2 passaram do prazo da situação em que estão.");
    }
}
