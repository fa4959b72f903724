//! The database that is measured, and what is drawn from it to ask for: plates, names, members.

use super::Failure;
use domain::{
    BranchCode, Date, Document, Email, Entity, Moment, PersonCode, ReceiverCode, SellerCode, TenantId,
    split_name_words,
};
use std::collections::{BTreeMap, HashSet};
use std::process::Command;
use std::sync::Arc;
use storage::server::versions;
use storage::triggers::receivers;
use storage::{DatabaseAddress, DatabaseOptions, Db, QueryWeight, Row, SchemaPolicy, Tx, WriteLane, sql};
use tokio::runtime::Runtime;

/// A plate in the form that is compared.
pub type Plate = [u8; 7];

/// A member as his rows in the searches know him.
pub struct Holder {
    pub person: PersonCode,
    pub document: Document,
    pub name: String,
    pub branch: BranchCode,
    pub company_document: Option<String>,
    pub state: Option<String>,
    pub born_on: Option<Date>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
}

/// Words of names, each a search: `maria+souza`.
pub struct Words {
    /// Whole names of many words.
    pub rare: Vec<String>,
    /// The most common first names.
    pub first: Vec<String>,
    /// The most common first names with the most common last ones.
    pub pairs: Vec<String>,
}

pub struct Base {
    pub address: DatabaseAddress,
    pub tenant: TenantId,
    /// All plates, to know which are free.
    pub taken: HashSet<Plate>,
    /// Some of them, in no order: every side asks for these.
    pub plates: Arc<[Plate]>,
    /// Members who have benefits.
    pub holders: Arc<[Holder]>,
    pub words: Words,
}

/// Plates that are asked for: so many that their rows are far more than a database server caches by itself.
const PLATES: usize = 20_000;
/// Places in the tables that are drawn from, and rows read at each.
const PLACES: i64 = 20;
const ROWS: i64 = 1_000;
const RARE: usize = 300;
const FIRST: usize = 60;
const LAST: usize = 20;

/// Fills an empty database with the demonstration.
pub fn load(binary: &str, url: &str, members: u64) -> Result<(), Failure> {
    let mut command = Command::new(binary);
    command.args(["demo", "load", "--seed", "1", "--database", url, "--members", &members.to_string()]);
    if command.status()?.success() { Ok(()) } else { Err("the demonstration could not be loaded".into()) }
}

impl Base {
    /// Draws from a database that holds the demonstration, and registers somebody who is told of every change.
    /// Reading all plates takes a while, so that is left out where nobody asks for one.
    pub fn open(runtime: &Runtime, url: &str, with_plates: bool) -> Result<Base, Failure> {
        let address = DatabaseAddress::parse(url)?;
        runtime.block_on(async {
            let (db, _) =
                storage::open_database(&address, &DatabaseOptions::default(), SchemaPolicy::Migrate).await?;
            let base = Base::draw(&db, address, with_plates).await;
            db.close().await;
            base
        })
    }

    async fn draw(db: &Db, address: DatabaseAddress, with_plates: bool) -> Result<Base, Failure> {
        let login = Email::parse(super::ADMINISTRATOR).map_err(|_| "no login")?;
        let found = storage::access::users::find_login_owner(db, &login).await?;
        let (tenant, _) = found.ok_or("the database does not hold the demonstration")?;
        register_receiver(db, tenant).await?;
        let all = if with_plates { plates(db, tenant).await? } else { Vec::new() };
        if with_plates && all.is_empty() {
            return Err("the database holds no vehicles".into());
        }
        // Those of each stretch are unlike; a large odd step draws from all over.
        let some = if with_plates { PLATES } else { 0 };
        let drawn = (0..some).map(|number| all[number.wrapping_mul(7_368_787) % all.len()]);
        Ok(Base {
            plates: drawn.collect(),
            holders: holders(db, tenant).await?.into(),
            words: words(db, tenant).await?,
            taken: all.into_iter().collect(),
            address,
            tenant,
        })
    }
}

async fn register_receiver(db: &Db, tenant: TenantId) -> Result<(), Failure> {
    if !receivers::list_active_receivers(db, tenant).await?.is_empty() {
        return Ok(());
    }
    let written =
        db.write(WriteLane::foreground(tenant), tenant, |tx, tenant| Box::pin(insert_receiver(tx, *tenant)));
    Ok(written.await?)
}

async fn insert_receiver(tx: &mut Tx, tenant: TenantId) -> Result<(), storage::Error> {
    let now = Moment::from_millis(1_700_000_000_000);
    let nobody = receivers::NewReceiverRow {
        code: ReceiverCode::new(1),
        address: "http://127.0.0.1:9/",
        entities: &[Entity::Benefit],
        concurrency: 1,
    };
    receivers::insert_receiver(tx, tenant, &nobody, now).await?;
    versions::raise_registers_version(tx, tenant).await.map(drop)
}

async fn plates(db: &Db, tenant: TenantId) -> Result<Vec<Plate>, Failure> {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let statement = sql("SELECT plate_key FROM listing WHERE tenant = $1 AND plate_key > $2
             ORDER BY plate_key LIMIT 10000")
        .arg(tenant)
        .arg(after.as_str());
        let rows = db.query(QueryWeight::Search, statement).await?;
        for row in &rows {
            after = row.get("plate_key")?;
            all.extend(Plate::try_from(after.as_bytes()));
        }
        if rows.is_empty() {
            return Ok(all);
        }
    }
}

/// Rows of a table at places all over it. The text takes the tenant and a range of codes.
async fn drawn(db: &Db, tenant: TenantId, table: &str, text: &'static str) -> Result<Vec<Row>, Failure> {
    let last =
        sql("SELECT MAX(code) AS last FROM").append_text(table).append_text("WHERE tenant = $1").arg(tenant);
    let last = db.query(QueryWeight::Search, last).await?;
    let last: Option<i64> = last.first().ok_or("no answer")?.get("last")?;
    let mut rows = Vec::new();
    for place in 0..PLACES {
        let first = last.unwrap_or(0) * place / PLACES;
        let statement = sql(text).arg(tenant).arg(first).arg(first + ROWS);
        rows.extend(db.query(QueryWeight::Search, statement).await?);
    }
    Ok(rows)
}

async fn holders(db: &Db, tenant: TenantId) -> Result<Vec<Holder>, Failure> {
    let text =
        "SELECT p.code, p.document, p.name, p.branch, p.company_document, p.state, p.born_on, p.consultant,
             p.representative FROM benefits b JOIN people p ON p.tenant = b.tenant AND p.code = b.person
         WHERE b.tenant = $1 AND b.code >= $2 AND b.code < $3 AND p.document IS NOT NULL";
    let rows = drawn(db, tenant, "benefits", text).await?;
    rows.iter()
        .map(|row| {
            let document: String = row.get("document")?;
            Ok(Holder {
                person: row.get("code")?,
                document: Document::parse(&document).map_err(|_| "no document")?,
                name: row.get("name")?,
                branch: row.get("branch")?,
                company_document: row.get("company_document")?,
                state: row.get("state")?,
                born_on: row.get("born_on")?,
                consultant: row.get("consultant")?,
                representative: row.get("representative")?,
            })
        })
        .collect()
}

async fn words(db: &Db, tenant: TenantId) -> Result<Words, Failure> {
    let text =
        "SELECT name FROM people WHERE tenant = $1 AND code >= $2 AND code < $3 AND born_on IS NOT NULL";
    let (mut rare, mut first, mut last) = (HashSet::new(), BTreeMap::new(), BTreeMap::new());
    for row in drawn(db, tenant, "people", text).await? {
        let name: String = row.get("name")?;
        let parts: Vec<String> = name.split(' ').map(|part| split_name_words(part).join("+")).collect();
        let (Some(begin), Some(end)) = (parts.first(), parts.last()) else { continue };
        *first.entry(begin.clone()).or_insert(0) += 1;
        *last.entry(end.clone()).or_insert(0) += 1;
        if parts.len() >= 4 {
            rare.insert(parts.join("+"));
        }
    }
    let (first, last) = (most(first, FIRST), most(last, LAST));
    let pairs = first.iter().flat_map(|first| last.iter().map(move |last| format!("{first}+{last}")));
    Ok(Words { rare: rare.into_iter().take(RARE).collect(), pairs: pairs.collect(), first })
}

/// The most common ones, in their order.
fn most(counts: BTreeMap<String, usize>, take: usize) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().take(take).map(|(word, _)| word).collect()
}
