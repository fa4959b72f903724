//! The texts that mirroring stores.

use domain::MirrorRecordConflict;

/// The name of a mirrored record that has none in its source.
pub const MISSING_NAME: &str = "(sem nome)";
/// The branch of a tenant whose source shows none.
pub const FIRST_BRANCH: &str = "Matriz";

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
    }
}
