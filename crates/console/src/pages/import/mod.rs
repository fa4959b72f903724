//! `/console/importar`: the import of a spreadsheet in steps: upload, column mapping, dry run, import, and undo.

mod columns;
mod errors;
mod example;
mod list;
mod new;
mod show;
mod steps;

use crate::page_route::{PageRoute, routes};
use crate::session::signed_in_user::SignedInUser;
use crate::widgets::assets::respond_cacheable;
use crate::widgets::form_problems::describe_rejection;
use axum::response::Response;
use domain::{ImportKind, ImportState, Rejection};
use exchange::import::{ImportCaller, StoredImportRun};

const PLACE: &str = "importar";

pub fn list_import_routes() -> Vec<PageRoute> {
    routes! {
        get  "/console/importar.js"                 Public   serve_import_script;
        get  "/console/importar"                    SignedIn list::show_import_list;
        get  "/console/importar/novo"               SignedIn new::show_start_form;
        post "/console/importar/novo"               SignedIn new::receive_import;
        get  "/console/importar/exemplos/{tipo}"    SignedIn example::download_example;
        get  "/console/importar/{codigo}"           SignedIn show::show_import_page;
        get  "/console/importar/{codigo}/colunas"   SignedIn columns::show_mapping_form;
        post "/console/importar/{codigo}/colunas"   SignedIn columns::save_mapping;
        post "/console/importar/{codigo}/iniciar"   SignedIn steps::start_import;
        post "/console/importar/{codigo}/pausar"    SignedIn steps::pause_import;
        post "/console/importar/{codigo}/retomar"   SignedIn steps::resume_import;
        post "/console/importar/{codigo}/desfazer"  SignedIn steps::undo_import;
        get  "/console/importar/{codigo}/erros.csv" SignedIn errors::download_error_file;
    }
}

async fn serve_import_script() -> Response {
    respond_cacheable("text/javascript; charset=utf-8", include_str!("../../../static/importar.js"))
}

fn build_actor(user: &SignedInUser) -> ImportCaller {
    ImportCaller::from_session(user.session())
}

/// Texts of the user interface for an import kind.
struct ImportKindWording {
    /// Capitalized plural.
    title: &'static str,
    /// Singular of what one line holds.
    one: &'static str,
    about: &'static str,
    /// Label and path of the list with the imported records, relative to the console's root.
    list: (&'static str, &'static str),
    /// Path under which each imported record has its page.
    record: Option<&'static str>,
}

fn describe_import_kind(kind: ImportKind) -> ImportKindWording {
    let (title, one, about, list, record) = match kind {
        ImportKind::Members => (
            "Associados",
            "associado",
            "Pessoas e empresas, com contatos e endereço. São reconhecidas pelo CPF ou CNPJ.",
            ("Ver os associados", "/associados"),
            Some("/associados"),
        ),
        ImportKind::Vehicles => (
            "Benefícios de veículos",
            "benefício",
            "Os veículos protegidos, com plano e situação. O titular já deve estar aqui.",
            ("Ver os benefícios", "/beneficios"),
            Some("/beneficios"),
        ),
        ImportKind::Dependents => (
            "Dependentes",
            "dependente",
            "Quem acompanha um titular. O benefício dele já deve estar aqui.",
            ("Ver os benefícios", "/beneficios"),
            None,
        ),
        ImportKind::Leads => (
            "Contatos",
            "contato",
            "Quem ainda não é associado, para a equipe de vendas.",
            ("Ver os contatos", "/vendas/leads"),
            None,
        ),
        ImportKind::Plans => (
            "Planos",
            "plano",
            "O que a associação oferece, com nome e valor.",
            ("Ver os planos", "/cadastros/plano"),
            Some("/cadastros/plano"),
        ),
        ImportKind::Sellers => (
            "Vendedores",
            "vendedor",
            "Consultores e representantes.",
            ("Ver os vendedores", "/cadastros/vendedor"),
            Some("/cadastros/vendedor"),
        ),
        ImportKind::Titles => (
            "Títulos em aberto",
            "título",
            "O que falta receber ou pagar, do sistema antigo. O associado já deve estar aqui.",
            ("Ver os títulos", "/financeiro/titulos"),
            Some("/financeiro/titulos"),
        ),
        ImportKind::OpeningBalances => (
            "Saldos iniciais",
            "saldo inicial",
            "O crédito de cada associado e o dinheiro em cada conta ou caixa, no dia da mudança.",
            ("Ver os títulos", "/financeiro/titulos"),
            None,
        ),
        ImportKind::PlanPrices => (
            "Tabela de preços",
            "preço",
            "Quanto custa cada plano, por loja, tipo de veículo e faixa de valor. Os planos já devem estar aqui.",
            ("Ver a tabela de preços", "/cadastros/tabelaPreco"),
            Some("/cadastros/tabelaPreco"),
        ),
        ImportKind::Discounts => (
            "Descontos",
            "desconto",
            "Os descontos que um benefício pode receber.",
            ("Ver os descontos", "/cadastros/desconto"),
            Some("/cadastros/desconto"),
        ),
        ImportKind::TitleTypes => (
            "Tipos de título",
            "tipo de título",
            "Mensalidade, adesão, conta a pagar e outros.",
            ("Ver os tipos de título", "/cadastros/tipoTitulo"),
            Some("/cadastros/tipoTitulo"),
        ),
        ImportKind::ChargeItems => (
            "Itens de cobrança",
            "item de cobrança",
            "O que pode vir em uma cobrança: taxas, rateio, adicionais.",
            ("Ver os itens de cobrança", "/cadastros/itemCobranca"),
            Some("/cadastros/itemCobranca"),
        ),
        ImportKind::LateChargeRules => (
            "Regras de multa e juros",
            "regra de multa e juros",
            "Quanto se cobra de quem paga depois do vencimento.",
            ("Ver as regras de multa e juros", "/cadastros/regraEncargos"),
            Some("/cadastros/regraEncargos"),
        ),
        ImportKind::PaymentForms => (
            "Formas de pagamento",
            "forma de pagamento",
            "Como o associado escolhe pagar.",
            ("Ver as formas de pagamento", "/cadastros/formaPagamento"),
            Some("/cadastros/formaPagamento"),
        ),
        ImportKind::SettlementTypes => (
            "Tipos de liquidação",
            "tipo de liquidação",
            "Como um título é dado por pago, e em que conta o dinheiro entra.",
            ("Ver os tipos de liquidação", "/cadastros/tipoLiquidacao"),
            Some("/cadastros/tipoLiquidacao"),
        ),
        ImportKind::MoneyAccounts => (
            "Contas e caixas",
            "conta",
            "As contas bancárias e os caixas. O dinheiro que têm vem em “Saldos iniciais”.",
            ("Ver as contas financeiras", "/cadastros/contaFinanceira"),
            Some("/cadastros/contaFinanceira"),
        ),
        ImportKind::BankHolidays => (
            "Feriados",
            "feriado",
            "Os feriados da cidade e do estado em que os bancos não abrem.",
            ("Ver os feriados", "/cadastros/feriado"),
            Some("/cadastros/feriado"),
        ),
        ImportKind::ProtectionGroups => (
            "Grupos de proteção",
            "grupo de proteção",
            "Só para quem tem mais de um.",
            ("Ver os grupos de proteção", "/cadastros/grupoProtecao"),
            Some("/cadastros/grupoProtecao"),
        ),
    };
    ImportKindWording { title, one, about, list, record }
}

/// Label and colour class of the badge.
fn label_import_state(import: &StoredImportRun) -> (&'static str, &'static str) {
    match import.state {
        ImportState::Reading => ("Lendo o arquivo", "warn"),
        ImportState::Ready => ("Falta conferir", "warn"),
        ImportState::Checking => ("Conferindo", "warn"),
        ImportState::Checked => ("Conferida, nada gravado", "warn"),
        ImportState::Running => ("Importando", "warn"),
        ImportState::Paused => ("Pausada", "warn"),
        ImportState::Done if import.counts.refused > 0 => ("Concluída, com linhas de fora", "fine"),
        ImportState::Done => ("Concluída", "fine"),
        ImportState::Undoing => ("Desfazendo", "warn"),
        ImportState::Undone => ("Desfeita", ""),
    }
}

/// `1 linha`, `1.234 linhas`
fn format_quantity(number: i64, one: &str, many: &str) -> String {
    format!("{} {}", crate::widgets::formats::format_count(number), if number == 1 { one } else { many })
}

fn describe_rejections(problems: &[Rejection]) -> Vec<String> {
    problems.iter().map(describe_rejection).collect()
}

#[cfg(test)]
pub const ALL_CASES: &[crate::template_tests::TemplateCases] =
    &[columns::CASES, list::CASES, new::CASES, show::CASES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_sentence_without_the_name_of_the_field() {
        let refused = [Rejection::Import(domain::ImportProblem::Empty)];
        let [sentence] = &describe_rejections(&refused)[..] else { panic!("one problem") };
        assert!(sentence.starts_with("Está vazio"), "{sentence}");
        assert_eq!(format_quantity(1, "linha", "linhas"), "1 linha");
        assert_eq!(format_quantity(1234, "linha", "linhas"), "1.234 linhas");
    }
}
