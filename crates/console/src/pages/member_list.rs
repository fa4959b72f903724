//! `/console/associados`: the list of members with their benefits, and its filters.

use crate::http::form::SubmittedForm;
use crate::http::parameters::QueryParams;
use crate::http::redirect::{derive_root_path, redirect_to};
use crate::page_route::{PageRoute, routes};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::export_links::ExportLinks;
use crate::widgets::form_problems::label_problems;
use crate::widgets::formats::{ListPager, format_money};
use crate::widgets::frame::PageFrame;
use crate::widgets::labels;
use crate::widgets::list_tools::{
    TableCell, TableColumn, TableRow, TableToolbar, define_column, load_toolbar,
};
use crate::widgets::page::{HandlerResult, show_page};
use crate::widgets::phones::format_stored_phone;
use crate::widgets::select_option::SelectOption;
use crate::widgets::situation_badge::build_situation_badge;
use app::members::saved_filters::FilterableList;
use app::members::search::{self, FoundMemberRow};
use app::register_snapshot::TenantRegisters;
use app::{App, Error};
use askama::Template;
use axum::extract::State;
use domain::{AuditedOperation, Date, Entity, Money, PAGE_SIZE, PhoneKind, SellerCode, Uf, display};
use wire::records::PesquisaAssociadoQuery;

pub fn list_member_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/associados" SignedIn show_member_list;
        post "/console/associados" SignedIn filter_member_list;
    }
}

pub const COLUMNS: &[TableColumn] = &[
    define_column("documento", "CPF ou CNPJ", true),
    define_column("telefone", "Telefone", true),
    define_column("beneficio", "Benefício", true),
    define_column("situacao", "Situação", true),
    define_column("loja", "Loja", true),
    define_column("tipo", "Tipo", false),
    define_column("planos", "Planos", false),
    define_column("cartao", "Cartão", false),
    define_column("email", "E-mail", false),
    define_column("cidade", "Cidade", false),
    define_column("nascimento", "Nascimento", false),
    define_column("consultor", "Consultor", false),
    define_column("cadastro", "Cadastro", false),
    define_column("alteracao", "Alteração", false),
];

/// A field behind “Mais filtros”.
pub struct ExtraFilterField {
    pub name: &'static str,
    pub label: &'static str,
    pub mask: &'static str,
    pub value: String,
}

/// A filter from a link, without a field of its own: its description, and the link that removes it.
pub struct FixedFilter {
    pub name: &'static str,
    pub value: String,
    pub text: String,
    pub without: String,
}

#[derive(Template)]
#[template(path = "console/associados.html")]
struct BrowseMembersPage {
    frame: PageFrame,
    around: TableToolbar,
    first_column: &'static str,
    rows: Vec<TableRow>,
    pager: ListPager,
    problems: Vec<String>,
    name: String,
    document: String,
    plate: String,
    situations: Vec<SelectOption>,
    branches: Vec<SelectOption>,
    plans: Vec<SelectOption>,
    states: Vec<SelectOption>,
    further: Vec<ExtraFilterField>,
    is_further: bool,
    fixed: Vec<FixedFilter>,
    is_filtered: bool,
}

pub async fn show_member_list(
    State(app): State<App>,
    user: SignedInUser,
    query: QueryParams,
) -> HandlerResult {
    show_page(&build_member_list(&app, &user, &query).await?)
}

/// `POST /console/associados`: a filter by document is answered directly, so that no URL contains the document; other
/// filters redirect to a URL that can be bookmarked.
async fn filter_member_list(
    State(app): State<App>,
    user: SignedInUser,
    form: SubmittedForm,
) -> HandlerResult {
    let query = QueryParams::from_form(&form);
    if PRIVATE.iter().any(|name| !query.text(name).is_empty()) {
        return show_page(&build_member_list(&app, &user, &query).await?);
    }
    let query = query.with_parameter("", "");
    Ok(redirect_to(&format!("{}/console/associados{query}", derive_root_path(&app))))
}

/// Filters that identify a person or a company.
const PRIVATE: [&str; 2] = ["cpf", "cnpjEmpresa"];
const FILTERS: [&str; 6] = ["nome", "cpf", "placa", "situacaoBeneficio", "codLoja", "codPlano"];
/// Name, label and mask of the fields behind “Mais filtros”.
const FURTHER: [(&str, &str, &str); 6] = [
    ("chassi", "Chassi", "maiusculas"),
    ("dataCadastroInicial", "Cadastro desde", "data"),
    ("dataCadastroFinal", "Cadastro até", "data"),
    ("dataAtualizacao", "Alterado desde", "data"),
    ("dataNascimento", "Nascimento", "data"),
    ("cnpjEmpresa", "CNPJ do empregador", "documento"),
];
const TYPED: [(&str, &str); 3] = [("nome", "Nome"), ("cpf", "CPF ou CNPJ"), ("placa", "Placa")];
const SELLERS: [(&str, &str); 2] = [("codConsultor", "Consultor"), ("codRepresentante", "Representante")];

fn build_select_options(
    query: &QueryParams,
    name: &str,
    all: impl Iterator<Item = (String, String)>,
) -> Vec<SelectOption> {
    let chosen = query.text(name);
    all.map(|(value, name)| SelectOption { is_chosen: value == chosen, value, name }).collect()
}

async fn build_member_list(
    app: &App,
    user: &SignedInUser,
    query: &QueryParams,
) -> Result<BrowseMembersPage, Error> {
    let frame = PageFrame::load(app, user, "associados").await?;
    let caller = user.session();
    let toolbar = load_toolbar(app, user, FilterableList::Members, COLUMNS, query).await?;
    let registers = app::register_snapshot::load_registers(app, caller.scope.tenant()).await?;
    let names =
        FILTERS.into_iter().chain(FURTHER.map(|(name, ..)| name)).chain(SELLERS.map(|(name, _)| name));
    let filters =
        names.chain(["uf"]).map(|name| (name, query.text(name))).filter(|(_, text)| !text.is_empty());
    let criteria = filters.clone().map(|(name, text)| (name.to_owned(), text.to_owned()));
    let page = ("pagina".to_owned(), query.page_number().to_string());
    let criteria: Result<PesquisaAssociadoQuery, _> = wire::read::read_query(criteria.chain([page]));
    let labels: Vec<(&str, &str)> =
        TYPED.into_iter().chain(FURTHER.map(|(name, label, _)| (name, label))).collect();
    let (rows, total, problems) = match criteria {
        Ok(criteria) => {
            match search::list_members(app, caller, criteria, AuditedOperation::BrowseMembers).await {
                Ok(page) => (page.rows, page.total, Vec::new()),
                Err(Error::Refused(problems)) => {
                    (Vec::new(), 0, label_problems(&wire::refusal::describe_rejections(&problems), &labels))
                }
                Err(error) => return Err(error),
            }
        }
        Err(problems) => (Vec::new(), 0, label_problems(&problems.into_problems(), &labels)),
    };
    let situations =
        registers.active_situations(Entity::Benefit).map(|one| (one.name.clone(), one.name.clone()));
    let branches =
        registers.usable_branches(&caller.scope).map(|one| (one.code.to_string(), one.name.clone()));
    let active_plans = registers.plans.iter().filter(|one| one.active);
    let plans = active_plans.map(|one| (one.code.to_string(), one.name.clone()));
    let states = Uf::NAMES.iter().map(|state| ((*state).to_owned(), (*state).to_owned()));
    let further = FURTHER.map(|(name, label, mask)| ExtraFilterField {
        name,
        label,
        mask,
        value: query.text(name).to_owned(),
    });
    Ok(BrowseMembersPage {
        rows: rows.iter().map(|found| build_member_row(&registers, found, &frame.root, &toolbar)).collect(),
        first_column: "Associado",
        pager: ListPager::new(query.page_number(), total, PAGE_SIZE, |page| query.with_page(page))
            .with_export(ExportLinks::new(
                &frame.root,
                "associado",
                filters
                    .clone()
                    .chain([("colunas", toolbar.export_columns(&["codigo", "nome", "placa"]).as_str())]),
            )),
        problems,
        name: query.text("nome").to_owned(),
        document: query.text("cpf").to_owned(),
        plate: query.text("placa").to_owned(),
        situations: build_select_options(query, "situacaoBeneficio", situations),
        branches: build_select_options(query, "codLoja", branches),
        plans: build_select_options(query, "codPlano", plans),
        states: build_select_options(query, "uf", states),
        is_further: further.iter().any(|one| !one.value.is_empty()) || !query.text("uf").is_empty(),
        further: further.into_iter().collect(),
        fixed: list_fixed_filters(query, &registers),
        is_filtered: filters.count() > 0,
        around: toolbar,
        frame,
    })
}

/// There are thousands of sellers, too many for a list: a filter by seller comes from a link.
fn list_fixed_filters(query: &QueryParams, registers: &TenantRegisters) -> Vec<FixedFilter> {
    let one = |(name, label): (&'static str, &str)| {
        let value = query.text(name);
        let code = value.parse().ok().map(SellerCode::new)?;
        let seller = registers.seller_name(code).unwrap_or(value);
        let text = format!("{label}: {seller}");
        Some(FixedFilter { name, value: value.to_owned(), text, without: query.without_parameter(name) })
    };
    SELLERS.into_iter().filter_map(one).collect()
}

pub fn build_member_row(
    registers: &TenantRegisters,
    found: &FoundMemberRow,
    root: &str,
    toolbar: &TableToolbar,
) -> TableRow {
    let person = &found.person;
    let shown_columns = toolbar.columns.iter().filter(|(_, _, is_chosen)| *is_chosen);
    TableRow {
        person: person.code.get(),
        link: format!("{root}/console/associados/{}", person.code),
        name: person.name.clone(),
        note: String::new(),
        document: person.document.as_deref().map(display::format_document).unwrap_or_default(),
        branch: registers.branch_name(found.branch).to_owned(),
        cells: shown_columns
            .map(|(name, title, _)| TableCell { title, ..build_member_cell(registers, found, root, name) })
            .collect(),
    }
}

fn build_member_cell(
    registers: &TenantRegisters,
    found: &FoundMemberRow,
    root: &str,
    name: &str,
) -> TableCell {
    let (person, benefit) = (&found.person, found.benefit.as_ref());
    let text = |text: String| TableCell { text, ..TableCell::default() };
    let number = |text: String| TableCell { text, class: "nowrap number", ..TableCell::default() };
    let day = |day: Option<Date>| number(day.map(Date::to_br).unwrap_or_default());
    match name {
        "documento" => number(person.document.as_deref().map(display::format_document).unwrap_or_default()),
        "telefone" => {
            let mobile = person.mobile.as_deref().map(|stored| (stored, PhoneKind::Mobile));
            let landline = person.landline.as_deref().map(|stored| (stored, PhoneKind::Landline));
            let phone = mobile.or(landline).map(|(stored, kind)| format_stored_phone(stored, kind));
            let (shown, gap) = phone.unwrap_or_default();
            TableCell { note: gap.unwrap_or_default().to_owned(), ..number(shown) }
        }
        "beneficio" => match benefit {
            Some(one) => TableCell {
                text: one.plate.clone().unwrap_or_else(|| {
                    let plan = one.plans.first().and_then(|(code, _)| registers.plan(*code));
                    plan.map_or_else(String::new, |plan| plan.name.clone())
                }),
                link: Some(format!("{root}/console/beneficios/{}", one.code)),
                note: format!("nº {}", one.sequence),
                ..TableCell::default()
            },
            None => TableCell { text: "sem benefício".to_owned(), class: "quiet", ..TableCell::default() },
        },
        "situacao" => TableCell {
            badge: benefit.map(|one| build_situation_badge(registers, one.situation)),
            ..TableCell::default()
        },
        "loja" => text(registers.branch_name(found.branch).to_owned()),
        "tipo" => {
            text(benefit.map(|one| labels::label_benefit_kind(one.kind)).unwrap_or_default().to_owned())
        }
        "planos" => text(benefit.map(|one| describe_plans(registers, &one.plans)).unwrap_or_default()),
        "cartao" => {
            number(benefit.and_then(|one| one.card.as_deref()).map(display::format_card).unwrap_or_default())
        }
        "email" => text(person.email.clone().unwrap_or_default()),
        "cidade" => {
            let parts = [person.address.city.clone(), person.address.state.clone()];
            text(parts.into_iter().flatten().collect::<Vec<_>>().join("/"))
        }
        "nascimento" => day(person.born_on),
        "consultor" => {
            let seller = found.consultant.and_then(|code| registers.seller_name(code));
            text(seller.unwrap_or_default().to_owned())
        }
        "cadastro" => day(Some(found.registered_on)),
        "alteracao" => day(Some(found.updated_on)),
        _ => TableCell::default(),
    }
}

/// `Ouro (R$ 150,55), Clube (R$ 9,90)`
pub fn describe_plans(registers: &TenantRegisters, all: &[(domain::PlanCode, Money)]) -> String {
    let descriptions = all.iter().filter_map(|(plan, price)| {
        Some(format!("{} ({})", registers.plan(*plan)?.name, format_money(*price)))
    });
    descriptions.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub const CASES: crate::template_tests::TemplateCases = &[("console/associados.html", |with| {
    let further = || ExtraFilterField { name: "chassi", label: "Chassi", mask: "", value: with.text() };
    let fixed =
        || FixedFilter { name: "codConsultor", value: with.text(), text: with.text(), without: with.text() };
    crate::template_tests::render_template(&BrowseMembersPage {
        frame: with.frame(),
        around: with.toolbar(),
        first_column: "Associado",
        rows: with.list_of(|| with.row()),
        pager: with.pager(),
        problems: with.list_of(|| with.text()),
        name: with.text(),
        document: with.text(),
        plate: with.text(),
        situations: with.choices(),
        branches: with.choices(),
        plans: with.choices(),
        states: with.choices(),
        further: with.list_of(further),
        is_further: with.is_filled(),
        fixed: with.list_of(fixed),
        is_filtered: with.is_filled(),
    })
})];
