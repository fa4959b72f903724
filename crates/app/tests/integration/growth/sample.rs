//! What the script asks for: values that stand in the database, chosen alike whatever its size.

use storage::{Db, FromColumn, QueryWeight, Row, sql};

/// The day on which the demonstration is shown is 30/06/2026; nothing in it is later.
pub struct Sample {
    pub person: i64,
    pub name: String,
    pub document: String,
    pub company: String,
    pub employer: String,
    pub birth: String,
    pub plate: String,
    pub chassis: String,
    pub sequence: i64,
    pub card: String,
    /// The most frequent of branch 2.
    pub consultant: i64,
    pub representative: i64,
    pub plan: i64,
    pub state: String,
    /// The days of the middle hundredth of the registrations, and the day since which the last of the changes were made.
    pub registered: (String, String),
    pub changed: String,
    /// Somebody who shares a benefit of branch 2: its code, his name, CPF and card.
    pub dependent: (i64, String, String, String),
    /// Name, document, telephone and e-mail of a lead in branch 2 who has them all.
    pub lead: (String, String, String, String),
    /// An open deal of branch 2, which every caller sees; its number in the sequence is the same.
    pub deal: i64,
    pub slip: SampleSlip,
}

/// The slip in force of an overdue title of branch 2.
pub struct SampleSlip {
    pub title: i32,
    pub person: i32,
    pub document: String,
    pub due_on: String,
    pub token: String,
}

/// Somebody with a vehicle in branch 2, half way through.
const SOMEBODY: &str =
    "SELECT l.person, p.name, l.document, l.born_on, b.plate, b.chassis, b.sequence, b.card
     FROM listing l JOIN people p ON p.tenant = l.tenant AND p.code = l.person
     JOIN benefits b ON b.tenant = l.tenant AND b.code = l.benefit
     WHERE l.tenant = 1 AND l.branch = 2 AND b.plate IS NOT NULL AND l.born_on IS NOT NULL AND l.situation = 1
     AND l.slot >= (SELECT MAX(slot) / 2 FROM listing WHERE tenant = 1) ORDER BY l.slot LIMIT 1";

/// Half way through, too. Of his name there are few.
const DEPENDENT: &str = "SELECT d.benefit, d.name, d.cpf, d.card FROM dependents d
     JOIN benefits b ON b.tenant = d.tenant AND b.code = d.benefit
     WHERE d.tenant = 1 AND b.branch = 2 AND d.cpf IS NOT NULL AND d.card <> b.card
     AND d.code >= (SELECT MAX(code) / 2 FROM dependents WHERE tenant = 1) ORDER BY d.code LIMIT 1";

/// Half way through, too. The titles of the tenth are overdue on the fourteenth.
const SLIP: &str = "SELECT s.title, t.person, p.document, s.due_on, k.token FROM slips s
     JOIN titles t ON t.tenant = s.tenant AND t.code = s.title
     JOIN people p ON p.tenant = t.tenant AND p.code = t.person
     JOIN document_links k ON k.tenant = s.tenant AND k.subject = s.code
     WHERE s.tenant = 1 AND t.branch = 2 AND s.due_on = '2026-11-10' AND p.document IS NOT NULL
     AND s.code >= (SELECT MAX(code) / 2 FROM slips WHERE tenant = 1) ORDER BY s.code LIMIT 1";

impl Sample {
    pub async fn of(db: &Db) -> Sample {
        let most = |column: &str| {
            format!(
                "SELECT {column} AS it FROM listing WHERE tenant = 1 AND branch = 2 AND {column} IS NOT NULL
                 GROUP BY {column} ORDER BY COUNT(*) DESC, {column} LIMIT 1"
            )
        };
        let nth = |column: &str, part: &str| {
            format!(
                "SELECT {column} AS it FROM listing WHERE tenant = 1 ORDER BY {column} LIMIT 1
                 OFFSET (SELECT COUNT(*) {part} FROM listing WHERE tenant = 1)"
            )
        };
        let company = "SELECT MAX(document) AS it FROM people WHERE tenant = 1 AND nature = 2";
        let employer = "SELECT MAX(company_document) AS it FROM listing WHERE tenant = 1";
        let plan = "SELECT plan AS it FROM items WHERE tenant = 1 AND active GROUP BY plan
             ORDER BY COUNT(*) DESC, plan LIMIT 1";
        let (company, employer): (String, String) = (one(db, company).await, one(db, employer).await);
        let (consultant, representative) =
            (one(db, &most("consultant")).await, one(db, &most("representative")).await);
        let (plan, state) = (one(db, plan).await, one(db, &most("state")).await);
        let day = async |column, part| shown(&one::<String>(db, &nth(column, part)).await);
        let registered = (day("registered_on", "* 50 / 100").await, day("registered_on", "* 51 / 100").await);
        let changed = day("updated_on", "* 98 / 100").await;
        let lead = "SELECT name, document, mobile, email FROM leads WHERE tenant = 1 AND branch = 2
             AND document IS NOT NULL AND mobile IS NOT NULL AND email IS NOT NULL ORDER BY code LIMIT 1";
        let lead = first(db, lead).await;
        let lead = ["name", "document", "mobile", "email"].map(|column| lead.get::<String>(column).unwrap());
        let [name, document, mobile, email] = lead;
        let deal = "SELECT code AS it FROM deals WHERE tenant = 1 AND branch = 2 AND situation = 1
             AND code = sequence ORDER BY code LIMIT 1";
        let deal = one(db, deal).await;
        let slip = SampleSlip::of(db).await;
        let somebody = first(db, SOMEBODY).await;
        let relative = first(db, DEPENDENT).await;
        let of = |column| relative.get::<String>(column).unwrap();
        let dependent = (relative.get("benefit").unwrap(), of("name"), of("cpf"), of("card"));
        let get = |column| somebody.get::<String>(column).unwrap();
        let code = |column| somebody.get::<i64>(column).unwrap();
        Sample {
            person: code("person"),
            name: get("name"),
            document: get("document"),
            company,
            employer,
            birth: shown(&get("born_on")),
            plate: get("plate"),
            chassis: get("chassis"),
            sequence: code("sequence"),
            card: get("card"),
            consultant,
            representative,
            plan,
            state,
            registered,
            changed,
            dependent,
            lead: (name, document, mobile, email),
            deal,
            slip,
        }
    }
}

impl SampleSlip {
    async fn of(db: &Db) -> SampleSlip {
        let slip = first(db, SLIP).await;
        SampleSlip {
            title: slip.get("title").unwrap(),
            person: slip.get("person").unwrap(),
            document: slip.get("document").unwrap(),
            due_on: slip.get("due_on").unwrap(),
            token: slip.get("token").unwrap(),
        }
    }
}

async fn first(db: &Db, text: &str) -> Row {
    let statement = sql("").append_text(text);
    db.query(QueryWeight::Search, statement).await.unwrap().into_iter().next().unwrap()
}

async fn one<T: FromColumn>(db: &Db, text: &str) -> T {
    first(db, text).await.get("it").unwrap()
}

/// `yyyy-MM-dd` as callers write it.
fn shown(day: &str) -> String {
    let [year, month, day] = day.split('-').collect::<Vec<_>>()[..] else { panic!("{day}") };
    format!("{day}/{month}/{year}")
}
