//! What stays open where not all that was sent could be read.

use domain::{InputField, RegisterProblem, Rejection};

/// The fields without which it would not have come to this: where one of them was sent and could not be read, nobody knows
/// whether there is a problem.
pub fn list_causing_fields(rejection: &Rejection) -> &'static [&'static str] {
    match rejection {
        Rejection::Missing(InputField::Name) => &["nomePessoa", "codLead"],
        // Whoever sent a code wanted a change, for which less is needed.
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
        Rejection::BadStretch => &["codHistoricoInicial"],
        Rejection::Register { problem: RegisterProblem::NotAmong(_), .. } => &["entidade"],
        Rejection::Register { problem: RegisterProblem::OnlyFor(_), .. } => &["tipo"],
        _ => &[],
    }
}
