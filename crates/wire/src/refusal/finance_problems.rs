//! The refusal texts for titles and months.

use super::RequestProblem;
use super::opening_import_problems::describe_opening_import_problem;
use domain::display::{format_cents, format_month};
use domain::finance::{ChargingRunState, FinanceProblem, PendingChargeSituation, TitleSituation};

pub(super) fn describe_finance_problem(problem: &FinanceProblem) -> RequestProblem {
    use FinanceProblem as P;
    let (field, sentence) = match problem {
        P::NoAmount => ("valor", "informe pelo menos 0.01.".to_owned()),
        P::NoAmountPaid => ("valorPago", "informe pelo menos 0.01.".to_owned()),
        P::TooManyInstalments => ("parcelas", "são mais parcelas do que centavos; use menos.".to_owned()),
        P::DueBeforeIssue => ("vencimento", "não pode ser antes da data de emissão.".to_owned()),
        P::IssueInFuture => ("dataEmissao", "não pode ser depois de hoje.".to_owned()),
        P::IssueTooOld => ("dataEmissao", "não pode ser antes de 2000.".to_owned()),
        P::DueTooFar => ("vencimento", "fica a mais de dez anos de hoje; confira o ano.".to_owned()),
        P::ClosedMonth { closed_through } => (
            "dataEmissao",
            format!("os meses até {} estão fechados; use uma data posterior.", format_month(closed_through)),
        ),
        P::CostSharingType => (
            "codTipoTitulo",
            "um título de rateio nasce do próprio rateio; use um tipo de crédito ou de débito.".to_owned(),
        ),
        P::MixedBenefits => (
            "codBeneficio",
            "os benefícios são de lojas ou de grupos diferentes; faça um título para cada um.".to_owned(),
        ),
        P::BenefitToBeNamed => (
            "codBeneficio",
            "a pessoa tem benefícios em lojas ou grupos diferentes; diga a qual deles o lançamento pertence."
                .to_owned(),
        ),
        P::NotOpen(situation) => (
            "codTitulo",
            format!("o título {}; só um título aberto aceita isto.", describe_situation(*situation)),
        ),
        P::OwedByAssociation => (
            "codTitulo",
            "é a associação que paga este título; boleto e Pix são só para o que ela recebe.".to_owned(),
        ),
        P::NoSlipAccount => (
            "codTitulo",
            "nenhuma conta que recebe por este título emite boletos; cadastre o convênio do banco na conta."
                .to_owned(),
        ),
        P::NoSlipNumberLeft => (
            "codTitulo",
            "os números de boleto da conta acabaram; combine outra carteira ou convênio com o banco."
                .to_owned(),
        ),
        P::TooMuchForSlip => ("codTitulo", "um boleto vai até R$ 99.999.999,99.".to_owned()),
        P::NotPending(_) => ("codTitulo", "o título não está à espera de liberação.".to_owned()),
        P::HasSettlement => {
            ("codTitulo", "o título já tem liquidação; estorne-a antes de cancelar.".to_owned())
        }
        P::AlreadyReversed => ("codLiquidacao", "esta liquidação já foi estornada.".to_owned()),
        P::CreditUsed => (
            "codLiquidacao",
            "o crédito que sobrou deste pagamento já foi usado; desfaça o uso antes de estornar.".to_owned(),
        ),
        P::NoCredit => ("codTitulo", "a pessoa não tem crédito que pague este título.".to_owned()),
        P::ReceivedCreditUsed => (
            "codCredito",
            "este crédito já foi usado ou devolvido, no todo ou em parte; desfaça o uso antes de estornar."
                .to_owned(),
        ),
        P::CreditReceiptReversed => ("codCredito", "já foi estornado.".to_owned()),
        P::RefundAboveCredit { available: 0 } => ("valor", "a pessoa não tem crédito a devolver.".to_owned()),
        P::RefundAboveCredit { available } => (
            "valor",
            format!("passa do crédito da pessoa, que é de {}.", format_cents(&available.to_string())),
        ),
        P::RefundAboveBranchCredit { available: 0 } => {
            ("valor", "a pessoa não tem crédito desta loja a devolver.".to_owned())
        }
        P::RefundAboveBranchCredit { available } => (
            "valor",
            format!(
                "passa do crédito da pessoa nesta loja, que é de {}.",
                format_cents(&available.to_string())
            ),
        ),
        P::RefundBeforeCredit { first_day } => (
            "dataPagamento",
            format!("a pessoa só tem este crédito desde {first_day}; use esse dia ou um posterior."),
        ),
        P::RefundBranchRequired => (
            "codLoja",
            "a pessoa tem crédito de mais de uma loja; informe de qual delas ele é devolvido.".to_owned(),
        ),
        P::RefundGroupRequired => (
            "codGrupo",
            "a pessoa tem crédito em mais de um grupo de proteção; informe de qual deles ele é devolvido."
                .to_owned(),
        ),
        P::CreditGroupRequired => (
            "codGrupo",
            "os benefícios da pessoa não indicam um único grupo de proteção; informe o grupo do crédito."
                .to_owned(),
        ),
        P::CreditReceivedBefore(code) => (
            "confirmarRepetido",
            format!(
                "o crédito {code} já registra um pagamento igual: mesma pessoa, título, valor, data e conta. Se este é \
                 outro, confirme."
            ),
        ),
        P::TitleTakesPayment(TitleSituation::Pending) => {
            ("codTitulo", "o título ainda não foi liberado; libere-o e registre o pagamento nele.".to_owned())
        }
        P::TitleTakesPayment(_) => (
            "codTitulo",
            "o título está aberto: registre o pagamento nele; o que passar do devido vira crédito."
                .to_owned(),
        ),
        P::TitleOfAnotherPerson => {
            ("codTitulo", "este título não é uma dívida desta pessoa; confira o número.".to_owned())
        }
        P::TitleOfAnotherGroup => {
            ("codGrupo", "o título é de outro grupo de proteção; informe o dele ou nenhum.".to_owned())
        }
        P::LaterSettlement { paid_on } => {
            ("dataPagamento", format!("há um recebimento de {paid_on}, posterior a este; estorne-o antes."))
        }
        P::PaidInFuture => ("dataPagamento", "não pode ser depois de hoje.".to_owned()),
        P::PaidTooLongAgo => ("dataPagamento", "não pode ser antes de 2000.".to_owned()),
        P::PaidBeforeIssue => ("dataPagamento", "não pode ser antes do lançamento do título.".to_owned()),
        P::PaidTooMuch => ("valorPago", "passa do que falta pagar deste título; informe menos.".to_owned()),
        P::AccountOfAnotherGroup => {
            ("codContaFinanceira", "esta conta é de outro grupo de proteção; use outra.".to_owned())
        }
        P::SettlementTypeOfAnotherGroup => (
            "codTipoLiquidacao",
            "a conta deste tipo de liquidação é de outro grupo de proteção; use outro tipo.".to_owned(),
        ),
        P::SettlementTypeWithoutAccount => (
            "codTipoLiquidacao",
            "a conta deste tipo de liquidação não está em uso; use outro tipo.".to_owned(),
        ),
        P::ExpenseItem => ("codItemCobranca", "é um item de despesa; use um item que se cobre.".to_owned()),
        P::NotWaiting(situation) => (
            "codLancamento",
            match situation {
                PendingChargeSituation::Waived => "o lançamento foi dispensado; não há o que cancelar.",
                _ => "o lançamento já está em um título; cancele o título antes.",
            }
            .to_owned(),
        ),
        P::MonthNotOver => ("mes", "este mês ainda não terminou; feche-o a partir do dia 1º.".to_owned()),
        P::MonthClosed { closed_through } => {
            ("mes", format!("os meses até {} já estão fechados.", format_month(closed_through)))
        }
        P::OpeningImport(problem) => return describe_opening_import_problem(problem),
        P::NothingClosed => ("mes", "nenhum mês está fechado.".to_owned()),
        P::MonthOutOfReach => {
            ("mes", "só se cobra um mês dos últimos doze ou dos próximos doze; confira o ano.".to_owned())
        }
        P::UnknownMonth => ("mes", "este mês não existe nos livros; confira o ano.".to_owned()),
        P::InstalmentsOutOfRange => ("parcelas", "informe de 1 a 12.".to_owned()),
        P::BranchRequired => ("codLoja", "informe uma das suas lojas.".to_owned()),
        P::ChargingRunState(state) => ("codCobranca", format!("a cobrança {}.", describe_run_state(*state))),
        P::DiscountOfAnotherPlan => {
            ("codDesconto", "este desconto é de um plano que o benefício não tem.".to_owned())
        }
        P::DiscountEndsBeforeStart => ("ateMes", "o último mês não pode ser antes do primeiro.".to_owned()),
        P::DiscountGranted(code) => (
            "codDesconto",
            format!(
                "o benefício já tem este desconto nestes meses (concessão {code}); encerre aquele antes."
            ),
        ),
        P::DiscountEnded => ("ateMes", "o desconto já termina neste mês ou antes.".to_owned()),
        P::PricesMoved { items, difference } => (
            "quantidade",
            format!(
                "os valores mudaram: agora {}, com diferença de {}; confira de novo.",
                if *items == 1 { "é 1 item".to_owned() } else { format!("são {items} itens") },
                format_cents(&difference.to_string())
            ),
        ),
        P::RevisionMoved { cancelled_amount, issued_amount } => (
            "conferencia",
            format!(
                "os títulos mudaram: agora são cancelados {} e emitidos {}; confira de novo.",
                format_cents(&cancelled_amount.to_string()),
                format_cents(&issued_amount.to_string())
            ),
        ),
    };
    RequestProblem::of(field, sentence)
}

/// Why the action does not fit.
fn describe_run_state(state: ChargingRunState) -> &'static str {
    match state {
        ChargingRunState::Preparing => "ainda está sendo preparada; espere a prévia",
        ChargingRunState::Prepared => "está preparada e ainda não foi aprovada",
        ChargingRunState::Issuing => "está emitindo os títulos; espere o fim",
        ChargingRunState::Issued => "já foi emitida",
        ChargingRunState::Undoing => "está sendo desfeita; espere o fim",
        ChargingRunState::Undone => "já foi desfeita",
        ChargingRunState::Discarded => "foi descartada",
    }
}

fn describe_situation(situation: TitleSituation) -> &'static str {
    match situation {
        TitleSituation::Pending => "ainda não foi liberado",
        TitleSituation::Open => "está aberto",
        TitleSituation::Settled => "já está liquidado",
        TitleSituation::Cancelled => "está cancelado",
    }
}
