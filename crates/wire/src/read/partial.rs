//! Which rejections are uncertain after an incomplete read.

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
        Rejection::Register { problem: RegisterProblem::NotAmong(_), .. } => &["entidade"],
        Rejection::Register { problem: RegisterProblem::OnlyFor(_), .. } => &["tipo"],
        _ => &[],
    }
}
