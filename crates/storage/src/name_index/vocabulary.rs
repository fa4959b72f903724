//! Every word of a tenant's names, once. Words are never deleted: one that no name has any more simply finds nothing.
//! Code that adds names to an index adds their words here in the same unit of work.

use crate::{Error, Statement, Tx, sql};
use domain::{TenantId, split_name_words};
use std::collections::BTreeSet;

/// Words per statement; fewer are padded to one of these lengths by repeating one.
const STATEMENT_LENGTHS: [usize; 4] = [2, 4, 8, 64];
const LONGEST_STATEMENT: usize = STATEMENT_LENGTHS[STATEMENT_LENGTHS.len() - 1];

/// Inserts the words of these names.
pub fn insert_vocabulary<'n>(tenant: TenantId, names: impl IntoIterator<Item = &'n str>) -> Vec<Statement> {
    let words: BTreeSet<String> = names.into_iter().flat_map(split_name_words).collect();
    insert_words(words.into_iter().map(|word| (tenant, word)))
}

/// Inserts words of several tenants.
pub fn insert_words(words: impl IntoIterator<Item = (TenantId, String)>) -> Vec<Statement> {
    let mut words = words.into_iter();
    let mut statements = Vec::new();
    loop {
        let mut block: Vec<(TenantId, String)> = words.by_ref().take(LONGEST_STATEMENT).collect();
        let Some(last) = block.last().cloned() else { return statements };
        let length =
            STATEMENT_LENGTHS.into_iter().find(|length| *length >= block.len()).unwrap_or(LONGEST_STATEMENT);
        block.resize(length, last);
        let rows = block.into_iter().map(|(tenant, word)| [tenant.into(), word.into()]);
        let insert = sql("INSERT INTO name_words (tenant, word) VALUES").append_rows(rows);
        statements.push(insert.append_text("ON CONFLICT DO NOTHING"));
    }
}

/// Sorts after every other letter: the words with a prefix lie between it and it followed by this.
const LAST_LETTER: char = char::MAX;

/// For each prefix, the words that start with it, in order, at most `most`.
#[boxed::future]
pub async fn list_words_beginning_with(
    tx: &mut Tx,
    tenant: TenantId,
    words: &[&str],
    most: i64,
) -> Result<Vec<Vec<String>>, Error> {
    let queries = words.iter().map(|word| {
        sql("SELECT word FROM name_words WHERE tenant = $1 AND word >= $2 AND word < $3 ORDER BY word LIMIT $4")
            .arg(tenant)
            .arg(*word)
            .arg(format!("{word}{LAST_LETTER}"))
            .arg(most)
    });
    let found = tx.fetch_each(queries.collect()).await?;
    found.iter().map(|rows| rows.iter().map(|row| row.get("word")).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_many_names_are_written_once_in_few_lengths() {
        let tenant = TenantId::new(7);
        let insert = |names: &[&str]| insert_vocabulary(tenant, names.iter().copied());
        assert!(insert(&["", " - "]).is_empty());
        let three = insert(&["Ana Silva", "ANA de Silva"]);
        assert_eq!(three.len(), 1);
        assert_eq!(
            three[0].text(),
            "INSERT INTO name_words (tenant, word) VALUES ($1, $2), ($3, $4), ($5, $6), ($7, $8) ON CONFLICT DO NOTHING"
        );
        let words = ["ana", "de", "silva", "silva"];
        assert!(three[0].values().chunks(2).zip(words).all(|(row, word)| row == [7.into(), word.into()]));
        let many: Vec<String> = (0..65).map(|number| format!("n{number}")).collect();
        let many = insert_vocabulary(tenant, many.iter().map(String::as_str));
        assert_eq!(many.iter().map(|one| one.values().len()).collect::<Vec<_>>(), [128, 4]);
    }
}
