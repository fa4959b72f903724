//! Member: the request to save a person, and its answer.

use super::{EnderecoInput, TelefoneInput};
use crate::input;
use crate::read::{BoundedInt, TextOrNumber};
use domain::{
    BoundedText, BranchCode, CivilState, Date, DisplayName, Document, Email, Nature, SellerCode, Sex,
};
use serde::Serialize;
use utoipa::ToSchema;

input! {
    /// O que se envia de uma pessoa, além do nome e do documento.
    pub struct PessoaCampos = "PessoaCamposTO" {
        /// Código da loja. Pode faltar onde o usuário acessa uma loja só.
        branch "codLoja": optional BranchCode = 1,
        /// Código da pessoa no sistema de quem integra, texto ou número. Não é chave e pode repetir.
        integration_code "codigoIntegracao": optional TextOrNumber<100> = "A-0042",
        /// `F` (física) ou `J` (jurídica); onde não vem, o documento diz.
        nature "natureza": optional Nature = "F",
        /// E-mail.
        email "email": optional Email = "maria@exemplo.com.br",
        /// `Feminino` ou `Masculino`; também `F` e `M`. `Outro`, `Não informado` e o texto vazio não guardam nenhum.
        sex "sexo": optional Sex = "Feminino",
        /// Data de nascimento.
        birth "dataNascimento": optional Date = "25/03/1988",
        /// Se aceita receber e-mails.
        takes_email "recebeEmail": optional bool = true,
        /// Se aceita receber mensagens por WhatsApp.
        takes_whatsapp "recebeWhatsApp": optional bool = true,
        /// Os telefones, que substituem os que havia.
        phones "telefones": optional Vec<TelefoneInput> = [{"ddi": "55", "numero": "(11)98765-4321", "tipo": "Celular"}],
        /// O endereço.
        address "endereco": optional EnderecoInput = {
            "bairro": "Bela Vista",
            "cep": "01310-100",
            "cidade": "São Paulo",
            "complemento": "Apto 12",
            "logradouro": "Paulista",
            "numero": "1578",
            "tipoEndereco": "Residencial",
            "tipoLogradouro": "Avenida",
            "uf": "SP"
        },
        /// Número da identidade (RG).
        identity "identidade": optional BoundedText<30> = "12.345.678-9",
        /// Órgão que expediu a identidade.
        identity_issuer "orgaoExpedidor": optional BoundedText<30> = "SSP/SP",
        /// Data em que a identidade foi expedida.
        identity_issued "dataExpedicao": optional Date = "10/05/2010",
        /// Nome da mãe.
        mother "nomeMae": optional BoundedText<200> = "Ana Souza",
        /// SOLTEIRO, CASADO, VIUVO, SEPARADO, DIVORCIADO, UNIAO ESTAVEL ou OUTROS.
        civil_state "estadoCivil": optional CivilState = "CASADO",
        /// Número da carteira de habilitação.
        cnh "numeroCnh": optional BoundedText<20> = "01234567890",
        /// Categoria da carteira de habilitação.
        cnh_category "categoriaCnh": optional BoundedText<5> = "AB",
        /// Validade da carteira de habilitação.
        cnh_valid_until "validadeCnh": optional Date = "10/05/2030",
        /// Nome fantasia, de uma empresa.
        trade_name "nomeFantasia": optional BoundedText<200> = "Souza Transportes",
        /// Inscrição estadual, de uma empresa.
        state_registration "inscricaoEstadual": optional BoundedText<30> = "110.042.490.114",
        /// Inscrição municipal, de uma empresa.
        city_registration "inscricaoMunicipal": optional BoundedText<30> = "1.234.567-8",
        /// Representante legal, de uma empresa.
        legal_representative "representanteLegal": optional BoundedText<200> = "Maria Souza",
        /// Nome da empresa em que a pessoa trabalha.
        employer "nomeEmpresa": optional BoundedText<200> = "Padaria Central",
        /// CNPJ da empresa em que a pessoa trabalha.
        employer_document "cnpjEmpresa": optional Document = "11.222.333/0001-81",
        /// Código do consultor.
        consultant "codConsultor": optional SellerCode = 1,
        /// Código do representante.
        representative "codRepresentante": optional SellerCode = 2,
    }
}

input! {
    /// Uma pessoa (associado). Se o CPF ou CNPJ já está na base, a pessoa é atualizada: o campo que não vem fica como
    /// está, e `null` o limpa.
    pub struct PessoaInput = "PessoaInputTO" {
        flat fields: PessoaCampos,
        /// Nome da pessoa.
        name "nomePessoa": required DisplayName = "Maria Souza",
        /// CPF ou CNPJ, com ou sem máscara.
        document "cpfCnpj": required Document = "529.982.247-25",
    }
}

input! {
    /// O que muda de um associado: o campo que não vem fica como está, e `null` o limpa.
    pub struct AssociadoInput = "AssociadoInputTO" {
        flat fields: PessoaCampos,
        /// A versão que se viu do associado; se já é outra, nada muda.
        version "versao": required BoundedInt<0, { i32::MAX }> = 1,
        /// Nome da pessoa.
        name "nomePessoa": optional DisplayName = "Maria Souza",
        /// O CPF ou CNPJ corrigido, com ou sem máscara.
        document "cpfCnpj": optional Document = "529.982.247-25",
        /// Nome do cônjuge.
        spouse "conjuge": optional BoundedText<200> = "José Souza",
        /// CPF ou CNPJ do responsável financeiro, onde é outra pessoa.
        payer_document "cpfCnpjResponsavelFinanceiro": optional Document = "529.982.247-25",
        /// O endereço do responsável financeiro.
        payer_address "enderecoResponsavelFinanceiro": optional EnderecoInput = {
            "bairro": "Bela Vista",
            "cep": "01310-100",
            "cidade": "São Paulo",
            "logradouro": "Paulista",
            "numero": "1578",
            "tipoLogradouro": "Avenida",
            "uf": "SP"
        },
    }
}

/// Uma pessoa, com o que basta para encontrá-la.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PessoaOutputTO {
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
}
