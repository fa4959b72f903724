//! The operations on money.

use crate::ext::{boleto, financeiro};
use crate::gestao::{
    credito, desconto, financeiro as management, lancamento as pending, livro, resumo, valor_combinado,
};
use crate::operation::{AllowedCallers, ApiOperation, DocsSection, get, post, put};
use wire::records::{
    BalanceteQuery, BalanceteTO, BoletoTO, CreditoDevolucaoInput, CreditoInput, CreditoQuery, CreditoTO,
    DescontoBeneficioInput, DescontoBeneficioTO, DescontoEncerramentoInput, FechamentoInput,
    FormaPagamentoTO, LancamentoInput, LancamentoQuery, LancamentoTO, LancamentoTituloInput, LiquidacaoInput,
    ListPage, ListaBoletoTO, ListaCreditoTO, ListaLancamentoTO, ListaTituloTO, MotivoFinanceiroInput,
    MotivoInput, PeriodosTO, PesquisaBoletoQuery, PesquisaTituloQuery, RazaoLinhaTO, RazaoQuery,
    RecebimentoInput, ResumoFinanceiroQuery, ResumoFinanceiroTO, SaldoPessoaTO, TipoLiquidacaoTO,
    TipoTituloTO, TituloGestaoInput, TituloGestaoTO, TituloInput, TituloPixTO, TituloTO, ValorCombinadoInput,
    ValorCombinadoQuery, ValorCombinadoTO, VencimentoInput,
};

pub fn list_finance_operations() -> Vec<ApiOperation> {
    let mut operations = list_title_operations();
    operations.extend(list_slip_operations());
    operations.extend(list_managed_title_operations());
    operations.extend(list_credit_operations());
    operations.extend(list_pending_charge_operations());
    operations.extend(list_price_operations());
    operations.extend(list_period_operations());
    operations.extend(list_book_operations());
    operations.extend(list_register_operations());
    operations
}

fn list_title_operations() -> Vec<ApiOperation> {
    vec![
        get("/ext/financeiro/titulo", AllowedCallers::ANY_ROLE, financeiro::search_titles)
            .describe(
                DocsSection::Finance,
                "Pesquisar títulos",
                "Os títulos que combinam com tudo o que for informado, pelo vencimento e depois pelo código, até 100 por vez: `inicio` diz quantos pular. `situacao` pode trazer várias; `Vencido` procura os abertos que já passaram do vencimento.",
            )
            .with_query::<PesquisaTituloQuery>()
            .with_answer::<ListaTituloTO>(),
        post("/ext/financeiro/titulo", AllowedCallers::ANY_ROLE, financeiro::issue_title)
            .describe(
                DocsSection::Finance,
                "Emitir título",
                "Emite um título de um benefício. O tipo de título diz se é de crédito ou de débito e o que se cobra; multa e juros são os da regra dele.",
            )
            .with_body::<TituloInput>()
            .with_answer::<TituloTO>(),
        post("/ext/financeiro/titulo/liquidar", AllowedCallers::ANY_ROLE, financeiro::settle_title)
            .describe(
                DocsSection::Finance,
                "Liquidar título",
                "Registra um pagamento de hoje, no todo ou em parte. Ele quita primeiro os juros, depois a multa, depois o valor; pago exatamente o valor, o título fica liquidado. O que passar do devido fica como crédito da pessoa. Sem `Idempotency-Key`, cada pedido é um pagamento.",
            )
            .with_body::<LiquidacaoInput>()
            .with_answer::<TituloTO>(),
        get("/ext/financeiro/titulo/{codTitulo}", AllowedCallers::ANY_ROLE, financeiro::show_title)
            .describe(
                DocsSection::Finance,
                "Ver título",
                "Mostra um título com os benefícios e as liquidações; as estornadas trazem `nomeEstornador` e não contam.",
            )
            .with_answer::<TituloTO>(),
        post("/ext/financeiro/titulo/{codTitulo}/pix", AllowedCallers::ANY_ROLE, financeiro::issue_pix_code)
            .describe(
                DocsSection::Finance,
                "Gerar código Pix",
                "O código que paga, pela chave Pix de uma conta da associação, o que liquida o título hoje, com multa e juros ou com o desconto de pontualidade. Enquanto vale, a resposta é o mesmo código: até o último dia do desconto, até o vencimento ou, depois dele, até o fim do dia. Só de um título de crédito aberto. Sem conta com chave Pix, a resposta é 503 com `Retry-After`. O corpo pode vir vazio. O banco não recusa um código vencido nem um segundo pagamento: o que faltar continua em aberto, o que sobrar vira crédito. A baixa não é automática: registre o pagamento em `/gestao/financeiro/titulo/{codTitulo}/receber`, com a data em que foi pago.",
            )
            .with_optional_body::<MotivoInput>()
            .with_answer::<TituloPixTO>(),
    ]
}

fn list_slip_operations() -> Vec<ApiOperation> {
    vec![
        get("/ext/financeiro/titulo/boleto", AllowedCallers::ANY_ROLE, boleto::search_slips)
            .describe(
                DocsSection::Finance,
                "Pesquisar boletos",
                "Os boletos em vigor dos títulos abertos, também os vencidos, pelo vencimento e depois pelo código dos títulos, até 100 por vez: `inicio` diz quantos pular. `valor` e `dataVencimento` são os do boleto, os mesmos que estão na linha digitável.",
            )
            .with_query::<PesquisaBoletoQuery>()
            .with_answer::<ListaBoletoTO>(),
        get("/ext/financeiro/titulo/{codTitulo}/boleto", AllowedCallers::ANY_ROLE, boleto::show_slip)
            .describe(
                DocsSection::Finance,
                "Ver boleto",
                "O boleto em vigor de um título aberto. Sem boleto, a resposta é 404; se o título não está aberto, 409.",
            )
            .with_answer::<BoletoTO>(),
        post("/ext/financeiro/titulo/{codTitulo}/boleto", AllowedCallers::ANY_ROLE, boleto::issue_slip)
            .describe(
                DocsSection::Finance,
                "Emitir boleto ou segunda via",
                "Emite o boleto de um título aberto, pela conta que tem o convênio com o banco. Enquanto o boleto não venceu e o valor do título é o mesmo, a resposta é o mesmo boleto; depois, é a segunda via, com multa e juros até o próximo dia útil, que toma o lugar do anterior. O corpo pode vir vazio. Sem conta com convênio, a resposta é 409.",
            )
            .with_optional_body::<MotivoInput>()
            .with_answer::<BoletoTO>(),
    ]
}

fn list_managed_title_operations() -> Vec<ApiOperation> {
    vec![
        post("/gestao/financeiro/titulo", AllowedCallers::STAFF, management::issue_titles)
            .describe(
                DocsSection::Finance,
                "Emitir título em parcelas",
                "Emite um título de nenhum, um ou vários benefícios de uma pessoa, ou as parcelas mensais de um valor. O valor se divide sem perder um centavo.",
            )
            .with_body::<TituloGestaoInput>()
            .with_answer_list::<TituloGestaoTO>(),
        get("/gestao/financeiro/titulo/{codTitulo}", AllowedCallers::STAFF, management::show_title)
            .describe(
                DocsSection::Finance,
                "Ver título com o que se deve hoje",
                "Mostra um título com a multa, os juros e o valor que o liquidam hoje.",
            )
            .with_answer::<TituloGestaoTO>(),
        post("/gestao/financeiro/titulo/{codTitulo}/receber", AllowedCallers::STAFF, management::receive_payment)
            .describe(
                DocsSection::Finance,
                "Receber título",
                "Registra um pagamento, de hoje ou de antes: multa e juros contam até o dia em que foi pago.",
            )
            .with_body::<RecebimentoInput>()
            .with_answer::<TituloGestaoTO>(),
        post("/gestao/financeiro/titulo/{codTitulo}/usarCredito", AllowedCallers::STAFF, management::use_credit)
            .describe(
                DocsSection::Finance,
                "Usar crédito",
                "Paga o título com o crédito que a pessoa tem no grupo dele, até onde for: nenhum dinheiro entra nem sai. Estornada a liquidação, o crédito volta. O corpo pode vir vazio.",
            )
            .with_optional_body::<MotivoInput>()
            .with_answer::<TituloGestaoTO>(),
        put("/gestao/financeiro/titulo/{codTitulo}/cancelar", AllowedCallers::STAFF, management::cancel_title)
            .describe(
                DocsSection::Finance,
                "Cancelar título",
                "Cancela um título sem recebimento em vigor; nada é apagado. Cancelar de novo não muda nada.",
            )
            .with_body::<MotivoFinanceiroInput>()
            .with_answer::<TituloGestaoTO>(),
        put("/gestao/financeiro/titulo/{codTitulo}/liberar", AllowedCallers::STAFF, management::release_title)
            .describe(
                DocsSection::Finance,
                "Liberar título",
                "Lança um título que esperava liberação. O corpo pode vir vazio.",
            )
            .with_optional_body::<MotivoInput>()
            .with_answer::<TituloGestaoTO>(),
        put("/gestao/financeiro/titulo/{codTitulo}/vencimento", AllowedCallers::STAFF, management::change_due_day)
            .describe(
                DocsSection::Finance,
                "Mudar vencimento",
                "Dá outro vencimento a um título aberto; o combinado primeiro fica guardado.",
            )
            .with_body::<VencimentoInput>()
            .with_answer::<TituloGestaoTO>(),
        put(
            "/gestao/financeiro/liquidacao/{codLiquidacao}/estornar",
            AllowedCallers::STAFF,
            management::reverse_settlement,
        )
        .describe(
            DocsSection::Finance,
            "Estornar liquidação",
            "Desfaz uma liquidação: o que ela pagou volta a ficar aberto. Ela continua na lista, sem contar.",
        )
        .with_body::<MotivoFinanceiroInput>()
        .with_answer::<TituloGestaoTO>(),
        get("/gestao/financeiro/associado/{codPessoa}", AllowedCallers::STAFF, management::show_member_balance)
            .describe(
                DocsSection::Finance,
                "Ver se o associado está em dia",
                "Quanto a pessoa tem em aberto e vencido, e o crédito que sobrou de pagamentos a mais.",
            )
            .with_answer::<SaldoPessoaTO>(),
    ]
}

fn list_credit_operations() -> Vec<ApiOperation> {
    vec![
        get("/gestao/financeiro/credito", AllowedCallers::STAFF, credito::list_credit)
            .describe(
                DocsSection::Finance,
                "Ver o crédito de uma pessoa",
                "O crédito que a pessoa tem e de onde veio: o que foi recebido, o que sobrou de pagamentos, o saldo inicial, e o que já foi usado ou devolvido. Do mais novo ao mais antigo, até 100 por vez; os movimentos estornados trazem `dataEstorno` e não contam.",
            )
            .with_query::<CreditoQuery>()
            .with_answer::<ListaCreditoTO>(),
        post("/gestao/financeiro/credito", AllowedCallers::STAFF, credito::receive_credit)
            .describe(
                DocsSection::Finance,
                "Receber como crédito",
                "Registra dinheiro que nenhum título recebe: o mesmo título pago duas vezes, o pagamento de um título já cancelado, ou um valor adiantado. Ele fica como crédito da pessoa e paga os próximos títulos do mesmo grupo. Um título aberto recebe o pagamento ele mesmo. Um pagamento igual a outro em vigor (mesma pessoa, título, valor, data e conta) é recusado com 409, salvo com `confirmarRepetido`.",
            )
            .with_body::<CreditoInput>()
            .with_answer::<CreditoTO>(),
        post("/gestao/financeiro/credito/devolver", AllowedCallers::STAFF, credito::refund_credit)
            .describe(
                DocsSection::Finance,
                "Devolver crédito",
                "Devolve à pessoa, de uma conta ou de um caixa, o crédito que ela tem, no todo ou em parte: no máximo o que a loja ainda tem dele, e nunca com data anterior a ele.",
            )
            .with_body::<CreditoDevolucaoInput>()
            .with_answer::<CreditoTO>(),
        put("/gestao/financeiro/credito/{codCredito}/estornar", AllowedCallers::STAFF, credito::reverse_credit)
            .describe(
                DocsSection::Finance,
                "Estornar crédito",
                "Desfaz um crédito recebido ou devolvido. O que já foi usado ou devolvido não se estorna. Ele continua na lista, sem contar.",
            )
            .with_body::<MotivoFinanceiroInput>()
            .with_answer::<CreditoTO>(),
    ]
}

fn list_pending_charge_operations() -> Vec<ApiOperation> {
    vec![
        get("/gestao/financeiro/lancamento", AllowedCallers::STAFF, pending::list_pending_charges)
            .describe(
                DocsSection::Finance,
                "Listar lançamentos",
                "As linhas avulsas que a próxima cobrança leva, ou levou: as lançadas à mão, e a multa e os juros que um pagamento em atraso deixou. Da mais nova à mais antiga, até 100 por vez.",
            )
            .with_query::<LancamentoQuery>()
            .with_answer::<ListaLancamentoTO>(),
        post("/gestao/financeiro/lancamento", AllowedCallers::STAFF, pending::add_pending_charge)
            .describe(
                DocsSection::Finance,
                "Lançar na próxima cobrança",
                "Acrescenta um valor à próxima cobrança de uma pessoa ou de um benefício. Nada é devido até que ela seja emitida.",
            )
            .with_body::<LancamentoInput>()
            .with_answer::<LancamentoTO>(),
        post(
            "/gestao/financeiro/lancamento/{codLancamento}/emitir",
            AllowedCallers::STAFF,
            pending::issue_pending_charge,
        )
        .describe(
            DocsSection::Finance,
            "Emitir título de um lançamento",
            "Emite um título só para um lançamento que espera, por exemplo de um benefício que já não é cobrado. Cancelado o título, o lançamento volta a esperar. O corpo pode vir vazio.",
        )
        .with_optional_body::<LancamentoTituloInput>()
        .with_answer::<TituloGestaoTO>(),
        put(
            "/gestao/financeiro/lancamento/{codLancamento}/cancelar",
            AllowedCallers::STAFF,
            pending::cancel_pending_charge,
        )
        .describe(
            DocsSection::Finance,
            "Cancelar lançamento",
            "Cancela um lançamento que nenhuma cobrança levou ainda. Cancelar de novo não muda nada.",
        )
        .with_body::<MotivoFinanceiroInput>()
        .with_answer::<LancamentoTO>(),
    ]
}

fn list_price_operations() -> Vec<ApiOperation> {
    vec![
        get(
            "/gestao/financeiro/beneficio/{codBeneficio}/desconto",
            AllowedCallers::STAFF,
            desconto::list_discounts,
        )
        .describe(
            DocsSection::Finance,
            "Ver descontos do benefício",
            "Os descontos que o benefício tem, teve ou terá: em que meses, por quê e quem concedeu.",
        )
        .with_answer_list::<DescontoBeneficioTO>(),
        post(
            "/gestao/financeiro/beneficio/{codBeneficio}/desconto",
            AllowedCallers::STAFF,
            desconto::grant_discount,
        )
        .describe(
            DocsSection::Finance,
            "Conceder desconto",
            "Concede ao benefício um desconto do cadastro, de um mês em diante, com o motivo. Ele só diminui o que o benefício paga na natureza do desconto.",
        )
        .with_body::<DescontoBeneficioInput>()
        .with_answer::<DescontoBeneficioTO>(),
        put(
            "/gestao/financeiro/beneficio/{codBeneficio}/desconto/{codConcessao}/encerrar",
            AllowedCallers::STAFF,
            desconto::end_discount,
        )
        .describe(
            DocsSection::Finance,
            "Encerrar desconto",
            "Encerra um desconto concedido, com o motivo: `ateMes` é o último mês em que ele vale. Nada é apagado.",
        )
        .with_body::<DescontoEncerramentoInput>()
        .with_answer::<DescontoBeneficioTO>(),
        get("/gestao/financeiro/valorCombinado", AllowedCallers::STAFF, valor_combinado::preview_move)
            .describe(
                DocsSection::Finance,
                "Ver valores combinados",
                "Quantos itens têm um valor combinado, quanto somam por mês e quanto somariam pela tabela de preços de hoje.",
            )
            .with_query::<ValorCombinadoQuery>()
            .with_answer::<ValorCombinadoTO>(),
        post(
            "/gestao/financeiro/valorCombinado/tabela",
            AllowedCallers::STAFF,
            valor_combinado::move_to_table,
        )
        .describe(
            DocsSection::Finance,
            "Levar valores combinados à tabela",
            "Os itens deixam de ter um valor combinado e passam a custar o que diz a tabela de preços. `quantidade`, `total` e `totalTabela` são os que se viram na consulta: se já forem outros, nada muda. Quem não tem preço na tabela nem no plano fica como está.",
        )
        .with_body::<ValorCombinadoInput>()
        .with_answer::<ValorCombinadoTO>(),
    ]
}

fn list_period_operations() -> Vec<ApiOperation> {
    vec![
        get("/gestao/financeiro/periodo", AllowedCallers::STAFF, management::show_periods)
            .describe(
                DocsSection::Finance,
                "Ver meses fechados",
                "Até que mês os livros estão fechados, e cada fechamento e reabertura.",
            )
            .with_answer::<PeriodosTO>(),
        post("/gestao/financeiro/periodo/fechar", AllowedCallers::STAFF, management::close_period)
            .describe(
                DocsSection::Finance,
                "Fechar mês",
                "Fecha os livros até o mês informado: nada mais entra neles. O que se corrige depois entra no primeiro dia aberto.",
            )
            .with_body::<FechamentoInput>()
            .with_answer::<PeriodosTO>(),
        post("/gestao/financeiro/periodo/reabrir", AllowedCallers::STAFF, management::reopen_period)
            .describe(
                DocsSection::Finance,
                "Reabrir mês",
                "Desfaz o último fechamento, com o motivo, que fica registrado.",
            )
            .with_body::<MotivoFinanceiroInput>()
            .with_answer::<PeriodosTO>(),
    ]
}

fn list_book_operations() -> Vec<ApiOperation> {
    vec![
        get("/gestao/financeiro/resumo", AllowedCallers::STAFF, resumo::show_money_overview)
            .describe(
                DocsSection::Finance,
                "Ver resumo financeiro",
                "O que está em aberto, vencido e recebido dos títulos de crédito, nas lojas que o usuário vê ou em uma delas.",
            )
            .with_query::<ResumoFinanceiroQuery>()
            .with_answer::<ResumoFinanceiroTO>(),
        get("/gestao/financeiro/balancete", AllowedCallers::STAFF, livro::show_trial_balance)
            .describe(
                DocsSection::Finance,
                "Ver balancete",
                "O saldo de cada conta dos livros antes de um mês, o que foi lançado nela e o saldo no fim. Os livros são de toda a associação: só quem vê todas as lojas os lê.",
            )
            .with_query::<BalanceteQuery>()
            .with_answer::<BalanceteTO>(),
        get("/gestao/financeiro/razao", AllowedCallers::STAFF, livro::list_account_lines)
            .describe(
                DocsSection::Finance,
                "Ver razão de uma conta",
                "O que foi lançado em uma conta dos livros num mês, na ordem dos livros. `codGrupo`, `conta` e `codReferencia` são os do balancete; uma conta sem movimento não tem linhas.",
            )
            .with_query::<RazaoQuery>()
            .with_answer::<ListPage<RazaoLinhaTO>>(),
    ]
}

fn list_register_operations() -> Vec<ApiOperation> {
    vec![
        get("/ext/financeiro/tipoTitulo", AllowedCallers::ANY_ROLE, financeiro::list_title_types)
            .describe(
                DocsSection::Finance,
                "Tipos de título",
                "Os tipos de título em uso, por nome: o que cada um lança e como se chama.",
            )
            .with_answer_list::<TipoTituloTO>(),
        get("/ext/financeiro/formaPagamento", AllowedCallers::ANY_ROLE, financeiro::list_payment_forms)
            .describe(DocsSection::Finance, "Formas de pagamento", "As formas de pagamento em uso, por nome.")
            .with_answer_list::<FormaPagamentoTO>(),
        get("/ext/financeiro/tipoLiquidacao", AllowedCallers::ANY_ROLE, financeiro::list_settlement_types)
            .describe(
                DocsSection::Finance,
                "Tipos de liquidação",
                "Os tipos de liquidação em uso, por nome: os modos de dar um título por pago.",
            )
            .with_answer_list::<TipoLiquidacaoTO>(),
    ]
}
