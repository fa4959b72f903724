//! Members as an import brings them: many in one unit, by the rules and with the traces of every other member.

use super::{Saved, apply, bad_references, home, listed_days, own, store, telephone};
use crate::Error;
use crate::importing::{Doing, Undone, Written, taken};
use crate::situations::member;
use domain::{Field, ImportProblem, PersonCode, PhoneKind, Rejection, Scope};
use serde_json::{Map, Value};
use std::collections::HashMap;
use storage::counters::{self, Counter};
use storage::imports::{self, LineResult};
use storage::listing::{self, Before, ListedRow};
use storage::people::{self, Profile};
use storage::phones::{self, Telephone};
use storage::{Statement, Tx, audit, benefits};
use wire::read::Given;
use wire::records::{PessoaCampos, PessoaInput};

/// A member as a line of a file tells him.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub input: PessoaInput,
    /// The code that he is to keep.
    pub code: Option<PersonCode>,
}

impl Row {
    /// The code that a line wants kept.
    pub fn kept(fields: &mut Map<String, Value>) -> Option<PersonCode> {
        taken(fields, "codPessoa").map(PersonCode::new)
    }
}

struct New {
    at: usize,
    code: Option<PersonCode>,
    profile: Profile,
    phones: Vec<Telephone>,
}

struct Change {
    at: usize,
    code: PersonCode,
    before: (Profile, Vec<Telephone>),
    after: (Profile, Vec<Telephone>),
}

/// What is there of these people already, asked for at once.
struct Known {
    people: HashMap<String, (PersonCode, Profile)>,
    phones: HashMap<PersonCode, Vec<Telephone>>,
    /// Codes to be kept that somebody has, or had.
    taken: Vec<PersonCode>,
    removed: Vec<i32>,
}

impl Known {
    async fn of(tx: &mut Tx, doing: &Doing, rows: &[Row]) -> Result<Known, Error> {
        let tenant = doing.scope.tenant();
        let found =
            people::by_documents(&mut *tx, tenant, rows.iter().map(|row| &row.input.document)).await?;
        let mut phones: HashMap<PersonCode, Vec<Telephone>> = HashMap::new();
        if !found.is_empty() {
            let codes: Vec<PersonCode> = found.iter().map(|(code, _)| *code).collect();
            for (code, phone) in phones::of_some(&mut *tx, tenant, codes).await? {
                phones.entry(code).or_default().push(phone);
            }
        }
        let codes: Vec<PersonCode> = rows.iter().filter_map(|row| row.code).collect();
        let (mut taken, mut removed) = (Vec::new(), Vec::new());
        if !codes.is_empty() {
            let some = people::some(&mut *tx, tenant, codes.iter().copied()).await?;
            taken = some.into_iter().map(|(code, _)| code).collect();
            let codes: Vec<i32> = codes.iter().map(|code| code.get()).collect();
            removed = imports::removed(&mut *tx, tenant, "person", &codes).await?;
        }
        let by_document = |(code, profile): (PersonCode, Profile)| {
            let document = profile.document.as_ref().map(|one| one.as_str().to_owned());
            document.map(|document| (document, (code, profile)))
        };
        Ok(Known { people: found.into_iter().filter_map(by_document).collect(), phones, taken, removed })
    }
}

/// Writes members, no two of whom have one document; says what became of each.
pub(crate) async fn write(tx: &mut Tx, doing: &Doing, rows: &[Row]) -> Result<Vec<Written>, Error> {
    let known = Known::of(tx, doing, rows).await?;
    let (mut news, mut changes) = (Vec::new(), Vec::new());
    let mut written = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        written.push(match known.people.get(row.input.document.as_str()) {
            None => match new(doing, &known, row, at) {
                Ok(new) => {
                    news.push(new);
                    Written::Created { record: 0, version: 1, joined: None }
                }
                Err(problems) => Written::Refused(problems),
            },
            Some((code, before)) => match change(doing, &known, row, (*code, before), at) {
                Ok(Some(change)) => {
                    changes.push(change);
                    Written::Changed { record: code.get(), before: String::new(), version: 0 }
                }
                Ok(None) => Written::Same { record: code.get() },
                Err(problems) => Written::Refused(problems),
            },
        });
    }
    if doing.trial {
        return Ok(written);
    }
    create(tx, doing, &news, &mut written).await?;
    for change in changes {
        let Change { at, code, before: (before, had), after } = change;
        let saved = Box::pin(store(tx, &doing.acting(), (code, &before, &had), after)).await?;
        let before = people::snapshot(&before, &had);
        written[at] = Written::Changed { record: code.get(), before, version: saved.profile.version };
    }
    Ok(written)
}

fn new(doing: &Doing, known: &Known, row: &Row, at: usize) -> Result<New, Vec<Rejection>> {
    let (input, fields) = (&row.input, &row.input.fields);
    let fields = match doing.branch {
        // It is judged like one that a line names.
        Some(branch) if fields.branch == Given::Keep => {
            &PessoaCampos { branch: Given::Set(branch), ..fields.clone() }
        }
        _ => fields,
    };
    let mut problems = bad_references(&doing.scope, &doing.registers, fields, (Some(&input.document), None));
    let branch = home(&doing.scope, &doing.registers, fields, &mut problems);
    for problem in &mut problems {
        if matches!(problem, Rejection::Missing(Field::Branch)) {
            *problem = Rejection::Import(ImportProblem::NoBranch);
        }
    }
    if let Some(code) = row.code {
        if known.taken.contains(&code) {
            problems.push(Rejection::CodeTaken { field: Field::Person, code: code.get() });
        } else if known.removed.contains(&code.get()) {
            problems.push(Rejection::Import(ImportProblem::Removed));
        }
    }
    let (Some(branch), []) = (branch, &problems[..]) else { return Err(problems) };
    let name = input.name.as_str().to_owned();
    let mut profile = Profile::member(branch, input.document.clone(), name, doing.now);
    let mut phones = Vec::new();
    put(row, &mut profile, &mut phones);
    Ok(New { at, code: row.code, profile, phones })
}

fn change(
    doing: &Doing,
    known: &Known,
    row: &Row,
    (code, before): (PersonCode, &Profile),
    at: usize,
) -> Result<Option<Change>, Vec<Rejection>> {
    let (input, fields) = (&row.input, &row.input.fields);
    let judged = (Some(&input.document), Some(before));
    let mut problems = bad_references(&doing.scope, &doing.registers, fields, judged);
    if row.code.is_some_and(|kept| kept != code) {
        // Whose code it is to be has another already.
        problems.push(Rejection::DocumentTaken(doing.scope.sees(before.branch).then_some(code)));
    }
    if !doing.scope.sees(before.branch) {
        problems.push(Rejection::PersonElsewhere);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let had = known.phones.get(&code).cloned().unwrap_or_default();
    let (mut profile, mut phones) = (before.clone(), had.clone());
    profile.name = input.name.as_str().to_owned();
    profile.nature = input.document.nature();
    profile.is_member = true;
    put(row, &mut profile, &mut phones);
    if let Given::Set(branch) = fields.branch {
        profile.branch = branch;
    }
    let same = profile == *before && phones == had;
    Ok((!same).then(|| Change { at, code, before: (before.clone(), had), after: (profile, phones) }))
}

/// Takes over what a line says. Its telephones take the place of as many of their kind, and the others stay.
fn put(row: &Row, profile: &mut Profile, phones: &mut Vec<Telephone>) {
    let mut fields = row.input.fields.clone();
    if let Given::Set(given) = std::mem::replace(&mut fields.phones, Given::Keep) {
        *phones = merged(&given.iter().filter_map(telephone).collect::<Vec<_>>(), phones);
    }
    apply(&fields, profile, phones);
}

pub(crate) fn merged(given: &[Telephone], had: &[Telephone]) -> Vec<Telephone> {
    let first =
        |phones: &[Telephone], kind| phones.iter().find(|one| one.kind == kind).map(|one| one.number.clone());
    let leads = |kind| first(given, kind).is_none_or(|number| first(had, kind) == Some(number));
    let is_known = |new: &Telephone| had.iter().any(|one| one.number == new.number);
    if given.iter().all(is_known) && leads(PhoneKind::Mobile) && leads(PhoneKind::Landline) {
        return had.to_vec();
    }
    let is_given = |one: &&Telephone| given.iter().any(|new| new.number == one.number);
    let mut all: Vec<Telephone> = Vec::new();
    for new in given {
        if all.iter().all(|one| one.number != new.number) {
            all.push(had.iter().find(|one| one.number == new.number).unwrap_or(new).clone());
        }
    }
    for kind in [PhoneKind::Mobile, PhoneKind::Landline] {
        let fresh = all.iter().filter(|one| one.kind == kind && !had.contains(one)).count();
        let others = had.iter().filter(|one| one.kind == kind && !is_given(one));
        let stay: Vec<Telephone> = others.skip(fresh).cloned().collect();
        all.extend(stay);
    }
    all
}

async fn create(tx: &mut Tx, doing: &Doing, news: &[New], written: &mut [Written]) -> Result<(), Error> {
    if news.is_empty() {
        return Ok(());
    }
    let (tenant, acting) = (doing.scope.tenant(), doing.acting());
    let kept = news.iter().filter_map(|new| new.code.map(PersonCode::get));
    if let Some(highest) = kept.clone().max() {
        counters::reach(tx, tenant, Counter::Person, highest).await?;
    }
    let count = i32::try_from(news.len()).unwrap_or(i32::MAX);
    let counted = count - i32::try_from(kept.count()).unwrap_or_default();
    let wanted =
        [(Counter::Person, counted), (Counter::Slot, count), (Counter::Audit, count), (Counter::Listing, 1)];
    let [first, slot, audit_code, _] = counters::take_all(tx, tenant, wanted).await?;
    let mut next = first..;
    let coded: Vec<(PersonCode, &New)> = news
        .iter()
        .map(|new| (new.code.unwrap_or_else(|| PersonCode::new(next.next().unwrap_or(first))), new))
        .collect();
    let mut statements = people::insert_each(tenant, coded.iter().map(|(code, new)| (*code, &new.profile)));
    statements.extend(phones::insert_each(tenant, coded.iter().map(|(code, new)| (*code, &new.phones[..]))));
    // All of them came on one day.
    let days = listed_days(&news[0].profile, &acting.registers.zone);
    let rows: Vec<ListedRow<'_>> = (slot..)
        .zip(&coded)
        .map(|(slot, (code, new))| ListedRow {
            slot,
            member: member(*code, &new.profile),
            own: own(&new.profile, &days),
        })
        .collect();
    statements.extend(listing::add(tenant, &rows));
    let told: Vec<audit::Entry> =
        coded.iter().map(|(code, _)| doing.audited(Some(*code), "criado")).collect();
    statements.extend(audit::insert_all(audit_code, &told));
    tx.batch(statements).await?;
    for (code, new) in coded {
        written[new.at] = Written::Created { record: code.get(), version: 1, joined: None };
    }
    Ok(())
}

/// Takes back what a line did.
pub(crate) async fn undo(tx: &mut Tx, doing: &Doing, line: &LineResult) -> Result<Undone, Error> {
    let tenant = doing.scope.tenant();
    let code = PersonCode::new(line.record.unwrap_or_default());
    let Some(now) = people::by_code(&mut *tx, tenant, code).await? else {
        return Ok(Undone::Kept("já não existe".into()));
    };
    if !doing.scope.sees(now.branch) {
        return Ok(Undone::Kept("está em uma loja que você não acessa".into()));
    }
    if line.version != Some(now.version) {
        return Ok(Undone::Kept("foi alterado depois da importação".into()));
    }
    let Some(before) = &line.before else { return Box::pin(remove(tx, doing, code, &now)).await };
    let had = phones::of(&mut *tx, tenant, code).await?;
    let (before, phones) = people::from_snapshot(before)?;
    if now.is_member && !before.is_member {
        // He was a lead alone, and is one again, unless he has become more meanwhile.
        if benefits::has_visible(&mut *tx, &Scope::whole(tenant), code).await? {
            return Ok(Undone::Kept("já tem benefícios".into()));
        }
        let statements = unlisted(tx, doing, code, &now).await?;
        tx.batch(statements).await?;
    }
    let before =
        Profile { version: now.version, created_at: now.created_at, updated_at: now.updated_at, ..before };
    let Saved { .. } = Box::pin(store(tx, &doing.acting(), (code, &now, &had), (before, phones))).await?;
    Ok(Undone::Restored)
}

async fn remove(tx: &mut Tx, doing: &Doing, code: PersonCode, now: &Profile) -> Result<Undone, Error> {
    let tenant = doing.scope.tenant();
    if let Some(what) = people::referred(tx, tenant, code).await? {
        return Ok(Undone::Kept(format!("já tem {what}")));
    }
    let mut statements = unlisted(tx, doing, code, now).await?;
    statements.extend(people::remove(tenant, code));
    tx.batch(statements).await?;
    audit::append(tx, &doing.audited(Some(code), "removido: importação desfeita")).await?;
    Ok(Undone::Removed)
}

/// What takes the row of a member without a benefit out of the searches.
async fn unlisted(
    tx: &mut Tx,
    doing: &Doing,
    code: PersonCode,
    now: &Profile,
) -> Result<Vec<Statement>, Error> {
    let tenant = doing.scope.tenant();
    let Some((slot, branch)) = listing::free_row(tx, tenant, code).await? else { return Ok(Vec::new()) };
    listing::touch(tx, tenant).await?;
    let days = listed_days(now, &doing.registers.zone);
    Ok(listing::remove(tenant, slot, Before { branch, benefit: None }, &days.0))
}

/// What two lines about one member have alike.
pub(crate) fn key(input: &PessoaInput) -> String {
    input.document.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Phone;

    #[test]
    fn telephones_take_the_place_of_their_kind_and_come_back_alike() {
        let phone = |number: &str| {
            let number = Phone::parse(number).unwrap();
            Telephone { kind: number.kind(), country: "55".to_owned(), number }
        };
        let [a, b, c, x] = ["11911111111", "11922222222", "1133334444", "11999999999"].map(phone);
        let all = |phones: &[&Telephone]| phones.iter().map(|one| (*one).clone()).collect::<Vec<_>>();
        for (given, had, wanted) in [
            (all(&[&a]), all(&[]), all(&[&a])),
            (all(&[&x]), all(&[&a, &b, &c]), all(&[&x, &b, &c])),
            (all(&[&b]), all(&[&a, &b]), all(&[&b, &a])),
            (all(&[&a, &b]), all(&[&a, &b]), all(&[&a, &b])),
            (all(&[&a, &x]), all(&[&a, &b, &c]), all(&[&a, &x, &c])),
            (all(&[&a, &a]), all(&[]), all(&[&a])),
            (all(&[&a]), all(&[&c, &a, &b]), all(&[&c, &a, &b])),
        ] {
            let once = merged(&given, &had);
            assert_eq!(once, wanted);
            assert_eq!(merged(&given, &once), once, "the second time nothing changes");
        }
    }
}
