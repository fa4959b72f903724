//! Import of dependents: a row is matched within the holder's benefit by code or CPF, else by name and birth date.

use super::load_holder;
use super::save::{DependentWriteInput, write_dependent};
use crate::Error;
use crate::benefits::{PendingBenefitWrite, store_benefit};
use crate::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext, take_number_field};
use domain::{
    AuditedAction, AuditedChange, Benefit, BenefitCode, Dependent, DependentCode, Document, ImportProblem,
    ImportUndoObstacle, InputField, Plate, ReferenceKind, Rejection, SituationCode, SituationKind, fold_text,
};
use serde_json::{Map, Value};
use storage::Tx;
use storage::benefits;
use storage::exchange::imports::{self, StoredLineResult};
use storage::members::dependents;
use wire::read::FieldPatch;
use wire::records::DependenteInput;

/// One row of an imported file.
#[derive(Clone, Debug)]
pub struct DependentImportRow {
    pub input: DependenteInput,
    pub reference: BenefitReference,
    /// Names of the fields that the row contains.
    pub given_fields: Vec<String>,
}

/// Identifies the benefit and, by code, the dependent.
#[derive(Clone, Debug)]
pub struct BenefitReference {
    holder: Option<String>,
    benefit: Option<BenefitCode>,
    plate: Option<String>,
    code: Option<DependentCode>,
}

impl BenefitReference {
    /// Takes these fields out of the row, because the record parser expects a benefit code and a list of plans.
    pub fn take_from_fields(fields: &mut Map<String, Value>) -> BenefitReference {
        let mut text = |name: &str| match fields.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (holder, plate) = (text("titular"), text("placa"));
        let benefit = take_number_field(fields, "codBeneficio").map(BenefitCode::new);
        fields.insert("codBeneficio".to_owned(), 0.into());
        if let Some(plan) = fields.remove("codPlano") {
            fields.insert("planos".to_owned(), Value::Array(vec![plan]));
        }
        BenefitReference {
            holder,
            benefit,
            plate,
            code: take_number_field(fields, "codDependente").map(DependentCode::new),
        }
    }
}

impl DependentImportRow {
    /// Two rows about the same dependent have the same key.
    pub fn duplicate_key(&self) -> String {
        if let Some(code) = self.reference.code {
            return format!("d{code}");
        }
        let BenefitReference { holder, benefit, plate, .. } = &self.reference;
        let who = match &self.input.cpf {
            FieldPatch::Set(cpf) => cpf.as_str().to_owned(),
            _ => format!("{} {:?}", fold_text(self.input.name.as_str()), self.input.birth),
        };
        let digits = |text: &Option<String>| text.as_deref().map(fold_text);
        format!("{:?} {:?} {:?} {who}", digits(holder), benefit, digits(plate))
    }
}

/// Finds the benefit of a row: by code, by plate, or the only one of the holder in force.
async fn load_referenced_benefit(
    tx: &mut Tx,
    context: &ImportUnitContext,
    reference: &BenefitReference,
) -> Result<(BenefitCode, Benefit), Error> {
    let tenant = context.scope.tenant();
    let holder = match &reference.holder {
        Some(text) => {
            let document = Document::parse(text)?;
            let found = storage::members::find_person_by_document(&mut *tx, tenant, &document).await?;
            Some(found.ok_or(Rejection::UnknownPerson(document.to_string()))?.0)
        }
        None => None,
    };
    if let Some(code) = reference.benefit {
        let unknown = Rejection::UnknownCode { field: InputField::Benefit, code: code.get() };
        let found = benefits::find_benefit(&mut *tx, &context.scope, code).await?.ok_or(unknown)?;
        if holder.is_some_and(|holder| holder != found.person) {
            return Err(Rejection::NotTheHolder(code).into());
        }
        return Ok((code, found));
    }
    let in_force = |situation: SituationCode| {
        !matches!(
            context.registers.situation_kind(situation),
            Some(SituationKind::Inactive | SituationKind::Cancelled)
        )
    };
    let mut found = Vec::new();
    match (&reference.plate, holder) {
        (Some(plate), holder) => {
            let plate = Plate::parse(plate)?;
            for one in benefits::list_matching_benefits(tx, tenant, (Some(&plate), None, None)).await? {
                if in_force(one.situation)
                    && holder.is_none_or(|holder| holder == one.person)
                    && let Some(benefit) = benefits::find_benefit(&mut *tx, &context.scope, one.code).await?
                {
                    found.push((one.code, benefit));
                }
            }
        }
        (None, Some(holder)) => {
            found = benefits::list_benefits_of_person(&mut *tx, &context.scope, holder).await?;
            found.retain(|(_, benefit)| in_force(benefit.situation));
        }
        (None, None) => return Err(Rejection::Import(ImportProblem::BenefitUnnamed).into()),
    }
    match found.len() {
        0 => Err(Rejection::Import(ImportProblem::NoBenefit).into()),
        1 => found.pop().ok_or_else(|| Rejection::Import(ImportProblem::NoBenefit).into()),
        _ => Err(Rejection::Import(ImportProblem::ManyBenefits).into()),
    }
}

/// Finds the dependent of a row among those of the benefit.
fn find_known_dependent<'d>(
    row: &DependentImportRow,
    all: &'d [(DependentCode, Dependent)],
) -> Option<&'d (DependentCode, Dependent)> {
    if let Some(code) = row.reference.code {
        return all.iter().find(|(one, _)| *one == code);
    }
    let input = &row.input;
    let cpf = input.cpf.clone().into_set();
    let birth = input.birth.clone().into_set();
    let name = fold_text(input.name.as_str());
    let by_cpf = all.iter().find(|(_, one)| cpf.is_some() && one.cpf == cpf);
    by_cpf.or_else(|| {
        let alike = |one: &Dependent| {
            fold_text(&one.name) == name
                && (birth.is_none() || one.born_on.is_none() || one.born_on == birth)
                && (cpf.is_none() || one.cpf.is_none())
        };
        all.iter().find(|(_, one)| alike(one))
    })
}

#[boxed::future]
pub async fn find_imported_dependent(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &DependentImportRow,
) -> Result<Option<i32>, Error> {
    match load_referenced_benefit(tx, context, &row.reference).await {
        Ok((benefit, _)) => {
            let all = dependents::list_dependents(&mut *tx, context.scope.tenant(), benefit).await?;
            Ok(find_known_dependent(row, &all).map(|(code, _)| code.get()))
        }
        Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[boxed::future]
pub async fn import_dependent(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &DependentImportRow,
) -> Result<ImportRowOutcome, Error> {
    let tenant = context.scope.tenant();
    let (benefit, _) = load_referenced_benefit(tx, context, &row.reference).await?;
    let all = dependents::list_dependents(&mut *tx, tenant, benefit).await?;
    let before = find_known_dependent(row, &all);
    let mut record = DependenteInput { benefit, ..row.input.clone() };
    match before {
        Some((code, before)) => {
            context.refuse_repeated_record(code.get())?;
            record.code = FieldPatch::Set(*code);
            keep_missing_fields(&mut record, before, &row.given_fields);
        }
        None => record.code = FieldPatch::Keep,
    }
    let preset_code = row.reference.code.filter(|_| before.is_none());
    if let Some(code) = preset_code {
        if dependents::find_dependent_by_code(&mut *tx, tenant, code).await?.is_some() {
            return Err(Rejection::UnknownDependent { code, benefit }.into());
        }
        if !imports::list_removed_codes(&mut *tx, tenant, "dependent", &[code.get()]).await?.is_empty() {
            return Err(Rejection::Import(ImportProblem::Removed).into());
        }
    }
    let command = context.build_command(DependentWriteInput { record, version: None, preset_code });
    let saved = Box::pin(write_dependent(tx, &command)).await?;
    let record = saved.code.get();
    let version = saved.dependent.updated_at.millis();
    Ok(match before {
        Some(_) if !saved.changed => ImportRowOutcome::Same { record },
        Some((_, before)) => ImportRowOutcome::Changed {
            record,
            before: dependents::render_dependent_snapshot(before),
            version,
        },
        None => ImportRowOutcome::Created { record, version, joined: None },
    })
}

/// A save overwrites the full dependent, so fields missing in the row are filled with their stored values.
fn keep_missing_fields(record: &mut DependenteInput, before: &Dependent, given_fields: &[String]) {
    let is_given = |name: &str| given_fields.iter().any(|one| one == name);
    let set = |value: Option<_>| value.map_or(FieldPatch::Keep, FieldPatch::Set);
    if !is_given("cpf") {
        record.cpf = before.cpf.clone().map_or(FieldPatch::Keep, FieldPatch::Set);
    }
    if !is_given("dataNascimento") {
        record.birth = before.born_on.map_or(FieldPatch::Keep, FieldPatch::Set);
    }
    if !is_given("sexo") {
        record.sex = before.sex.map_or(FieldPatch::Keep, FieldPatch::Set);
    }
    if !is_given("identidade") {
        let text = before.identity_number.as_deref().and_then(|text| domain::BoundedText::parse(text).ok());
        record.identity = text.map_or(FieldPatch::Keep, FieldPatch::Set);
    }
    if !is_given("telefone") {
        record.phone = set(before.phone.clone());
    }
}

/// Undoes the effect of an import row, unless the dependent has changed since. The time of the last change serves as
/// the version.
#[boxed::future]
pub async fn undo_dependent_import(
    tx: &mut Tx,
    context: &ImportUnitContext,
    line: &StoredLineResult,
) -> Result<ImportUndoOutcome, Error> {
    let tenant = context.scope.tenant();
    let code = DependentCode::new(line.record.unwrap_or_default());
    let Some(current) = dependents::find_dependent_by_code(&mut *tx, tenant, code).await? else {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::RecordGone));
    };
    let Some(benefit) = benefits::find_benefit(&mut *tx, &context.scope, current.benefit).await? else {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::OtherBranch));
    };
    if line.version != Some(current.updated_at.millis()) {
        return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ChangedSince));
    }
    let (also, action, outcome) = match &line.before {
        None if dependents::has_appointment(tx, tenant, current.benefit, code).await? => {
            return Ok(ImportUndoOutcome::Kept(ImportUndoObstacle::ReferencedBy(
                ReferenceKind::Appointments,
            )));
        }
        None => (
            dependents::delete_dependent(tenant, code),
            AuditedAction::UndoDependentImport,
            ImportUndoOutcome::Removed,
        ),
        Some(before) => {
            let before = dependents::parse_dependent_snapshot(before)?;
            let after = Dependent { created_at: current.created_at, updated_at: context.now, ..before };
            (
                dependents::update_dependent(tenant, code, &current, &after),
                AuditedAction::UndoDependentUpdate,
                ImportUndoOutcome::Restored,
            )
        }
    };
    let holder = load_holder(tx, tenant, current.benefit, &benefit).await?;
    let changed = Benefit { updated_at: context.now, ..benefit.clone() };
    let audited = AuditedChange::from(action).with_argument(code);
    let store = PendingBenefitWrite {
        also,
        ..PendingBenefitWrite::for_change(current.benefit, &benefit, changed, &holder, audited)
    };
    store_benefit(tx, &context.change_context(), store).await?;
    Ok(outcome)
}
