//! Builds queries for the name index. Typed words are prefixes, and for a prefix both engines first collect every row
//! that matches it, while complete words can be intersected quickly. So a typed word is replaced by the words it is a
//! prefix of; if those are too many, by some of them and by longer, rarer prefixes.

use super::vocabulary;
use crate::{Error, Tx};
use domain::{Scope, TenantId, VisibleBranches, split_name_words};
use std::collections::BinaryHeap;

/// A prefix of more words than this is better checked in names, if the other words leave few of them.
const EASY_PREFIX_WORDS: usize = 4;
/// Up to this many words over all searched branches, a prefix is replaced by all its words.
const REPLACED_PREFIX_WORDS: usize = 64;
/// Otherwise by about this many terms.
const TERMS_PER_PREFIX: usize = 32;
/// Approximate maximum number of terms of a search.
const MOST_TERMS: usize = 512;
/// A prefix of more words than this is used as it is.
const MOST_WORDS: i64 = 1_000;

/// A word as typed by the user.
#[derive(Debug)]
pub(crate) struct TypedWord {
    pub word: String,
    /// The words of the tenant's names that start with it, in order; `None` if there are too many.
    known_words: Option<Vec<String>>,
}

impl TypedWord {
    /// Looks words up. A word that is a prefix of another one is redundant and left out: `silva` implies `sil`.
    #[boxed::future]
    pub async fn look_up(tx: &mut Tx, tenant: TenantId, words: &[String]) -> Result<Vec<TypedWord>, Error> {
        let is_implied = |word: &str| words.iter().any(|other| other != word && other.starts_with(word));
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !is_implied(word)).collect();
        let known_words = vocabulary::list_words_beginning_with(tx, tenant, &words, MOST_WORDS + 1).await?;
        let typed = words.into_iter().zip(known_words).map(|(word, known_words)| TypedWord {
            word: word.to_owned(),
            known_words: Some(known_words).filter(|known_words| known_words.len() as i64 <= MOST_WORDS),
        });
        Ok(typed.collect())
    }

    /// Whether no name contains it.
    pub fn is_unknown(&self) -> bool {
        self.known_words.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether it is cheap to query.
    pub fn is_easy(&self) -> bool {
        self.known_words.as_ref().is_some_and(|known_words| known_words.len() <= EASY_PREFIX_WORDS)
    }

    /// Whether it is replaced by all its words.
    fn is_narrow(&self, scope: &Scope) -> bool {
        let branches = build_word_prefixes(scope).len();
        self.known_words
            .as_ref()
            .is_some_and(|known_words| known_words.len() * branches <= REPLACED_PREFIX_WORDS)
    }

    /// Whether a word of this name starts with it.
    pub fn is_in_name(&self, name: &str) -> bool {
        split_name_words(name).iter().any(|word| word.starts_with(&self.word))
    }

    fn terms(&self, room: usize) -> Vec<QueryTerm<'_>> {
        match &self.known_words {
            Some(known_words) => cover_words(&self.word, known_words, room),
            None => vec![QueryTerm::Beginning(&self.word)],
        }
    }
}

/// The query for rows in the scope that match all of these words.
pub(crate) fn build_exact_query<'t>(scope: &Scope, typed: impl IntoIterator<Item = &'t TypedWord>) -> String {
    let prefixes = build_word_prefixes(scope);
    let mut left = MOST_TERMS / prefixes.len().max(1);
    let term_groups = typed.into_iter().map(|one| {
        let most = if one.is_narrow(scope) { REPLACED_PREFIX_WORDS } else { TERMS_PER_PREFIX };
        let terms = one.terms((most / prefixes.len().max(1)).min(left));
        left = left.saturating_sub(terms.len());
        terms
    });
    render_query(&prefixes, &term_groups.collect::<Vec<_>>())
}

/// The query for rows in the scope with a word for each of these prefixes; correct, but slower.
pub(crate) fn build_prefix_query(scope: &Scope, words: &[String]) -> String {
    let term_groups: Vec<_> = words.iter().map(|word| vec![QueryTerm::Beginning(word.as_str())]).collect();
    render_query(&build_word_prefixes(scope), &term_groups)
}

/// The prefixes of the index words of the scope.
fn build_word_prefixes(scope: &Scope) -> Vec<String> {
    let tenant = scope.tenant();
    match scope.branches() {
        VisibleBranches::All => vec![format!("{tenant}x")],
        VisibleBranches::Only(allowed) => {
            allowed.iter().map(|branch| format!("{tenant}b{branch}x")).collect()
        }
    }
}

/// A row has one branch, so the full query is repeated per branch, which the engines evaluate fastest.
fn render_query(prefixes: &[String], term_groups: &[Vec<QueryTerm<'_>>]) -> String {
    let all = |prefix: &String| {
        let groups = term_groups.iter().map(|terms| {
            let terms: Vec<String> = terms.iter().map(|term| term.render_with_prefix(prefix)).collect();
            if let [one] = &terms[..] { one.clone() } else { format!("({})", terms.join(" OR ")) }
        });
        groups.collect::<Vec<_>>().join(" AND ")
    };
    match prefixes {
        [one] => all(one),
        _ => prefixes.iter().map(|prefix| format!("({})", all(prefix))).collect::<Vec<_>>().join(" OR "),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueryTerm<'k> {
    Word(&'k str),
    Beginning(&'k str),
}

impl QueryTerm<'_> {
    fn render_with_prefix(self, prefix: &str) -> String {
        match self {
            QueryTerm::Word(word) => format!("{prefix}{word}"),
            QueryTerm::Beginning(word) => format!("{prefix}{word}*"),
        }
    }
}

/// About `room` terms that cover all these words, which start with `word`. The largest group is split repeatedly by
/// its next letter, so that the typed word itself, the most likely match, becomes a term of its own.
fn cover_words<'k>(word: &'k str, known_words: &'k [String], room: usize) -> Vec<QueryTerm<'k>> {
    if known_words.len() <= room {
        return known_words.iter().map(|one| QueryTerm::Word(one)).collect();
    }
    let mut terms = Vec::new();
    let mut groups = BinaryHeap::from([(known_words.len(), word, known_words)]);
    while terms.len() + groups.len() < room
        && let Some((_, beginning, group)) = groups.pop()
    {
        let next = |word: &str| word[beginning.len()..].chars().next();
        for part in group.chunk_by(|one, other| next(one) == next(other)) {
            match part {
                [one] => terms.push(QueryTerm::Word(one)),
                [first, .., last] => groups.push((part.len(), find_common_prefix(first, last), part)),
                [] => {}
            }
        }
    }
    terms.extend(groups.into_iter().map(|(_, beginning, _)| QueryTerm::Beginning(beginning)));
    terms
}

fn find_common_prefix<'k>(one: &'k str, other: &str) -> &'k str {
    let common = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    &one[..common.map(|(letter, _)| letter.len_utf8()).sum()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{BranchCode, Role};
    use proptest::prelude::*;

    fn typed(word: &str, known_words: &[&str]) -> TypedWord {
        TypedWord {
            word: word.to_owned(),
            known_words: Some(known_words.iter().map(ToString::to_string).collect()),
        }
    }

    #[test]
    fn a_word_is_asked_for_by_those_that_it_begins() {
        let tenant = TenantId::new(7);
        let words = [typed("maria", &["maria", "mariana"]), typed("sou", &["souza"])];
        assert_eq!(
            build_exact_query(&Scope::for_tenant(tenant), &words),
            "(7xmaria OR 7xmariana) AND 7xsouza"
        );
        let limited = Scope::for_role(tenant, Role::Operator, [2, 3].map(BranchCode::new));
        assert_eq!(
            build_exact_query(&limited, &words),
            "((7b2xmaria OR 7b2xmariana) AND 7b2xsouza) OR ((7b3xmaria OR 7b3xmariana) AND 7b3xsouza)"
        );
        let plain = ["maria", "sou"].map(str::to_owned);
        assert_eq!(build_prefix_query(&Scope::for_tenant(tenant), &plain), "7xmaria* AND 7xsou*");
        assert_eq!(
            build_prefix_query(&limited, &plain),
            "(7b2xmaria* AND 7b2xsou*) OR (7b3xmaria* AND 7b3xsou*)"
        );
        let many = TypedWord { word: "m".to_owned(), known_words: None };
        assert_eq!(build_exact_query(&Scope::for_tenant(tenant), [&many]), "7xm*");
        assert!(words.iter().all(|one| one.is_narrow(&limited)) && !many.is_narrow(&limited));
    }

    #[test]
    fn of_very_many_words_the_one_itself_is_a_term_of_its_own() {
        let known_words =
            ["ana", "anab", "anabela", "anabele", "anal", "anaz", "anaélia", "anaélio"].map(str::to_owned);
        let cover = |room| cover_words("ana", &known_words, room);
        assert_eq!(cover(8).len(), 8);
        use QueryTerm::{Beginning, Word};
        assert_eq!(cover(1), [Beginning("ana")]);
        let expected = [Word("ana"), Word("anal"), Word("anaz"), Beginning("anab"), Beginning("anaéli")];
        let mut found = cover(2);
        found.sort_by_key(|term| (matches!(term, Beginning(_)), term.render_with_prefix("")));
        assert_eq!(found, expected);
        assert!(cover(6).contains(&Word("anab")) && cover(6).contains(&Beginning("anabel")));
    }

    proptest! {
        /// For any room: the terms cover each word, and nothing that does not start with the typed word.
        #[test]
        fn a_cover_stands_for_all_words_and_no_others(
            words in prop::collection::btree_set("[aé]{0,2}[abcß㍿]{0,4}", 1..60),
            room in 0..40usize,
        ) {
            let known_words: Vec<String> = words.into_iter().map(|word| format!("x{word}")).collect();
            let terms = cover_words("x", &known_words, room);
            let finds = |word: &str| terms.iter().filter(|term| match term {
                QueryTerm::Word(one) => word == *one,
                QueryTerm::Beginning(one) => word.starts_with(one),
            }).count();
            prop_assert!(known_words.iter().all(|word| finds(word) == 1), "{terms:?} for {known_words:?}");
            prop_assert_eq!(finds("y") + finds(""), 0);
            // One more split may add as many terms as there are letters.
            prop_assert!(terms.len() <= room.max(1) + 8, "{}", terms.len());
        }
    }
}
