//! Whose title or balance a line of a sheet is, and of which benefit.

use crate::line_refusal::refuse_line;
use app::Error;
use app::import_row::ImportUnitContext;
use domain::finance::{OpeningImportProblem, TitleBenefitKey};
use domain::{
    Benefit, BenefitCode, BranchCode, Document, InputField, PersonCode, Rejection, Scope, SituationKind,
};
use storage::Tx;
use storage::benefits::list_benefits_of_person;
use storage::members::{find_person, find_person_by_document, is_profile_visible};
use wire::records::TituloImportadoInput;

/// A person that the caller may see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImportedOwner {
    pub code: PersonCode,
    pub branch: BranchCode,
}

/// The person of a document, a code, or both.
pub(crate) async fn find_imported_owner(
    tx: &mut Tx,
    scope: &Scope,
    (document, code): (Option<&Document>, Option<PersonCode>),
    problems: &mut Vec<Rejection>,
) -> Result<Option<ImportedOwner>, Error> {
    let tenant = scope.tenant();
    let (found, unknown) = match (document, code) {
        (None, None) => {
            problems.push(refuse_line(OpeningImportProblem::PersonUnnamed));
            return Ok(None);
        }
        (Some(document), _) => {
            let found = find_person_by_document(&mut *tx, tenant, document).await?;
            (found, Rejection::UnknownPerson(document.to_string()))
        }
        (None, Some(code)) => {
            let found = find_person(&mut *tx, tenant, code).await?.map(|person| (code, person));
            (found, Rejection::UnknownCode { field: InputField::Person, code: code.get() })
        }
    };
    let Some((known, person)) = found else {
        problems.push(unknown);
        return Ok(None);
    };
    if !is_profile_visible(tx, scope, (known, &person)).await? {
        problems.push(unknown);
        return Ok(None);
    }
    if code.is_some_and(|code| code != known) {
        problems.push(refuse_line(OpeningImportProblem::PersonContradicted));
        return Ok(None);
    }
    Ok(Some(ImportedOwner { code: known, branch: person.branch }))
}

/// The benefit that a line names. Without one, the title is of the person's branch, which must be in the scope.
pub(crate) async fn find_owned_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    owner: &ImportedOwner,
    input: &TituloImportadoInput,
    problems: &mut Vec<Rejection>,
) -> Result<Option<(BenefitCode, Benefit)>, Error> {
    let keys = list_benefit_keys(input);
    if keys.is_empty() {
        if !context.scope.can_see(owner.branch) {
            problems.push(Rejection::UnknownCode { field: InputField::Person, code: owner.code.get() });
        }
        return Ok(None);
    }
    let mut found = list_benefits_of_person(&mut *tx, &context.scope, owner.code).await?;
    for key in &keys {
        found.retain(|(_, benefit)| has_benefit_key(benefit, *key, input));
        if found.is_empty() {
            problems.push(refuse_line(OpeningImportProblem::UnknownBenefit(*key)));
            return Ok(None);
        }
    }
    if found.len() > 1 {
        // The same vehicle may have come back under a new benefit.
        found.retain(|(_, benefit)| is_in_force(context, benefit));
    }
    match (found.len(), keys.first()) {
        (1, _) => Ok(found.pop()),
        (_, Some(key)) => {
            problems.push(refuse_line(OpeningImportProblem::AmbiguousBenefit(*key)));
            Ok(None)
        }
        (_, None) => Ok(None),
    }
}

fn list_benefit_keys(input: &TituloImportadoInput) -> Vec<TitleBenefitKey> {
    let given = [
        (TitleBenefitKey::Sequence, input.sequence.as_set().is_some()),
        (TitleBenefitKey::Card, input.card.as_set().is_some()),
        (TitleBenefitKey::Plate, input.plate.as_set().is_some()),
    ];
    given.into_iter().filter(|(_, is_given)| *is_given).map(|(key, _)| key).collect()
}

fn has_benefit_key(benefit: &Benefit, key: TitleBenefitKey, input: &TituloImportadoInput) -> bool {
    match key {
        TitleBenefitKey::Sequence => {
            input.sequence.as_set().is_some_and(|sequence| sequence.get() == benefit.sequence)
        }
        TitleBenefitKey::Card => input.card.as_set() == benefit.card.as_ref(),
        TitleBenefitKey::Plate => {
            let key = |plate: &domain::Plate| plate.comparison_key();
            input.plate.as_set().map(key) == benefit.vehicle.plate.as_ref().map(key)
        }
    }
}

fn is_in_force(context: &ImportUnitContext, benefit: &Benefit) -> bool {
    let kind = context.registers.situation_kind(benefit.situation);
    !matches!(kind, Some(SituationKind::Inactive | SituationKind::Cancelled))
}
