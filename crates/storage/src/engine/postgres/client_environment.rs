//! The environment in which the server's own client programs reach the same database, protected as ours.

use super::is_loopback;
use std::path::{Path, PathBuf};
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// Where machines store the certificate authorities that they trust.
const MACHINE_AUTHORITIES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// Variables for `pg_dump` and `pg_restore`: unlike arguments, other users of the machine cannot read them.
pub fn build_client_environment(
    config: &tokio_postgres::Config,
    ca_file: Option<&Path>,
) -> Vec<(&'static str, String)> {
    let join = |texts: Vec<String>| texts.join(",");
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    });
    let mut variables = vec![("PGAPPNAME", "amparo".to_owned()), ("PGHOST", join(hosts.collect()))];
    let ports = config.get_ports();
    if !ports.is_empty() {
        variables.push(("PGPORT", join(ports.iter().map(u16::to_string).collect())));
    }
    let addresses = config.get_hostaddrs();
    if !addresses.is_empty() {
        variables.push(("PGHOSTADDR", join(addresses.iter().map(ToString::to_string).collect())));
    }
    if let Some(user) = config.get_user() {
        variables.push(("PGUSER", user.to_owned()));
    }
    if let Some(password) = config.get_password() {
        variables.push(("PGPASSWORD", String::from_utf8_lossy(password).into_owned()));
    }
    if let Some(name) = config.get_dbname().or(config.get_user()) {
        variables.push(("PGDATABASE", name.to_owned()));
    }
    if let Some(options) = config.get_options() {
        variables.push(("PGOPTIONS", options.to_owned()));
    }
    if config.get_target_session_attrs() == TargetSessionAttrs::ReadWrite {
        variables.push(("PGTARGETSESSIONATTRS", "read-write".to_owned()));
    }
    let mut targets = config.get_hosts().iter().enumerate();
    let is_local = targets.all(|(place, host)| is_loopback(host, addresses.get(place).copied()));
    let mode = match config.get_ssl_mode() {
        SslMode::Disable => "disable",
        SslMode::Prefer if is_local => "prefer",
        _ => "verify-full",
    };
    variables.push(("PGSSLMODE", mode.to_owned()));
    let machine = || MACHINE_AUTHORITIES.iter().map(PathBuf::from).find(|file| file.exists());
    if mode == "verify-full"
        && let Some(file) = ca_file.map(Path::to_owned).or_else(machine)
    {
        variables.push(("PGSSLROOTCERT", file.display().to_string()));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(address: &str) -> Vec<(&'static str, String)> {
        build_client_environment(&address.parse().unwrap(), Some(Path::new("/ca.pem")))
    }

    #[test]
    fn the_programs_reach_the_same_server_with_the_same_protection() {
        let found = variables(
            "postgres://ana:se%40do@um.example:5433,dois.example:5434/amparo?target_session_attrs=read-write",
        );
        for (name, value) in [
            ("PGHOST", "um.example,dois.example"),
            ("PGPORT", "5433,5434"),
            ("PGUSER", "ana"),
            ("PGPASSWORD", "se@do"),
            ("PGDATABASE", "amparo"),
            ("PGTARGETSESSIONATTRS", "read-write"),
            ("PGSSLMODE", "verify-full"),
            ("PGSSLROOTCERT", "/ca.pem"),
        ] {
            assert!(found.contains(&(name, value.to_owned())), "{name}: {found:?}");
        }
        let mode =
            |address: &str| variables(address).into_iter().find(|(name, _)| *name == "PGSSLMODE").unwrap().1;
        assert_eq!(mode("postgres://u@localhost/d"), "prefer");
        assert_eq!(mode("postgres://u@%2Frun%2Fpostgresql/d"), "prefer");
        assert_eq!(mode("postgres://u@localhost/d?sslmode=require"), "verify-full");
        assert_eq!(mode("postgres://u@db.example/d?sslmode=disable"), "disable");
    }
}
