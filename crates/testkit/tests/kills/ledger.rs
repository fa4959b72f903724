//! What the storm said that it did, record by record, and whether the database says the same.

use super::{App, Db, access, all, search};
use std::collections::{BTreeMap, BTreeSet};

/// The states of a record as they were answered, and the one that was on its way when the storm ended.
#[derive(Default)]
struct Said {
    did: Vec<String>,
    trying: Option<String>,
}

impl Said {
    /// What the record may be now.
    fn may_be(&self) -> impl Iterator<Item = &String> {
        self.did.last().into_iter().chain(&self.trying)
    }
}

#[derive(Default)]
pub struct Ledger {
    /// By document.
    people: BTreeMap<String, Said>,
    /// By code.
    benefits: BTreeMap<String, Said>,
    dependents: BTreeMap<String, Said>,
    pub answered: usize,
}

impl Ledger {
    /// Takes a line: `did benefit 77 | … .`. The last one may have been cut short by the kill.
    pub fn write(&mut self, line: &str) {
        let Some((head, state)) = line.strip_suffix(" .").and_then(|line| line.split_once(" | ")) else {
            return;
        };
        let [verb, kind, key] = head.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let records = match kind {
            "person" => &mut self.people,
            "dependent" => &mut self.dependents,
            _ => &mut self.benefits,
        };
        let said = records.entry(key.to_owned()).or_default();
        if verb == "try" {
            said.trying = Some(state.to_owned());
        } else {
            said.trying = None;
            said.did.push(state.to_owned());
            self.answered += 1;
        }
    }

    /// Every answered write is there, or what came behind it. Gives how many writes are stored.
    pub async fn compare(&self, db: &Db) -> usize {
        let people =
            "SELECT document, branch, name FROM people WHERE tenant = 1 AND name LIKE '%da Tempestade'";
        let people: BTreeMap<String, String> = all(db, people)
            .await
            .iter()
            .map(|row| {
                let (branch, name): (i64, String) = (row.get("branch").unwrap(), row.get("name").unwrap());
                (row.get("document").unwrap(), format!("{branch} {}", name.split(' ').next().unwrap()))
            })
            .collect();
        compare("person", &self.people, &people);
        let benefits =
            "SELECT b.code, p.document, l.plate_key, b.sequence, b.card, b.branch, s.name AS situation
             FROM benefits b JOIN people p ON p.tenant = b.tenant AND p.code = b.person
             JOIN listing l ON l.tenant = b.tenant AND l.benefit = b.code
             JOIN situations s ON s.tenant = b.tenant AND s.code = b.situation
             WHERE b.tenant = 1 AND p.name LIKE '%da Tempestade'";
        let benefits: BTreeMap<String, String> = all(db, benefits)
            .await
            .iter()
            .map(|row| {
                let text = |column| row.get::<String>(column).unwrap();
                let number = |column| row.get::<i64>(column).unwrap();
                let (sequence, branch) = (number("sequence"), number("branch"));
                let state =
                    [text("document"), text("plate_key"), sequence.to_string(), text("card")].join(" ");
                (number("code").to_string(), format!("{state} {branch} {}", text("situation")))
            })
            .collect();
        compare("benefit", &self.benefits, &benefits);
        let dependents = "SELECT code, benefit, name FROM dependents WHERE tenant = 1";
        let dependents: BTreeMap<String, String> = all(db, dependents)
            .await
            .iter()
            .map(|row| {
                let (code, benefit): (i64, i64) = (row.get("code").unwrap(), row.get("benefit").unwrap());
                let name: String = row.get("name").unwrap();
                (code.to_string(), format!("{benefit} {}", name.split(' ').next().unwrap()))
            })
            .collect();
        compare("dependent", &self.dependents, &dependents);
        self.compare_history(db).await;
        let written = "SELECT COUNT(*) AS n FROM audit WHERE tenant = 1";
        usize::try_from(super::number(db, written).await).unwrap()
    }

    /// The history of a benefit is what was answered, in its order, and at most one more.
    async fn compare_history(&self, db: &Db) {
        let text = "SELECT h.record, s.name FROM history h JOIN situations s ON s.tenant = h.tenant
             AND s.code = h.to_situation WHERE h.tenant = 1 AND h.entity = 1 ORDER BY h.code";
        let mut history: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in all(db, text).await {
            let record: i64 = row.get("record").unwrap();
            history.entry(record.to_string()).or_default().push(row.get("name").unwrap());
        }
        for (code, said) in &self.benefits {
            let situation = |state: &String| state.rsplit(' ').next().unwrap().to_owned();
            let mut answered: Vec<String> = said.did.iter().map(situation).collect();
            answered.dedup();
            let mut or_one_more = answered.clone();
            or_one_more.extend(said.trying.as_ref().map(situation));
            or_one_more.dedup();
            let found = &history[code];
            assert!(*found == answered || *found == or_one_more, "{code}: {found:?}, answered {answered:?}");
        }
    }

    /// Everybody is found by the name he has, and nobody by one that he had.
    pub async fn find_everybody(&self, app: &App) {
        let here = std::net::IpAddr::from([127, 0, 0, 1]).into();
        let entered = access::log_in_program(app, demo::ADMINISTRATOR, demo::PASSWORD, here).await.unwrap();
        let caller = app::session::load_session(app, &entered.token).await.unwrap();
        for said in self.dependents.values() {
            let named = said.did.iter().chain(&said.trying).filter_map(|state| state.split(' ').nth(1));
            let (mut found, words) = (0, named.collect::<BTreeSet<_>>());
            for word in words {
                app::cache::refresh_versions(app).await.unwrap();
                let query =
                    wire::read::read_query([("nome".to_owned(), word.to_owned())].into_iter()).unwrap();
                found +=
                    app::members::dependents::search_dependents(app, &caller, query).await.unwrap().len();
            }
            assert_eq!(found, 1, "{:?}", said.did);
        }
        for (document, said) in &self.people {
            let word = |state: &String| state.split(' ').nth(1).unwrap().to_owned();
            let words: BTreeSet<String> = said.did.iter().chain(&said.trying).map(word).collect();
            let mut found = BTreeSet::new();
            for word in &words {
                app::cache::refresh_versions(app).await.unwrap();
                let query = wire::read::read_query([("nome".to_owned(), word.clone())].into_iter()).unwrap();
                for row in search::search_members(app, &caller, query).await.unwrap().rows {
                    assert_eq!(row.person.document.as_ref(), Some(document), "{word}");
                    found.insert((word.clone(), row.person.name));
                }
            }
            // Where the very first write was not answered he may not be there at all.
            assert!(found.len() <= 1 && (found.len() == 1 || said.did.is_empty()), "{document}: {found:?}");
            assert!(
                found.iter().all(|(word, name)| name.starts_with(word.as_str())),
                "{document}: {found:?}"
            );
        }
    }
}

fn compare(kind: &str, said: &BTreeMap<String, Said>, found: &BTreeMap<String, String>) {
    for (key, said) in said {
        let found = found.get(key);
        let is_right = found.is_some_and(|found| said.may_be().any(|state| state == found));
        assert!(
            is_right || (found.is_none() && said.did.is_empty()),
            "{kind} {key}: {found:?}, said {:?}",
            said.did
        );
    }
}
