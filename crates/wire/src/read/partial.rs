//! Which rejections are uncertain after an incomplete read.

use domain::finance::FinanceProblem;
use domain::{InputField, RegisterProblem, Rejection};

/// The fields that could have prevented the rejection: if one of them was sent but could not be read, it is unknown
/// whether the problem exists.
pub fn list_causing_fields(rejection: &Rejection) -> &'static [&'static str] {
    match rejection {
        Rejection::Missing(InputField::Name) => &["nomePessoa", "codLead"],
        // With a code the request is a change, which requires less.
        Rejection::Missing(InputField::Plan) => &["codBeneficio"],
        Rejection::NoPlateOrChassis => &["codBeneficio", "placa", "chassi"],
        Rejection::NatureMismatch => &["cpfCnpj"],
        Rejection::NoMemberCriterion => &[
            "codPessoa",
            "nome",
            "cpf",
            "cnpj",
            "dataCadastroInicial",
            "dataCadastroFinal",
            "dataNascimento",
            "situacaoBeneficio",
            "placa",
            "chassi",
        ],
        Rejection::NoBenefitKey => &["placa", "chassi", "sequencial", "numeroCartaoDesconto"],
        Rejection::NoContact => &["telefones", "email", "documento", "cpfCnpj", "codLead"],
        Rejection::NoLead => {
            &["nome", "nomePessoa", "telefone", "telefones", "email", "documento", "cpfCnpj"]
        }
        Rejection::OtherFunnel(_) => &["codFunil"],
        Rejection::NotLost => &["situacao"],
        Rejection::NothingToSendAgain => &["desde", "codHistoricoInicial"],
        Rejection::InvalidReplayRange => &["codHistoricoInicial"],
        Rejection::BenefitOfAnother(_) => &["codPessoa"],
        Rejection::Finance(FinanceProblem::DueBeforeIssue | FinanceProblem::DueTooFar) => {
            &["vencimento", "dataEmissao", "codBeneficio"]
        }
        Rejection::Finance(FinanceProblem::TooManyInstalments) => &["valor", "parcelas"],
        Rejection::Finance(FinanceProblem::AccountOfAnotherGroup) => {
            &["codTipoLiquidacao", "codContaFinanceira"]
        }
        Rejection::Finance(
            FinanceProblem::SettlementTypeOfAnotherGroup | FinanceProblem::SettlementTypeWithoutAccount,
        ) => &["codTipoLiquidacao", "codContaFinanceira"],
        Rejection::Finance(FinanceProblem::PaidBeforeIssue) => &["dataPagamento"],
        Rejection::Register { problem: RegisterProblem::NotAmong(_), .. } => &["entidade", "bancoBoleto"],
        Rejection::Register {
            problem:
                RegisterProblem::NotUsedByBank
                | RegisterProblem::BankDigits { .. }
                | RegisterProblem::MissingCheckDigit
                | RegisterProblem::WrongCheckDigit,
            ..
        } => &["bancoBoleto", "agencia", "conta", "carteira", "convenio", "variacao"],
        Rejection::Register { problem: RegisterProblem::OnlyFor(_), .. } => &["tipo"],
        Rejection::Register { problem: RegisterProblem::OnlyForBenefits, .. } => &["entidade"],
        Rejection::Register { problem: RegisterProblem::OnlyForBankAccounts, .. } => &["tipo"],
        Rejection::Register { problem: RegisterProblem::Below(_), .. } => &["valorDe", "valorAte"],
        Rejection::Register { problem: RegisterProblem::OneOf(_), .. } => &["percentual", "valor"],
        Rejection::Register { problem: RegisterProblem::Overlaps { .. }, .. } => {
            &["codPlano", "validoDesde", "codLoja", "codTipoVeiculo", "valorDe", "valorAte"]
        }
        Rejection::Register { problem: RegisterProblem::RuleInForce { .. }, .. } => &["codGrupo"],
        _ => &[],
    }
}
