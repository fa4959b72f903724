//! Dependents as an import brings them: found by their holder's benefit and their document, else by name and birth.

use super::{Asked, Dependent, Sent, holder_of, write as save};
use crate::Error;
use crate::importing::{Doing, Undone, Written, taken};
use crate::situations::{self, Store};
use domain::{
    BenefitCode, DependentCode, Document, Field, ImportProblem, Plate, Rejection, SituationCode,
    SituationKind, fold,
};
use serde_json::{Map, Value};
use storage::benefits::{self, Benefit};
use storage::imports::{self, LineResult};
use storage::{Tx, dependents};
use wire::read::Given;
use wire::records::DependenteInput;

/// A dependent as a line of a file tells him.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub input: DependenteInput,
    pub whose: Whose,
    /// The fields that the line gives.
    pub given: Vec<String>,
}

/// What leads to his benefit and to himself.
#[derive(Clone, Debug)]
pub(crate) struct Whose {
    holder: Option<String>,
    benefit: Option<BenefitCode>,
    plate: Option<String>,
    code: Option<DependentCode>,
}

impl Whose {
    /// Taken out of what the record is read from, which wants a benefit and a list of plans.
    pub fn taken(fields: &mut Map<String, Value>) -> Whose {
        let mut text = |name: &str| match fields.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (holder, plate) = (text("titular"), text("placa"));
        let benefit = taken(fields, "codBeneficio").map(BenefitCode::new);
        fields.insert("codBeneficio".to_owned(), 0.into());
        if let Some(plan) = fields.remove("codPlano") {
            fields.insert("planos".to_owned(), Value::Array(vec![plan]));
        }
        Whose { holder, benefit, plate, code: taken(fields, "codDependente").map(DependentCode::new) }
    }
}

impl Row {
    /// What two lines about one dependent have alike.
    pub fn key(&self) -> String {
        if let Some(code) = self.whose.code {
            return format!("d{code}");
        }
        let Whose { holder, benefit, plate, .. } = &self.whose;
        let who = match &self.input.cpf {
            Given::Set(cpf) => cpf.as_str().to_owned(),
            _ => format!("{} {:?}", fold(self.input.name.as_str()), self.input.birth),
        };
        let digits = |text: &Option<String>| text.as_deref().map(fold);
        format!("{:?} {:?} {:?} {who}", digits(holder), benefit, digits(plate))
    }
}

/// The benefit that a line means.
async fn meant(tx: &mut Tx, doing: &Doing, whose: &Whose) -> Result<(BenefitCode, Benefit), Error> {
    let tenant = doing.scope.tenant();
    let holder = match &whose.holder {
        Some(text) => {
            let document = Document::parse(text)?;
            let found = storage::people::by_document(&mut *tx, tenant, &document).await?;
            Some(found.ok_or(Rejection::UnknownPerson(document.to_string()))?.0)
        }
        None => None,
    };
    if let Some(code) = whose.benefit {
        let unknown = Rejection::UnknownCode { field: Field::Benefit, code: code.get() };
        let found = benefits::find(&mut *tx, &doing.scope, code).await?.ok_or(unknown)?;
        if holder.is_some_and(|holder| holder != found.person) {
            return Err(Rejection::NotTheHolder(code).into());
        }
        return Ok((code, found));
    }
    let in_force = |situation: SituationCode| {
        !matches!(
            doing.registers.kind_of(situation),
            Some(SituationKind::Inactive | SituationKind::Cancelled)
        )
    };
    let mut found = Vec::new();
    match (&whose.plate, holder) {
        (Some(plate), holder) => {
            let plate = Plate::parse(plate)?;
            for one in benefits::holding(tx, tenant, (Some(&plate), None, None)).await? {
                if in_force(one.situation)
                    && holder.is_none_or(|holder| holder == one.person)
                    && let Some(benefit) = benefits::find(&mut *tx, &doing.scope, one.code).await?
                {
                    found.push((one.code, benefit));
                }
            }
        }
        (None, Some(holder)) => {
            found = benefits::of_person(&mut *tx, &doing.scope, holder).await?;
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

/// Who of a benefit's dependents a line means.
fn known<'d>(row: &Row, all: &'d [(DependentCode, Dependent)]) -> Option<&'d (DependentCode, Dependent)> {
    if let Some(code) = row.whose.code {
        return all.iter().find(|(one, _)| *one == code);
    }
    let input = &row.input;
    let cpf = input.cpf.clone().set();
    let birth = input.birth.clone().set().map(domain::Date::to_iso);
    let name = fold(input.name.as_str());
    let by_cpf = all.iter().find(|(_, one)| cpf.is_some() && one.cpf == cpf);
    by_cpf.or_else(|| {
        let alike = |one: &Dependent| {
            fold(&one.name) == name
                && (birth.is_none() || one.born_on.is_none() || one.born_on == birth)
                && (cpf.is_none() || one.cpf.is_none())
        };
        all.iter().find(|(_, one)| alike(one))
    })
}

pub(crate) async fn find(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Option<i32>, Error> {
    match meant(tx, doing, &row.whose).await {
        Ok((benefit, _)) => {
            let all = dependents::of(&mut *tx, doing.scope.tenant(), benefit).await?;
            Ok(known(row, &all).map(|(code, _)| code.get()))
        }
        Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) async fn write(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Error> {
    let tenant = doing.scope.tenant();
    let (benefit, _) = meant(tx, doing, &row.whose).await?;
    let all = dependents::of(&mut *tx, tenant, benefit).await?;
    let before = known(row, &all);
    let mut record = DependenteInput { benefit, ..row.input.clone() };
    match before {
        Some((code, before)) => {
            doing.refuse_meant(code.get())?;
            record.code = Given::Set(*code);
            stay(&mut record, before, &row.given);
        }
        None => record.code = Given::Keep,
    }
    let kept = row.whose.code.filter(|_| before.is_none());
    if let Some(code) = kept {
        if dependents::by_code(&mut *tx, tenant, code).await?.is_some() {
            return Err(Rejection::UnknownDependent { code, benefit }.into());
        }
        if !imports::removed(&mut *tx, tenant, "dependent", &[code.get()]).await?.is_empty() {
            return Err(Rejection::Import(ImportProblem::Removed).into());
        }
    }
    let asked = Asked::importing(doing, Sent { record, seen: None, kept });
    let saved = Box::pin(save(tx, &asked)).await?;
    let record = saved.code.get();
    let version = saved.dependent.updated_at.millis();
    Ok(match before {
        Some(_) if !saved.changed => Written::Same { record },
        Some((_, before)) => Written::Changed { record, before: dependents::snapshot(before), version },
        None => Written::Created { record, version, joined: None },
    })
}

/// Whoever writes a dependent writes all of him, so what a line does not give stays as it is.
fn stay(record: &mut DependenteInput, before: &Dependent, given: &[String]) {
    let is_given = |name: &str| given.iter().any(|one| one == name);
    let set = |value: Option<_>| value.map_or(Given::Keep, Given::Set);
    if !is_given("cpf") {
        record.cpf = before.cpf.clone().map_or(Given::Keep, Given::Set);
    }
    if !is_given("dataNascimento") {
        record.birth =
            before.born_on.as_deref().and_then(domain::Date::from_iso).map_or(Given::Keep, Given::Set);
    }
    if !is_given("sexo") {
        record.sex = before.sex.map_or(Given::Keep, Given::Set);
    }
    if !is_given("identidade") {
        let text = before.identity_number.as_deref().and_then(|text| domain::Text::parse(text).ok());
        record.identity = text.map_or(Given::Keep, Given::Set);
    }
    if !is_given("telefone") {
        record.phone = set(before.phone.clone());
    }
}

/// Takes back what a line did. When he was last changed stands for his version.
pub(crate) async fn undo(tx: &mut Tx, doing: &Doing, line: &LineResult) -> Result<Undone, Error> {
    let tenant = doing.scope.tenant();
    let code = DependentCode::new(line.record.unwrap_or_default());
    let Some(now) = dependents::by_code(&mut *tx, tenant, code).await? else {
        return Ok(Undone::Kept("já não existe".into()));
    };
    let Some(benefit) = benefits::find(&mut *tx, &doing.scope, now.benefit).await? else {
        return Ok(Undone::Kept("está em uma loja que você não acessa".into()));
    };
    if line.version != Some(now.updated_at.millis()) {
        return Ok(Undone::Kept("foi alterado depois da importação".into()));
    }
    let (also, done, undone) = match &line.before {
        None if dependents::is_awaited(tx, tenant, now.benefit, code).await? => {
            return Ok(Undone::Kept("já tem consultas".into()));
        }
        None => (dependents::remove(tenant, code), "removido", Undone::Removed),
        Some(before) => {
            let before = dependents::from_snapshot(before)?;
            let after = Dependent { created_at: now.created_at, updated_at: doing.now, ..before };
            (dependents::update(tenant, code, &now, &after), "alterado", Undone::Restored)
        }
    };
    let holder = holder_of(tx, tenant, now.benefit, &benefit).await?;
    let changed = Benefit { updated_at: doing.now, ..benefit.clone() };
    let done = format!("alterado: dependente {code} {done}, importação desfeita");
    let store = Store { also, ..Store::change(now.benefit, &benefit, changed, &holder, done) };
    situations::store(tx, &doing.acting(), store).await?;
    Ok(undone)
}
