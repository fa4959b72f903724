//! Files that people attach to claims, inspections, tickets and members. Whoever may see the record sees its files; whoever
//! may change it attaches and removes them.
//!
//! The bytes come first, under a key that a row of `loose_files` keeps in mind; then, in one unit, the file is written down,
//! its key let go of there, and the audit told. So whatever happens in between, a file that is written down has its bytes,
//! and bytes that no file was made of are found and removed (`sweep.rs`). What is removed stays for a while, and can be
//! taken back.

mod content;
mod incoming;
mod jpeg;
pub(crate) mod moving;
mod picture;
mod place;
mod sweep;
#[cfg(test)]
mod tests;

pub use incoming::Incoming;
pub(crate) use place::is_key;
pub use place::{Limits, Part, Place, Stream};
pub use storage::files::File;
pub(crate) use sweep::{Kept, sweep};

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, registers};
use crate::once::{self, Done, Once};
use crate::situations::PERSON;
use crate::situations::cases::subject;
use crate::{App, Error};
use bytes::Bytes;
use content::Ready;
use domain::{
    CaseKind, Field, FileCode, FileName, FileOwner, FileProblem, Moment, PersonCode, Rejection, Role, Scope,
    UserCode,
};
use std::sync::Arc;
use storage::counters::{self, Counter};
use storage::field_changes::{self, FieldChange, Of};
use storage::{Lane, Tx, audit, cases, files, people};

/// Whoever works for the association.
const STAFF: &[Role] = &[Role::Administrator, Role::Operator];

const READ: &str = "GET /gestao/arquivo/{codArquivo}";
const CONTENT: &str = "GET /gestao/arquivo/{codArquivo}/conteudo";
const PREVIEW: &str = "GET /gestao/arquivo/{codArquivo}/miniatura";
const REMOVE: &str = "PUT /gestao/arquivo/{codArquivo}/remover";
const RESTORE: &str = "PUT /gestao/arquivo/{codArquivo}/restaurar";

/// Method and route of what is done to the files of a record: they are listed, and one is attached.
const fn operations(owner: FileOwner) -> (&'static str, &'static str) {
    match owner {
        FileOwner::Claim => {
            ("GET /gestao/evento/{codEvento}/arquivos", "POST /gestao/evento/{codEvento}/arquivos")
        }
        FileOwner::Inspection => {
            ("GET /gestao/vistoria/{codVistoria}/arquivos", "POST /gestao/vistoria/{codVistoria}/arquivos")
        }
        FileOwner::Ticket => {
            ("GET /gestao/helpDesk/{codHelpDesk}/arquivos", "POST /gestao/helpDesk/{codHelpDesk}/arquivos")
        }
        FileOwner::Member => {
            ("GET /gestao/associado/{codPessoa}/arquivos", "POST /gestao/associado/{codPessoa}/arquivos")
        }
    }
}

/// As the changes of its fields are kept, and as the audit tells of it.
fn told(owner: FileOwner) -> (&'static str, &'static str) {
    match owner.case() {
        Some(kind @ CaseKind::Inspection) => (subject(kind), "na vistoria"),
        Some(kind @ CaseKind::Ticket) => (subject(kind), "no chamado"),
        Some(kind) => (subject(kind), "no evento"),
        None => (PERSON, "no associado"),
    }
}

/// The record that files belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pub of: FileOwner,
    pub record: i32,
}

impl Owner {
    fn unknown(self) -> Error {
        let field = match self.of {
            FileOwner::Claim => Field::Claim,
            FileOwner::Inspection => Field::Inspection,
            FileOwner::Ticket => Field::Ticket,
            FileOwner::Member => Field::Person,
        };
        Error::NoSuch { field, code: self.record }
    }

    /// Whom the record is about, where the scope sees it; and whether the scope may change it.
    async fn seen(self, tx: &mut Tx, scope: &Scope) -> Result<Option<(PersonCode, bool)>, Error> {
        if let Some(kind) = self.of.case() {
            let found = cases::find(tx, scope, kind, self.record).await?;
            return Ok(found.map(|told| (told.case.head().person, true)));
        }
        let code = PersonCode::new(self.record);
        if !people::is_visible(tx, scope, code).await? {
            return Ok(None);
        }
        let found = people::by_code(&mut *tx, scope.tenant(), code).await?;
        // Whoever sees him by a benefit alone does not change him.
        Ok(found.filter(|member| member.is_member).map(|member| (code, scope.sees(member.branch))))
    }

    /// Whom the record is about, where the scope may change it.
    async fn changeable(self, tx: &mut Tx, scope: &Scope) -> Result<PersonCode, Error> {
        match self.seen(tx, scope).await? {
            None => Err(self.unknown()),
            Some((_, false)) => Err(Rejection::PersonElsewhere.into()),
            Some((person, true)) => Ok(person),
        }
    }
}

/// A file, and by which clock its moments are told.
#[derive(Clone, Debug)]
pub struct Told {
    pub file: File,
    pub registers: Arc<Registers>,
    /// Whether the caller may remove it.
    pub is_changeable: bool,
    /// False where it was so already.
    pub is_new: bool,
}

/// The files of a record.
#[derive(Clone, Debug)]
pub struct Listed {
    pub files: Vec<File>,
    pub registers: Arc<Registers>,
    pub is_changeable: bool,
}

/// The files of a record that the caller may see.
#[boxed::future]
pub async fn list(app: &App, caller: &Session, owner: Owner) -> Result<Listed, Error> {
    caller.must_be(STAFF)?;
    let read = app.db.read((caller.scope.clone(), owner), |tx, (scope, owner)| {
        Box::pin(async move {
            let seen = owner.seen(tx, scope).await?.ok_or_else(|| owner.unknown())?;
            Ok::<_, Error>((seen, files::of(&mut *tx, scope.tenant(), (owner.of, owner.record)).await?))
        })
    });
    let ((person, is_changeable), files) = read.await?;
    let registers = registers(app, caller.scope.tenant()).await?;
    saw(app, caller, operations(owner.of).0, std::iter::once(person))?;
    Ok(Listed { files, registers, is_changeable })
}

/// A file that the caller may see, removed or not.
#[boxed::future]
pub async fn one(app: &App, caller: &Session, code: FileCode) -> Result<Told, Error> {
    let (told, person) = found(app, caller, code).await?;
    saw(app, caller, READ, std::iter::once(person))?;
    Ok(told)
}

/// The bytes of a file that the caller may see; `None` where there is no small picture of it.
#[boxed::future]
pub async fn open(
    app: &App,
    caller: &Session,
    code: FileCode,
    part: Part,
) -> Result<(File, Option<Stream>), Error> {
    let (Told { file, .. }, person) = found(app, caller, code).await?;
    let operation = if part == Part::Data { CONTENT } else { PREVIEW };
    if part == Part::Preview && !file.has_preview {
        return Ok((file, None));
    }
    // Before the bytes leave: who could not be written down sees nothing.
    saw(app, caller, operation, std::iter::once(person))?;
    let stream = app.files.read(&file.storage_key, part).await?;
    Ok((file, Some(stream)))
}

async fn found(app: &App, caller: &Session, code: FileCode) -> Result<(Told, PersonCode), Error> {
    caller.must_be(STAFF)?;
    let read = app
        .db
        .read((caller.scope.clone(), code), |tx, (scope, code)| Box::pin(read_seen(tx, scope, *code)))
        .await?;
    let (file, person, is_changeable) = read.ok_or_else(|| unknown(code))?;
    let registers = registers(app, caller.scope.tenant()).await?;
    Ok((Told { file, registers, is_changeable, is_new: false }, person))
}

fn unknown(code: FileCode) -> Error {
    Error::NoSuch { field: Field::File, code: code.get() }
}

type Seen = (File, PersonCode, bool);

async fn read_seen(tx: &mut Tx, scope: &Scope, code: FileCode) -> Result<Option<Seen>, Error> {
    let Some(file) = files::find(&mut *tx, scope.tenant(), code).await? else { return Ok(None) };
    let owner = Owner { of: file.owner, record: file.record };
    Ok(owner.seen(tx, scope).await?.map(|(person, is_changeable)| (file, person, is_changeable)))
}

/// Refuses somebody who may not attach anything to a record, before he sends it.
#[boxed::future]
pub async fn may_attach(app: &App, caller: &Session, owner: Owner) -> Result<(), Error> {
    caller.must_be(STAFF)?;
    let asked = (caller.scope.clone(), owner);
    let read = app.db.read(asked, |tx, (scope, owner)| Box::pin(owner.changeable(tx, scope)));
    read.await.map(drop)
}

struct Entry {
    scope: Scope,
    user: UserCode,
    owner: Owner,
    now: Moment,
    limits: Limits,
    /// As it will be written down, but for its code.
    file: File,
    registers: Arc<Registers>,
}

impl Entry {
    fn told(&self, file: File, is_new: bool) -> Told {
        Told { file, registers: Arc::clone(&self.registers), is_changeable: true, is_new }
    }
}

/// Attaches a file to a record. The same bytes again are the file that is there already.
#[boxed::future]
pub async fn attach(
    app: &App,
    caller: &Session,
    owner: Owner,
    (name, incoming): (&str, Incoming),
    once: Once<Told>,
) -> Result<Done<Told>, Error> {
    caller.must_be(STAFF)?;
    let _held = app.files.hold().await?;
    let ready = prepared(app, incoming.whole().await?).await?;
    let tenant = caller.scope.tenant();
    let key = place::new_key(tenant, &*app.chance);
    let file = described(&ready, owner, (FileName::clean(name, ready.kind).as_str(), key.clone()));
    let file = File { created_at: app.now(), created_by: Some(caller.user), ..file };
    let registers = registers(app, tenant).await?;
    let entry = || Entry {
        scope: caller.scope.clone(),
        user: caller.user,
        owner,
        now: app.now(),
        limits: app.files.limits,
        file: file.clone(),
        registers: Arc::clone(&registers),
    };
    let lane = Lane::of(tenant);
    let is_loose = app.db.write(lane, entry(), |tx, entry| Box::pin(begin(tx, entry))).await?;
    if is_loose {
        put(app, &key, ready).await?;
    }
    let done = once::write(app, lane, once, entry(), |tx, entry| Box::pin(write(tx, entry))).await;
    let is_kept = match &done {
        Ok(Done::Now(told)) => told.is_new,
        Ok(Done::Before(_)) => false,
        // Nobody knows whether it was written down: when it is old, its key says so.
        Err(error) => error.is_passing(),
    };
    if is_loose && !is_kept {
        sweep::forget(app, tenant, &key).await;
    }
    if let Ok(Done::Now(Told { is_new: false, file, .. })) = &done {
        let (_, person) = found(app, caller, file.code).await?;
        saw(app, caller, operations(owner.of).1, std::iter::once(person))?;
    }
    done
}

/// A file as its bytes show it.
fn described(ready: &Ready, owner: Owner, (name, storage_key): (&str, String)) -> File {
    File {
        code: FileCode::new(0),
        owner: owner.of,
        record: owner.record,
        name: name.to_owned(),
        kind: ready.kind,
        size: i64::try_from(ready.bytes.len()).unwrap_or(i64::MAX),
        sha256: ready.sha256.clone(),
        measures: ready.measures,
        has_preview: ready.preview.is_some(),
        storage_key,
        created_at: Moment::from_millis(0),
        created_by: None,
        author: None,
        removed: None,
    }
}

/// Recognised and cleaned, on a thread where that may take its time.
async fn prepared(app: &App, given: Bytes) -> Result<Ready, Error> {
    let _open = app.files.open().await?;
    let ready = tokio::task::spawn_blocking(move || content::prepare(given)).await;
    let ready = ready.map_err(|error| Error::Files(error.to_string()))?;
    Ok(ready.map_err(Rejection::File)?)
}

async fn put(app: &App, key: &str, ready: Ready) -> Result<(), Error> {
    if let Some(preview) = ready.preview {
        app.files.put(key, Part::Preview, preview).await?;
    }
    app.files.put(key, Part::Data, ready.bytes).await
}

/// Says that bytes will be under a key; not so where they may not be, or are there already.
async fn begin(tx: &mut Tx, entry: &Entry) -> Result<bool, Error> {
    let (_, there) = judge(tx, entry).await?;
    if there.is_none() {
        let key = &entry.file.storage_key;
        tx.execute(files::loosen(entry.scope.tenant(), key, entry.now)).await?;
    }
    Ok(there.is_none())
}

/// Whom the record is about; and the same file, where the record has it.
async fn judge(tx: &mut Tx, entry: &Entry) -> Result<(PersonCode, Option<File>), Error> {
    let (tenant, owner, limits) = (entry.scope.tenant(), entry.owner, entry.limits);
    let person = owner.changeable(tx, &entry.scope).await?;
    let present = files::of(&mut *tx, tenant, (owner.of, owner.record)).await?;
    let count = present.len();
    let same = present.into_iter().find(|one| one.sha256 == entry.file.sha256);
    if same.is_some() {
        return Ok((person, same));
    }
    if count >= limits.most_per_record {
        return Err(Rejection::File(FileProblem::TooMany { most: limits.most_per_record }).into());
    }
    let most = i64::try_from(limits.base_gib).unwrap_or(i64::MAX).saturating_mul(1024 * 1024 * 1024);
    if most > 0 && files::total(&mut *tx, tenant).await?.1.saturating_add(entry.file.size) > most {
        return Err(Rejection::File(FileProblem::BaseFull { most_gib: limits.base_gib }).into());
    }
    Ok((person, None))
}

async fn write(tx: &mut Tx, entry: &Entry) -> Result<Told, Error> {
    let (tenant, owner) = (entry.scope.tenant(), entry.owner);
    let (person, there) = judge(tx, entry).await?;
    if let Some(there) = there {
        return Ok(entry.told(there, false));
    }
    // Swept meanwhile, because it took a day: then its bytes are gone.
    if tx.execute(files::fasten(tenant, &entry.file.storage_key)).await? == 0 {
        return Err(Error::Files("the bytes of a file were swept before it was written down".to_owned()));
    }
    let code = FileCode::new(counters::next(tx, tenant, Counter::File).await?);
    let file = File { code, ..entry.file.clone() };
    let change = Changed {
        file: &file,
        operation: operations(owner.of).1,
        did: "anexado",
        is_there: true,
        reason: None,
    };
    let mut statements = vec![files::insert(tenant, &file), files::grow(tenant, 1, file.size)];
    statements.extend(noted(tx, entry, person, change).await?);
    tx.batch(statements).await?;
    let written = files::find(&mut *tx, tenant, code).await?.ok_or_else(|| unknown(code))?;
    Ok(entry.told(written, true))
}

/// What the history of a record and the audit are told of one of its files.
struct Changed<'f> {
    file: &'f File,
    operation: &'static str,
    did: &'static str,
    /// It is there now, and was not before.
    is_there: bool,
    reason: Option<&'f str>,
}

async fn noted(
    tx: &mut Tx,
    entry: &Entry,
    person: PersonCode,
    change: Changed<'_>,
) -> Result<Vec<storage::Statement>, Error> {
    let Changed { file, operation, did, is_there, reason } = change;
    let tenant = entry.scope.tenant();
    let [audit_code, number] =
        counters::take_all(tx, tenant, [(Counter::Audit, 1), (Counter::FieldChange, 1)]).await?;
    let (subject, at) = told(file.owner);
    let detail = match reason {
        Some(reason) => format!("arquivo {} {did}: {at} {}, {reason}", file.code, file.record),
        None => format!("arquivo {} {did}: {at} {}", file.code, file.record),
    };
    let user = Some(entry.user);
    let told =
        audit::Entry { tenant, at: entry.now, user, operation, person: Some(person), detail: Some(detail) };
    let name = Some(file.name.clone());
    let (before, after) = if is_there { (None, name) } else { (name, None) };
    let of = Of { tenant, subject, record: file.record, user, at: entry.now };
    let changed = FieldChange { field: "arquivo".to_owned(), before, after };
    let mut statements = field_changes::insert(of, number, [&changed]);
    statements.push(audit::insert(&told, audit_code));
    Ok(statements)
}

/// Removes a file; it stays for a while, and can be taken back. One that was removed stays so.
#[boxed::future]
pub async fn remove(
    app: &App,
    caller: &Session,
    code: FileCode,
    reason: Option<String>,
    once: Once<Told>,
) -> Result<Done<Told>, Error> {
    set_removed(app, caller, (code, true, reason), once).await
}

/// Takes back that a file was removed.
#[boxed::future]
pub async fn restore(
    app: &App,
    caller: &Session,
    code: FileCode,
    reason: Option<String>,
    once: Once<Told>,
) -> Result<Done<Told>, Error> {
    set_removed(app, caller, (code, false, reason), once).await
}

/// What becomes of a file: whether it is removed now, and why.
type Fate = (FileCode, bool, Option<String>);

async fn set_removed(app: &App, caller: &Session, fate: Fate, once: Once<Told>) -> Result<Done<Told>, Error> {
    caller.must_be(STAFF)?;
    let tenant = caller.scope.tenant();
    let registers = registers(app, tenant).await?;
    let (code, removed, _) = fate;
    let input = (caller.scope.clone(), caller.user, fate, app.now(), app.files.limits, registers);
    let lane = Lane::of(tenant);
    let done = once::write(app, lane, once, input, |tx, input| Box::pin(write_removed(tx, input))).await?;
    if let Done::Now(Told { is_new: false, .. }) = &done {
        let (_, person) = found(app, caller, code).await?;
        saw(app, caller, if removed { REMOVE } else { RESTORE }, std::iter::once(person))?;
    }
    Ok(done)
}

type Removing = (Scope, UserCode, Fate, Moment, Limits, Arc<Registers>);

async fn write_removed(
    tx: &mut Tx,
    (scope, user, (code, removed, reason), now, limits, registers): &Removing,
) -> Result<Told, Error> {
    let (file, person, _) = read_seen(tx, scope, *code).await?.ok_or_else(|| unknown(*code))?;
    let owner = Owner { of: file.owner, record: file.record };
    owner.changeable(tx, scope).await?;
    let is_so = file.removed.is_some() == *removed;
    let registers = Arc::clone(registers);
    let entry =
        Entry { scope: scope.clone(), user: *user, owner, now: *now, limits: *limits, file, registers };
    if is_so {
        return Ok(entry.told(entry.file.clone(), false));
    }
    let (operation, did) = if *removed { (REMOVE, "removido") } else { (RESTORE, "restaurado") };
    if !*removed {
        room(tx, &entry).await?;
    }
    let change = Changed { file: &entry.file, operation, did, is_there: !removed, reason: reason.as_deref() };
    let gone = removed.then_some((*now, *user));
    let mut statements = vec![files::remove(scope.tenant(), *code, gone)];
    statements.extend(noted(tx, &entry, person, change).await?);
    tx.batch(statements).await?;
    let file = files::find(&mut *tx, scope.tenant(), *code).await?.ok_or_else(|| unknown(*code))?;
    Ok(entry.told(file, true))
}

/// What comes back needs a place among those that came meanwhile.
async fn room(tx: &mut Tx, entry: &Entry) -> Result<(), Error> {
    let record = (entry.owner.of, entry.owner.record);
    let present = files::of(tx, entry.scope.tenant(), record).await?.len();
    match present >= entry.limits.most_per_record {
        true => Err(Rejection::File(FileProblem::TooMany { most: entry.limits.most_per_record }).into()),
        false => Ok(()),
    }
}
