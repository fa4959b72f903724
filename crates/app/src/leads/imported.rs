//! Leads as an import brings them: found as everywhere, by document, else e-mail, else telephone.

use super::{Lead, Store, prepare, write as save};
use crate::Error;
use crate::importing::{Doing, Undone, Written, taken};
use crate::people::imported::merged;
use crate::people::telephone;
use domain::{Field, ImportProblem, LeadCode, Rejection};
use serde_json::{Map, Value, json};
use storage::counters::{self, Counter};
use storage::imports::{self, LineResult};
use storage::people::{self, Profile};
use storage::{Tx, audit, leads, phones};
use wire::read::Given;
use wire::records::LeadInput;

/// A lead as a line of a file tells him.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub input: LeadInput,
    /// The code that he is to keep.
    pub code: Option<LeadCode>,
}

impl Row {
    pub fn kept(fields: &mut Map<String, Value>) -> Option<LeadCode> {
        taken(fields, "codLead").map(LeadCode::new)
    }

    /// What two lines about one lead have alike.
    pub fn key(&self) -> Option<String> {
        let contact = &self.input.contact;
        match (&contact.document, &contact.email, &contact.phones) {
            (Given::Set(document), ..) => Some(document.as_str().to_owned()),
            (_, Given::Set(email), _) => Some(email.as_str().to_owned()),
            (_, _, Given::Set(phones)) => {
                phones.iter().filter_map(telephone).next().map(|one| one.number.as_str().to_owned())
            }
            _ => None,
        }
    }
}

/// Judges a line; what is there already of whom it means.
async fn ready(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<super::Ready, Error> {
    let (acting, mut problems) = (doing.acting(), Vec::new());
    let mut contact = row.input.contact.clone();
    let elsewhere = doing.branch.map_or(Given::Keep, Given::Set);
    let store = match row.input.branch {
        Given::Keep => Store::OfANewOne(&elsewhere),
        _ => Store::OfTheLead(&row.input.branch),
    };
    // A list of telephones takes the place of all others elsewhere; of a sheet, the place of those of its kind.
    let given = contact.phones.clone().set().map(|all| all.iter().filter_map(telephone).collect::<Vec<_>>());
    if let Some(given) = given {
        let known = prepare(tx, &acting, &doing.scope, (&contact, store), &mut Vec::new()).await?;
        let had = match (&known.before, &known.person) {
            (None, _) => Vec::new(),
            (_, Some((code, one))) if !one.is_member => {
                phones::of(&mut *tx, doing.scope.tenant(), *code).await?
            }
            (Some((_, lead)), _) => super::first_phones(lead),
        };
        contact.phones = Given::Set(merged(&given, &had).iter().map(as_sent).collect());
    }
    let mut ready = prepare(tx, &acting, &doing.scope, (&contact, store), &mut problems).await?;
    if let Some(code) = row.code {
        match &ready.before {
            Some((known, _)) if *known != code => {
                problems.push(Rejection::CodeTaken { field: Field::Lead, code: known.get() });
            }
            Some(_) => {}
            None if leads::by_code(&mut *tx, doing.scope.tenant(), code).await?.is_some() => {
                problems.push(Rejection::CodeTaken { field: Field::Lead, code: code.get() });
            }
            None => {
                let removed = imports::removed(&mut *tx, doing.scope.tenant(), "lead", &[code.get()]).await?;
                problems.extend((!removed.is_empty()).then_some(Rejection::Import(ImportProblem::Removed)));
            }
        }
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    ready.kept = row.code.filter(|_| ready.before.is_none());
    Ok(ready)
}

fn as_sent(one: &phones::Telephone) -> wire::records::TelefoneInput {
    wire::records::TelefoneInput {
        country: Given::Keep,
        number: Given::Set(one.number.clone()),
        kind: Given::Set(one.kind),
    }
}

pub(crate) async fn find(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Option<i32>, Error> {
    match Box::pin(ready(tx, doing, row)).await {
        Ok(ready) => Ok(ready.before.map(|(code, _)| code.get())),
        Err(Error::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) async fn write(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Error> {
    let tenant = doing.scope.tenant();
    let ready = Box::pin(ready(tx, doing, row)).await?;
    let before = match &ready.before {
        Some((code, lead)) => {
            doing.refuse_meant(code.get())?;
            Some(snapshot(tx, doing, lead).await?)
        }
        None => None,
    };
    let saved = Box::pin(save(tx, &doing.acting(), &doing.scope, ready)).await?;
    let record = saved.code.get();
    // What is kept of a change says which version it has now.
    let now = leads::by_code(&mut *tx, tenant, saved.code).await?;
    let version = now.map_or(saved.lead.version, |lead| lead.version);
    Ok(match before {
        Some(_) if !saved.changed => Written::Same { record },
        Some(before) => Written::Changed { record, before, version },
        None => Written::Created { record, version, joined: None },
    })
}

/// A lead and, where he is no member, his person.
async fn snapshot(tx: &mut Tx, doing: &Doing, lead: &Lead) -> Result<String, Error> {
    let tenant = doing.scope.tenant();
    let person = people::by_code(&mut *tx, tenant, lead.person).await?.filter(|one| !one.is_member);
    let person = match person {
        Some(person) => {
            let had = phones::of(&mut *tx, tenant, lead.person).await?;
            Value::String(people::snapshot(&person, &had))
        }
        None => Value::Null,
    };
    Ok(json!({ "lead": leads::snapshot(lead), "person": person }).to_string())
}

/// Takes back what a line did.
pub(crate) async fn undo(tx: &mut Tx, doing: &Doing, line: &LineResult) -> Result<Undone, Error> {
    let tenant = doing.scope.tenant();
    let code = LeadCode::new(line.record.unwrap_or_default());
    let Some(now) = leads::by_code(&mut *tx, tenant, code).await? else {
        return Ok(Undone::Kept("já não existe".into()));
    };
    if !doing.scope.sees(now.branch) {
        return Ok(Undone::Kept("está em uma loja que você não acessa".into()));
    }
    if line.version != Some(now.version) {
        return Ok(Undone::Kept("foi alterado depois da importação".into()));
    }
    match &line.before {
        None => Box::pin(remove(tx, doing, code, &now)).await,
        Some(before) => Box::pin(restore(tx, doing, code, &now, before)).await,
    }
}

async fn remove(tx: &mut Tx, doing: &Doing, code: LeadCode, now: &Lead) -> Result<Undone, Error> {
    let tenant = doing.scope.tenant();
    if leads::has_deal(tx, tenant, code).await? {
        return Ok(Undone::Kept("já tem negócios".into()));
    }
    tx.batch(leads::remove(tenant, code)).await?;
    // His person came with him, unless somebody knew him before or knows him now.
    let person = people::by_code(&mut *tx, tenant, now.person).await?;
    let came = person.is_some_and(|one| !one.is_member && one.created_at == now.created_at);
    if came && people::referred(tx, tenant, now.person).await?.is_none() {
        tx.batch(people::remove(tenant, now.person)).await?;
    }
    audit::append(tx, &doing.audited(None, &format!("lead {code} removido: importação desfeita"))).await?;
    Ok(Undone::Removed)
}

async fn restore(
    tx: &mut Tx,
    doing: &Doing,
    code: LeadCode,
    now: &Lead,
    before: &str,
) -> Result<Undone, Error> {
    let tenant = doing.scope.tenant();
    let broken = || storage::Error::Broken("a lead is kept that cannot be read".to_owned());
    let all: Value = serde_json::from_str(before).map_err(|_| broken())?;
    let before = leads::from_snapshot(all["lead"].as_str().ok_or_else(broken)?)?;
    let after = Lead { created_at: now.created_at, updated_at: doing.now, version: now.version, ..before };
    let changes = super::managed::between(now, &after);
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let [first] = counters::take_all(tx, tenant, [(Counter::FieldChange, count)]).await?;
    let mut statements = leads::update(tenant, code, now, &after);
    statements.extend(doing.acting().kept(crate::situations::LEAD, code.get(), first, changes));
    tx.batch(statements).await?;
    let person = people::by_code(&mut *tx, tenant, after.person).await?.filter(|one| !one.is_member);
    if let (Some(person), Some(text)) = (person, all["person"].as_str()) {
        let (was, had) = people::from_snapshot(text)?;
        let was = Profile { created_at: person.created_at, updated_at: doing.now, ..was };
        people::update(tx, tenant, after.person, &was).await?;
        phones::replace(tx, tenant, after.person, &had).await?;
    }
    let told = format!("lead {code} alterado: importação desfeita");
    audit::append(tx, &doing.audited(Some(after.person), &told)).await?;
    Ok(Undone::Restored)
}
