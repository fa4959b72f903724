//! The refusal texts for sheets with open titles and opening balances.

use super::RequestProblem;
use domain::finance::{OpeningImportProblem, TitleBenefitKey};

pub(super) fn describe_opening_import_problem(problem: &OpeningImportProblem) -> RequestProblem {
    use OpeningImportProblem as P;
    let (field, sentence) = match problem {
        P::PersonUnnamed => {
            return RequestProblem::general("informe o CPF ou CNPJ do associado, ou o código da pessoa.");
        }
        P::PersonContradicted => ("codPessoa", "não é o código da pessoa com este CPF ou CNPJ.".to_owned()),
        P::UnknownBenefit(key) => {
            let (field, words) = name_benefit_key(*key);
            (field, format!("o associado não tem um benefício com {words} nas suas lojas."))
        }
        P::AmbiguousBenefit(key) => {
            let (field, words) = name_benefit_key(*key);
            (field, format!("o associado tem mais de um benefício com {words}; informe o sequencial."))
        }
        P::NothingOpen => {
            ("valorPago", "o título já está pago por inteiro; traga só os que estão em aberto.".to_owned())
        }
        P::InstalmentAboveTotal => ("parcela", "passa do total de parcelas.".to_owned()),
        P::ImportedDifferently(title) => (
            "codigoExterno",
            format!(
                "este código já é do título {title}, que tem outra pessoa, outro tipo, outro valor ou outro \
                 vencimento."
            ),
        ),
        P::ReservedKey => (
            "codigoExterno",
            "não pode começar com “mirror:”, que marca os títulos trazidos pelo espelhamento.".to_owned(),
        ),
        P::NoOwnerOfBalance => {
            return RequestProblem::general("informe o CPF ou CNPJ do associado, ou a conta ou o caixa.");
        }
        P::TwoOwnersOfBalance => (
            "codContaFinanceira",
            "o saldo é de um associado ou de uma conta; informe só um deles.".to_owned(),
        ),
        P::NegativeCredit => (
            "valor",
            "o crédito de um associado não fica abaixo de zero; o que ele deve se importa como título."
                .to_owned(),
        ),
        P::BalanceInFuture => ("data", "não pode ser depois de hoje.".to_owned()),
        P::BalanceTooOld => ("data", "não pode ser antes de 2000.".to_owned()),
        P::HasOtherBalance => ("valor", "já há um saldo inicial, com outro valor ou outra data.".to_owned()),
        P::AccountsForAllBranchesOnly(_) => (
            "codContaFinanceira",
            "o saldo de uma conta só se importa com acesso a todas as lojas.".to_owned(),
        ),
    };
    RequestProblem::of(field, sentence)
}

/// The column of a key, and how a sentence names it.
fn name_benefit_key(key: TitleBenefitKey) -> (&'static str, &'static str) {
    match key {
        TitleBenefitKey::Sequence => ("sequencial", "este sequencial"),
        TitleBenefitKey::Card => ("numeroCartaoDesconto", "este cartão"),
        TitleBenefitKey::Plate => ("placa", "esta placa"),
    }
}
