//! Valid forms of everything about money, which stand among those of `valid_forms`.

use crate::valid_forms::{ValidForm, define_form};

/// The titles and the payment that these forms add have code 3, and the title to be released 4.
pub fn list_finance_forms() -> Vec<ValidForm> {
    let area = "/console/financeiro/titulos";
    let route = |rest: &str| format!("{area}/{{codigo}}{rest}");
    let at = |rest: &str| format!("{area}/{rest}");
    vec![
        define_form(
            &at("novo"),
            &at("novo"),
            "codPessoa=1&codBeneficios=1&codTipoTitulo=1&valor=1.250,00&parcelas=1&descricao=Titulo+novo",
            ("titles", "Titulo novo"),
        ),
        define_form(
            &at("novo"),
            &at("novo"),
            "codPessoa=1&codTipoTitulo=7&valor=80&descricao=Conta+nova&aguardarLiberacao=sim",
            ("titles", "Conta nova"),
        ),
        define_form(&route("/liberar"), &at("4/liberar"), "", ("titles", "Conta nova")),
        define_form(
            &route("/vencimento"),
            &at("3/vencimento"),
            "vencimento=20/12/2026&motivo=Pedido",
            ("titles", "Titulo novo"),
        ),
        define_form(&route("/pix"), &at("3/pix"), "", ("pix_codes", "000201")),
        define_form(&route("/boleto"), &at("3/boleto"), "", ("slips", "12387980000000001")),
        define_form(
            &route("/receber"),
            &at("3/receber"),
            "valorPago=50,00&codTipoLiquidacao=3&dataPagamento=14/11/2026&observacao=Pago+hoje",
            ("settlements", "Pago hoje"),
        ),
        define_form(
            &route("/estornar/{parte}"),
            &at("3/estornar/3"),
            "motivo=Cheque+devolvido",
            ("settlement_reversals", "Cheque devolvido"),
        ),
        define_form(&route("/cancelar"), &at("3/cancelar"), "motivo=Engano", ("titles", "Engano")),
        define_form(
            &at("novo"),
            &at("novo"),
            "codPessoa=1&codTipoTitulo=1&valor=10&descricao=Titulo+pago+a+mais",
            ("titles", "Titulo pago a mais"),
        ),
        define_form(
            &route("/receber"),
            &at("5/receber"),
            "valorPago=30,00&codTipoLiquidacao=3&dataPagamento=14/11/2026&observacao=Pago+a+mais",
            ("settlements", "Pago a mais"),
        ),
        define_form(
            &at("novo"),
            &at("novo"),
            "codPessoa=1&codTipoTitulo=1&valor=15&descricao=Titulo+com+credito",
            ("titles", "Titulo com credito"),
        ),
        define_form(&route("/usar-credito"), &at("6/usar-credito"), "", ("audit", "use_credit")),
        define_form(
            "/console/financeiro/lancamentos",
            "/console/financeiro/lancamentos",
            "codPessoa=1&codItemCobranca=5&valor=80,00&descricao=Segunda+vistoria",
            ("pending_charges", "Segunda vistoria"),
        ),
        define_form(
            "/console/financeiro/lancamentos/{codigo}/cancelar",
            "/console/financeiro/lancamentos/1/cancelar",
            "codPessoa=1&motivo=Lancado+por+engano",
            ("pending_charges", "Lancado por engano"),
        ),
        define_form(
            "/console/financeiro/lancamentos",
            "/console/financeiro/lancamentos",
            "codPessoa=1&codItemCobranca=5&valor=80,00&descricao=Terceira+vistoria",
            ("pending_charges", "Terceira vistoria"),
        ),
        define_form(
            "/console/financeiro/lancamentos/{codigo}/emitir",
            "/console/financeiro/lancamentos/2/emitir",
            "codPessoa=1&vencimento=20/12/2026",
            ("titles", "Terceira vistoria"),
        ),
        define_form(
            "/console/financeiro/creditos",
            "/console/financeiro/creditos",
            "codPessoa=1&valor=25,00&codTipoLiquidacao=3&observacao=Pago+de+novo",
            ("credit_receipts", "Pago de novo"),
        ),
        define_form(
            "/console/financeiro/creditos/devolver",
            "/console/financeiro/creditos/devolver",
            "codPessoa=1&valor=5,00&codTipoLiquidacao=3&observacao=Devolvido+hoje",
            ("credit_receipts", "Devolvido hoje"),
        ),
        define_form(
            "/console/financeiro/creditos/{codigo}/estornar",
            "/console/financeiro/creditos/2/estornar",
            "codPessoa=1&motivo=Devolvido+por+engano",
            ("credit_receipt_reversals", "Devolvido por engano"),
        ),
        define_form(
            "/console/beneficios/{codigo}/descontos",
            "/console/beneficios/1/descontos",
            "codDesconto=2&desdeMes=12/2027&motivo=Outro+amigo",
            ("benefit_discounts", "Outro amigo"),
        ),
        define_form(
            "/console/beneficios/{codigo}/descontos/{parte}/encerrar",
            "/console/beneficios/1/descontos/1/encerrar",
            "ateMes=12/2026&motivo=O+amigo+saiu",
            ("benefit_discounts", "O amigo saiu"),
        ),
        define_form(
            "/console/financeiro/revisoes/{codigo}/aplicar",
            "/console/financeiro/revisoes/1/aplicar",
            // Of a revision that does nothing.
            "conferencia=e3b0c44298fc1c14",
            ("audit", "revise_titles"),
        ),
        define_form(
            "/console/financeiro/revisoes/{codigo}/manter",
            "/console/financeiro/revisoes/1/manter",
            "motivo=Pediu+para+manter",
            ("audit", "Pediu para manter"),
        ),
        define_form(
            "/console/financeiro/valores-combinados",
            "/console/financeiro/valores-combinados",
            "codPlano=7&quantidade=0&total=0&totalTabela=0",
            ("", ""),
        ),
        define_form(
            "/console/financeiro/meses/fechar",
            "/console/financeiro/meses/fechar",
            "mes=10/2026",
            ("period_changes", "2026-10"),
        ),
        define_form(
            "/console/financeiro/meses/reabrir",
            "/console/financeiro/meses/reabrir",
            "motivo=Faltou+um+boleto",
            ("period_changes", "Faltou um boleto"),
        ),
    ]
}

pub fn list_charging_forms(second: u8) -> Vec<ValidForm> {
    let area = "/console/financeiro/cobrancas";
    let route = |rest: &str| format!("{area}/{{codigo}}{rest}");
    vec![
        define_form(area, area, "mes=2026-12&codLoja=2&parcelas=1", ("charging_runs", "2026-12")),
        define_form(
            &route("/descartar"),
            &format!("{area}/{second}/descartar"),
            "",
            ("charging_runs", "2026-12"),
        ),
        define_form(&route("/aprovar"), &format!("{area}/1/aprovar"), "", ("charging_runs", "2026-12")),
        define_form(
            &route("/desfazer"),
            &format!("{area}/1/desfazer"),
            "motivo=Mes+errado",
            ("charging_runs", "Mes errado"),
        ),
    ]
}
