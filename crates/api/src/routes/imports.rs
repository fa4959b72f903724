//! The operations on imports.

use crate::extract::AuthenticatedCaller;
use crate::gestao::importacao::{self, ImportStep};
use crate::operation::{AllowedCallers, ApiOperation, DocsSection, SHEETS, get, post, put};
use axum::extract::State;
use wire::records::{
    ColunasInput, DepoisDaLinhaQuery, ErroImportacaoTO, ImportacaoArquivoQuery, ImportacaoQuery,
    ImportacaoTO, InicioImportacaoInput, ListPage, MantidoTO,
};

const ONE: &str = "/gestao/importacao/{codImportacao}";

pub fn list_import_operations() -> Vec<ApiOperation> {
    let step = |path, import_step: ImportStep, summary, text| {
        let handler = move |State(state), AuthenticatedCaller(caller), code, write| {
            importacao::run_import_step(import_step, state, caller, code, write)
        };
        let operation =
            post(path, AllowedCallers::STAFF, handler).describe(DocsSection::Management, summary, text);
        operation.with_optional_body::<InicioImportacaoInput>().with_answer::<ImportacaoTO>()
    };
    vec![
        post("/gestao/importacao", AllowedCallers::STAFF, importacao::receive_import_file)
            .describe(DocsSection::Management, "Enviar um arquivo para importar", "O corpo é o próprio arquivo, CSV (UTF-8, UTF-16 ou Windows-1252; separado por ponto e vírgula, vírgula ou tabulação) ou XLSX, de até 500.000 linhas. A primeira linha com mais de uma célula traz os nomes das colunas. Nada é gravado ainda: a resposta diz para que campo cada coluna iria, pelo que já foi escolhido antes e pelo nome dela. O operador importa nas suas lojas; planos, vendedores e cadastros do financeiro, só o administrador; títulos em aberto e saldos iniciais, quem pode liquidar.")
            .with_query::<ImportacaoArquivoQuery>()
            .with_file_body(SHEETS)
            .with_answer::<ImportacaoTO>(),
        get("/gestao/importacao", AllowedCallers::STAFF, importacao::list_import_runs)
            .describe(DocsSection::Management, "Listar as importações", "As importações da base, a mais recente primeiro, em páginas de 100; o operador vê as suas.")
            .with_query::<ImportacaoQuery>()
            .with_answer::<ListPage<ImportacaoTO>>(),
        get(ONE, AllowedCallers::STAFF, importacao::show_import_run)
            .describe(DocsSection::Management, "Consultar uma importação", "O estado, quantas linhas já foram feitas e o que foi feito delas, e para onde vão as colunas.")
            .with_answer::<ImportacaoTO>(),
        put("/gestao/importacao/{codImportacao}/colunas", AllowedCallers::STAFF, importacao::map_import_columns)
            .describe(DocsSection::Management, "Dizer para onde vão as colunas", "A escolha fica guardada para o próximo arquivo do mesmo tipo com colunas do mesmo nome.")
            .with_body::<ColunasInput>()
            .with_answer::<ImportacaoTO>(),
        step("/gestao/importacao/{codImportacao}/conferir", ImportStep::Check, "Conferir sem gravar", "Julga todas as linhas sem gravar nada; quando o estado passa a `conferida`, os problemas estão em `erros`, por linha e coluna."),
        step("/gestao/importacao/{codImportacao}/iniciar", ImportStep::Start, "Iniciar a importação", "Grava as linhas em segundo plano, aos poucos. O registro que já existe, pela chave natural (o CPF ou CNPJ, a placa, o e-mail…), é alterado: a célula vazia deixa o campo como está. O histórico tem a origem `importação`, e os receptores só são avisados com `dispararGatilhos`."),
        step("/gestao/importacao/{codImportacao}/pausar", ImportStep::Pause, "Pausar a importação", "Para depois das linhas que estão sendo gravadas."),
        step("/gestao/importacao/{codImportacao}/retomar", ImportStep::Resume, "Retomar a importação", "Continua de onde parou."),
        step("/gestao/importacao/{codImportacao}/desfazer", ImportStep::Undo, "Desfazer a importação", "Por 7 dias: o que foi criado e a que nada mais se refere é removido, e o que foi alterado volta ao que era. O que mudou depois fica, e está em `mantidos`. Um código removido não volta a ser usado."),
        get("/gestao/importacao/{codImportacao}/erros", AllowedCallers::STAFF, importacao::list_import_problems)
            .describe(DocsSection::Management, "Erros da importação", "O que está errado em cada linha, na ordem da planilha, até 1.000 por vez, sempre linhas inteiras. Peça o resto com `depoisDaLinha` igual à última linha recebida, até vir uma lista vazia.")
            .with_query::<DepoisDaLinhaQuery>()
            .with_answer_list::<ErroImportacaoTO>(),
        get("/gestao/importacao/{codImportacao}/arquivoErros", AllowedCallers::STAFF, importacao::download_error_file)
            .describe(DocsSection::Management, "Arquivo de erros", "As linhas recusadas, com as colunas que vieram e mais uma que diz o motivo, em CSV: corrija e envie de novo.")
            .with_file_answer(&["text/csv"]),
        get("/gestao/importacao/{codImportacao}/mantidos", AllowedCallers::STAFF, importacao::list_kept_records)
            .describe(DocsSection::Management, "O que ficou ao desfazer", "Os registros que ficaram como estão quando a importação foi desfeita, e por quê, até 1.000 por vez.")
            .with_query::<DepoisDaLinhaQuery>()
            .with_answer_list::<MantidoTO>(),
    ]
}
