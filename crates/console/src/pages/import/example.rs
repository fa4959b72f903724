//! An example file of each import kind: all its columns, and one line about a fictitious person.

use super::errors::respond_csv_attachment;
use crate::http::refusal::Refusal;
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::page::HandlerResult;
use app::App;
use app::register_snapshot::TenantRegisters;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::http::request::Parts;
use domain::finance::LaunchKind;
use domain::{BenefitKind, ImportKind, Scope};
use wire::import_sheet::{
    ImportField, ImportFieldKind, list_import_fields, name_import_kind, parse_import_kind,
};

/// The import kind that the path names.
pub struct ImportKindParam(ImportKind);

impl<S: Send + Sync> FromRequestParts<S> for ImportKindParam {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<ImportKindParam, Refusal> {
        let path = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotThere)?;
        let found = path.iter().find_map(|(_, value)| parse_import_kind(value.strip_suffix(".csv")?));
        found.map(ImportKindParam).ok_or(Refusal::NotThere)
    }
}

/// Names that differ by tenant and that an example line needs.
struct TenantExampleNames {
    branch: String,
    plan: String,
    due_day: String,
    title_type: String,
    charge_item: String,
    account: String,
}

impl TenantExampleNames {
    fn from_registers(registers: &TenantRegisters, scope: &Scope) -> TenantExampleNames {
        let branches: Vec<(i32, &str)> =
            registers.usable_branches(scope).map(|one| (one.code.get(), one.name.as_str())).collect();
        let protects = |kind| kind == BenefitKind::Vehicle;
        let plans: Vec<(i32, &str)> = registers
            .plans
            .iter()
            .filter(|one| one.active && protects(one.kind))
            .map(|one| (one.code.get(), one.name.as_str()))
            .collect();
        let title_types: Vec<(i32, &str)> = registers
            .money
            .title_types
            .iter()
            .filter(|one| one.active && one.launch_kind == LaunchKind::Credit)
            .map(|one| (one.code.get(), one.name.as_str()))
            .collect();
        let money = &registers.money;
        let charge_items: Vec<(i32, &str)> = money
            .charge_items
            .iter()
            .filter(|one| one.active)
            .map(|one| (one.code.get(), one.name.as_str()))
            .collect();
        let accounts: Vec<(i32, &str)> = money
            .accounts
            .iter()
            .filter(|one| one.active)
            .map(|one| (one.code.get(), one.name.as_str()))
            .collect();
        let due_day = registers.due_days.first().map(ToString::to_string);
        TenantExampleNames {
            branch: choose_example_name(&branches),
            plan: choose_example_name(&plans),
            due_day: due_day.unwrap_or_default(),
            title_type: choose_example_name(&title_types),
            charge_item: choose_example_name(&charge_items),
            account: choose_example_name(&accounts),
        }
    }
}

/// The first name, or its code if the name is ambiguous or would be misread.
fn choose_example_name(all: &[(i32, &str)]) -> String {
    let Some((code, name)) = all.first() else { return String::new() };
    let is_plain = name.starts_with(char::is_alphabetic) && !name.contains(['"', ';', '\r', '\n']);
    let is_alone =
        all.iter().filter(|(_, other)| domain::fold_text(other) == domain::fold_text(name)).count() == 1;
    if is_plain && is_alone { (*name).to_owned() } else { code.to_string() }
}

/// `GET /console/importar/exemplos/{tipo}.csv`
pub async fn download_example(
    State(app): State<App>,
    user: SignedInUser,
    ImportKindParam(kind): ImportKindParam,
) -> HandlerResult {
    let scope = &user.session().scope;
    let registers = app::register_snapshot::load_registers(&app, scope.tenant()).await?;
    let text = build_example_csv(kind, &TenantExampleNames::from_registers(&registers, scope));
    let name = format!("exemplo-{}.csv", name_import_kind(kind));
    Ok(respond_csv_attachment(&name, Body::from(text)))
}

/// Starts with a byte order mark, by which spreadsheets detect UTF-8, and uses Brazil's separator.
fn build_example_csv(kind: ImportKind, tenant_names: &TenantExampleNames) -> String {
    let names: Vec<&str> = list_import_fields(kind).iter().map(|one| one.label).collect();
    let cells: Vec<&str> =
        list_import_fields(kind).iter().map(|one| find_example_cell(kind, one, tenant_names)).collect();
    format!("\u{FEFF}{}\r\n{}\r\n", names.join(";"), cells.join(";"))
}

/// Values that are valid for every tenant; codes stay empty.
fn find_example_cell<'o>(
    kind: ImportKind,
    column: &ImportField,
    tenant_names: &'o TenantExampleNames,
) -> &'o str {
    match (kind, column.name) {
        (ImportKind::Vehicles, "codPlano") => &tenant_names.plan,
        (ImportKind::PlanPrices, "codPlano") => &tenant_names.plan,
        (ImportKind::PlanPrices, name) => find_price_example(name),
        (_, "codLoja") => &tenant_names.branch,
        (_, "diaVencimento") => &tenant_names.due_day,
        (ImportKind::Dependents, "cpf") => "153.509.460-56",
        (ImportKind::Dependents, "nome") => "Pedro Exemplo da Silva",
        (ImportKind::Plans, "nome") => "Plano de exemplo",
        (ImportKind::Plans, "valor") => "99,90",
        (ImportKind::Plans, "taxaAdesao") => "150,00",
        (ImportKind::TitleTypes, "codItemCobranca") => &tenant_names.charge_item,
        (ImportKind::SettlementTypes, "codContaFinanceira") => &tenant_names.account,
        (ImportKind::BankHolidays, "nome") => "Aniversário da cidade",
        (ImportKind::BankHolidays, "data") => "12/12/2026",
        (ImportKind::Discounts, "nome") => "Indicação de um amigo",
        (ImportKind::Discounts, "percentual") => "10%",
        (ImportKind::Discounts, "valor") => "",
        (ImportKind::Discounts | ImportKind::ChargeItems, "natureza") => "Taxa de administração",
        (ImportKind::ChargeItems, "tipo") => "Adicional",
        (ImportKind::LateChargeRules, "multa") => "2%",
        (ImportKind::LateChargeRules, "jurosMes") => "1%",
        (ImportKind::LateChargeRules, "diferenca") => "É dispensada",
        (ImportKind::LateChargeRules, "naturezaDesconto") => "Taxa de administração",
        (
            ImportKind::ChargeItems
            | ImportKind::LateChargeRules
            | ImportKind::MoneyAccounts
            | ImportKind::PaymentForms
            | ImportKind::ProtectionGroups
            | ImportKind::SettlementTypes
            | ImportKind::TitleTypes,
            "nome",
        ) => "Nome de exemplo",
        (ImportKind::Sellers, "nome") => "Carlos Exemplo de Souza",
        (ImportKind::Titles, "codTipoTitulo") => &tenant_names.title_type,
        (ImportKind::Titles, "vencimento") => "10/11/2026",
        (ImportKind::Titles, "dataEmissao") => "01/11/2026",
        (ImportKind::Titles, "descricao") => "Mensalidade de novembro",
        (ImportKind::Titles, "valor") => "150,00",
        (ImportKind::Titles, "valorPago" | "dataPagamento" | "placa") => "",
        (ImportKind::Titles, "codigoExterno") => "BOL-000123",
        (_, "nomePessoa" | "nome") => "Maria Exemplo da Silva",
        (_, "email") => "maria@exemplo.com.br",
        (_, "placa") => "ABC1D23",
        (_, "marca") => "Fiat",
        (_, "modelo") => "Argo 1.0",
        (_, "cor") => "Prata",
        (_, "anoFabricacao") => "2022",
        (_, "anoModelo") => "2023",
        (_, "valorVeiculo" | "valorProtegido") => "45.000,00",
        (_, "endereco.logradouro") => "Rua das Acácias",
        (_, "endereco.numero") => "100",
        (_, "endereco.bairro") => "Centro",
        (_, "endereco.cidade" | "cidade") => "Belo Horizonte",
        (_, "mensagem") => "Quer saber o preço da proteção do carro",
        (_, "origem") => "Site",
        (_, "dataNascimento") => "25/03/1988",
        (_, "dataAdesao") => "01/02/2024",
        (_, "cnpjEmpresa" | "validadeCnh" | "dataExpedicao") => "",
        _ => find_cell_example(column.cell),
    }
}

fn find_price_example(name: &str) -> &'static str {
    match name {
        "validoDesde" => "01/01/2027",
        "valorDe" => "20.000,01",
        "valorAte" => "30.000,00",
        "valor" => "129,90",
        "ativo" => "Sim",
        // In all branches, for all vehicle types.
        _ => "",
    }
}

fn find_cell_example(cell: ImportFieldKind) -> &'static str {
    match cell {
        ImportFieldKind::Document => "529.982.247-25",
        ImportFieldKind::Phone => "(31)99999-0000",
        ImportFieldKind::Sex => "Feminino",
        ImportFieldKind::Kinship => "Filho",
        ImportFieldKind::Cep => "30110-000",
        ImportFieldKind::Uf => "MG",
        ImportFieldKind::Flag => "Sim",
        ImportFieldKind::BenefitKind => "VEICULAR",
        ImportFieldKind::SellerKind => "Consultor",
        ImportFieldKind::Money | ImportFieldKind::SignedMoney => "1.500,00",
        ImportFieldKind::Choice([(_, first), ..]) => first,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use wire::import_sheet::suggest_fields;

    #[test]
    fn an_example_is_understood_without_choosing_anything() {
        let tenant_names = TenantExampleNames {
            branch: "Matriz".to_owned(),
            plan: "Ouro".to_owned(),
            due_day: "10".to_owned(),
            title_type: "Mensalidade".to_owned(),
            charge_item: "Taxa de administração".to_owned(),
            account: "Caixa".to_owned(),
        };
        for kind in ImportKind::ALL {
            let text = build_example_csv(*kind, &tenant_names);
            let mut lines = text.trim_start_matches('\u{FEFF}').lines();
            let headers: Vec<String> = lines.next().unwrap().split(';').map(str::to_owned).collect();
            let cells = lines.next().unwrap().split(';').count();
            let fields: Vec<&str> = list_import_fields(*kind).iter().map(|one| one.name).collect();
            assert_eq!(suggest_fields(*kind, &headers, &BTreeMap::new()), fields, "{kind:?}");
            assert_eq!(cells, fields.len(), "{kind:?}");
            for one in list_import_fields(*kind).iter().filter(|one| one.required) {
                assert!(!find_example_cell(*kind, one, &tenant_names).is_empty(), "{kind:?}: {}", one.label);
            }
        }
    }

    #[test]
    fn what_is_the_associations_own_is_named_or_told_by_its_code() {
        assert_eq!(choose_example_name(&[(7, "Matriz"), (8, "Sul")]), "Matriz");
        assert_eq!(choose_example_name(&[(7, "Matriz"), (8, "MATRÍZ")]), "7");
        assert_eq!(choose_example_name(&[(7, "=1+1")]), "7");
        assert_eq!(choose_example_name(&[(7, "a;b")]), "7");
        assert_eq!(choose_example_name(&[]), "");
    }
}
