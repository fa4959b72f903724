//! CRM: funnels, and leads in requests and answers.

use super::TelefoneInput;
use crate::input;
use domain::{BoundedText, BranchCode, DisplayName, Document, Email, NoteText, Phone, SellerCode, Uf};
use serde::Serialize;
use utoipa::ToSchema;

/// Um funil de vendas, com as suas etapas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FunilTO {
    /// Código do funil.
    #[schema(examples(1))]
    pub cod_funil: i32,
    /// Nome do funil.
    #[schema(examples("Vendas"))]
    pub nome: String,
    /// Se está em uso; os que não estão não aparecem aqui.
    #[schema(examples(true))]
    pub ativo: bool,
    /// As etapas em uso, na ordem em que um negócio passa por elas.
    pub etapas: Vec<EtapaTO>,
}

/// Uma etapa de um funil.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EtapaTO {
    /// Código da etapa.
    #[schema(examples(1))]
    pub cod_etapa: i32,
    /// Nome da etapa.
    #[schema(examples("Novo contato"))]
    pub nome: String,
    /// A ordem da etapa no funil.
    #[schema(examples(1))]
    pub ordem: i32,
    /// Cor da etapa, em seis dígitos hexadecimais.
    #[schema(examples("1A73E8"))]
    pub cor_destaque: String,
}

input! {
    /// O que se sabe de quem pode vir a ser associado. Vários campos aceitam dois nomes; use um deles, ou o mesmo valor
    /// nos dois.
    pub struct ContatoInput = "ContatoInputTO" {
        /// Nome da pessoa ou da empresa.
        name "nome": optional DisplayName = "Maria Souza",
        /// O mesmo que `nome`.
        person_name "nomePessoa": optional DisplayName = "Maria Souza",
        /// CPF ou CNPJ, com ou sem máscara.
        document "documento": optional Document = "529.982.247-25",
        /// O mesmo que `documento`.
        cpf_cnpj "cpfCnpj": optional Document = "529.982.247-25",
        /// Telefone com DDD, com qualquer máscara; sem o DDD, fica guardado assim, como incompleto.
        phone "telefone": optional Phone = "(11)98765-4321",
        /// Os telefones, onde há mais de um.
        phones "telefones": optional Vec<TelefoneInput> = [{"ddi": "55", "numero": "(11)98765-4321", "tipo": "Celular"}],
        /// E-mail.
        email "email": optional Email = "maria@exemplo.com.br",
        /// Empresa em que trabalha, ou que representa.
        company "empresa": optional BoundedText<200> = "Padaria Central",
        /// Cidade.
        city "cidade": optional BoundedText<100> = "São Paulo",
        /// As duas letras do estado.
        state "uf": optional Uf = "SP",
        /// O que escreveu, de até 4000 caracteres.
        message "mensagem": optional NoteText = "Quero proteger o meu carro.",
        /// De onde veio: o site, uma campanha, uma indicação.
        origin "origem": optional BoundedText<100> = "Site",
        /// Código do consultor.
        consultant "codConsultor": optional SellerCode = 1,
    }
}

input! {
    /// Um lead: alguém que pode vir a ser associado. Informe o nome e ao menos telefone, e-mail ou documento. O mesmo
    /// documento, senão o mesmo e-mail, senão o mesmo telefone, atualiza o lead que já está na base: o campo que não vem
    /// fica como está, e `null` o limpa.
    pub struct LeadInput = "LeadInputTO" {
        flat contact: ContatoInput,
        /// Código da loja; onde não vem, a primeira do usuário.
        branch "codLoja": optional BranchCode = 1,
    }
}

input! {
    /// O que se procura entre os leads.
    pub struct PesquisaLeadQuery = "PesquisaLeadQueryTO" {
        /// Nome (ou o começo das suas palavras), CPF, CNPJ, telefone ou e-mail.
        filter "filtro": optional String = "maria sou",
    }
}

/// Um lead: alguém que pode vir a ser associado.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadOutputTO {
    /// Código do lead.
    #[schema(examples(42))]
    pub cod_lead: i32,
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// CPF ou CNPJ, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// E-mail.
    #[schema(examples("maria@exemplo.com.br"))]
    pub email: Option<String>,
    /// Telefone celular.
    #[schema(examples("(11)98765-4321"))]
    pub telefone_celular: Option<String>,
    /// Telefone fixo.
    #[schema(examples("(11)3333-4444"))]
    pub telefone_fixo: Option<String>,
    /// Empresa em que trabalha, ou que representa.
    #[schema(examples("Padaria Central"))]
    pub empresa: Option<String>,
    /// Cidade.
    #[schema(examples("São Paulo"))]
    pub cidade: Option<String>,
    /// As duas letras do estado.
    #[schema(examples("SP"))]
    pub uf: Option<String>,
    /// O que escreveu.
    #[schema(examples("Quero proteger o meu carro."))]
    pub mensagem: Option<String>,
    /// De onde veio.
    #[schema(examples("Site"))]
    pub origem: Option<String>,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: i32,
    /// Nome da loja.
    #[schema(examples("Matriz"))]
    pub nome_loja: String,
    /// Data de cadastro.
    #[schema(examples("2026-11-14"))]
    pub data_cadastro: String,
    /// Quantos negócios em aberto tem, nas lojas do usuário.
    #[schema(value_type = i32, examples(1))]
    pub negocios_abertos: i64,
}

/// Um lead gravado, com o que basta para encontrar a pessoa.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PessoaLeadOutputTO {
    /// Código da pessoa.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome da pessoa.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// CPF ou CNPJ, com máscara.
    #[schema(examples("529.982.247-25"))]
    pub cpf_cnpj: Option<String>,
    /// E-mail.
    #[schema(examples("maria@exemplo.com.br"))]
    pub email: Option<String>,
    /// Telefone celular.
    #[schema(examples("(11)98765-4321"))]
    pub telefone_celular: Option<String>,
    /// Telefone fixo.
    #[schema(examples("(11)3333-4444"))]
    pub telefone_fixo: Option<String>,
    /// Código da loja.
    #[schema(examples(1))]
    pub cod_loja: Option<i32>,
    /// Código do lead.
    #[schema(examples(42))]
    pub cod_lead: i32,
}
