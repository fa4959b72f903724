//! The operations on charging runs.

use crate::gestao::{cobranca, revisao};
use crate::operation::{AllowedCallers, ApiOperation, DocsSection, get, post, put};
use wire::records::{
    CobrancaBeneficioQuery, CobrancaBeneficioTO, CobrancaCompletaTO, CobrancaInput, CobrancaMantidosQuery,
    CobrancaQuery, CobrancaTO, CobrancaTituloTO, ListPage, MotivoFinanceiroInput, MotivoInput,
    RevisaoAplicadaTO, RevisaoInput, RevisaoQuery, RevisaoResumoTO, RevisaoTO,
};

pub fn list_charging_operations() -> Vec<ApiOperation> {
    vec![
        post("/gestao/financeiro/cobranca", AllowedCallers::STAFF, cobranca::prepare_run)
            .describe(
                DocsSection::Finance,
                "Preparar a cobrança de um mês",
                "Prepara a prévia do que se cobra de cada benefício em um mês, ou só dos de um grupo, uma loja ou um dia de vencimento. A prévia é feita em segundo plano; está pronta quando `situacao` é `PREPARADA`. Nada é emitido antes da aprovação.",
            )
            .with_body::<CobrancaInput>()
            .with_answer::<CobrancaCompletaTO>(),
        get("/gestao/financeiro/cobranca", AllowedCallers::STAFF, cobranca::list_runs)
            .describe(
                DocsSection::Finance,
                "Listar cobranças",
                "As cobranças, a mais nova primeiro, até 100 por página. Quem não vê todas as lojas vê as cobranças das suas.",
            )
            .with_query::<CobrancaQuery>()
            .with_answer_list::<CobrancaTO>(),
        get("/gestao/financeiro/cobranca/{codCobranca}", AllowedCallers::STAFF, cobranca::show_run)
            .describe(
                DocsSection::Finance,
                "Ver cobrança",
                "Uma cobrança com os totais por item e natureza, quantos benefícios não são cobrados por cada motivo, o que o mês anterior cobrou e os lançamentos avulsos que ela não leva. Os cobrados e os não cobrados são, juntos, todos os benefícios.",
            )
            .with_answer::<CobrancaCompletaTO>(),
        get(
            "/gestao/financeiro/cobranca/{codCobranca}/beneficio",
            AllowedCallers::STAFF,
            cobranca::list_run_benefits,
        )
        .describe(
            DocsSection::Finance,
            "Listar os benefícios de uma cobrança",
            "Cada benefício com o que se cobra dele, linha por linha, ou com o motivo por que não se cobra.",
        )
        .with_query::<CobrancaBeneficioQuery>()
        .with_answer::<ListPage<CobrancaBeneficioTO>>(),
        get(
            "/gestao/financeiro/cobranca/{codCobranca}/mantido",
            AllowedCallers::STAFF,
            cobranca::list_kept_titles,
        )
        .describe(
            DocsSection::Finance,
            "Listar os títulos mantidos",
            "Os títulos que ficaram quando a cobrança foi desfeita, porque já tinham recebido dinheiro.",
        )
        .with_query::<CobrancaMantidosQuery>()
        .with_answer::<ListPage<CobrancaTituloTO>>(),
        put("/gestao/financeiro/cobranca/{codCobranca}/aprovar", AllowedCallers::STAFF, cobranca::approve_run)
            .describe(
                DocsSection::Finance,
                "Aprovar cobrança",
                "Aprova uma cobrança preparada; os títulos são emitidos em segundo plano, e um mês de um benefício nunca é cobrado duas vezes. Pede a permissão `APROVAR`.",
            )
            .with_optional_body::<MotivoInput>()
            .with_answer::<CobrancaCompletaTO>(),
        put("/gestao/financeiro/cobranca/{codCobranca}/descartar", AllowedCallers::STAFF, cobranca::discard_run)
            .describe(
                DocsSection::Finance,
                "Descartar cobrança",
                "Descarta uma cobrança que não foi aprovada. Nada é cobrado.",
            )
            .with_optional_body::<MotivoInput>()
            .with_answer::<CobrancaCompletaTO>(),
        put("/gestao/financeiro/cobranca/{codCobranca}/desfazer", AllowedCallers::STAFF, cobranca::undo_run)
            .describe(
                DocsSection::Finance,
                "Desfazer cobrança",
                "Cancela em segundo plano os títulos sem pagamento de uma cobrança emitida; os que já têm pagamento ficam. Os meses cancelados podem ser cobrados de novo. Pede a permissão `APROVAR`.",
            )
            .with_body::<MotivoFinanceiroInput>()
            .with_answer::<CobrancaCompletaTO>(),
        get("/gestao/financeiro/revisao", AllowedCallers::STAFF, revisao::list_revisions)
            .describe(
                DocsSection::Finance,
                "Listar títulos a rever",
                "Os benefícios que foram cancelados, ou mudaram de situação, plano, dia de vencimento ou loja, depois que seus títulos a vencer foram emitidos.",
            )
            .with_query::<RevisaoQuery>()
            .with_answer::<ListPage<RevisaoResumoTO>>(),
        get("/gestao/financeiro/revisao/{codBeneficio}", AllowedCallers::STAFF, revisao::show_revision)
            .describe(
                DocsSection::Finance,
                "Ver revisão",
                "O que a revisão faz com cada título a vencer de um benefício. Títulos vencidos, e os que já têm pagamento, ficam como estão; um título que cobra vários benefícios é emitido de novo para os outros, com os mesmos valores.",
            )
            .with_answer::<RevisaoTO>(),
        put("/gestao/financeiro/revisao/{codBeneficio}/aplicar", AllowedCallers::STAFF, revisao::apply_revision)
            .describe(
                DocsSection::Finance,
                "Aplicar revisão",
                "Cancela os títulos a vencer que já não servem e emite outros em seu lugar, no mesmo mês e na mesma cobrança. Envie os totais como foram vistos: se mudaram, nada é feito (409).",
            )
            .with_body::<RevisaoInput>()
            .with_answer::<RevisaoAplicadaTO>(),
        put("/gestao/financeiro/revisao/{codBeneficio}/manter", AllowedCallers::STAFF, revisao::dismiss_revision)
            .describe(
                DocsSection::Finance,
                "Manter os títulos",
                "Deixa os títulos a vencer de um benefício como estão; ele sai da lista até mudar de novo.",
            )
            .with_body::<MotivoFinanceiroInput>()
            .with_answer::<RevisaoAplicadaTO>(),
    ]
}
