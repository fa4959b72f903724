//! CRM: what callers send to create or change a deal and its dependents.

use super::{ContatoInput, VeiculoInput};
use crate::input;
use domain::{
    BenefitKind, BranchCode, Cpf, Date, DealState, Email, FunnelCode, Kinship, LeadCode, Money, Name, Note,
    Phone, PlanCode, Sex, StageCode, Text, UserCode,
};

input! {
    /// Um negócio. Para criar, informe `codLead` ou os campos de um lead, que é criado ou atualizado junto. Para alterar,
    /// nada é obrigatório: o campo que não vem fica como está, e `null` o limpa.
    pub struct NegocioInput = "NegocioInputTO" {
        flat contact: ContatoInput,
        /// Código do lead; com ele, os campos do lead são ignorados.
        lead "codLead": optional LeadCode = 42,
        /// Título do negócio.
        title "titulo": optional Text<200> = "Proteção do Argo",
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
        lost_because "motivoPerda": optional Note = "Achou caro.",
        /// Uma observação, de até 4000 caracteres.
        note "observacao": optional Note = "Ligar depois das 18 horas.",
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

input! {
    /// Um dependente de um negócio de saúde. Para criar, informe nome e parentesco; para alterar, o campo que não vem fica
    /// como está, e `null` o limpa.
    pub struct NegocioDependenteInput = "NegocioDependenteInputTO" {
        /// Nome do dependente.
        name "nome": optional Name = "Ana Souza",
        /// CPF, com ou sem máscara.
        cpf "cpf": optional Cpf = "111.444.777-35",
        /// Data de nascimento.
        birth "dataNascimento": optional Date = "2015-03-25",
        /// `Feminino` ou `Masculino`.
        sex "sexo": optional Sex = "Feminino",
        /// O que é do titular, por exemplo CONJUGE ou FILHO.
        kinship "parentesco": optional Kinship = "FILHO",
        /// Os códigos dos planos, que substituem os que havia.
        plans "planos": optional Vec<PlanCode> = [11],
        /// Valor, em reais.
        price "valor": optional Money = 89.9,
        /// Telefone com DDD, com qualquer máscara.
        phone "telefone": optional Phone = "(11)98765-4321",
        /// E-mail.
        email "email": optional Email = "ana@exemplo.com.br",
    }
}
