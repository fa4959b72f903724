//! Management: the answers for claims, inspections, tickets and appointments.

use super::nested::build_nullable_schema;
use super::{ChecklistItemTO, EnderecoTO, EventoRelacionadoTO, NotaTO, ProximaSituacaoTO, VeiculoTO};
use crate::read::{JsonInput, describe_schema, make_nullable};
use domain::{Involved, Priority};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

/// Um evento, uma vistoria, um chamado ou uma consulta, na lista.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CasoItemTO {
    /// Evento, Vistoria, Help Desk ou Consulta.
    #[schema(examples("Evento"))]
    pub entidade: &'static str,
    /// Código do registro.
    #[schema(examples(31))]
    pub codigo: i32,
    /// O protocolo: só dígitos, como texto.
    #[schema(examples("4711"))]
    pub protocolo: String,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Código do associado.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome do associado.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// CPF ou CNPJ do associado, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: Option<i32>,
    /// Placa do benefício.
    #[schema(examples("ABC1D23"))]
    pub placa: Option<String>,
    /// Código do tipo de evento, de vistoria ou de chamado; na consulta, o da especialidade.
    #[schema(examples(1))]
    pub cod_tipo: Option<i32>,
    /// Nome do tipo ou da especialidade.
    #[schema(examples("Colisão"))]
    pub tipo: Option<String>,
    #[schema(schema_with = describe_optional_priority)]
    pub prioridade: Option<&'static str>,
    /// Código da situação.
    #[schema(examples(8))]
    pub cod_situacao: i32,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("EM ANÁLISE"))]
    pub situacao: String,
    /// Tipo da situação: ABERTO, ANDAMENTO, CONCLUIDO ou CANCELADO.
    #[schema(examples("ANDAMENTO"))]
    pub tipo_situacao: &'static str,
    /// Cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("F9AB00"))]
    pub cor_destaque: String,
    /// Cor em que um texto sobre ela se lê bem.
    #[schema(examples("000000"))]
    pub cor_inversa: String,
    /// Desde quando está na situação, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub situacao_desde: String,
    /// Até quando pode ficar nela; `null` onde não há prazo.
    #[schema(examples("2026-11-17T10:32:05-03:00"))]
    pub prazo: Option<String>,
    /// Se o prazo já passou.
    #[schema(examples(false))]
    pub atrasado: bool,
    /// Código de quem cuida do registro.
    #[schema(examples(3))]
    pub cod_responsavel: Option<i32>,
    /// Nome de quem cuida do registro.
    #[schema(examples("Ana Prado"))]
    pub responsavel: Option<String>,
    /// Quando foi aberto, no fuso da base.
    #[schema(examples("2026-11-14T10:32:05-03:00"))]
    pub data_abertura: String,
    /// Quando foi encerrado; `null` enquanto está aberto.
    #[schema(examples("2026-11-20T16:00:00-03:00"))]
    pub data_encerramento: Option<String>,
    /// Para quando está marcada a vistoria ou a consulta.
    #[schema(examples("2026-11-20T14:30:00-03:00"))]
    pub data_marcada: Option<String>,
    /// A versão, que se envia de volta ao alterar.
    #[schema(examples(1))]
    pub versao: i32,
}

/// Defines a record from the common fields and those of its own.
macro_rules! record {
    (
        $(#[$text:meta])+
        $name:ident {
            $(#[$code_text:meta])+
            $code:ident,
            $($(#[$meta:meta])* $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$text])+
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(#[$code_text])+
            #[schema(examples(31))]
            pub $code: i32,
            /// O protocolo: só dígitos, como texto.
            #[schema(examples("4711"))]
            pub protocolo: String,
            /// Código da loja.
            #[schema(examples(1))]
            pub cod_loja: i32,
            /// Nome da loja.
            #[schema(examples("Matriz"))]
            pub nome_loja: String,
            /// Código do associado.
            #[schema(examples(555))]
            pub cod_pessoa: i32,
            /// Nome do associado.
            #[schema(examples("Maria Souza"))]
            pub nome_pessoa: String,
            /// CPF ou CNPJ do associado, com máscara.
            #[schema(examples("529.982.247-25"))]
            pub cpf_cnpj: Option<String>,
            /// Código do benefício.
            #[schema(examples(777))]
            pub cod_beneficio: Option<i32>,
            /// O benefício, em poucas palavras.
            #[schema(examples("ABC1D23 - FIAT ARGO 1.0"))]
            pub descricao_beneficio: Option<String>,
            $($(#[$meta])* pub $field: $type,)*
            /// Código de quem cuida do registro.
            #[schema(examples(3))]
            pub cod_responsavel: Option<i32>,
            /// Nome de quem cuida do registro.
            #[schema(examples("Ana Prado"))]
            pub responsavel: Option<String>,
            /// Código da situação.
            #[schema(examples(8))]
            pub cod_situacao: i32,
            /// Nome da situação, em maiúsculas.
            #[schema(examples("EM ANÁLISE"))]
            pub situacao: String,
            /// Tipo da situação: ABERTO, ANDAMENTO, CONCLUIDO ou CANCELADO.
            #[schema(examples("ANDAMENTO"))]
            pub tipo_situacao: &'static str,
            /// Cor da situação, em seis dígitos hexadecimais.
            #[schema(examples("F9AB00"))]
            pub cor_destaque: String,
            /// Cor em que um texto sobre ela se lê bem.
            #[schema(examples("000000"))]
            pub cor_inversa: String,
            /// Desde quando está na situação, no fuso da base.
            #[schema(examples("2026-11-14T10:32:05-03:00"))]
            pub situacao_desde: String,
            /// Até quando pode ficar nela; `null` onde não há prazo.
            #[schema(examples("2026-11-17T10:32:05-03:00"))]
            pub prazo: Option<String>,
            /// Se o prazo já passou.
            #[schema(examples(false))]
            pub atrasado: bool,
            /// As situações a que pode ir daqui.
            pub proximas_situacoes: Vec<ProximaSituacaoTO>,
            /// Quando foi aberto, no fuso da base.
            #[schema(examples("2026-11-14T10:32:05-03:00"))]
            pub data_abertura: String,
            /// Quando foi encerrado; `null` enquanto está aberto.
            #[schema(examples("2026-11-20T16:00:00-03:00"))]
            pub data_encerramento: Option<String>,
            /// Quando mudou pela última vez, no fuso da base.
            #[schema(examples("2026-11-14T10:32:05-03:00"))]
            pub data_atualizacao: String,
            /// As notas e as mensagens, na ordem em que foram escritas.
            pub notas: Vec<NotaTO>,
            /// A versão, que se envia de volta ao alterar.
            #[schema(examples(1))]
            pub versao: i32,
        }
    };
}

record! {
    /// Um evento, como a associação trabalha nele.
    EventoGestaoTO {
        /// Código do evento.
        cod_evento,
        /// Código do tipo de evento.
        #[schema(examples(1))]
        cod_tipo_evento: i32,
        /// Nome do tipo de evento.
        #[schema(examples("Colisão"))]
        tipo_evento: String,
        #[schema(schema_with = describe_involved)]
        envolvido: &'static str,
        #[schema(schema_with = describe_priority)]
        prioridade: &'static str,
        /// O que aconteceu.
        #[schema(examples("Colisão traseira, sem feridos."))]
        descricao: Option<String>,
        /// Data em que aconteceu.
        #[schema(examples("2026-11-13"))]
        data_evento: Option<String>,
        /// Código de quem conduzia o veículo.
        #[schema(examples(555))]
        cod_condutor: Option<i32>,
        /// Nome de quem conduzia o veículo.
        #[schema(examples("Maria Souza"))]
        condutor: Option<String>,
        #[schema(schema_with = describe_place)]
        local: Option<EnderecoTO>,
        #[schema(schema_with = describe_vehicle)]
        veiculo: Option<VeiculoTO>,
        /// Os eventos relacionados, o de abertura mais recente primeiro.
        relacionados: Vec<EventoRelacionadoTO>,
    }
}

record! {
    /// Uma vistoria, como a associação trabalha nela.
    VistoriaGestaoTO {
        /// Código da vistoria.
        cod_vistoria,
        /// Código do tipo de vistoria.
        #[schema(examples(1))]
        cod_tipo_vistoria: i32,
        /// Nome do tipo de vistoria.
        #[schema(examples("Vistoria de entrada"))]
        tipo_vistoria: String,
        /// Nome de quem faz a vistoria.
        #[schema(examples("Ana Prado"))]
        vistoriador: Option<String>,
        /// Para quando está marcada, no fuso da base.
        #[schema(examples("2026-11-20T14:30:00-03:00"))]
        data_prevista: Option<String>,
        /// Onde será feita.
        #[schema(examples("Oficina Boa Rota, Avenida Paulista, 1578"))]
        local: Option<String>,
        /// Uma observação.
        #[schema(examples("Levar o documento do veículo."))]
        observacao: Option<String>,
        /// O que se confere.
        checklist: Vec<ChecklistItemTO>,
    }
}

record! {
    /// Um chamado do help desk, como a associação trabalha nele.
    HelpDeskGestaoTO {
        /// Código do chamado.
        cod_help_desk,
        /// Código do tipo de chamado.
        #[schema(examples(1))]
        cod_tipo_help_desk: i32,
        /// Nome do tipo de chamado.
        #[schema(examples("Dúvida de boleto"))]
        tipo_help_desk: String,
        #[schema(schema_with = describe_priority)]
        prioridade: &'static str,
        /// O que se pede.
        #[schema(examples("Segunda via do boleto de novembro."))]
        descricao: Option<String>,
    }
}

record! {
    /// Uma consulta médica, como a associação trabalha nela.
    ConsultaGestaoTO {
        /// Código da consulta.
        cod_consulta,
        /// Código do dependente que vai à consulta; `null` se é o próprio associado.
        #[schema(examples(12))]
        cod_dependente: Option<i32>,
        /// Nome do dependente.
        #[schema(examples("João Souza"))]
        dependente: Option<String>,
        /// Código da especialidade.
        #[schema(examples(3))]
        cod_especialidade: Option<i32>,
        /// Nome da especialidade.
        #[schema(examples("Cardiologia"))]
        especialidade: Option<String>,
        /// Código da clínica.
        #[schema(examples(5))]
        cod_clinica: Option<i32>,
        /// Nome da clínica.
        #[schema(examples("Vida Plena"))]
        clinica: Option<String>,
        /// Código do médico.
        #[schema(examples(8))]
        cod_medico: Option<i32>,
        /// Nome do médico.
        #[schema(examples("Dra. Eva Lima"))]
        medico: Option<String>,
        /// Quando é a consulta, no fuso da base.
        #[schema(examples("2026-11-20T14:30:00-03:00"))]
        data_consulta: Option<String>,
        /// O endereço, em uma linha.
        #[schema(examples("Avenida Paulista, 1578, Bela Vista, São Paulo, SP"))]
        endereco: Option<String>,
        /// Uma observação.
        #[schema(examples("Levar exames anteriores."))]
        observacao: Option<String>,
    }
}

fn describe_involved() -> RefOr<Schema> {
    describe_schema(Involved::schema(), "`Cliente` ou `Terceiro`.", "Cliente".into())
}

fn describe_priority() -> RefOr<Schema> {
    describe_schema(Priority::schema(), "`Baixa`, `Média`, `Alta` ou `Urgente`.", "Alta".into())
}

fn describe_optional_priority() -> RefOr<Schema> {
    let text = "`Baixa`, `Média`, `Alta` ou `Urgente`; `null` em vistorias e consultas.";
    describe_schema(make_nullable(Priority::schema()), text, "Alta".into())
}

fn describe_place() -> RefOr<Schema> {
    build_nullable_schema::<EnderecoTO>("Onde aconteceu.")
}

fn describe_vehicle() -> RefOr<Schema> {
    build_nullable_schema::<VeiculoTO>("O veículo envolvido, como era na abertura ou como foi informado.")
}
