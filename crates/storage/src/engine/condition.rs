//! Health checks of a database, for operators.

use super::Engine;
use crate::executor::db::QueryWeight;
use crate::{Error, SqlScalar, Statement, sql};
use domain::Moment;

impl Engine {
    /// What cannot be read correctly. The embedded engine checks every page; on a database server, which has its own
    /// checks, one row of every table is read.
    #[boxed::future]
    pub async fn find_damage(&self) -> Result<Vec<String>, Error> {
        match self {
            Engine::Sqlite(_) => {
                let check = sql("SELECT quick_check AS problem FROM pragma_quick_check LIMIT 10");
                let rows = self.query(QueryWeight::Search, check).await?;
                let problems = rows.iter().map(|row| row.get::<String>("problem"));
                problems.filter(|problem| !matches!(problem, Ok(text) if text == "ok")).collect()
            }
            Engine::Postgres(_) => self.list_unreadable_tables().await,
        }
    }

    async fn list_unreadable_tables(&self) -> Result<Vec<String>, Error> {
        let names = sql("SELECT CAST(tablename AS TEXT) AS name FROM pg_catalog.pg_tables
             WHERE schemaname = current_schema() ORDER BY tablename");
        let mut unreadable = Vec::new();
        for row in self.query(QueryWeight::Search, names).await? {
            let name: String = row.get("name")?;
            let first = format!("SELECT CAST(1 AS BIGINT) AS one FROM \"{name}\" LIMIT 1");
            let first = Statement::empty().append(&first, std::iter::empty::<SqlScalar>());
            match self.query(QueryWeight::Search, first).await {
                Ok(_) => {}
                Err(error @ (Error::Unavailable(_) | Error::TooSlow)) => return Err(error),
                Err(error) => unreadable.push(format!("{name}: {error}")),
            }
        }
        Ok(unreadable)
    }

    /// Settings that can lose a committed write. The embedded engine always uses safe settings.
    #[boxed::future]
    pub async fn weak_durability_settings(&self) -> Result<Vec<String>, Error> {
        let Engine::Postgres(_) = self else { return Ok(Vec::new()) };
        let weak = sql("SELECT CAST(name AS TEXT) AS name FROM pg_catalog.pg_settings
             WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name");
        self.query(QueryWeight::Point, weak).await?.iter().map(|row| row.get("name")).collect()
    }

    /// The time of the database server; `None` for the embedded engine.
    #[boxed::future]
    pub async fn clock(&self) -> Result<Option<Moment>, Error> {
        let Engine::Postgres(_) = self else { return Ok(None) };
        let now = sql("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now");
        let rows = self.query(QueryWeight::Point, now).await?;
        rows.first().map(|row| row.get("now")).transpose()
    }
}
