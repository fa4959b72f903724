//! The tables that are read: a benefit with its person and its branch, 25 columns of which go into a struct. Both
//! engines hold the same rows.

use storage::SqlScalar;

pub const TENANT: i64 = 1;
pub const PAGE: i64 = 100;
const PERSON_HAS: i64 = 2;
const BRANCHES: i64 = 50;

/// Spelt for PostgreSQL; `for_sqlite` exchanges what differs.
pub const CREATE: &str = "
CREATE TABLE bench_branch (
    tenant BIGINT NOT NULL, code BIGINT NOT NULL, name TEXT NOT NULL, active BOOLEAN NOT NULL,
    PRIMARY KEY (tenant, code)
);
CREATE TABLE bench_person (
    tenant BIGINT NOT NULL, code BIGINT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL, born_on TEXT,
    email TEXT, phone TEXT NOT NULL, city TEXT NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (tenant, code)
);
CREATE TABLE bench_benefit (
    tenant BIGINT NOT NULL, code BIGINT NOT NULL, person BIGINT NOT NULL, branch BIGINT NOT NULL,
    plan BIGINT NOT NULL, situation BIGINT NOT NULL, plate TEXT NOT NULL, chassis TEXT NOT NULL,
    model TEXT NOT NULL, model_year BIGINT NOT NULL, price BIGINT NOT NULL, monthly BIGINT NOT NULL,
    started_on TEXT NOT NULL, ended_on TEXT, note TEXT, active BOOLEAN NOT NULL, version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
);";

pub fn for_sqlite(text: &str) -> String {
    text.replace("BIGINT", "INTEGER").replace("BOOLEAN", "INTEGER").replace("\n);", "\n) STRICT;")
}

/// `$1` is a name in SQLite, `?1` a number.
pub fn numbered(text: &str) -> String {
    text.replace('$', "?")
}

macro_rules! sheet {
    ($first:ident: $first_kind:ty = $first_column:literal,
     $($at:literal $name:ident: $kind:ty = $column:literal,)*) => {
        /// What a page about a benefit shows.
        #[derive(Debug)]
        #[allow(dead_code, reason = "it is read for the cost of reading it")]
        pub struct Sheet {
            pub $first: $first_kind,
            $(pub $name: $kind,)*
        }

        impl Sheet {
            pub fn ours(row: &storage::Row) -> Result<Sheet, storage::Error> {
                Ok(Sheet { $first: row.get(stringify!($first))?, $($name: row.get(stringify!($name))?,)* })
            }

            pub fn sqlite(row: &rusqlite::Row<'_>) -> rusqlite::Result<Sheet> {
                Ok(Sheet { $first: row.get(0)?, $($name: row.get($at)?,)* })
            }

            pub fn postgres(row: &tokio_postgres::Row) -> Sheet {
                Sheet { $first: row.get(0), $($name: row.get($at),)* }
            }
        }

        macro_rules! select {
            ($rest:literal) => {
                concat!(
                    "SELECT ", $first_column, " AS ", stringify!($first),
                    $(", ", $column, " AS ", stringify!($name),)*
                    " FROM bench_benefit b
                      JOIN bench_person p ON p.tenant = b.tenant AND p.code = b.person
                      JOIN bench_branch r ON r.tenant = b.tenant AND r.code = b.branch
                      WHERE b.tenant = $1 AND ", $rest
                )
            };
        }
    };
}

sheet! {
    code: i64 = "b.code",
    1 person: i64 = "b.person",
    2 branch: i64 = "b.branch",
    3 plan: i64 = "b.plan",
    4 situation: i64 = "b.situation",
    5 plate: String = "b.plate",
    6 chassis: String = "b.chassis",
    7 model: String = "b.model",
    8 model_year: i64 = "b.model_year",
    9 price: i64 = "b.price",
    10 monthly: i64 = "b.monthly",
    11 started_on: String = "b.started_on",
    12 ended_on: Option<String> = "b.ended_on",
    13 note: Option<String> = "b.note",
    14 active: bool = "b.active",
    15 version: i64 = "b.version",
    16 updated_at: i64 = "b.updated_at",
    17 person_name: String = "p.name",
    18 document: String = "p.document",
    19 born_on: Option<String> = "p.born_on",
    20 email: Option<String> = "p.email",
    21 phone: String = "p.phone",
    22 city: String = "p.city",
    23 state: String = "p.state",
    24 branch_name: String = "r.name",
}

/// One benefit by its key.
pub const POINT: &str = select!("b.code = $2");
/// A page of benefits by a range of keys.
pub const RANGE: &str = select!("b.code >= $2 AND b.code < $3 ORDER BY b.code");

/// Each table's name, how many columns and rows it has, and what makes a row.
pub type Table = (&'static str, usize, i64, fn(i64) -> Vec<SqlScalar>);

pub fn tables(rows: i64) -> [Table; 3] {
    [
        ("bench_branch", 4, BRANCHES, branch),
        ("bench_person", 9, rows / PERSON_HAS + 1, person),
        ("bench_benefit", 18, rows, benefit),
    ]
}

fn branch(code: i64) -> Vec<SqlScalar> {
    vec![TENANT.into(), code.into(), format!("Regional {code:03}").into(), true.into()]
}

fn person(code: i64) -> Vec<SqlScalar> {
    vec![
        TENANT.into(),
        code.into(),
        format!("Maria Aparecida dos Santos {code}").into(),
        format!("{:011}", code * 7_919 % 99_999_999_999).into(),
        (code % 5 != 0).then(|| format!("19{:02}-{:02}-15", code % 90 + 10, code % 12 + 1)).into(),
        (code % 3 != 0).then(|| format!("maria.{code}@exemplo.com.br")).into(),
        format!("+55 31 9{:08}", code * 31 % 99_999_999).into(),
        "Belo Horizonte".into(),
        "MG".into(),
    ]
}

fn benefit(code: i64) -> Vec<SqlScalar> {
    vec![
        TENANT.into(),
        code.into(),
        (code / PERSON_HAS + 1).into(),
        (code % BRANCHES + 1).into(),
        (code % 12 + 1).into(),
        (code % 5 + 1).into(),
        format!("ABC{}D{:02}", code % 10, code % 100).into(),
        format!("9BWZZZ377VT{:06}", code % 1_000_000).into(),
        "Volkswagen Gol 1.0 MI Total Flex".into(),
        (code % 30 + 1995).into(),
        (code * 137 % 9_000_000 + 1_000_000).into(),
        (code % 20_000 + 5_000).into(),
        format!("20{:02}-{:02}-01", code % 25, code % 12 + 1).into(),
        (code % 10 == 0).then_some("2025-12-31").into(),
        (code % 4 == 0).then_some("Rastreador instalado em oficina credenciada; vistoria aprovada.").into(),
        (code % 10 != 0).into(),
        (code % 9 + 1).into(),
        (1_700_000_000_000 + code).into(),
    ]
}
