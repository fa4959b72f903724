//! Who did what to whom, and who looked at whom. Both count by one counter, in which they are also told.
//!
//! A look is kept with others: those of one user, by one operation, within a moment, at people whose codes lie in one block
//! of a thousand, are one row (`sightings`). So a program that reads everybody each night leaves a few thousand rows and
//! not a million, and who looked at one person is still found without reading what others looked at.

use crate::counters::{self, Counter};
use crate::statement::inserts;
use crate::{Error, Row, Source, Statement, Tx, Value, Weight, sql};
use domain::{Moment, PersonCode, TenantId, UserCode};

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub tenant: TenantId,
    pub at: Moment,
    pub user: Option<UserCode>,
    /// Method and route: `POST /ext/associado`.
    pub operation: &'static str,
    pub person: Option<PersonCode>,
    /// What was changed, by name and never by value.
    pub detail: Option<String>,
}

/// Writes an entry in the unit of what it tells of.
#[boxed::future]
pub async fn append(tx: &mut Tx, entry: &Entry) -> Result<(), Error> {
    let code = counters::next(tx, entry.tenant, Counter::Audit).await?;
    tx.execute(insert(entry, code)).await.map(drop)
}

/// The same for a unit that took the code with others.
pub fn insert(entry: &Entry, code: i32) -> Statement {
    sql("INSERT INTO audit (tenant, code, happened_at, user_code, operation, person, detail)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
    .arg(entry.tenant)
    .arg(code)
    .arg(entry.at)
    .arg(entry.user)
    .arg(entry.operation)
    .arg(entry.person)
    .arg(entry.detail.as_deref())
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessResult {
    Success,
    Failure,
    /// Refused unseen, because too many failures came before.
    Throttled,
}

impl AccessResult {
    /// The number by which the database knows it; never changed.
    const fn number(self) -> i64 {
        match self {
            AccessResult::Success => 1,
            AccessResult::Failure => 2,
            AccessResult::Throttled => 3,
        }
    }

    fn from_number(number: i64) -> Option<AccessResult> {
        let all = [AccessResult::Success, AccessResult::Failure, AccessResult::Throttled];
        all.into_iter().find(|one| one.number() == number)
    }
}

/// An entry about entering, or about an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessEntry {
    pub tenant: TenantId,
    pub at: Moment,
    /// Who did it; of a failed login, whom it named.
    pub user: Option<UserCode>,
    /// Method and route, or the command.
    pub operation: &'static str,
    pub detail: String,
    /// None for a command.
    pub address: Option<String>,
    pub result: AccessResult,
    /// How often.
    pub times: i64,
}

/// Writes an entry about an account, and says its code.
#[boxed::future]
pub async fn append_access(tx: &mut Tx, entry: &AccessEntry) -> Result<i32, Error> {
    let code = counters::next(tx, entry.tenant, Counter::Audit).await?;
    let statement = sql(
        "INSERT INTO audit (tenant, code, happened_at, user_code, operation, detail, address, result, times)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .arg(entry.tenant)
    .arg(code)
    .arg(entry.at)
    .arg(entry.user)
    .arg(entry.operation)
    .arg(entry.detail.as_str())
    .arg(entry.address.as_deref())
    .arg(entry.result.number())
    .arg(entry.times);
    tx.execute(statement).await?;
    Ok(code)
}

/// Counts repetitions of an entry about an account.
pub fn repeat_access(tenant: TenantId, code: i32, times: i64) -> Statement {
    sql("UPDATE audit SET times = times + $3 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code)
        .arg(times)
}

/// Many entries: the first with code `first`, the others behind it.
pub fn insert_all<'e>(first: i32, entries: impl IntoIterator<Item = &'e Entry>) -> Vec<Statement> {
    let rows = (first..).zip(entries).map(|(code, entry)| -> [Value; 7] {
        [
            entry.tenant.into(),
            code.into(),
            entry.at.into(),
            entry.user.into(),
            entry.operation.into(),
            entry.person.into(),
            entry.detail.as_deref().into(),
        ]
    });
    let head = "INSERT INTO audit (tenant, code, happened_at, user_code, operation, person, detail) VALUES";
    inserts(head, ROWS, rows)
}

/// Codes of people in one block.
const BLOCK: i32 = 1000;
/// Bytes of one look: where the person stands in the block, and how long after the first it was.
const LOOK: usize = 6;

/// Looks of one user, by one operation, at people of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub user: Option<UserCode>,
    pub operation: &'static str,
    block: i32,
    first: Moment,
    people: Vec<u8>,
}

/// The block that a person's code lies in.
pub fn block(person: PersonCode) -> i32 {
    person.get().div_euclid(BLOCK)
}

impl Sighting {
    pub fn new(user: Option<UserCode>, operation: &'static str, first: (PersonCode, Moment)) -> Sighting {
        let (block, at) = (block(first.0), first.1);
        let mut sighting = Sighting { user, operation, block, first: at, people: Vec::new() };
        sighting.add(first.0, at);
        sighting
    }

    /// Adds a look at somebody of the same block.
    pub fn add(&mut self, person: PersonCode, at: Moment) {
        let place = u16::try_from(person.get().rem_euclid(BLOCK)).unwrap_or_default();
        let millis = u32::try_from(at.since(self.first).as_millis()).unwrap_or(u32::MAX);
        self.people.extend(place.to_be_bytes());
        self.people.extend(millis.to_be_bytes());
    }

    /// How many looks it holds.
    pub fn len(&self) -> usize {
        self.people.len() / LOOK
    }

    /// A sighting always holds one.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// Adds the looks of another at people of the same block.
    pub fn join(&mut self, other: &Sighting) {
        for (person, at) in Sighting::looks(other.block, other.first, &other.people) {
            self.add(person, at);
        }
    }

    fn looks(block: i32, first: Moment, people: &[u8]) -> Vec<(PersonCode, Moment)> {
        let look = |look: &[u8]| {
            let place = i32::from(u16::from_be_bytes([look[0], look[1]]));
            let millis = u32::from_be_bytes([look[2], look[3], look[4], look[5]]);
            let at = first.plus(std::time::Duration::from_millis(millis.into()));
            (PersonCode::new(block * BLOCK + place), at)
        };
        people.chunks_exact(LOOK).map(look).collect()
    }
}

/// How many rows travel in one statement.
const ROWS: usize = 100;

/// Writes looks behind their answers.
#[boxed::future]
pub async fn append_sightings(tx: &mut Tx, tenant: TenantId, sightings: &[Sighting]) -> Result<(), Error> {
    let count = i32::try_from(sightings.len()).map_err(|_| Error::Broken("too many at once".to_owned()))?;
    let first = counters::take(tx, tenant, Counter::Audit, count).await?;
    let rows = (first..).zip(sightings).map(|(code, one)| -> [Value; 7] {
        [
            tenant.into(),
            code.into(),
            one.block.into(),
            one.first.into(),
            one.user.into(),
            one.operation.into(),
            one.people.as_slice().into(),
        ]
    });
    let head =
        "INSERT INTO sightings (tenant, code, block, happened_at, user_code, operation, people) VALUES";
    tx.batch(inserts(head, ROWS, rows)).await
}

/// An entry as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub code: i32,
    pub at: Moment,
    pub user: Option<UserCode>,
    pub operation: String,
    pub what: What,
    /// From where, where the entry is about an account.
    pub address: Option<String>,
    pub result: Option<AccessResult>,
    /// How often.
    pub times: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Changed(Option<PersonCode>, Option<String>),
    Looked(Vec<(PersonCode, Moment)>),
}

/// Whom and by whom; what is empty asks for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    pub person: Option<PersonCode>,
    pub user: Option<UserCode>,
}

/// Rows of looks that are read for one page, whoever they are at.
const MOST_READ: usize = 5_000;
/// People that one page tells of.
const MOST_TOLD: usize = 2_000;

/// Which entries are asked for, and from which end.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Behind this code.
    pub after: i32,
    /// Before this code.
    pub before: i32,
    pub newest_first: bool,
}

impl Stretch {
    pub fn after(code: i32) -> Stretch {
        Stretch { after: code, before: i32::MAX, newest_first: false }
    }

    /// Appends what it asks for.
    fn ending(self, statement: Statement, take: usize) -> Statement {
        let order = if self.newest_first { "ORDER BY code DESC LIMIT ?" } else { "ORDER BY code LIMIT ?" };
        statement.then(order, [take as i64])
    }

    /// What is left behind this code.
    fn from(self, code: i32) -> Stretch {
        match self.newest_first {
            true => Stretch { before: code, ..self },
            false => Stretch { after: code, ..self },
        }
    }

    /// Where a code stands in its order.
    fn place(self, code: i32) -> i32 {
        if self.newest_first { -code } else { code }
    }
}

/// A stretch of the audit, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub entries: Vec<Told>,
    /// Behind this code the next page begins.
    pub reached: i32,
    pub has_more: bool,
}

/// The entries of a stretch, at most `take` of them, and fewer where they tell of very many people.
#[boxed::future]
pub async fn page(
    tx: &mut Tx,
    tenant: TenantId,
    asked: Asked,
    stretch: Stretch,
    take: usize,
) -> Result<Page, Error> {
    let changes = sql(
        "SELECT code, happened_at, user_code, operation, person, detail, address, result, times FROM audit
         WHERE tenant = $1 AND code > $2 AND code < $3",
    )
    .arg(tenant)
    .arg(stretch.after)
    .arg(stretch.before)
    .when("AND person = ?", asked.person)
    .when("AND user_code = ?", asked.user);
    let rows = Source::from(&mut *tx).all(Weight::Search, stretch.ending(changes, take + 1)).await?;
    let mut told = rows.iter().map(changed).collect::<Result<Vec<Told>, Error>>()?;
    let (looks, stopped) = looks(tx, tenant, asked, stretch, take + 1).await?;
    told.extend(looks);
    told.sort_unstable_by_key(|one| stretch.place(one.code));
    // Behind where the looks were no longer read, nothing is told yet.
    if let Some(stopped) = stopped {
        told.retain(|one| stretch.place(one.code) <= stretch.place(stopped));
    }
    let mut people = 0;
    let mut fits = |one: &Told| {
        let is_first = people == 0;
        people += one.what.people();
        is_first || people <= MOST_TOLD
    };
    let fitting = told.iter().take(take).map(&mut fits).take_while(|fits| *fits).count();
    let has_more = fitting < told.len() || stopped.is_some();
    let is_cut = fitting < told.len();
    told.truncate(fitting);
    let begin = if stretch.newest_first { stretch.before } else { stretch.after };
    let last = told.last().map_or(begin, |one| one.code);
    let reached = if is_cut { last } else { stopped.unwrap_or(last) };
    Ok(Page { entries: told, reached, has_more })
}

/// The first code that tells of nothing before a moment, up to `newest`. Codes are given in the order of time, but for the
/// moments that a look waits to be written: so it is found in a few steps, and without an index.
#[boxed::future]
pub async fn first_since(tx: &mut Tx, tenant: TenantId, moment: Moment, newest: i32) -> Result<i32, Error> {
    let (mut low, mut high) = (1, newest.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        let first = |text: &'static str| sql(text).arg(tenant).arg(middle);
        let change = tx.one(first(
            "SELECT code, happened_at FROM audit WHERE tenant = $1 AND code >= $2 ORDER BY code LIMIT 1",
        ));
        let change =
            change.await?.map(|row| Ok::<(i32, Moment), Error>((row.get("code")?, row.get("happened_at")?)));
        let look = tx.one(first(
            "SELECT code, happened_at FROM sightings WHERE tenant = $1 AND code >= $2 ORDER BY code LIMIT 1",
        ));
        let look =
            look.await?.map(|row| Ok::<(i32, Moment), Error>((row.get("code")?, row.get("happened_at")?)));
        match change.into_iter().chain(look).collect::<Result<Vec<_>, Error>>()?.into_iter().min() {
            Some((code, at)) if at < moment => low = code + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

impl What {
    /// How many people it tells of.
    fn people(&self) -> usize {
        match self {
            What::Changed(..) => 1,
            What::Looked(people) => people.len(),
        }
    }
}

/// The looks of a stretch. Those at others in a person's block are read and not told; where they are very many, it says
/// how far it has read.
async fn looks(
    tx: &mut Tx,
    tenant: TenantId,
    asked: Asked,
    mut stretch: Stretch,
    take: usize,
) -> Result<(Vec<Told>, Option<i32>), Error> {
    let (mut told, mut read) = (Vec::new(), 0);
    loop {
        let statement = sql("SELECT code, block, happened_at, user_code, operation, people FROM sightings
             WHERE tenant = $1 AND code > $2 AND code < $3")
        .arg(tenant)
        .arg(stretch.after)
        .arg(stretch.before)
        .when("AND block = ?", asked.person.map(block))
        .when("AND user_code = ?", asked.user);
        let rows = tx.all(stretch.ending(statement, take)).await?;
        read += rows.len();
        let mut reached = None;
        for row in &rows {
            let mut look = looked(row)?;
            reached = Some(look.code);
            if let (What::Looked(people), Some(person)) = (&mut look.what, asked.person) {
                people.retain(|(seen, _)| *seen == person);
                if people.is_empty() {
                    continue;
                }
            }
            told.push(look);
        }
        let Some(reached) = reached.filter(|_| rows.len() == take) else { return Ok((told, None)) };
        if told.len() >= take || read >= MOST_READ {
            return Ok((told, Some(reached)));
        }
        stretch = stretch.from(reached);
    }
}

fn changed(row: &Row) -> Result<Told, Error> {
    Ok(Told {
        code: row.get("code")?,
        at: row.get("happened_at")?,
        user: row.get("user_code")?,
        operation: row.get("operation")?,
        what: What::Changed(row.get("person")?, row.get("detail")?),
        address: row.get("address")?,
        result: row.get::<Option<i64>>("result")?.and_then(AccessResult::from_number),
        times: row.get("times")?,
    })
}

fn looked(row: &Row) -> Result<Told, Error> {
    let (code, block, at) = (row.get("code")?, row.get("block")?, row.get("happened_at")?);
    let (user, operation) = (row.get("user_code")?, row.get("operation")?);
    let people: Vec<u8> = row.get("people")?;
    let what = What::Looked(Sighting::looks(block, at, &people));
    Ok(Told { code, at, user, operation, what, address: None, result: None, times: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_back_as_they_were_kept() {
        let (person, at) = (PersonCode::new, Moment::from_millis);
        let mut sighting = Sighting::new(None, "GET /x", (person(12_034), at(5_000)));
        sighting.add(person(12_999), at(5_250));
        sighting.add(person(12_000), at(4_000));
        let looks = Sighting::looks(12, at(5_000), &sighting.people);
        assert_eq!(
            looks,
            [(person(12_034), at(5_000)), (person(12_999), at(5_250)), (person(12_000), at(5_000))]
        );
        assert_eq!((block(person(999)), block(person(1_000))), (0, 1));
    }
}
