//! Claim: the search, and the full record with its people, place and vehicle.

use super::nested::build_nullable_schema;
use super::{EnderecoTO, TelefoneTO, VeiculoTO};
use crate::input;
use crate::read::{BoundedInt, JsonInput, QueryDate, describe_schema, make_nullable};
use crate::set_names::NamedSet;
use domain::{Involved, PersonCode, Priority, Sex};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

input! {
    /// O que se procura entre os eventos; sem nada, todos os que o usuário pode ver.
    pub struct PesquisaEventoQuery = "PesquisaEventoQueryTO" {
        /// `Cliente` ou `Terceiro`.
        involved "envolvido": optional Involved = "Cliente",
        /// Abertos nesta data ou depois (dd/MM/aaaa).
        opened_from "dataAberturaInicial": optional QueryDate = "01/01/2026",
        /// Abertos nesta data ou antes (dd/MM/aaaa).
        opened_to "dataAberturaFinal": optional QueryDate = "31/12/2026",
        /// Ocorridos nesta data ou depois (dd/MM/aaaa).
        happened_from "dataEventoInicial": optional QueryDate = "01/01/2026",
        /// Ocorridos nesta data ou antes (dd/MM/aaaa).
        happened_to "dataEventoFinal": optional QueryDate = "31/12/2026",
        /// O protocolo, exato.
        protocol "protocolo": optional String = "4711",
        /// Código do associado.
        person "codPessoa": optional PersonCode = 555,
        /// CPF ou CNPJ do associado, com ou sem máscara.
        document "cpfCnpj": optional String = "529.982.247-25",
        /// A página, a partir de 1, com 100 itens cada uma; sem ela vêm todos os itens.
        page "pagina": optional BoundedInt<1, { i32::MAX }> = 1,
    }
}

/// Um evento, na lista.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventoListaTO {
    /// Código do evento.
    #[schema(examples(31))]
    pub cod_evento: i32,
    /// Cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("F9AB00"))]
    pub cor_destaque: String,
    /// Cor em que um texto sobre ela se lê bem.
    #[schema(examples("000000"))]
    pub cor_inversa: String,
    /// Data de abertura.
    #[schema(examples("14/11/2026"))]
    pub data_abertura: String,
    /// Data em que aconteceu.
    #[schema(examples("13/11/2026"))]
    pub data_evento: Option<String>,
    #[schema(schema_with = describe_involved)]
    pub envolvido: &'static str,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Nome do associado.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    #[schema(schema_with = describe_priority)]
    pub prioridade: &'static str,
    /// O protocolo: só dígitos, como texto.
    #[schema(examples("4711"))]
    pub protocolo: String,
    /// Nome do usuário que cuida do evento.
    #[schema(examples("Ana Prado"))]
    pub responsavel: Option<String>,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("EM ANÁLISE"))]
    pub situacao: String,
    /// Nome do tipo de evento.
    #[schema(examples("Colisão"))]
    pub tipo_evento: String,
}

/// Um evento inteiro.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventoTO {
    /// Código do benefício a que o evento pertence.
    #[schema(examples(777))]
    pub cod_beneficio: Option<i32>,
    /// Código do evento.
    #[schema(examples(31))]
    pub cod_evento: i32,
    /// Cor da situação, em seis dígitos hexadecimais.
    #[schema(examples("F9AB00"))]
    pub cor_destaque: String,
    /// Cor em que um texto sobre ela se lê bem.
    #[schema(examples("000000"))]
    pub cor_inversa: String,
    /// Data de abertura.
    #[schema(examples("14/11/2026"))]
    pub data_abertura: String,
    /// Data em que aconteceu.
    #[schema(examples("13/11/2026"))]
    pub data_evento: Option<String>,
    /// O protocolo: só dígitos, como texto.
    #[schema(examples("4711"))]
    pub protocolo: String,
    /// Nome do usuário que cuida do evento.
    #[schema(examples("Ana Prado"))]
    pub responsavel: Option<String>,
    /// Nome da situação, em maiúsculas.
    #[schema(examples("EM ANÁLISE"))]
    pub situacao: String,
    /// Nome do tipo de evento.
    #[schema(examples("Colisão"))]
    pub tipo_evento: String,
    #[schema(schema_with = describe_involved)]
    pub envolvido: &'static str,
    #[schema(schema_with = describe_priority)]
    pub prioridade: &'static str,
    /// O associado.
    pub associado: PessoaTO,
    #[schema(schema_with = describe_driver)]
    pub condutor: Option<PessoaTO>,
    #[schema(schema_with = describe_place)]
    pub local: Option<EnderecoTO>,
    #[schema(schema_with = describe_vehicle)]
    pub veiculo: Option<VeiculoTO>,
    /// Os eventos relacionados, com os relacionados deles, até três níveis abaixo do evento pedido. Um evento não se
    /// repete no próprio caminho.
    #[schema(no_recursion)]
    pub relacionados: Vec<EventoTO>,
}

fn describe_involved() -> RefOr<Schema> {
    describe_schema(Involved::schema(), "`Cliente` ou `Terceiro`.", "Cliente".into())
}

fn describe_priority() -> RefOr<Schema> {
    describe_schema(Priority::schema(), "`Baixa`, `Média`, `Alta` ou `Urgente`.", "Baixa".into())
}

fn describe_sex() -> RefOr<Schema> {
    let names = Sex::NAMES.iter().map(|(name, _)| *name);
    let text = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names));
    describe_schema(make_nullable(text.build().into()), "`Feminino` ou `Masculino`.", "Feminino".into())
}

fn describe_driver() -> RefOr<Schema> {
    build_nullable_schema::<PessoaTO>("Quem conduzia o veículo.")
}

fn describe_place() -> RefOr<Schema> {
    build_nullable_schema::<EnderecoTO>("Onde aconteceu.")
}

fn describe_vehicle() -> RefOr<Schema> {
    build_nullable_schema::<VeiculoTO>("O veículo envolvido.")
}

/// Uma pessoa de um evento. O que não se sabe é `null`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PessoaTO {
    /// Categoria da carteira de habilitação.
    #[schema(examples("AB"))]
    pub categoria_cnh: Option<String>,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// CPF ou CNPJ, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// Número da identidade (RG).
    #[schema(examples("12.345.678-9"))]
    pub identidade: Option<String>,
    /// Inscrição estadual, de uma empresa.
    #[schema(examples("110.042.490.114"))]
    pub inscricao_estadual: Option<String>,
    /// Inscrição municipal, de uma empresa.
    #[schema(examples("1.234.567-8"))]
    pub inscricao_municipal: Option<String>,
    /// Nome fantasia, de uma empresa.
    #[schema(examples("Souza Transportes"))]
    pub nome_fantasia: Option<String>,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// Número da carteira de habilitação.
    #[schema(examples("01234567890"))]
    pub numero_cnh: Option<String>,
    /// Órgão que expediu a identidade.
    #[schema(examples("SSP/SP"))]
    pub orgao_expedidor: Option<String>,
    /// Representante legal, de uma empresa.
    #[schema(examples("Maria Souza"))]
    pub representante_legal: Option<String>,
    /// Data em que a identidade foi expedida.
    #[schema(examples("10/05/2010"))]
    pub data_expedicao: Option<String>,
    /// Data de nascimento.
    #[schema(examples("25/03/1988"))]
    pub data_nascimento: Option<String>,
    /// Validade da carteira de habilitação.
    #[schema(examples("10/05/2030"))]
    pub validade_cnh: Option<String>,
    /// E-mail.
    #[schema(examples("maria@exemplo.com.br"))]
    pub email: Option<String>,
    /// O endereço.
    pub endereco: EnderecoTO,
    #[schema(schema_with = describe_sex)]
    pub sexo: Option<&'static str>,
    /// Os telefones.
    pub telefones: Vec<TelefoneTO>,
}
