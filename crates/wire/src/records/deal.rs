//! CRM: the answers for deals.

use super::nested::{build_nullable_schema, build_required_schema};
use super::{JsonAmount, LeadOutputTO, NegocioDependenteInput, PlanoValorTO, VeiculoTO};
use crate::input;
use crate::read::IsoQueryDate;
use domain::{BranchCode, LeadCode, UserCode};
use serde::Serialize;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

input! {
    /// O que se procura entre os negócios em aberto. Nada é obrigatório.
    pub struct PesquisaNegocioQuery = "PesquisaNegocioQueryTO" {
        /// Código do lead.
        lead "codLead": optional LeadCode = 42,
        /// Nome do lead (ou o começo das suas palavras), CPF, CNPJ, telefone, e-mail ou o número sequencial do negócio.
        filter "filtro": optional String = "maria sou",
        /// Abertos a partir deste dia, `yyyy-MM-dd`.
        opened_from "dataInicial": optional IsoQueryDate = "2026-11-01",
        /// Abertos até este dia, `yyyy-MM-dd`.
        opened_to "dataFinal": optional IsoQueryDate = "2026-11-30",
        /// Código da loja.
        branch "codLoja": optional BranchCode = 1,
        /// Código do usuário responsável.
        responsible "codUsuarioResponsavel": optional UserCode = 1,
    }
}

/// Um negócio gravado.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NegocioOutputTO {
    /// Código do negócio.
    #[schema(examples(7))]
    pub cod_negocio: i32,
    /// Número sequencial do negócio na base.
    #[schema(examples(7))]
    pub sequencial: i32,
    /// Código do lead.
    #[schema(examples(42))]
    pub cod_lead: i32,
    /// Código do funil.
    #[schema(examples(1))]
    pub cod_funil: i32,
    /// Código da etapa.
    #[schema(examples(1))]
    pub cod_etapa: i32,
    /// Aberto, Ganho ou Perdido.
    #[schema(examples("Aberto"))]
    pub situacao: &'static str,
}

/// Defines a record that starts with the fields of every deal.
macro_rules! deal_record {
    ($(#[$meta:meta])+ pub struct $name:ident { $($more:tt)* }) => {
        $(#[$meta])+
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// Código do negócio.
            #[schema(examples(7))]
            pub cod_negocio: i32,
            /// Número sequencial do negócio na base.
            #[schema(examples(7))]
            pub sequencial: i32,
            /// Título do negócio.
            #[schema(examples("Proteção do Argo"))]
            pub titulo: Option<String>,
            /// Código do lead.
            #[schema(examples(42))]
            pub cod_lead: i32,
            /// Nome do lead.
            #[schema(examples("Maria Souza"))]
            pub nome_pessoa: String,
            /// CPF ou CNPJ do lead, com máscara.
            #[schema(examples("529.982.247-25"))]
            pub cpf_cnpj: Option<String>,
            /// Telefone celular do lead.
            #[schema(examples("(11)98765-4321"))]
            pub telefone_celular: Option<String>,
            /// E-mail do lead.
            #[schema(examples("maria@exemplo.com.br"))]
            pub email: Option<String>,
            /// Código do funil.
            #[schema(examples(1))]
            pub cod_funil: i32,
            /// Nome do funil.
            #[schema(examples("Vendas"))]
            pub nome_funil: String,
            /// Código da etapa.
            #[schema(examples(1))]
            pub cod_etapa: i32,
            /// Nome da etapa.
            #[schema(examples("Novo contato"))]
            pub nome_etapa: String,
            /// Código da loja.
            #[schema(examples(1))]
            pub cod_loja: i32,
            /// Nome da loja.
            #[schema(examples("Matriz"))]
            pub nome_loja: String,
            /// Código do usuário responsável.
            #[schema(examples(1))]
            pub cod_usuario_responsavel: Option<i32>,
            /// Nome do usuário responsável.
            #[schema(examples("Carla Dias"))]
            pub nome_usuario_responsavel: Option<String>,
            /// Valor do negócio, em reais.
            #[schema(value_type = Option<f64>, examples(150.55))]
            pub valor: Option<JsonAmount>,
            /// Data em que foi aberto.
            #[schema(examples("2026-11-14"))]
            pub data_abertura: String,
            /// Data em que se espera fechar.
            #[schema(examples("2026-12-01"))]
            pub data_previsao: Option<String>,
            /// Há quantos dias está na etapa.
            #[schema(examples(3))]
            pub dias_na_etapa: i32,
            $($more)*
        }
    };
}

deal_record! {
    /// Um negócio em aberto.
    pub struct PesquisaNegocioOutputTO {}
}

deal_record! {
    /// Um negócio, com tudo o que se sabe dele.
    pub struct NegocioTO {
        /// VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H.
        #[schema(examples("VEICULAR"))]
        pub tipo_beneficio: Option<&'static str>,
        /// Aberto, Ganho ou Perdido.
        #[schema(examples("Aberto"))]
        pub situacao: &'static str,
        /// Por que foi perdido.
        #[schema(examples("Achou caro."))]
        pub motivo_perda: Option<String>,
        /// Uma observação.
        #[schema(examples("Ligar depois das 18 horas."))]
        pub observacao: Option<String>,
        #[schema(schema_with = describe_vehicle)]
        pub veiculo: Option<VeiculoTO>,
        #[schema(schema_with = describe_lead)]
        pub lead: LeadOutputTO,
        /// Os planos de que o negócio trata.
        pub planos: Vec<PlanoValorTO>,
        /// Os dependentes, num negócio de saúde.
        pub dependentes: Vec<NegocioDependenteTO>,
        /// Por onde o negócio passou, do começo até agora.
        pub historico: Vec<HistoricoNegocioTO>,
    }
}

impl PesquisaNegocioOutputTO {
    /// Adds the remaining fields.
    pub fn into_full_deal(self, lead: LeadOutputTO, situacao: &'static str) -> NegocioTO {
        NegocioTO {
            cod_negocio: self.cod_negocio,
            sequencial: self.sequencial,
            titulo: self.titulo,
            cod_lead: self.cod_lead,
            nome_pessoa: self.nome_pessoa,
            cpf_cnpj: self.cpf_cnpj,
            telefone_celular: self.telefone_celular,
            email: self.email,
            cod_funil: self.cod_funil,
            nome_funil: self.nome_funil,
            cod_etapa: self.cod_etapa,
            nome_etapa: self.nome_etapa,
            cod_loja: self.cod_loja,
            nome_loja: self.nome_loja,
            cod_usuario_responsavel: self.cod_usuario_responsavel,
            nome_usuario_responsavel: self.nome_usuario_responsavel,
            valor: self.valor,
            data_abertura: self.data_abertura,
            data_previsao: self.data_previsao,
            dias_na_etapa: self.dias_na_etapa,
            tipo_beneficio: None,
            situacao,
            motivo_perda: None,
            observacao: None,
            veiculo: None,
            lead,
            planos: Vec::new(),
            dependentes: Vec::new(),
            historico: Vec::new(),
        }
    }
}

fn describe_vehicle() -> RefOr<Schema> {
    build_nullable_schema::<VeiculoTO>("O veículo, onde o negócio trata de um.")
}

fn describe_lead() -> RefOr<Schema> {
    build_required_schema::<LeadOutputTO>("Com quem se negocia.")
}

/// A dependent of a deal. Its field descriptions come from the request record ([`NegocioDependenteInput`]), because one
/// schema serves both directions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NegocioDependenteTO {
    pub cod_dependente: i32,
    pub nome: String,
    pub cpf: Option<String>,
    pub data_nascimento: Option<String>,
    pub sexo: Option<&'static str>,
    pub parentesco: &'static str,
    pub planos: Vec<i32>,
    pub valor: Option<JsonAmount>,
    pub telefone: Option<String>,
    pub email: Option<String>,
}

impl PartialSchema for NegocioDependenteTO {
    fn schema() -> RefOr<Schema> {
        let code = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
            .description(Some("Código do dependente, dado pelo sistema."))
            .examples([3])
            .read_only(true);
        match NegocioDependenteInput::schema() {
            RefOr::T(Schema::Object(mut record)) => {
                record.properties.insert("codDependente".to_owned(), code.build().into());
                record.into()
            }
            other => other,
        }
    }
}

impl ToSchema for NegocioDependenteTO {}

/// Um passo de um negócio.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoricoNegocioTO {
    /// O dia.
    #[schema(examples("2026-11-14"))]
    pub data: String,
    /// Código da etapa em que ficou.
    #[schema(examples(1))]
    pub cod_etapa: i32,
    /// Nome da etapa.
    #[schema(examples("Novo contato"))]
    pub nome_etapa: String,
    /// Aberto, Ganho ou Perdido.
    #[schema(examples("Aberto"))]
    pub situacao: &'static str,
    /// Nome de quem o moveu.
    #[schema(examples("Carla Dias"))]
    pub nome_usuario: Option<String>,
}
