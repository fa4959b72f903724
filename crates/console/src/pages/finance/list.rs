//! The list of titles: open credits by default, or as filtered in the URL.

use super::overview::LATE_SITUATIONS;
use super::title_export::build_export_links;
use super::title_matches::find_title_by_payment_text;
use super::{TitleBadge, build_title_badge, count_titles, format_cents};
use crate::http::parameters::QueryParams;
use crate::http::redirect::redirect_to;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::formats::ListPager;
use crate::widgets::frame::PageFrame;
use crate::widgets::money_input::normalize_money;
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::finance::{LaunchKind, TitleSituation};
use domain::{BenefitCode, BranchCode, Date, Document, Money, MoneyRight, PAGE_SIZE, PersonCode, TitleCode};
use finance::{
    DayRange, LATENESS_STEPS, LatenessRange, ListedTitle, TitleCriteria, TitlePage, TitleSearch, TitleTotals,
    list_titles,
};

struct ChargeLine {
    code: i32,
    due: String,
    person: i32,
    name: String,
    description: String,
    instalment: String,
    branch: String,
    amount: String,
    open_amount: String,
    badge: TitleBadge,
}

#[derive(Template)]
#[template(path = "console/titulos.html")]
struct BrowseTitlesPage {
    frame: PageFrame,
    rows: Vec<ChargeLine>,
    pager: ListPager,
    problems: Vec<String>,
    kinds: Vec<SelectOption>,
    situations: Vec<SelectOption>,
    branches: Vec<SelectOption>,
    search: String,
    from: String,
    to: String,
    paid: [String; 2],
    /// Person and benefit, kept while other filters change.
    narrowed: Vec<(&'static str, String)>,
    /// The person to whom the list is limited: code, and name if there is a title.
    person: Option<(i32, String)>,
    is_filtered: bool,
    count: String,
    amount: String,
    open_amount: String,
    /// What came in on the days that are asked for, or empty.
    received: String,
    /// Another order: where it leads, and whether the last due day comes first now.
    order: (String, bool),
    closes_months: bool,
    approves_runs: bool,
}

const KINDS: [(&str, &str); 3] =
    [("credito", "Crédito (a receber)"), ("debito", "Débito (a pagar)"), ("todos", "Todos")];
const SITUATIONS: [(&str, &str); 11] = [
    ("aberto", "Aberto"),
    ("vencido", "Vencido"),
    LATE_SITUATIONS[0],
    LATE_SITUATIONS[1],
    LATE_SITUATIONS[2],
    LATE_SITUATIONS[3],
    ("cobrado", "Aberto ou liquidado"),
    ("pendente", "Pendente"),
    ("liquidado", "Liquidado"),
    ("cancelado", "Cancelado"),
    ("todas", "Todas"),
];
const FILTERS: [&str; 10] = [
    "tipo",
    "situacao",
    "codLoja",
    "vencimentoDe",
    "vencimentoAte",
    "pagoDe",
    "pagoAte",
    "busca",
    "pessoa",
    "beneficio",
];
/// The value of `ordem` that puts the last due day first.
const LATEST_FIRST: &str = "recentes";

/// `GET /console/financeiro/titulos`
pub async fn show_title_list(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let caller = user.session();
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let frame = PageFrame::load(&app, &user, "financeiro").await?;
    let registers = load_registers(&app, caller.scope.tenant()).await?;
    let mut problems = Vec::new();
    let key = SearchKey::parse(query.text("busca"));
    let named = match key {
        SearchKey::Number(code) => Some(code),
        SearchKey::Unknown => find_title_by_payment_text(&app, &user, query.text("busca")).await?,
        _ => None,
    };
    if let Some(code) = named {
        match finance::read_title(&app, caller, code).await {
            Ok(_) => return Ok(redirect_to(&format!("{}/console/financeiro/titulos/{code}", frame.root))),
            Err(Error::NotFound { .. }) if key == SearchKey::Unknown => {}
            Err(Error::NotFound { .. }) => problems.push(format!("Não há título com o número {code}.")),
            Err(error) => return Err(error.into()),
        }
    }
    let search = build_search(&query, &mut problems);
    let export = build_export_links(&frame.root, &search);
    let is_paid = search.criteria.paid.is_set();
    let found = match problems.is_empty() {
        true => Some(find_titles(&app, &user, search, query.page_number()).await?),
        false => None,
    };
    let (totals, today) =
        found.as_ref().map_or((TitleTotals::default(), Date::EPOCH), |page| (page.totals, page.today));
    let rows = found.map(|page| page.rows).unwrap_or_default();
    let person = query
        .text("pessoa")
        .parse()
        .ok()
        .map(|code: i32| (code, rows.first().map(|row| row.person.name.clone()).unwrap_or_default()));
    let is_latest_first = query.text("ordem") == LATEST_FIRST;
    let other_order = if is_latest_first { "" } else { LATEST_FIRST };
    let without_page = query.with_parameter("pagina", "");
    let other_order = QueryParams::parse(&without_page[1..]).with_parameter("ordem", other_order);
    let narrowed = ["pessoa", "beneficio", "ordem"].map(|name| (name, query.text(name).to_owned()));
    let pager = ListPager::new(query.page_number(), totals.titles, PAGE_SIZE, |page| query.with_page(page));
    show_page(&BrowseTitlesPage {
        pager: pager.with_export(export),
        problems,
        kinds: list_options(&KINDS, find_kind(&query)),
        situations: list_options(&SITUATIONS, find_situation(&query)),
        branches: list_branches(&registers, &user, query.text("codLoja")),
        search: query.text("busca").to_owned(),
        from: query.text("vencimentoDe").to_owned(),
        to: query.text("vencimentoAte").to_owned(),
        paid: ["pagoDe", "pagoAte"].map(|name| query.text(name).to_owned()),
        narrowed: narrowed.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
        person,
        is_filtered: FILTERS.iter().any(|name| !query.text(name).is_empty()),
        count: count_titles(totals.titles),
        amount: format_cents(totals.amount),
        open_amount: format_cents(totals.open_amount),
        received: if is_paid { format_cents(totals.received) } else { String::new() },
        order: (other_order, is_latest_first),
        closes_months: user.may_with_money(MoneyRight::ClosePeriods),
        approves_runs: user.may_with_money(MoneyRight::ApproveRuns),
        rows: rows.iter().map(|row| build_title_line(&registers, row, today)).collect(),
        frame,
    })
}

async fn find_titles(
    app: &App,
    user: &SignedInUser,
    search: TitleSearch,
    page: i32,
) -> Result<TitlePage, Error> {
    let offset = i64::from(page - 1) * PAGE_SIZE;
    list_titles(app, user.session(), search, (offset, PAGE_SIZE)).await
}

/// What was typed to find titles, by its form.
#[derive(Debug, PartialEq, Eq)]
enum SearchKey {
    Nothing,
    Document(String),
    Number(TitleCode),
    Plate(String),
    /// Cents, typed with a comma.
    Amount(i64),
    /// Neither a document, nor a plate, nor a number.
    Unknown,
}

impl SearchKey {
    fn parse(text: &str) -> SearchKey {
        let bare: String = text.chars().filter(|sign| !matches!(sign, '.' | '-' | '/' | ' ')).collect();
        let is_number = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
        if bare.is_empty() {
            SearchKey::Nothing
        } else if let Some(amount) = parse_amount(text) {
            SearchKey::Amount(amount)
        } else if is_number && bare.len() < 10 {
            bare.parse().map_or(SearchKey::Unknown, |code| SearchKey::Number(TitleCode::new(code)))
        } else if Document::parse(text).is_ok() {
            SearchKey::Document(text.to_owned())
        } else if domain::parse_plate_key(text).is_some() {
            SearchKey::Plate(text.to_owned())
        } else {
            SearchKey::Unknown
        }
    }
}

/// Whether a text has the digits of a barcode or of a typed line.
fn is_slip_line(text: &str) -> bool {
    (44..=48).contains(&text.chars().filter(char::is_ascii_digit).count())
}

/// `319,80` or `R$ 1.319,80` in cents. A number without a comma is no amount.
pub fn parse_amount(text: &str) -> Option<i64> {
    text.contains(',').then(|| Money::parse(&normalize_money(text)).ok())?.map(Money::cents)
}

fn build_search(query: &QueryParams, problems: &mut Vec<String>) -> TitleSearch {
    let mut read_day = |name: &str, label: &str| {
        let text = query.text(name);
        let day = Date::parse(text).ok();
        if day.is_none() && !text.is_empty() {
            problems.push(format!("{label}: “{text}” não é uma data. Use dia, mês e ano: 10/11/2026."));
        }
        day
    };
    let due = DayRange {
        from: read_day("vencimentoDe", "Vencimento de"),
        to: read_day("vencimentoAte", "Vencimento até"),
    };
    let paid = DayRange { from: read_day("pagoDe", "Pago de"), to: read_day("pagoAte", "Pago até") };
    let read_code = |name: &str| query.text(name).parse::<i32>().ok();
    let situation = find_situation(query);
    let mut search = TitleSearch {
        criteria: TitleCriteria {
            launch_kinds: match find_kind(query) {
                "credito" => vec![LaunchKind::Credit],
                "debito" => vec![LaunchKind::Debit],
                _ => Vec::new(),
            },
            situations: list_situations(situation),
            person: read_code("pessoa").map(PersonCode::new),
            benefits: read_code("beneficio").map(|code| vec![BenefitCode::new(code)]),
            branch: read_code("codLoja").map(BranchCode::new),
            due,
            paid,
            latest_first: query.text("ordem") == LATEST_FIRST,
            ..TitleCriteria::default()
        },
        includes_overdue: situation.starts_with("vencido"),
        lateness: find_lateness(situation),
        ..TitleSearch::default()
    };
    match SearchKey::parse(query.text("busca")) {
        SearchKey::Nothing | SearchKey::Number(_) => {}
        SearchKey::Document(text) => search.document = Some(text),
        SearchKey::Plate(text) => search.plate = Some(text),
        SearchKey::Amount(amount) => search.criteria.amount = Some(amount),
        SearchKey::Unknown if is_slip_line(query.text("busca")) => {
            problems.push("Não há título com este boleto.".to_owned());
        }
        SearchKey::Unknown => problems.push(
            "Procure por um CPF, um CNPJ, uma placa, o número do título, um valor, como 319,80, a linha digitável de um \
             boleto ou o identificador de um Pix. Pelo nome, use a busca no alto da página."
                .to_owned(),
        ),
    }
    search
}

/// `None` for every situation. What is overdue is asked for apart.
fn list_situations(situation: &str) -> Option<Vec<TitleSituation>> {
    match situation {
        "aberto" => Some(vec![TitleSituation::Open]),
        "cobrado" => Some(vec![TitleSituation::Open, TitleSituation::Settled]),
        late if late.starts_with("vencido") => Some(Vec::new()),
        "pendente" => Some(vec![TitleSituation::Pending]),
        "liquidado" => Some(vec![TitleSituation::Settled]),
        "cancelado" => Some(vec![TitleSituation::Cancelled]),
        _ => None,
    }
}

/// The days of delay of a step.
fn find_lateness(situation: &str) -> Option<LatenessRange> {
    let step = LATE_SITUATIONS.iter().position(|(name, _)| *name == situation)?;
    let before = step.checked_sub(1).and_then(|before| LATENESS_STEPS.get(before));
    Some(LatenessRange {
        at_least: before.map_or(1, |days| days + 1),
        at_most: LATENESS_STEPS.get(step).copied(),
    })
}

/// Whether the list is of one person or benefit: then everything is shown unless a filter says otherwise.
fn is_narrowed(query: &QueryParams) -> bool {
    ["pessoa", "beneficio"].iter().any(|name| !query.text(name).is_empty())
}

fn find_kind(query: &QueryParams) -> &'static str {
    let usual = if is_narrowed(query) { "todos" } else { "credito" };
    find_choice(&KINDS, query.text("tipo"), usual)
}

fn find_situation(query: &QueryParams) -> &'static str {
    let usual = if is_narrowed(query) { "todas" } else { "aberto" };
    find_choice(&SITUATIONS, query.text("situacao"), usual)
}

fn find_choice(choices: &[(&'static str, &'static str)], chosen: &str, usual: &'static str) -> &'static str {
    choices.iter().find(|(value, _)| *value == chosen).map_or(usual, |(value, _)| value)
}

fn list_options(choices: &[(&str, &str)], chosen: &str) -> Vec<SelectOption> {
    let option = |(value, name): &(&str, &str)| SelectOption {
        value: (*value).to_owned(),
        name: (*name).to_owned(),
        is_chosen: *value == chosen,
    };
    choices.iter().map(option).collect()
}

pub fn list_branches(registers: &TenantRegisters, user: &SignedInUser, chosen: &str) -> Vec<SelectOption> {
    let branches = registers.usable_branches(&user.session().scope);
    let option = |(value, name): (String, String)| SelectOption { is_chosen: value == chosen, value, name };
    branches.map(|one| option((one.code.to_string(), one.name.clone()))).collect()
}

fn build_title_line(registers: &TenantRegisters, row: &ListedTitle, today: Date) -> ChargeLine {
    let title = &row.title;
    ChargeLine {
        code: row.code.get(),
        due: title.due_on.to_br(),
        person: title.person.get(),
        name: row.person.name.clone(),
        description: title.description.clone(),
        instalment: match title.instalments {
            1 => String::new(),
            all => format!("{} de {all}", title.instalment),
        },
        branch: registers.branch_name(title.branch).to_owned(),
        amount: format_cents(title.amount),
        open_amount: format_cents(title.open_amount),
        badge: build_title_badge(title.situation, title.effective_due_on, today),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/titulos.html", |with| {
    let row = || ChargeLine {
        code: 7,
        due: with.text(),
        person: 7,
        name: with.text(),
        description: with.text(),
        instalment: with.text(),
        branch: with.text(),
        amount: with.text(),
        open_amount: with.text(),
        badge: TitleBadge { name: "Aberto", class: "", lateness: with.text() },
    };
    crate::template_tests::render_template(&BrowseTitlesPage {
        frame: with.frame(),
        rows: with.list_of(row),
        pager: with.pager(),
        problems: with.list_of(|| with.text()),
        kinds: with.choices(),
        situations: with.choices(),
        branches: with.choices(),
        search: with.text(),
        from: with.text(),
        to: with.text(),
        paid: [with.text(), with.text()],
        narrowed: with.facts(),
        person: with.option_of(|| (7, with.text())),
        is_filtered: with.is_filled(),
        count: with.text(),
        amount: with.text(),
        open_amount: with.text(),
        received: with.text(),
        order: (with.text(), with.is_filled()),
        closes_months: with.is_filled(),
        approves_runs: with.is_filled(),
    })
})];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_a_number_a_document_or_a_plate() {
        let document = |text: &str| SearchKey::Document(text.to_owned());
        let plate = |text: &str| SearchKey::Plate(text.to_owned());
        for (typed, key) in [
            ("", SearchKey::Nothing),
            ("9001", SearchKey::Number(TitleCode::new(9001))),
            ("529.982.247-25", document("529.982.247-25")),
            ("52998224725", document("52998224725")),
            ("abc1d23", plate("abc1d23")),
            ("ABC-1234", plate("ABC-1234")),
            ("319,80", SearchKey::Amount(31_980)),
            ("R$ 1.319,80", SearchKey::Amount(131_980)),
            ("319,8x", SearchKey::Unknown),
            ("11111111111", SearchKey::Unknown),
            ("Maria Souza", SearchKey::Unknown),
        ] {
            assert_eq!(SearchKey::parse(typed), key, "{typed}");
        }
    }
}
