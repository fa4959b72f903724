//! `/console/beneficios`: the list of benefits, found by filters or listed in creation order.

use crate::http::parameters::QueryParams;
use crate::pages::member_list::describe_plans;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::form_problems::label_problems;
use crate::widgets::formats::{ListPager, format_month};
use crate::widgets::frame::PageFrame;
use crate::widgets::labels;
use crate::widgets::list_tools::{
    TableCell, TableColumn, TableRow, TableToolbar, define_column, load_toolbar,
};
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::select_option::SelectOption;
use crate::widgets::situation_badge::build_situation_badge;
use app::benefits::describe_stored_benefit;
use app::members::saved_filters::FilterableList;
use app::members::search::{self, BenefitListFilter, BenefitMovement, FoundBenefit};
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::{BranchCode, Date, Entity, PAGE_SIZE, display};
use wire::records::PesquisaBeneficioQuery;

pub const COLUMNS: &[TableColumn] = &[
    define_column("tipo", "Tipo", true),
    define_column("associado", "Associado", true),
    define_column("loja", "Loja", true),
    define_column("situacao", "Situação", true),
    define_column("planos", "Planos", false),
    define_column("cartao", "Cartão", false),
    define_column("vencimento", "Vencimento", false),
    define_column("adesao", "Adesão", false),
    define_column("ativacao", "Ativação", false),
    define_column("cancelamento", "Cancelamento", false),
    define_column("chassi", "Chassi", false),
    define_column("consultor", "Consultor", false),
    define_column("cadastro", "Cadastro", false),
];

#[derive(Template)]
#[template(path = "console/beneficios.html")]
struct BrowseBenefitsPage {
    frame: PageFrame,
    around: TableToolbar,
    first_column: &'static str,
    rows: Vec<TableRow>,
    pager: ListPager,
    problems: Vec<String>,
    /// Description of a filter that a link from another page set.
    filter_description: String,
    plate: String,
    chassis: String,
    sequence: String,
    card: String,
    situations: Vec<SelectOption>,
    branches: Vec<SelectOption>,
    is_filtered: bool,
}

pub async fn show_benefit_list(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    let frame = PageFrame::load(&app, &user, "beneficios").await?;
    let caller = user.session();
    let toolbar = load_toolbar(&app, &user, FilterableList::Benefits, COLUMNS, &query).await?;
    let registers = app::register_snapshot::load_registers(&app, caller.scope.tenant()).await?;
    let has_key = KEYS.iter().any(|name| !query.text(name).is_empty());
    let (rows, total, problems) = match has_key {
        true => list_benefits_by_key(&app, &user, &query).await?,
        false => list_benefits_by_filter(&app, &user, &query, &registers).await?,
    };
    let situations = registers.active_situations(Entity::Benefit).map(|one| SelectOption {
        value: one.name.clone(),
        name: one.name.clone(),
        is_chosen: query.text("situacaoBeneficio") == one.name,
    });
    let branches = registers.usable_branches(&caller.scope).map(|one| SelectOption {
        value: one.code.to_string(),
        name: one.name.clone(),
        is_chosen: query.text("codLoja") == one.code.to_string(),
    });
    show_page(&BrowseBenefitsPage {
        rows: rows.iter().map(|found| build_benefit_row(&registers, found, &frame.root, &toolbar)).collect(),
        first_column: "Benefício",
        pager: ListPager::new(query.page_number(), total, PAGE_SIZE, |page| query.with_page(page))
            .with_export(ExportLinks::new(
                &frame.root,
                "beneficio",
                query
                    .trimmed_pairs()
                    .chain([("colunas", toolbar.export_columns(&["codigo", "numero", "placa"]).as_str())]),
            )),
        problems,
        filter_description: parse_month_filter(&query)
            .map(|(movement, month)| describe_month_filter(movement, &month))
            .unwrap_or_default(),
        plate: query.text("placa").to_owned(),
        chassis: query.text("chassi").to_owned(),
        sequence: query.text("sequencial").to_owned(),
        card: query.text("numeroCartaoDesconto").to_owned(),
        situations: situations.collect(),
        branches: branches.collect(),
        is_filtered: !query.canonical_filters().is_empty(),
        around: toolbar,
        frame,
    })
}

/// Filters that identify a few benefits.
const KEYS: [&str; 4] = ["placa", "chassi", "sequencial", "numeroCartaoDesconto"];
const LABELS: [(&str, &str); 4] =
    [("placa", "Placa"), ("chassi", "Chassi"), ("sequencial", "Número"), ("numeroCartaoDesconto", "Cartão")];

/// Rows, total count and problems.
type FoundBenefitRows = (Vec<FoundBenefit>, i64, Vec<String>);

async fn list_benefits_by_key(
    app: &App,
    user: &SignedInUser,
    query: &QueryParams,
) -> Result<FoundBenefitRows, Error> {
    let names = KEYS.into_iter().chain(["situacaoBeneficio"]);
    let filters = names.map(|name| (name, query.text(name))).filter(|(_, text)| !text.is_empty());
    let filters = filters.map(|(name, text)| match name {
        // The digits may be typed in groups.
        "numeroCartaoDesconto" => (name.to_owned(), text.split_whitespace().collect()),
        _ => (name.to_owned(), text.to_owned()),
    });
    let criteria: PesquisaBeneficioQuery = match wire::read::read_query(filters) {
        Ok(criteria) => criteria,
        Err(problems) => return Ok((Vec::new(), 0, label_problems(&problems.into_problems(), &LABELS))),
    };
    match search::search_benefits(app, user.session(), criteria).await {
        Ok(mut found) => {
            let branch = query.text("codLoja").parse().ok().map(BranchCode::new);
            found.rows.retain(|row| branch.is_none_or(|branch| row.benefit.branch == branch));
            let total = found.rows.len() as i64;
            Ok((found.rows, total, Vec::new()))
        }
        Err(Error::Refused(problems)) => {
            let found = wire::refusal::describe_rejections(&problems);
            Ok((Vec::new(), 0, label_problems(&found, &LABELS)))
        }
        Err(error) => Err(error),
    }
}

async fn list_benefits_by_filter(
    app: &App,
    user: &SignedInUser,
    query: &QueryParams,
    registers: &TenantRegisters,
) -> Result<FoundBenefitRows, Error> {
    let named = query.text("situacaoBeneficio");
    let situation = registers.find_situation_by_name(Entity::Benefit, named).map(|one| one.code);
    if !named.is_empty() && situation.is_none() {
        return Ok((Vec::new(), 0, Vec::new()));
    }
    let branch = query.text("codLoja").parse().ok().map(BranchCode::new);
    let month = parse_month_filter(query);
    let page = match (branch, situation, &month) {
        (None, None, None) => search::list_benefits(app, user.session(), query.page_number()).await?,
        _ => {
            search::list_filtered_benefits(
                app,
                user.session(),
                BenefitListFilter { branch, situation, month },
                query.page_number(),
            )
            .await?
        }
    };
    Ok((page.rows, page.total, Vec::new()))
}

/// Parses `entrada=2026-11` or `saida=2026-11`, the filters in the panel's links.
fn parse_month_filter(query: &QueryParams) -> Option<(BenefitMovement, String)> {
    let movements = [("entrada", BenefitMovement::Registered), ("saida", BenefitMovement::Cancelled)];
    let (name, movement) = movements.into_iter().find(|(name, _)| !query.text(name).is_empty())?;
    let text = query.text(name);
    let is_month = text.len() == 7
        && text.chars().enumerate().all(|(at, character)| match at {
            4 => character == '-',
            _ => character.is_ascii_digit(),
        });
    is_month.then(|| (movement, text.to_owned()))
}

fn describe_month_filter(movement: BenefitMovement, month: &str) -> String {
    match movement {
        BenefitMovement::Registered => format!("Cadastrados em {}", format_month(month)),
        BenefitMovement::Cancelled => format!("Cancelados em {}", format_month(month)),
    }
}

fn build_benefit_row(
    registers: &TenantRegisters,
    found: &FoundBenefit,
    root: &str,
    toolbar: &TableToolbar,
) -> TableRow {
    let benefit = &found.benefit;
    let shown_columns = toolbar.columns.iter().filter(|(_, _, is_chosen)| *is_chosen);
    TableRow {
        person: benefit.person.get(),
        link: format!("{root}/console/beneficios/{}", found.code),
        name: describe_stored_benefit(registers, benefit),
        note: format!("nº {}", benefit.sequence),
        document: found.document.as_deref().map(display::format_document).unwrap_or_default(),
        branch: registers.branch_name(benefit.branch).to_owned(),
        cells: shown_columns
            .map(|(name, title, _)| TableCell { title, ..build_benefit_cell(registers, found, root, name) })
            .collect(),
    }
}

fn build_benefit_cell(
    registers: &TenantRegisters,
    found: &FoundBenefit,
    root: &str,
    name: &str,
) -> TableCell {
    let benefit = &found.benefit;
    let text = |text: String| TableCell { text, ..TableCell::default() };
    let number = |text: String| TableCell { text, class: "nowrap number", ..TableCell::default() };
    let day = |day: Option<Date>| number(day.map(Date::to_br).unwrap_or_default());
    match name {
        "tipo" => text(labels::label_benefit_kind(benefit.kind).to_owned()),
        "associado" => TableCell {
            text: found.name.clone(),
            link: Some(format!("{root}/console/associados/{}", benefit.person)),
            ..TableCell::default()
        },
        "loja" => text(registers.branch_name(benefit.branch).to_owned()),
        "situacao" => TableCell {
            badge: Some(build_situation_badge(registers, benefit.situation)),
            ..TableCell::default()
        },
        "planos" => text(describe_plans(registers, &benefit.plans)),
        "cartao" => number(benefit.card.as_ref().map(ToString::to_string).unwrap_or_default()),
        "vencimento" => text(benefit.due_day.map(|day| format!("dia {day}")).unwrap_or_default()),
        "adesao" => day(benefit.joined_on),
        "ativacao" => day(benefit.activated_on),
        "cancelamento" => day(benefit.cancelled_on),
        "chassi" => {
            number(benefit.vehicle.chassis.as_ref().map(|one| one.as_str().to_owned()).unwrap_or_default())
        }
        "consultor" => {
            let seller = found.consultant.and_then(|code| registers.seller_name(code));
            text(seller.unwrap_or_default().to_owned())
        }
        "cadastro" => number(benefit.created_at.date_in(&registers.zone).to_br()),
        _ => TableCell::default(),
    }
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/beneficios.html", |with| {
    crate::template_tests::render_template(&BrowseBenefitsPage {
        frame: with.frame(),
        around: with.toolbar(),
        first_column: "Benefício",
        rows: with.list_of(|| with.row()),
        pager: with.pager(),
        problems: with.list_of(|| with.text()),
        filter_description: with.text(),
        plate: with.text(),
        chassis: with.text(),
        sequence: with.text(),
        card: with.text(),
        situations: with.choices(),
        branches: with.choices(),
        is_filtered: with.is_filled(),
    })
})];
