//! Management: receivers of situation-change triggers, and their deliveries.

use crate::input;
use crate::read::{BoundedInt, HiddenText};
use domain::{
    BoundedText, DeliveryState, Entity, HistoryCode, NoteText, PeriodStart, ReceiverAddress, ReceiverCode,
};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// Um cabeçalho enviado com cada gatilho.
    pub struct CabecalhoInput = "CabecalhoInputTO" {
        /// O nome, como `X-Api-Key`.
        name "nome": required BoundedText<100> = "X-Api-Key",
        /// O valor. Fica guardado cifrado e não é mostrado de novo.
        value "valor": required HiddenText = "chave-do-receptor",
    }
}

input! {
    /// Um receptor novo.
    pub struct ReceptorInput = "ReceptorInputTO" {
        /// Para onde vão os gatilhos; cada entidade tem o seu caminho depois dele. Obrigatório.
        address "endereco": optional ReceiverAddress = "https://erp.exemplo.com.br/gatilhos",
        /// De que é avisado: beneficio, evento, vistoria, helpDesk, consulta, titulo, ou todos. `todos` são as cinco primeiras;
        /// de títulos só é avisado quem os escolhe pelo nome: `["todos", "titulo"]`. Obrigatório.
        entities "entidades": optional Vec<String> = ["todos"],
        /// Cabeçalhos próprios, enviados com cada gatilho.
        headers "cabecalhos": optional Vec<CabecalhoInput> = [{"nome": "X-Api-Key", "valor": "chave-do-receptor"}],
        /// Quantas entregas ao mesmo tempo, de 1 a 64; 8 onde não vem.
        concurrency "simultaneas": optional BoundedInt<1, 64> = 8,
    }
}

input! {
    /// O que muda de um receptor: o campo que não vem fica como está.
    pub struct ReceptorAlteracaoInput = "ReceptorAlteracaoInputTO" {
        /// A versão que você leu. Se o receptor mudou depois dela, nada é alterado, e a recusa mostra o que há agora.
        version "versao": required BoundedInt<1, { i32::MAX }> = 1,
        /// Para onde vão os gatilhos; cada entidade tem o seu caminho depois dele. Se leva a outro servidor (outro protocolo,
        /// nome ou porta), os cabeçalhos que não vierem neste pedido são apagados, e um segredo novo passa a assinar sozinho.
        address "endereco": optional ReceiverAddress = "https://erp.exemplo.com.br/gatilhos",
        /// De que é avisado: beneficio, evento, vistoria, helpDesk, consulta, titulo, ou todos. `todos` são as cinco primeiras;
        /// de títulos só é avisado quem os escolhe pelo nome.
        entities "entidades": optional Vec<String> = ["todos"],
        /// Cabeçalhos próprios, que substituem os que havia.
        headers "cabecalhos": optional Vec<CabecalhoInput> = [{"nome": "X-Api-Key", "valor": "chave-do-receptor"}],
        /// Quantas entregas ao mesmo tempo, de 1 a 64.
        concurrency "simultaneas": optional BoundedInt<1, 64> = 8,
        /// False retira o receptor: ele não é mais avisado de nada.
        active "ativo": optional bool = true,
    }
}

/// Um receptor de gatilhos e como ele vai.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceptorTO {
    /// Código do receptor.
    #[schema(examples(1))]
    pub cod_receptor: i32,
    /// Para onde vão os gatilhos.
    #[schema(examples("https://erp.exemplo.com.br/gatilhos"))]
    pub endereco: String,
    /// De que é avisado.
    #[schema(examples("beneficio"))]
    pub entidades: Vec<&'static str>,
    /// Os nomes dos cabeçalhos próprios; os valores não são mostrados.
    #[schema(examples("X-Api-Key"))]
    pub cabecalhos: Vec<String>,
    /// Quantas entregas ao mesmo tempo.
    #[schema(examples(8))]
    pub simultaneas: i32,
    /// Se ainda é avisado.
    #[schema(examples(true))]
    pub ativo: bool,
    /// Se está pausado: o que muda espera por ele.
    #[schema(examples(false))]
    pub pausado: bool,
    /// Por que está pausado.
    #[schema(examples("manual"))]
    pub motivo_pausa: Option<&'static str>,
    /// Falhas desde a última entrega.
    #[schema(examples(0))]
    pub falhas_seguidas: i32,
    /// Desde quando só falha.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub falhando_desde: Option<String>,
    /// A última tentativa.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub ultima_tentativa: Option<String>,
    /// A última entrega que chegou.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub ultima_entrega: Option<String>,
    /// Quando foi cadastrado.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_cadastro: String,
    /// A versão deste registro, a enviar de volta na alteração.
    #[schema(examples(1))]
    pub versao: i64,
    /// O segredo novo, só na resposta da alteração que leva o receptor a outro servidor, e só uma vez; `null` em todas as outras.
    #[schema(examples("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))]
    pub novo_segredo: Option<String>,
}

/// Um receptor que acaba de ser cadastrado, com o segredo que assina os gatilhos.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceptorCriadoTO {
    /// O segredo, mostrado só agora; `null` quando o pedido é repetido com a mesma `Idempotency-Key`.
    #[schema(examples("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))]
    pub segredo: Option<String>,
    /// O receptor.
    pub receptor: ReceptorTO,
}

/// Um segredo novo.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SegredoTO {
    /// O segredo, mostrado só agora; `null` quando o pedido é repetido com a mesma `Idempotency-Key`.
    #[schema(examples("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))]
    pub segredo: Option<String>,
}

input! {
    /// Por que algo é feito. Nada disto é preciso, nem o próprio corpo.
    pub struct MotivoInput = "MotivoInputTO" {
        /// O motivo, que fica na auditoria, de até 4000 caracteres.
        reason "motivo": optional NoteText = "Manutenção do ERP.",
    }
}

input! {
    /// Que gatilho de exemplo se envia. O próprio corpo pode faltar.
    pub struct TesteReceptorInput = "TesteReceptorInputTO" {
        /// Benefício, Evento, Vistoria, Help Desk ou Consulta; a primeira do receptor onde não vem.
        entity "entidade": optional Entity = "Benefício",
    }
}

input! {
    /// Que entregas se quer ver.
    pub struct EntregaQuery = "EntregaQueryTO" {
        /// Código do receptor.
        receiver "codReceptor": required ReceiverCode = 1,
        /// Só as que estão assim: pendente, entregue ou esgotada.
        state "estado": optional DeliveryState = "pendente",
        /// O cursor: as entregas depois deste codHistorico. Sem ele, desde a primeira.
        after "apos": optional BoundedInt<0, { i32::MAX }> = 918,
    }
}

/// Uma parte das entregas a um receptor, em ordem.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntregasTO {
    /// As entregas, até 100.
    pub itens: Vec<EntregaTO>,
    /// O cursor a enviar em `apos` da próxima vez.
    #[schema(examples(918))]
    pub proximo: i32,
    /// Se já há mais entregas depois destas.
    #[schema(examples(false))]
    pub tem_mais: bool,
}

/// Um gatilho a um receptor.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntregaTO {
    /// Código do receptor.
    #[schema(examples(1))]
    pub cod_receptor: i32,
    /// Código da mudança no histórico.
    #[schema(examples(918))]
    pub cod_historico: i32,
    /// O `webhook-id`, o mesmo em todas as tentativas.
    #[schema(examples("msg_1_918_3f2a9c01b7de"))]
    pub webhook_id: String,
    /// beneficio, evento, vistoria, helpDesk, consulta ou titulo.
    #[schema(examples("beneficio"))]
    pub entidade: &'static str,
    /// Código do registro que mudou.
    #[schema(examples(777))]
    pub codigo: i32,
    /// pendente, entregue ou esgotada.
    #[schema(examples("entregue"))]
    pub estado: &'static str,
    /// Quantas vezes foi tentada desde que entrou, ou voltou, à fila.
    #[schema(examples(1))]
    pub tentativas: i32,
    /// Quando a mudança aconteceu.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_criacao: String,
    /// Quando chegou ou se esgotou.
    #[schema(examples("2026-11-14T10:32:06-03:00"))]
    pub data_fim: Option<String>,
    /// Quando é tentada de novo, se espera por uma hora.
    #[schema(examples("2026-11-14T10:37:05-03:00"))]
    pub proxima_tentativa: Option<String>,
    /// Cada tentativa.
    pub historico: Vec<TentativaTO>,
}

/// Uma tentativa de entrega.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TentativaTO {
    /// Quando foi.
    #[schema(examples("2026-11-14T10:32:06-03:00"))]
    pub data_hora: String,
    /// O que o receptor respondeu; `null` se não respondeu.
    #[schema(examples(204))]
    pub status: Option<i32>,
    /// Quanto levou, em milissegundos.
    #[schema(examples(18))]
    pub duracao_ms: i64,
    /// Os primeiros caracteres da resposta.
    #[schema(examples("chave inválida"))]
    pub resposta: Option<String>,
    /// Por que não houve resposta.
    #[schema(examples("a conexão foi recusada"))]
    pub erro: Option<String>,
}

input! {
    /// O que se envia de novo: de um codHistorico a outro, ou tudo o que não chegou desde um dia ou um momento.
    pub struct ReenvioInput = "ReenvioInputTO" {
        /// Código do receptor.
        receiver "codReceptor": required ReceiverCode = 1,
        /// Do codHistorico.
        first "codHistoricoInicial": optional HistoryCode = 918,
        /// Até o codHistorico; sem ele, só o inicial.
        last "codHistoricoFinal": optional HistoryCode = 920,
        /// Em vez dos códigos: tudo o que não chegou desde este dia, ou desde este momento, como 2026-11-14T10:30:00-03:00.
        since "desde": optional PeriodStart = "14/11/2026",
    }
}

/// Quantas entregas voltaram à fila.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReenvioTO {
    /// Quantas entregas voltaram à fila.
    #[schema(examples(3))]
    pub reenviadas: u64,
}

/// O que um receptor respondeu a um gatilho de exemplo.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TesteReceptorTO {
    /// Se aceitou: respondeu de 200 a 204.
    #[schema(examples(true))]
    pub aceito: bool,
    /// O que respondeu; `null` se não respondeu.
    #[schema(examples(204))]
    pub status: Option<u16>,
    /// Os primeiros caracteres da resposta.
    #[schema(examples("chave inválida"))]
    pub resposta: Option<String>,
    /// Por que não houve resposta.
    #[schema(examples("a conexão foi recusada"))]
    pub erro: Option<String>,
}
