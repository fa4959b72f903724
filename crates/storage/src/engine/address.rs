//! The address of a database: `sqlite:PATH` or `postgres://…`.

use crate::{BadAddress, OpenError};
use std::fmt;
use std::path::{Path, PathBuf};
use tokio_postgres::config::Host;

#[derive(Clone)]
pub enum Address {
    Sqlite(PathBuf),
    Postgres(Box<tokio_postgres::Config>),
}

impl Address {
    pub fn parse(text: &str) -> Result<Address, OpenError> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() || path.ends_with('/') {
                return Err(bad(BadAddress::NoFile));
            }
            return Ok(Address::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            let config: tokio_postgres::Config =
                text.parse().map_err(|error: tokio_postgres::Error| bad(BadAddress::Other(cause(&error))))?;
            if config.get_hosts().is_empty() {
                return Err(bad(BadAddress::NoHost));
            }
            // The driver ends the password at its first `@`; the rest of it would pass for the host, and be shown.
            let host_and_more = |host: &Host| matches!(host, Host::Tcp(name) if name.contains('@'));
            if config.get_hosts().iter().any(host_and_more) {
                return Err(bad(BadAddress::Unescaped));
            }
            return Ok(Address::Postgres(Box::new(config)));
        }
        Err(bad(BadAddress::Scheme))
    }

    /// The folder beside the database file, for what the server keeps next to it; a server elsewhere has none.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Address::Sqlite(path) => {
                Some(path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")))
            }
            Address::Postgres(_) => None,
        }
    }

    /// The file beside the database that tells whether an older copy of it was put back; a server tells by itself.
    pub fn mark(&self) -> Option<PathBuf> {
        match self {
            Address::Sqlite(path) => {
                let mut name = path.as_os_str().to_owned();
                name.push(".mark");
                Some(PathBuf::from(name))
            }
            Address::Postgres(_) => None,
        }
    }

    /// The file of the database, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Address::Sqlite(path) => Some(path),
            Address::Postgres(_) => None,
        }
    }

    /// Whether several processes may serve this database at once.
    pub fn is_shared(&self) -> bool {
        matches!(self, Address::Postgres(_))
    }
}

fn bad(why: BadAddress) -> OpenError {
    OpenError::BadAddress(why)
}

fn cause(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Without the password, so that it may stand in a log or a message.
impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Sqlite(path) => write!(out, "sqlite:{}", path.display()),
            Address::Postgres(config) => {
                let host = match config.get_hosts().first() {
                    Some(Host::Tcp(name)) => name.clone(),
                    Some(Host::Unix(path)) => path.display().to_string(),
                    None => String::new(),
                };
                let port = config.get_ports().first().map(|port| format!(":{port}")).unwrap_or_default();
                let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
                write!(out, "postgres://{user}{host}{port}/{}", config.get_dbname().unwrap_or_default())
            }
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_chooses_the_engine() {
        assert!(
            matches!(Address::parse("sqlite:a/b.db").unwrap(), Address::Sqlite(p) if p == Path::new("a/b.db"))
        );
        assert!(
            matches!(Address::parse("sqlite:///a/b.db").unwrap(), Address::Sqlite(p) if p == Path::new("/a/b.db"))
        );
        assert!(matches!(Address::parse("postgresql://u@h/d").unwrap(), Address::Postgres(_)));
        for bad in [
            "",
            "sqlite:",
            "sqlite:folder/",
            "mysql://h/d",
            "amparo.db",
            "postgres://h:port/d",
            "postgres:///d",
        ] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address = Address::parse("postgres://ana:segredo@db.example:5433/amparo").unwrap();
        assert_eq!(address.to_string(), "postgres://ana@db.example:5433/amparo");
        assert!(!format!("{address:?}").contains("segredo"));
    }

    #[test]
    fn the_data_folder_is_that_of_the_file() {
        assert_eq!(
            Address::parse("sqlite:amparo-data/amparo.db").unwrap().folder(),
            Some(Path::new("amparo-data"))
        );
        assert_eq!(Address::parse("sqlite:amparo.db").unwrap().folder(), Some(Path::new(".")));
        assert_eq!(Address::parse("postgres://h/d").unwrap().folder(), None);
    }
}
