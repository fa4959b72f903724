//! Searches that the words of a name lead.

use super::{Driver, check, has_checks};
use crate::names::{self, Typed};
use crate::{Error, Statement, Tx, sql};
use domain::{MemberCriteria, Scope};

/// Rows whose names are read rather than asking for a word that begins many others.
const CANDIDATES: usize = 500;

/// What the words of a search come to.
pub enum Words {
    /// The rows that the index of names finds for this.
    Like(String),
    /// These, which answer to everything else that is asked for too.
    These(Vec<i32>),
}

impl Words {
    /// Looks the words up. One like `da` begins dozens of others, and to ask for it is much work; so where the other
    /// words leave few rows, it is looked for in their names.
    #[boxed::future]
    pub async fn look_up(tx: &mut Tx, scope: &Scope, criteria: &MemberCriteria) -> Result<Words, Error> {
        let typed = Typed::look_up(tx, scope.tenant(), &criteria.words).await?;
        if typed.iter().any(Typed::is_unknown) {
            return Ok(Words::These(Vec::new()));
        }
        let (easy, others): (Vec<&Typed>, Vec<&Typed>) = typed.iter().partition(|one| one.is_easy());
        if !easy.is_empty() && !others.is_empty() {
            let query = names::exact_query(scope, easy);
            if let Some(candidates) = candidates(tx, query).await? {
                return Ok(Words::These(named(tx, scope, criteria, &candidates, &others).await?));
            }
        }
        Ok(Words::Like(names::exact_query(scope, &typed)))
    }
}

/// The rows that a query finds, if they are few.
async fn candidates(tx: &mut Tx, query: String) -> Result<Option<Vec<i32>>, Error> {
    let found =
        sql("SELECT NAME_ORDER AS place FROM name_index n WHERE MATCHES_NAME(CAST($1 AS TEXT)) LIMIT $2");
    let rows = tx.all(found.arg(query).arg(CANDIDATES as i64 + 1)).await?;
    if rows.len() > CANDIDATES {
        return Ok(None);
    }
    rows.iter().map(|row| row.get("place").map(names::slot)).collect::<Result<_, _>>().map(Some)
}

/// Those of them that have these words too, and whatever else is asked for.
async fn named(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &MemberCriteria,
    candidates: &[i32],
    words: &[&Typed],
) -> Result<Vec<i32>, Error> {
    let rows =
        sql("SELECT l.slot, p.name FROM listing l JOIN people p ON p.tenant = l.tenant AND p.code = l.person
         WHERE l.tenant = $1")
        .arg(scope.tenant())
        .within("l.slot", candidates.iter().copied());
    let rows = tx.all(check(rows, Driver::Words, scope, criteria).ending("ORDER BY l.slot")).await?;
    let mut slots = Vec::new();
    for row in &rows {
        let name: String = row.get("name")?;
        if words.iter().all(|word| word.is_in(&name)) {
            slots.push(row.get("slot")?);
        }
    }
    Ok(slots)
}

/// The slots behind `after`, as yet without their order, and by what they are to be ordered. The index may know no order,
/// so what it finds is ordered first, and then looked at.
pub fn behind(
    scope: &Scope,
    criteria: &MemberCriteria,
    query: &str,
    after: i32,
) -> (Statement, &'static str) {
    let tenant = scope.tenant();
    let after = names::key(tenant, after);
    if !has_checks(Driver::Words, scope, criteria) {
        let found = sql("SELECT NAME_ORDER AS place FROM name_index n WHERE MATCHES_NAME(CAST($1 AS TEXT))");
        return (found.arg(query).then("AND NAME_ORDER > ?", [after]), "NAME_ORDER");
    }
    let found = sql("SELECT n.place FROM (SELECT NAME_ORDER AS place FROM name_index n
             WHERE MATCHES_NAME(CAST($1 AS TEXT))")
    .arg(query)
    .then("AND NAME_ORDER > ?", [after])
    .ending("ORDER BY NAME_ORDER) AS n CROSS JOIN listing l")
    .then("WHERE l.tenant = ?", [tenant])
    .then("AND l.slot = n.place - ?", [names::key(tenant, 0)]);
    (check(found, Driver::Words, scope, criteria), "n.place")
}

/// How many rows there are.
pub fn counted(scope: &Scope, criteria: &MemberCriteria, query: &str) -> Statement {
    check(drive(sql("SELECT COUNT(*) AS rows"), scope, criteria, query), Driver::Words, scope, criteria)
}

pub fn drive(head: Statement, scope: &Scope, criteria: &MemberCriteria, query: &str) -> Statement {
    if !has_checks(Driver::Words, scope, criteria) {
        return head.ending("FROM name_index n WHERE MATCHES_NAME(CAST($1 AS TEXT))").arg(query);
    }
    head.ending("FROM name_index n CROSS JOIN listing l WHERE l.tenant = $1")
        .arg(scope.tenant())
        .then("AND l.slot = n.NAME_KEY - ?", [names::key(scope.tenant(), 0)])
        .then("AND MATCHES_NAME(CAST(? AS TEXT))", [query])
}
