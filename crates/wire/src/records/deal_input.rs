//! CRM: the requests to create or change a deal and its dependents.

use super::{ContatoInput, VeiculoInput};
use crate::input;
use crate::read::{FieldPath, InputProblems, InputRecord, JsonInput};
use domain::{
    BenefitKind, BoundedText, BranchCode, Cpf, Date, DealState, DisplayName, Email, FunnelCode, Kinship,
    LeadCode, Money, NoteText, Phone, PlanCode, Sex, StageCode, UserCode,
};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

input! {
    /// Um negócio. Para criar, informe `codLead` ou os campos de um lead, que é criado ou atualizado junto. Para alterar,
    /// nada é obrigatório: o campo que não vem fica como está, e `null` o limpa; os campos do lead são ignorados.
    pub struct NegocioInput = "NegocioInputTO" {
        flat contact: ContatoInput,
        /// Código do lead; com ele, os campos do lead são ignorados.
        lead "codLead": optional LeadCode = 42,
        /// Título do negócio.
        title "titulo": optional BoundedText<200> = "Proteção do Argo",
        /// Código do funil; o primeiro da base, onde não vem.
        funnel "codFunil": optional FunnelCode = 1,
        /// Código da etapa, que é do funil; a primeira dele, onde não vem.
        stage "codEtapa": optional StageCode = 1,
        /// Código da loja; a do lead, onde não vem.
        branch "codLoja": optional BranchCode = 1,
        /// Código do usuário responsável; quem chama, onde não vem.
        responsible "codUsuarioResponsavel": optional UserCode = 1,
        /// VEICULAR, SAUDE, DIVERSOS, CONSORCIO ou A24H; o do primeiro plano, onde não vem.
        kind "tipoBeneficio": optional BenefitKind = "VEICULAR",
        /// Os códigos dos planos, que substituem os que havia.
        plans "planos": optional Vec<PlanCode> = [10],
        /// Valor do negócio, em reais.
        price "valor": optional Money = 150.55,
        /// Data em que se espera fechar.
        expected "dataPrevisao": optional Date = "2026-12-01",
        /// Aberto, Ganho ou Perdido; Aberto, onde não vem.
        state "situacao": optional DealState = "Aberto",
        /// Por que foi perdido; só com a situação Perdido, de até 4000 caracteres.
        lost_because "motivoPerda": optional NoteText = "Achou caro.",
        /// Uma observação, de até 4000 caracteres.
        note "observacao": optional NoteText = "Ligar depois das 18 horas.",
        /// O veículo.
        vehicle "veiculo": optional VeiculoInput = {
            "placa": "ABC1D23",
            "chassi": "9BWZZZ377VT004251",
            "marca": "FIAT",
            "modelo": "ARGO 1.0",
            "anoFabricacao": 2025,
            "anoModelo": 2026,
            "categoria": "LEVE",
            "combustivel": "FLEX",
            "tipoVeiculo": "Automóvel de passeio",
            "valorVeiculo": 78500
        },
    }
}

/// The request to create a deal. If it has the code of a lead, all other lead fields are ignored, even invalid ones.
#[derive(Clone, Debug)]
pub struct NegocioCriacaoInput(pub NegocioInput);

/// The request to change a deal; lead fields are ignored.
#[derive(Clone, Debug)]
pub struct NegocioAlteracaoInput(pub NegocioInput);

impl JsonInput for NegocioCriacaoInput {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Self> {
        let is_given =
            |code: &Value| !code.is_null() && code.as_str().is_none_or(|text| !text.trim().is_empty());
        let has_lead = value.get("codLead").is_some_and(is_given);
        let read = if has_lead {
            read_without_lead(value, at, problems)
        } else {
            JsonInput::read(value, at, problems)
        };
        read.map(NegocioCriacaoInput)
    }

    fn schema() -> RefOr<Schema> {
        <NegocioInput as JsonInput>::schema()
    }
}

impl JsonInput for NegocioAlteracaoInput {
    fn read(value: &Value, at: &FieldPath<'_>, problems: &mut InputProblems) -> Option<Self> {
        read_without_lead(value, at, problems).map(NegocioAlteracaoInput)
    }

    fn schema() -> RefOr<Schema> {
        <NegocioInput as JsonInput>::schema()
    }
}

fn read_without_lead(
    value: &Value,
    at: &FieldPath<'_>,
    problems: &mut InputProblems,
) -> Option<NegocioInput> {
    let mut value = value.clone();
    if let Value::Object(fields) = &mut value {
        ContatoInput::fields().iter().for_each(|field| drop(fields.remove(field.name)));
    }
    JsonInput::read(&value, at, problems)
}

input! {
    /// Um dependente de um negócio de saúde. Para criar, informe `nome` e `parentesco`; para alterar, o campo que não vem fica
    /// como está, e `null` o limpa.
    pub struct NegocioDependenteInput = "NegocioDependenteInputTO" {
        /// Nome do dependente.
        name "nome": optional DisplayName = "Ana Souza",
        /// CPF, com ou sem máscara.
        cpf "cpf": optional Cpf = "111.444.777-35",
        /// Data de nascimento.
        birth "dataNascimento": optional Date = "2015-03-25",
        /// `Feminino` ou `Masculino`; também `F` e `M`. `Outro`, `Não informado` e o texto vazio não guardam nenhum.
        sex "sexo": optional Sex = "Feminino",
        /// O que é do titular, por exemplo CONJUGE ou FILHO.
        kinship "parentesco": optional Kinship = "FILHO",
        /// Os códigos dos planos, que substituem os que havia.
        plans "planos": optional Vec<PlanCode> = [11],
        /// Valor, em reais.
        price "valor": optional Money = 89.9,
        /// Telefone com DDD, com qualquer máscara; sem o DDD, fica guardado assim, como incompleto.
        phone "telefone": optional Phone = "(11)98765-4321",
        /// E-mail.
        email "email": optional Email = "ana@exemplo.com.br",
    }
}
