//! The name index: the words of the name of each search row. Words are folded in the program and prefixed with the
//! tenant (`7xjoao`), and again with tenant and branch (`7b2xjoao`), so that a query never touches rows of other
//! tenants or branches. The key of a row is its tenant and slot. Every indexed word is also written into the
//! vocabulary; without it the word is not found.
//! `MATCHES_NAME`, `NAME_ORDER` and `NAME_KEY` in statements are translated by `engine/dialect.rs`.

mod terms;
pub(crate) mod vocabulary;

pub(crate) use terms::{TypedWord, build_exact_query, build_prefix_query};

use crate::{Statement, sql};
use domain::{BranchCode, TenantId, split_name_words};

/// Which names an index holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameIndexKind {
    /// Members and benefits, by slot.
    Rows,
    /// Dependents, by code.
    Dependents,
    /// Leads, by code.
    Leads,
}

impl NameIndexKind {
    pub const fn table(self) -> &'static str {
        match self {
            NameIndexKind::Rows => "name_index",
            NameIndexKind::Dependents => "name_index_dependents",
            NameIndexKind::Leads => "name_index_leads",
        }
    }
}

const ROWS_PER_STATEMENT: usize = 100;

/// The key of a slot; the keys of a tenant follow the order of its slots.
pub(crate) fn build_index_key(tenant: TenantId, slot: i32) -> i64 {
    (i64::from(tenant.get()) << 32) | i64::from(slot)
}

pub(crate) fn extract_slot(key: i64) -> i32 {
    (key & i64::from(u32::MAX)) as i32
}

/// The index words of a row. One without a branch is found only by tenant-wide queries.
pub(crate) fn build_index_words(
    tenant: TenantId,
    branch: impl Into<Option<BranchCode>>,
    name: &str,
) -> String {
    let (branch, mut all) = (branch.into(), String::new());
    for word in split_name_words(name) {
        all.push_str(&format!("{tenant}x{word} "));
        if let Some(branch) = branch {
            all.push_str(&format!("{tenant}b{branch}x{word} "));
        }
    }
    all
}

/// Adds rows to an index, and their words to the vocabulary: slot or code, branch and name of each.
pub(crate) fn insert_names<'n>(
    index: NameIndexKind,
    tenant: TenantId,
    rows: impl IntoIterator<Item = (i32, impl Into<Option<BranchCode>>, &'n str)>,
) -> Vec<Statement> {
    let rows: Vec<(i32, Option<BranchCode>, &str)> =
        rows.into_iter().map(|(slot, branch, name)| (slot, branch.into(), name)).collect();
    let mut statements = insert_index_rows(index, tenant, rows.iter().copied());
    statements.extend(vocabulary::insert_vocabulary(tenant, rows.iter().map(|(_, _, name)| *name)));
    statements
}

/// Adds rows only to the index, for callers that fill the vocabulary separately.
pub(crate) fn insert_index_rows<'n>(
    index: NameIndexKind,
    tenant: TenantId,
    rows: impl IntoIterator<Item = (i32, impl Into<Option<BranchCode>>, &'n str)>,
) -> Vec<Statement> {
    let rows = rows.into_iter();
    let mut rows = rows
        .map(|(slot, branch, name)| (build_index_key(tenant, slot), build_index_words(tenant, branch, name)));
    // The parameters are inside the function that converts words, so the rows are written out here.
    let mut statements = Vec::new();
    loop {
        let block: Vec<(i64, String)> = rows.by_ref().take(ROWS_PER_STATEMENT).collect();
        match block.len() {
            0 => return statements,
            ROWS_PER_STATEMENT => statements.push(insert_index_block(index, block)),
            _ => statements.extend(block.into_iter().map(|row| insert_index_block(index, vec![row]))),
        }
    }
}

fn insert_index_block(index: NameIndexKind, rows: Vec<(i64, String)>) -> Statement {
    let head = sql("INSERT INTO").append_text(index.table()).append_text("(NAME_KEY, words) VALUES");
    let mark = "(?, NAME_WORDS(CAST(? AS TEXT)))";
    let marks = vec![mark; rows.len()].join(", ");
    let values = rows.into_iter().flat_map(|(key, words)| [crate::SqlScalar::from(key), words.into()]);
    head.append(&marks, values)
}

pub(crate) fn delete_name(index: NameIndexKind, tenant: TenantId, slot: i32) -> Statement {
    sql("DELETE FROM")
        .append_text(index.table())
        .append_text("WHERE NAME_KEY = $1")
        .arg(build_index_key(tenant, slot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_led_by_its_tenant_and_by_its_branch() {
        assert_eq!(
            build_index_words(TenantId::new(7), BranchCode::new(2), "Zé D'Ávila"),
            "7xavila 7b2xavila 7xd 7b2xd 7xze 7b2xze "
        );
        assert_eq!(build_index_words(TenantId::new(7), None, "Zé D'Ávila"), "7xavila 7xd 7xze ");
    }

    #[test]
    fn a_key_leads_back_to_its_slot() {
        for at in [1, 77, i32::MAX] {
            assert_eq!(extract_slot(build_index_key(TenantId::new(9), at)), at);
        }
        assert!(build_index_key(TenantId::new(1), i32::MAX) < build_index_key(TenantId::new(2), 1));
    }
}
