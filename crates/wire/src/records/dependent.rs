//! Benefit: the dependents of a benefit, in requests and answers.

use super::PlanoValorTO;
use crate::input;
use crate::read::{FieldPath, InputProblems, JsonInput, required};
use domain::{
    BenefitCode, BoundedText, CardNumber, Cpf, Date, DependentCode, DisplayName, Email, Kinship, Phone,
    PlanCode, Sex,
};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

input! {
    /// O que se procura entre os dependentes: informe ao menos um destes.
    pub struct PesquisaDependenteQuery = "PesquisaDependenteQueryTO" {
        /// Nome do dependente, ou o começo de cada palavra dele.
        name "nome": optional String = "joão sil",
        /// CPF do dependente, com ou sem máscara.
        cpf "cpf": optional String = "529.982.247-25",
        /// Número do cartão, de 13 dígitos.
        card "numeroCartaoDesconto": optional CardNumber = "1234 56 7 890 123",
    }
}

input! {
    /// Um dependente de um benefício. Com `codDependente`, esse dependente é gravado por inteiro, e o que não vem se perde,
    /// menos `planos`, `email`, `numeroCartaoDesconto` e `ativo`, que ficam como estão.
    pub struct DependenteInput = "DependenteInputTO" {
        /// Código do benefício, de qualquer tipo.
        benefit "codBeneficio": required BenefitCode = 777,
        /// Código do dependente a alterar.
        code "codDependente": optional DependentCode = 9,
        /// Nome do dependente.
        name "nome": required DisplayName = "João Souza",
        /// CPF do dependente, com ou sem máscara.
        cpf "cpf": optional Cpf = "111.444.777-35",
        /// Data de nascimento.
        birth "dataNascimento": optional Date = "02/08/2015",
        /// O que o dependente é do titular: CONJUGE, PAI, FILHO, IRMAO, AVO, TIO, SOBRINHO, PRIMO, NETO, SOGRO, OUTRO,
        /// PET_CANINO, PET_FELINO, PET_OUTROS, CUNHADO, GENRO, ENTEADO ou PADRASTO.
        kinship "parentesco": required Kinship = "FILHO",
        /// `Feminino` ou `Masculino`; também `F` e `M`. `Outro`, `Não informado` e o texto vazio não guardam nenhum.
        sex "sexo": optional Sex = "Masculino",
        /// Os códigos dos planos do dependente; também servem os planos como a consulta os devolve.
        plans "planos": optional Vec<PlanoReferenciaInput> = [10],
        /// Se o dependente está ativo; true onde não vem num dependente novo.
        active "ativo": optional bool = true,
        /// Número da identidade (RG).
        identity "identidade": optional BoundedText<30> = "12.345.678-9",
        /// Telefone, com o DDD; sem ele, fica guardado assim, como incompleto.
        phone "telefone": optional Phone = "(11)98765-4321",
        /// E-mail.
        email "email": optional Email = "joao@exemplo.com.br",
        /// Número do cartão: o do titular ou um novo; criado pelo sistema onde não vem.
        card "numeroCartaoDesconto": optional CardNumber = "1234 56 7 890 123",
    }
}

/// A plan, by its code or by the plan record of an earlier answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanoReferenciaInput(pub PlanCode);

impl JsonInput for PlanoReferenciaInput {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<PlanoReferenciaInput> {
        match value {
            Value::Object(fields) => required(fields, "codPlano", at, problems).map(PlanoReferenciaInput),
            code => PlanCode::read(code, at, problems).map(PlanoReferenciaInput),
        }
    }

    fn schema() -> RefOr<Schema> {
        match PlanCode::schema() {
            RefOr::T(Schema::Object(mut either)) => {
                either.properties.insert("codPlano".to_owned(), either.clone().into());
                either.required.push("codPlano".to_owned());
                either.schema_type = SchemaType::from_iter([Type::Integer, Type::Object]);
                either.into()
            }
            other => other,
        }
    }
}

/// Um dependente gravado.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependenteBasicoOutputTO {
    /// Código do dependente.
    #[schema(examples(9))]
    pub cod_dependente: i32,
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Nome do dependente.
    #[schema(examples("João Souza"))]
    pub nome: String,
    /// Número do cartão.
    #[schema(examples("1234 56 7 890 123"))]
    pub numero_cartao_desconto: Option<String>,
}

/// Um dependente de um benefício. O que não se sabe é `null`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependenteCompletoOutputTO {
    /// Código do dependente.
    #[schema(examples(9))]
    pub cod_dependente: i32,
    /// Código do benefício.
    #[schema(examples(777))]
    pub cod_beneficio: i32,
    /// Nome do dependente.
    #[schema(examples("João Souza"))]
    pub nome: String,
    /// CPF, com máscara.
    #[schema(examples("111.444.777-35"))]
    pub cpf: Option<String>,
    /// Data de nascimento.
    #[schema(examples("02/08/2015"))]
    pub data_nascimento: Option<String>,
    /// O que o dependente é do titular: CONJUGE, FILHO, PET_CANINO e assim por diante.
    #[schema(examples("FILHO"))]
    pub parentesco: &'static str,
    /// `Feminino` ou `Masculino`.
    #[schema(examples("Masculino"))]
    pub sexo: Option<&'static str>,
    /// Número da identidade (RG).
    #[schema(examples("12.345.678-9"))]
    pub identidade: Option<String>,
    /// Telefone.
    #[schema(examples("(11)98765-4321"))]
    pub telefone: Option<String>,
    /// E-mail.
    #[schema(examples("joao@exemplo.com.br"))]
    pub email: Option<String>,
    /// Número do cartão.
    #[schema(examples("1234 56 7 890 123"))]
    pub numero_cartao_desconto: Option<String>,
    /// Os planos do dependente, com o valor de cada plano.
    pub planos: Vec<PlanoValorTO>,
    /// Se o dependente está ativo.
    #[schema(examples(true))]
    pub ativo: bool,
    /// Data de cadastro.
    #[schema(examples("14/11/2026"))]
    pub data_cadastro: String,
}

/// De quem é o benefício de um dependente.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TitularTO {
    /// Código do titular.
    #[schema(examples(555))]
    pub cod_pessoa: i32,
    /// Nome do titular.
    #[schema(examples("Maria Souza"))]
    pub nome_pessoa: String,
    /// Número sequencial do benefício na base.
    #[schema(examples(12))]
    pub sequencial: i32,
    /// Nome da situação do benefício, em maiúsculas.
    #[schema(examples("ATIVO"))]
    pub situacao: String,
    /// Tipo fixo da situação: ATIVO, PENDENTE, SUSPENSO, INATIVO ou CANCELADO.
    #[schema(examples("ATIVO"))]
    pub tipo_situacao: &'static str,
}

/// A dependent and the holder of the benefit, in one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PesquisaDependenteOutputTO {
    #[serde(flatten)]
    pub dependent: DependenteCompletoOutputTO,
    #[serde(flatten)]
    pub holder: TitularTO,
}

impl PartialSchema for PesquisaDependenteOutputTO {
    fn schema() -> RefOr<Schema> {
        match (DependenteCompletoOutputTO::schema(), TitularTO::schema()) {
            (RefOr::T(Schema::Object(mut all)), RefOr::T(Schema::Object(holder))) => {
                all.description = Some("Um dependente, com o titular do benefício.".to_owned());
                all.properties.extend(holder.properties);
                all.required.extend(holder.required);
                all.into()
            }
            (other, _) => other,
        }
    }
}

impl ToSchema for PesquisaDependenteOutputTO {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("PesquisaDependenteOutputTO")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        DependenteCompletoOutputTO::schemas(schemas);
    }
}
