//! What belongs together is there together.

use super::{Db, all, number};
use domain::split_name_words;
use std::collections::{BTreeMap, BTreeSet};
use storage::search::tally::{ListingOrdering, POSITIONS_PER_BLOCK};

/// Statements that find what is half there.
const HALVES: &[(&str, &str)] = &[
    (
        "a benefit has one row in the searches, which agrees with it",
        "SELECT COUNT(*) AS n FROM benefits b WHERE 1 <> (SELECT COUNT(*) FROM listing l WHERE l.tenant = b.tenant
             AND l.benefit = b.code AND l.slot = b.slot AND l.branch = b.branch AND l.situation = b.situation
             AND l.person = b.person)",
    ),
    (
        "a row of the searches has its benefit",
        "SELECT COUNT(*) AS n FROM listing l WHERE l.benefit IS NOT NULL
             AND 1 <> (SELECT COUNT(*) FROM benefits b WHERE b.tenant = l.tenant AND b.code = l.benefit)",
    ),
    (
        "a member has a row without a benefit while he has none, and only then",
        "SELECT COUNT(*) AS n FROM people p
         WHERE (SELECT COUNT(*) FROM listing l WHERE l.tenant = p.tenant AND l.person = p.code AND l.benefit IS NULL)
             <> (CASE WHEN NOT p.is_member OR EXISTS
                 (SELECT 1 FROM benefits b WHERE b.tenant = p.tenant AND b.person = p.code) THEN 0 ELSE 1 END)",
    ),
    (
        "a benefit has one first item",
        "SELECT COUNT(*) AS n FROM benefits b WHERE 1 <> (SELECT COUNT(*) FROM items i WHERE i.tenant = b.tenant
             AND i.benefit = b.code AND i.is_first AND i.active AND i.slot = b.slot)",
    ),
    (
        "the last of a benefit's history is its situation",
        "SELECT COUNT(*) AS n FROM benefits b WHERE b.situation <> (SELECT h.to_situation FROM history h
             WHERE h.tenant = b.tenant AND h.entity = 1 AND h.record = b.code ORDER BY h.code DESC LIMIT 1)",
    ),
    (
        "each change begins where the one before it ended",
        "SELECT COUNT(*) AS n FROM history h WHERE COALESCE(h.from_situation, 0) <> COALESCE((SELECT g.to_situation
             FROM history g WHERE g.tenant = h.tenant AND g.entity = h.entity AND g.record = h.record
             AND g.code < h.code ORDER BY g.code DESC LIMIT 1), 0)",
    ),
    (
        "a vehicle has one benefit in force",
        "SELECT COUNT(*) AS n FROM (SELECT l.plate_key FROM listing l JOIN situations s ON s.tenant = l.tenant
             AND s.code = l.situation WHERE l.plate_key IS NOT NULL AND s.name NOT IN ('INATIVO', 'CANCELADO')
             GROUP BY l.tenant, l.plate_key HAVING COUNT(*) > 1) AS twice",
    ),
    (
        "a card is one person's",
        "SELECT COUNT(*) AS n FROM (SELECT card FROM (SELECT tenant, card, person FROM benefits
             UNION ALL SELECT d.tenant, d.card, b.person FROM dependents d
             JOIN benefits b ON b.tenant = d.tenant AND b.code = d.benefit) AS cards
             GROUP BY tenant, card HAVING MIN(person) <> MAX(person)) AS shared",
    ),
    (
        "whoever was written is in the audit once for being created",
        "SELECT COUNT(*) AS n FROM people p WHERE p.name LIKE '%da Tempestade' AND 1 <> (SELECT COUNT(*) FROM audit a
             WHERE a.tenant = p.tenant AND a.person = p.code AND a.action = 'create'
             AND a.subject_kind = 'member')",
    ),
    (
        "a benefit is in the audit once for being created",
        "SELECT COUNT(*) AS n FROM benefits b JOIN people p ON p.tenant = b.tenant AND p.code = b.person
         WHERE p.name LIKE '%da Tempestade' AND 1 <> (SELECT COUNT(*) FROM audit a WHERE a.tenant = b.tenant
             AND a.person = b.person AND a.action = 'create' AND a.subject_kind = 'benefit' AND a.subject_code = b.code)",
    ),
    (
        "a dependent is in the audit once for being created, with his holder",
        "SELECT COUNT(*) AS n FROM dependents d JOIN benefits b ON b.tenant = d.tenant AND b.code = d.benefit
         WHERE d.name LIKE '%da Tempestade' AND 1 <> (SELECT COUNT(*) FROM audit a WHERE a.tenant = b.tenant
             AND a.person = b.person AND a.action = 'create_dependent' AND a.subject_kind = 'benefit'
             AND a.subject_code = b.code AND a.arguments = '[\"' || CAST(d.code AS TEXT) || '\"]')",
    ),
];

/// What is counted: each code was given, and none is missing.
const COUNTED: &[(&str, &str)] = &[
    ("history", "SELECT COUNT(*) AS n, MIN(code) AS first, MAX(code) AS last FROM history WHERE tenant = 1"),
    ("audit", "SELECT COUNT(*) AS n, MIN(code) AS first, MAX(code) AS last FROM audit WHERE tenant = 1"),
    ("person", "SELECT COUNT(*) AS n, MIN(code) AS first, MAX(code) AS last FROM people WHERE tenant = 1"),
    ("benefit", "SELECT COUNT(*) AS n, MIN(code) AS first, MAX(code) AS last FROM benefits WHERE tenant = 1"),
    (
        "sequence",
        "SELECT COUNT(*) AS n, MIN(sequence) AS first, MAX(sequence) AS last FROM benefits WHERE tenant = 1",
    ),
    ("slot", "SELECT COUNT(*) AS n, MIN(slot) AS first, MAX(slot) AS last FROM listing WHERE tenant = 1"),
    (
        "dependent",
        "SELECT COUNT(*) AS n, MIN(code) AS first, MAX(code) AS last FROM dependents WHERE tenant = 1",
    ),
    ("item", "SELECT COUNT(*) AS n, MIN(code) AS first, MAX(code) AS last FROM items WHERE tenant = 1"),
];

/// `told_from`: the history behind this code has a receiver.
pub async fn nothing_is_half_there(db: &Db, told_from: i64) {
    for (rule, halves) in HALVES {
        assert_eq!(number(db, halves).await, 0, "{rule}");
    }
    let counters: BTreeMap<String, i64> = all(db, "SELECT kind, last FROM counters WHERE tenant = 1")
        .await
        .iter()
        .map(|row| (row.get("kind").unwrap(), row.get("last").unwrap()))
        .collect();
    for (kind, text) in COUNTED {
        let row = all(db, text).await.remove(0);
        let of = |column| row.get::<Option<i64>>(column).unwrap().unwrap_or(0);
        assert_eq!((of("n"), of("first"), of("last")), (counters[*kind], 1, counters[*kind]), "{kind}");
    }
    bodies_and_deliveries(db, told_from).await;
    tallies(db).await;
    let named = "SELECT COUNT(*) AS n FROM name_index";
    assert_eq!(number(db, named).await, counters["slot"], "each row of the searches has its words");
    vocabulary(db).await;
    let named = "SELECT COUNT(*) AS n FROM name_index_dependents";
    assert_eq!(number(db, named).await, counters["dependent"], "and each dependent");
}

async fn bodies_and_deliveries(db: &Db, told_from: i64) {
    let history = all(db, "SELECT code, record, body FROM history WHERE tenant = 1 ORDER BY code").await;
    let outbox = all(
        db,
        "SELECT history_code, record FROM outbox WHERE tenant = 1 AND receiver = 1 ORDER BY history_code",
    );
    let outbox: Vec<(i64, i64)> = outbox
        .await
        .iter()
        .map(|row| (row.get("history_code").unwrap(), row.get("record").unwrap()))
        .collect();
    let mut expected = Vec::new();
    for row in &history {
        let (code, record): (i64, i64) = (row.get("code").unwrap(), row.get("record").unwrap());
        let body: String = row.get("body").unwrap();
        assert!(body.contains(&format!("\"codHistorico\":{code},")), "{body}");
        assert!(body.contains(&format!("\"id\":{record},")), "{body}");
        if code > told_from {
            expected.push((code, record));
        }
    }
    assert_eq!(outbox, expected, "a delivery for each change since there is somebody to tell");
}

/// Nobody is found by a word that the vocabulary does not know.
async fn vocabulary(db: &Db) {
    let known = all(db, "SELECT word FROM name_words WHERE tenant = 1").await;
    let known: BTreeSet<String> = known.iter().map(|row| row.get("word").unwrap()).collect();
    // A supplier with a bill is a person, and no row of the searches.
    let names = "SELECT DISTINCT p.name FROM people p
         WHERE p.tenant = 1 AND EXISTS (SELECT 1 FROM listing l WHERE l.tenant = p.tenant AND l.person = p.code)";
    let names = all(db, names).await;
    assert!(!names.is_empty());
    let words = names.iter().flat_map(|row| split_name_words(&row.get::<String>("name").unwrap()));
    let unknown: BTreeSet<String> = words.filter(|word| !known.contains(word)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The counts are those of the rows, in blocks of both sizes.
async fn tallies(db: &Db) {
    let mut counted: BTreeMap<[i64; 4], i64> = BTreeMap::new();
    for row in all(db, "SELECT slot, branch, situation, benefit FROM listing WHERE tenant = 1").await {
        let of = |column| row.get::<i64>(column).unwrap();
        let benefit: Option<i64> = row.get("benefit").unwrap();
        let group = (of("branch"), of("situation"));
        let places = [
            (ListingOrdering::Slot, Some(of("slot")), group),
            (ListingOrdering::Benefit, benefit, group),
            (ListingOrdering::AnyBenefit, benefit, (0, 0)),
        ];
        for (ordering, at, (branch, situation)) in places {
            let (fine, Some(at)) = (ordering as i64, at) else { continue };
            let block = at / POSITIONS_PER_BLOCK;
            for (ordering, block) in [(fine, block), (fine + 1, block / 32)] {
                *counted.entry([ordering, branch, situation, block]).or_default() += 1;
            }
        }
    }
    let tally =
        "SELECT ordering, branch, situation, block, rows FROM listing_tally WHERE tenant = 1 AND rows <> 0";
    let tally: BTreeMap<[i64; 4], i64> = all(db, tally)
        .await
        .iter()
        .map(|row| {
            let of = |column| row.get::<i64>(column).unwrap();
            ([of("ordering"), of("branch"), of("situation"), of("block")], of("rows"))
        })
        .collect();
    assert_eq!(tally, counted, "orderings 1 to 6");
    months(db).await;
}

/// So are those of the months.
async fn months(db: &Db) {
    let counted =
        "SELECT 1 AS turn, SUBSTR(registered_on, 1, 7) AS month, branch, COUNT(*) AS rows FROM listing
             WHERE tenant = 1 AND benefit IS NOT NULL GROUP BY SUBSTR(registered_on, 1, 7), branch
         UNION ALL SELECT 2, SUBSTR(cancelled_on, 1, 7), branch, COUNT(*) FROM benefits
             WHERE tenant = 1 AND cancelled_on IS NOT NULL GROUP BY SUBSTR(cancelled_on, 1, 7), branch";
    let kept = "SELECT turn, month, branch, rows FROM monthly_tally WHERE tenant = 1 AND rows <> 0";
    let mut both = Vec::new();
    for text in [counted, kept] {
        let mut rows: Vec<(i64, String, i64, i64)> = Vec::new();
        for row in all(db, text).await {
            let of = |column| row.get::<i64>(column).unwrap();
            rows.push((of("turn"), row.get("month").unwrap(), of("branch"), of("rows")));
        }
        rows.sort();
        both.push(rows);
    }
    assert_eq!(both[0], both[1], "months");
}
