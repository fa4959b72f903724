//! The index of names: which words stand in the name of each row of the searches. Words are folded here, in the program,
//! and led by the tenant (`7xjoao`) and once more by tenant and branch (`7b2xjoao`), so that neither a tenant nor a caller
//! with some branches ever touches what is others'. The row's key is its tenant and its slot.

use crate::{Statement, sql};
use domain::{BranchCode, Branches, Scope, TenantId, name_words};

/// Whose names an index holds.
#[allow(dead_code, reason = "leads come with the operations that write them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// Members and benefits, by slot.
    Rows,
    /// Dependents, by code.
    Dependents,
    /// Leads, by code.
    Leads,
}

impl Index {
    pub const fn table(self) -> &'static str {
        match self {
            Index::Rows => "name_index",
            Index::Dependents => "name_index_dependents",
            Index::Leads => "name_index_leads",
        }
    }
}

/// How many rows travel in one statement.
const ROWS: usize = 100;

/// The key of a slot; the keys of a tenant follow each other in the order of its slots.
pub(crate) fn key(tenant: TenantId, slot: i32) -> i64 {
    (i64::from(tenant.get()) << 32) | i64::from(slot)
}

/// The slot of a key.
pub(crate) fn slot(key: i64) -> i32 {
    (key & i64::from(u32::MAX)) as i32
}

/// Everything that a row is found by. One without a branch of its own is found in the tenant as a whole.
pub(crate) fn words(tenant: TenantId, branch: impl Into<Option<BranchCode>>, name: &str) -> String {
    let (branch, mut all) = (branch.into(), String::new());
    for word in name_words(name) {
        all.push_str(&format!("{tenant}x{word} "));
        if let Some(branch) = branch {
            all.push_str(&format!("{tenant}b{branch}x{word} "));
        }
    }
    all
}

/// Puts rows into an index: slot or code, branch and name of each.
pub(crate) fn insert<'n>(
    index: Index,
    tenant: TenantId,
    rows: impl IntoIterator<Item = (i32, impl Into<Option<BranchCode>>, &'n str)>,
) -> Vec<Statement> {
    let rows = rows.into_iter();
    let mut rows = rows.map(|(slot, branch, name)| (key(tenant, slot), words(tenant, branch, name)));
    // The marks stand inside the function that makes words of a text, so these rows are written out here.
    let mut statements = Vec::new();
    loop {
        let block: Vec<(i64, String)> = rows.by_ref().take(ROWS).collect();
        match block.len() {
            0 => return statements,
            ROWS => statements.push(insert_block(index, block)),
            _ => statements.extend(block.into_iter().map(|row| insert_block(index, vec![row]))),
        }
    }
}

fn insert_block(index: Index, rows: Vec<(i64, String)>) -> Statement {
    let head = sql("INSERT INTO").ending(index.table()).ending("(NAME_KEY, words) VALUES");
    let mark = "(?, NAME_WORDS(CAST(? AS TEXT)))";
    let marks = vec![mark; rows.len()].join(", ");
    let values = rows.into_iter().flat_map(|(key, words)| [crate::Value::from(key), words.into()]);
    head.then(&marks, values)
}

/// Takes a row out of it.
pub(crate) fn remove(index: Index, tenant: TenantId, slot: i32) -> Statement {
    sql("DELETE FROM").ending(index.table()).ending("WHERE NAME_KEY = $1").arg(key(tenant, slot))
}

/// The query for rows in the scope with a word that begins with each of these.
pub(crate) fn query(scope: &Scope, words: &[String]) -> String {
    let tenant = scope.tenant();
    let one = |word: &String| match scope.branches() {
        Branches::All => format!("{tenant}x{word}*"),
        Branches::Only(some) => {
            let heads: Vec<String> = some.iter().map(|branch| format!("{tenant}b{branch}x{word}*")).collect();
            format!("({})", heads.join(" OR "))
        }
    };
    words.iter().map(one).collect::<Vec<_>>().join(" AND ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Role;

    #[test]
    fn a_caller_with_some_branches_asks_for_the_words_of_those() {
        let words = ["maria".to_owned(), "sou".to_owned()];
        let tenant = TenantId::new(7);
        assert_eq!(query(&Scope::whole(tenant), &words), "7xmaria* AND 7xsou*");
        let some = Scope::of(tenant, Role::Operator, [2, 3].map(BranchCode::new));
        assert_eq!(query(&some, &words), "(7b2xmaria* OR 7b3xmaria*) AND (7b2xsou* OR 7b3xsou*)");
        assert_eq!(
            super::words(tenant, BranchCode::new(2), "Zé D'Ávila"),
            "7xavila 7b2xavila 7xd 7b2xd 7xze 7b2xze "
        );
        assert_eq!(super::words(tenant, None, "Zé D'Ávila"), "7xavila 7xd 7xze ");
    }

    #[test]
    fn a_key_leads_back_to_its_slot() {
        for at in [1, 77, i32::MAX] {
            assert_eq!(slot(key(TenantId::new(9), at)), at);
        }
        assert!(key(TenantId::new(1), i32::MAX) < key(TenantId::new(2), 1));
    }
}
