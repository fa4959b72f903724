//! Management: the feed of situation changes, and the audit log.

use crate::input;
use crate::read::describe_schema;
use domain::{AuditCursor, Entity, HistoryCursor, PersonCode, UserCode};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

input! {
    /// De onde em diante se lê o histórico de situações.
    pub struct HistoricoQuery = "HistoricoQueryTO" {
        /// De onde em diante: o `proximo` da última leitura, ou um codHistorico. Sem ele, desde a primeira mudança.
        after "apos": optional HistoryCursor = "918-3f2a9c01b7de",
        /// Só as mudanças desta entidade: Benefício, Evento, Vistoria, Help Desk ou Consulta.
        entity "entidade": optional Entity = "Benefício",
    }
}

/// Uma parte do histórico de situações, em ordem.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoricoTO {
    /// As mudanças, até 100.
    pub itens: Vec<MudancaTO>,
    /// O que enviar em `apos` da próxima vez: um texto, a guardar como veio.
    #[schema(examples("918-3f2a9c01b7de"))]
    pub proximo: String,
    /// Se já há mais mudanças depois destas.
    #[schema(examples(false))]
    pub tem_mais: bool,
}

/// Uma mudança de situação.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MudancaTO {
    /// Código da mudança: sem lacunas, na ordem em que aconteceram.
    #[schema(examples(918))]
    pub cod_historico: i32,
    /// Quando foi, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_historico: String,
    /// Benefício, Evento, Vistoria, Help Desk ou Consulta.
    #[schema(examples("Benefício"))]
    pub entidade: &'static str,
    /// Código do registro que mudou.
    #[schema(examples(777))]
    pub codigo: i32,
    /// Código da loja do registro.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Código da situação de antes; `null` na primeira.
    #[schema(examples(2))]
    pub cod_situacao_anterior: Option<i32>,
    /// Nome de hoje da situação de antes.
    #[schema(examples("PENDENTE"))]
    pub situacao_anterior: Option<String>,
    /// Código da situação nova.
    #[schema(examples(1))]
    pub cod_situacao: i32,
    /// Nome de hoje da situação nova.
    #[schema(examples("ATIVO"))]
    pub situacao: Option<String>,
    /// Código de quem mudou.
    #[schema(examples(3))]
    pub cod_usuario: Option<i32>,
    /// O motivo, se foi dado.
    #[schema(examples("Pedido do associado."))]
    pub motivo: Option<String>,
    /// De onde veio a mudança.
    #[schema(examples("API"))]
    pub origem: String,
    /// The trigger body, byte for byte as receivers get it.
    #[schema(schema_with = describe_trigger)]
    pub gatilho: Box<RawValue>,
}

input! {
    /// O que se procura na auditoria.
    pub struct AuditoriaQuery = "AuditoriaQueryTO" {
        /// De onde em diante: o `proximo` da última leitura. Sem ele, desde o primeiro registro.
        after "apos": optional AuditCursor = "4711-903",
        /// Só o que toca esta pessoa.
        person "codPessoa": optional PersonCode = 555,
        /// Só o que fez este usuário.
        user "codUsuario": optional UserCode = 3,
    }
}

/// Uma parte da auditoria, em ordem.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditoriaTO {
    /// Os registros, até 100.
    pub itens: Vec<RegistroAuditoriaTO>,
    /// O que enviar em `apos` da próxima vez, como veio.
    #[schema(examples("4711-903"))]
    pub proximo: String,
    /// Se já há mais registros depois destes.
    #[schema(examples(false))]
    pub tem_mais: bool,
}

/// Quem fez ou viu o quê.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistroAuditoriaTO {
    /// Código do registro. As leituras têm numeração própria: `tipo` e código, juntos, distinguem um registro.
    #[schema(examples(4711))]
    pub cod_auditoria: i32,
    /// Quando foi, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_hora: String,
    /// Código de quem fez ou viu; `null` para quem viu sem credencial.
    #[schema(examples(3))]
    pub cod_usuario: Option<i32>,
    /// Nome de quem fez ou viu.
    #[schema(examples("Maria Souza"))]
    pub nome_usuario: Option<String>,
    /// A operação, por método e endereço.
    #[schema(examples("GET /ext/associado"))]
    pub operacao: String,
    /// `leitura`, `alteracao` ou, do que trata de entradas e contas, `acesso`.
    #[schema(examples("leitura"))]
    pub tipo: &'static str,
    /// O endereço de rede de onde veio, no que trata de entradas e contas; `null` no que foi feito por comando.
    #[schema(examples("203.0.113.7"))]
    pub endereco: Option<String>,
    /// No que trata de entradas e contas: `sucesso`, `falha` ou `bloqueado` (tentativas demais).
    #[schema(examples("sucesso"))]
    pub resultado: Option<&'static str>,
    /// Quantas vezes: as entradas repetidas de um programa, e as tentativas de um endereço que não dizem um usuário, ficam juntas por alguns minutos.
    #[schema(examples(1))]
    pub vezes: i64,
    /// As pessoas vistas ou alteradas.
    pub pessoas: Vec<PessoaVistaTO>,
    /// O que foi alterado, sem os valores.
    #[schema(examples("benefício 777 alterado"))]
    pub detalhe: Option<String>,
}

/// Uma pessoa, e quando foi vista ou alterada.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PessoaVistaTO {
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Quando foi, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_hora: String,
}

fn describe_trigger() -> RefOr<Schema> {
    let object = ObjectBuilder::new().schema_type(Type::Object);
    let example =
        serde_json::json!({"codHistorico": 918, "entidade": "[\"Benefício\"]", "objeto": {"id": 777}});
    describe_schema(object.build().into(), "O gatilho exatamente como foi, ou seria, enviado.", example)
}
