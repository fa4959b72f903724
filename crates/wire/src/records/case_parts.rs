//! Management: the nested records of cases, and their history.

use serde::Serialize;
use utoipa::ToSchema;

/// Uma situação a que um registro pode ir.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProximaSituacaoTO {
    /// Código da situação.
    #[schema(examples(11))]
    pub cod_situacao: i32,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("CONCLUÍDO"))]
    pub situacao: String,
    /// Tipo da situação: ABERTO, ANDAMENTO, CONCLUIDO ou CANCELADO.
    #[schema(examples("CONCLUIDO"))]
    pub tipo: &'static str,
}

/// Um evento relacionado a outro.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventoRelacionadoTO {
    /// Código do evento.
    #[schema(examples(32))]
    pub cod_evento: i32,
    /// O protocolo: só dígitos, como texto.
    #[schema(examples("4712"))]
    pub protocolo: String,
    /// Nome do tipo de evento.
    #[schema(examples("Colisão"))]
    pub tipo_evento: String,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("ABERTO"))]
    pub situacao: String,
    /// Nome do associado.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// Quando foi aberto, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_abertura: String,
}

/// Algo que se confere em uma vistoria.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChecklistItemTO {
    /// O que se confere.
    #[schema(examples("Pneus"))]
    pub item: String,
    /// Se está como deve; `null` enquanto não foi visto.
    #[schema(examples(true))]
    pub conforme: Option<bool>,
    /// O que se observou.
    #[schema(examples("Meia vida."))]
    pub observacao: Option<String>,
}

/// Uma nota sobre um registro, ou uma mensagem ao associado.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotaTO {
    /// O número da nota neste registro, a partir de 1.
    #[schema(examples(1))]
    pub numero: i32,
    /// Quando foi escrita, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_hora: String,
    /// Código de quem escreveu.
    #[schema(examples(3))]
    pub cod_usuario: Option<i32>,
    /// Nome de quem escreveu.
    #[schema(examples("Ana Prado"))]
    pub nome_usuario: Option<String>,
    /// Se é uma mensagem para o associado.
    #[schema(examples(false))]
    pub para_associado: bool,
    /// O texto.
    #[schema(examples("O associado enviou as fotos."))]
    pub texto: String,
}
