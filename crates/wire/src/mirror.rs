//! The texts that mirroring stores.

use domain::MirrorRecordConflict;
use domain::finance::LaunchKind;

/// The name of a mirrored record that has none in its source.
pub const MISSING_NAME: &str = "(sem nome)";
/// The branch of a tenant whose source shows none.
pub const FIRST_BRANCH: &str = "Matriz";

/// Why a title was cancelled.
pub const CANCELLED_AT_SOURCE: &str = "Cancelado na origem do espelho.";
pub const CHANGED_AT_SOURCE: &str = "Alterado na origem do espelho e emitido de novo.";

/// The type of titles for which the source names none.
pub const fn name_unnamed_title_type(kind: LaunchKind) -> &'static str {
    match kind {
        LaunchKind::Credit => "Espelhado",
        LaunchKind::Debit => "Espelhado a pagar",
        LaunchKind::CostSharing => "Espelhado de rateio",
    }
}

pub fn describe_conflict(conflict: MirrorRecordConflict) -> String {
    match conflict {
        MirrorRecordConflict::DocumentTaken => "outra pessoa tem o mesmo documento; ficou com ela".to_owned(),
        MirrorRecordConflict::MemberDocumentTaken => {
            "outra pessoa da origem tem o mesmo documento; ficou com ela".to_owned()
        }
        MirrorRecordConflict::BenefitNumberTaken => {
            "falta ou é de outro benefício; recebeu um número desta base".to_owned()
        }
        MirrorRecordConflict::ClaimProtocolTaken => {
            "falta ou é de outro evento; recebeu um número desta base".to_owned()
        }
        MirrorRecordConflict::DealNumberTaken => {
            "falta ou é de outro negócio; recebeu um número desta base".to_owned()
        }
        MirrorRecordConflict::CodeTaken => {
            "o código já é de outro cadastro desta base; recebeu outro".to_owned()
        }
        MirrorRecordConflict::NameTaken(code) => format!("o nome já é do código {code} desta base"),
        MirrorRecordConflict::TitleHolderUnknown => {
            "a pessoa não existe aqui; o título não foi espelhado".to_owned()
        }
        MirrorRecordConflict::TitleHolderDiffers => {
            "o código da pessoa é de outra aqui, com outro documento; o título não foi espelhado".to_owned()
        }
        MirrorRecordConflict::TitleImportedDifferently => {
            "uma planilha trouxe com este código um título de outra pessoa, outro valor ou outro vencimento; o da origem \
             não foi espelhado"
                .to_owned()
        }
        MirrorRecordConflict::TitleAmountUnusable => {
            "o valor não deixa nada em aberto; o título não foi espelhado".to_owned()
        }
        MirrorRecordConflict::TitleDayUnusable => {
            "o vencimento não pode estar certo; o título não foi espelhado".to_owned()
        }
        MirrorRecordConflict::TitleBenefitUnknown => {
            "um benefício não existe aqui, ou é de outra pessoa; o título ficou sem ele".to_owned()
        }
        MirrorRecordConflict::TitleWithoutKnownBenefit => {
            "nenhum dos benefícios existe aqui, ou são de outra pessoa; o título ficou sem benefício e não conta como \
             cobrança do mês"
                .to_owned()
        }
        MirrorRecordConflict::TitleChangedHere => {
            "o título mudou na origem e também aqui; ficou como está aqui".to_owned()
        }
        MirrorRecordConflict::TitleNotPosted => {
            "o título voltou a pendente na origem; ficou em aberto aqui".to_owned()
        }
    }
}
