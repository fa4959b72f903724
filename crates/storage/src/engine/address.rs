//! The address of a database: `sqlite:PATH` or `postgres://…`.

use crate::{AddressProblem, OpenError};
use std::fmt;
use std::path::{Path, PathBuf};
use tokio_postgres::config::Host;

#[derive(Clone)]
pub enum DatabaseAddress {
    Sqlite(PathBuf),
    Postgres(Box<tokio_postgres::Config>),
}

impl DatabaseAddress {
    pub fn parse(text: &str) -> Result<DatabaseAddress, OpenError> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() || path.ends_with('/') {
                return Err(refuse_address(AddressProblem::NoFile));
            }
            return Ok(DatabaseAddress::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            let (text, is_weak) = normalize_sslmode(text);
            let config: tokio_postgres::Config = text.parse().map_err(|error: tokio_postgres::Error| {
                refuse_address(AddressProblem::Other(describe_cause(&error)))
            })?;
            if config.get_hosts().is_empty() {
                return Err(refuse_address(AddressProblem::NoHost));
            }
            // The driver ends the password at the first `@`; the rest would become part of the host and be logged.
            let host_and_more = |host: &Host| matches!(host, Host::Tcp(name) if name.contains('@'));
            if config.get_hosts().iter().any(host_and_more) {
                return Err(refuse_address(AddressProblem::Unescaped));
            }
            if is_weak && !is_within_this_machine(&config) {
                return Err(refuse_address(AddressProblem::WeakProtection));
            }
            return Ok(DatabaseAddress::Postgres(Box::new(config)));
        }
        Err(refuse_address(AddressProblem::Scheme))
    }

    /// The folder of the database file, for files stored next to it; `None` for a database server.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            DatabaseAddress::Sqlite(path) => {
                Some(path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")))
            }
            DatabaseAddress::Postgres(_) => None,
        }
    }

    /// The file next to the database that reveals a restored older copy; `None` for a database server, which reveals
    /// it itself.
    pub fn mark_path(&self) -> Option<PathBuf> {
        match self {
            DatabaseAddress::Sqlite(path) => {
                let mut name = path.as_os_str().to_owned();
                name.push(".mark");
                Some(PathBuf::from(name))
            }
            DatabaseAddress::Postgres(_) => None,
        }
    }

    /// The path of the database file; `None` for a database server.
    pub fn file_path(&self) -> Option<&Path> {
        match self {
            DatabaseAddress::Sqlite(path) => Some(path),
            DatabaseAddress::Postgres(_) => None,
        }
    }

    /// Whether several processes may serve this database at once.
    pub fn is_shared(&self) -> bool {
        matches!(self, DatabaseAddress::Postgres(_))
    }
}

/// Rewrites the address for the driver, and returns whether it requests an encryption that a man in the middle can
/// strip. Certificates and host names are always verified, so the stricter modes are equivalent to `require`.
fn normalize_sslmode(text: &str) -> (String, bool) {
    // The parameters start after the user and password, which the driver ends at the first `@`.
    let host = text.find('@').map_or(0, |at| at + 1);
    let Some(parameters) = text[host..].find('?').map(|at| host + at + 1) else {
        return (text.to_owned(), false);
    };
    let mut is_weak = false;
    let each = text[parameters..].split('&').map(|parameter| match parameter.strip_prefix("sslmode=") {
        None => parameter,
        Some(mode) => {
            is_weak = matches!(mode, "allow" | "prefer");
            match mode {
                "verify-ca" | "verify-full" => "sslmode=require",
                "allow" => "sslmode=prefer",
                _ => parameter,
            }
        }
    });
    let known = each.collect::<Vec<_>>().join("&");
    (format!("{}{known}", &text[..parameters]), is_weak)
}

fn is_within_this_machine(config: &tokio_postgres::Config) -> bool {
    let addresses = config.get_hostaddrs();
    let mut hosts = config.get_hosts().iter().enumerate();
    hosts.all(|(place, host)| super::postgres::is_loopback(host, addresses.get(place).copied()))
}

fn refuse_address(problem: AddressProblem) -> OpenError {
    OpenError::BadAddress(problem)
}

fn describe_cause(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Omits the password, so that it is safe in logs and messages.
impl fmt::Display for DatabaseAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseAddress::Sqlite(path) => write!(out, "sqlite:{}", path.display()),
            DatabaseAddress::Postgres(config) => {
                let ports = config.get_ports();
                let hosts = config.get_hosts().iter().enumerate().map(|(place, host)| {
                    let port = ports.get(place).or(ports.first());
                    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
                    match host {
                        Host::Tcp(name) => format!("{name}{port}"),
                        Host::Unix(path) => format!("{}{port}", path.display()),
                    }
                });
                let hosts = hosts.collect::<Vec<_>>().join(",");
                let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
                write!(out, "postgres://{user}{hosts}/{}", config.get_dbname().unwrap_or_default())
            }
        }
    }
}

impl fmt::Debug for DatabaseAddress {
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
            matches!(DatabaseAddress::parse("sqlite:a/b.db").unwrap(), DatabaseAddress::Sqlite(p) if p == Path::new("a/b.db"))
        );
        assert!(
            matches!(DatabaseAddress::parse("sqlite:///a/b.db").unwrap(), DatabaseAddress::Sqlite(p) if p == Path::new("/a/b.db"))
        );
        assert!(matches!(
            DatabaseAddress::parse("postgresql://u@h/d").unwrap(),
            DatabaseAddress::Postgres(_)
        ));
        for bad in [
            "",
            "sqlite:",
            "sqlite:folder/",
            "mysql://h/d",
            "amparo.db",
            "postgres://h:port/d",
            "postgres:///d",
        ] {
            assert!(DatabaseAddress::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address = DatabaseAddress::parse("postgres://ana:segredo@db.example:5433/amparo").unwrap();
        assert_eq!(address.to_string(), "postgres://ana@db.example:5433/amparo");
        assert!(!format!("{address:?}").contains("segredo"));
    }

    #[test]
    fn a_protection_that_can_be_stripped_is_refused_for_a_host_elsewhere() {
        for address in [
            "postgres://u:p@db.example/d?sslmode=prefer",
            "postgres://u:p@db.example/d?connect_timeout=3&sslmode=allow",
            "postgres://u:p@127.0.0.1,db.example/d?sslmode=prefer",
            "postgres://u:p@localhost/d?sslmode=prefer&hostaddr=10.0.0.7",
        ] {
            let refused = DatabaseAddress::parse(address).unwrap_err();
            assert!(
                matches!(refused, OpenError::BadAddress(AddressProblem::WeakProtection)),
                "{address}: {refused:?}"
            );
        }
        for address in [
            "postgres://u:p@db.example/d",
            "postgres://u:p@db.example/d?sslmode=disable",
            "postgres://u:p@localhost/d?sslmode=prefer",
            "postgres://u:p@127.0.0.1/d?sslmode=allow",
            "postgres://u:p@%2Frun%2Fpostgresql/d?sslmode=prefer",
        ] {
            assert!(DatabaseAddress::parse(address).is_ok(), "{address}");
        }
    }

    #[test]
    fn the_stricter_modes_of_other_programs_are_understood() {
        use tokio_postgres::config::SslMode;
        for mode in ["require", "verify-ca", "verify-full"] {
            // A question mark in the password does not start the parameters.
            let address = format!("postgres://u:p?sslmode=disable@db.example/d?a=b&sslmode={mode}");
            let address = address.replace("a=b", "application_name=x");
            let DatabaseAddress::Postgres(config) = DatabaseAddress::parse(&address).unwrap() else {
                panic!("a server")
            };
            assert_eq!(config.get_ssl_mode(), SslMode::Require, "{mode}");
            assert_eq!(config.get_password(), Some(&b"p?sslmode=disable"[..]));
        }
        assert!(DatabaseAddress::parse("postgres://u@db.example/d?sslmode=verify").is_err());
    }

    #[test]
    fn every_host_of_an_address_is_shown() {
        let address =
            DatabaseAddress::parse("postgres://ana:s@um.example:5433,dois.example:5434/amparo").unwrap();
        assert_eq!(address.to_string(), "postgres://ana@um.example:5433,dois.example:5434/amparo");
    }

    #[test]
    fn the_data_folder_is_that_of_the_file() {
        assert_eq!(
            DatabaseAddress::parse("sqlite:amparo-data/amparo.db").unwrap().folder(),
            Some(Path::new("amparo-data"))
        );
        assert_eq!(DatabaseAddress::parse("sqlite:amparo.db").unwrap().folder(), Some(Path::new(".")));
        assert_eq!(DatabaseAddress::parse("postgres://h/d").unwrap().folder(), None);
    }
}
