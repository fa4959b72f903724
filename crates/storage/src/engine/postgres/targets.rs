//! The hosts of an address, each with its encryption mode. Unencrypted connections are allowed by default only within
//! this machine.

use super::handshake::{EncryptionMode, ServerHandshake};
use std::net::IpAddr;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};
use tokio_postgres_rustls::MakeRustlsConnect;

/// A host with its connection settings.
pub struct ConnectionTarget {
    pub config: Config,
    pub handshake: ServerHandshake,
}

/// The hosts of an address, in order. `tls` verifies certificates; `direct_tls` also announces the protocol (ALPN).
pub fn build_targets(
    config: &Config,
    tls: &MakeRustlsConnect,
    direct_tls: &MakeRustlsConnect,
) -> Vec<ConnectionTarget> {
    let each = config.get_hosts().iter().enumerate().map(|(place, host)| {
        let address = config.get_hostaddrs().get(place).copied();
        let port = config.get_ports().get(place).or_else(|| config.get_ports().first()).copied();
        let encryption = choose_encryption(config, host, address);
        let mut host_config = copy_without_hosts(config);
        host_config.port(port.unwrap_or(5432));
        match host {
            Host::Tcp(name) => host_config.host(name),
            Host::Unix(folder) => host_config.host_path(folder),
        };
        if let Some(address) = address {
            host_config.hostaddr(address);
        }
        match encryption {
            EncryptionMode::Unavailable => host_config.ssl_mode(SslMode::Disable),
            // Passes the raw stream to our own handshake.
            _ => host_config.ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct),
        };
        let tls = if encryption == EncryptionMode::Immediate { direct_tls } else { tls };
        ConnectionTarget { config: host_config, handshake: ServerHandshake::new(tls.clone(), encryption) }
    });
    each.collect()
}

fn choose_encryption(config: &Config, host: &Host, address: Option<IpAddr>) -> EncryptionMode {
    match (host, config.get_ssl_mode()) {
        (Host::Unix(_), _) => EncryptionMode::Unavailable,
        (_, SslMode::Disable) => EncryptionMode::Declined,
        _ if config.get_ssl_negotiation() == SslNegotiation::Direct => EncryptionMode::Immediate,
        (_, SslMode::Prefer) if is_loopback(host, address) => EncryptionMode::Preferred,
        _ => EncryptionMode::Required,
    }
}

/// Whether the host is certainly this machine. A name other than `localhost` may resolve to anything later.
pub fn is_loopback(host: &Host, address: Option<IpAddr>) -> bool {
    let Host::Tcp(name) = host else { return true };
    match address.or_else(|| name.parse().ok()) {
        Some(address) => address.to_canonical().is_loopback(),
        None => name.eq_ignore_ascii_case("localhost"),
    }
}

/// The driver can add hosts to a configuration, but not remove them.
fn copy_without_hosts(config: &Config) -> Config {
    let mut copy = Config::new();
    if let Some(user) = config.get_user() {
        copy.user(user);
    }
    if let Some(password) = config.get_password() {
        copy.password(password);
    }
    if let Some(name) = config.get_dbname() {
        copy.dbname(name);
    }
    if let Some(options) = config.get_options() {
        copy.options(options);
    }
    if let Some(name) = config.get_application_name() {
        copy.application_name(name);
    }
    if let Some(timeout) = config.get_connect_timeout() {
        copy.connect_timeout(*timeout);
    }
    if let Some(timeout) = config.get_tcp_user_timeout() {
        copy.tcp_user_timeout(*timeout);
    }
    copy.keepalives(config.get_keepalives()).keepalives_idle(config.get_keepalives_idle());
    if let Some(interval) = config.get_keepalives_interval() {
        copy.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        copy.keepalives_retries(retries);
    }
    copy.target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding())
        .load_balance_hosts(config.get_load_balance_hosts());
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(address: &str) -> Vec<EncryptionMode> {
        let config: Config = address.parse().unwrap();
        let hosts = config.get_hosts().iter().enumerate();
        hosts
            .map(|(place, host)| choose_encryption(&config, host, config.get_hostaddrs().get(place).copied()))
            .collect()
    }

    #[test]
    fn only_this_machine_is_talked_to_in_clear_without_being_told_to() {
        use EncryptionMode::{Declined, Immediate, Preferred, Required, Unavailable};
        for (address, expected) in [
            ("postgres://u@127.0.0.1/d", vec![Preferred]),
            ("postgres://u@127.8.9.1/d", vec![Preferred]),
            ("postgres://u@[::1]/d", vec![Preferred]),
            ("postgres://u@LOCALHOST/d", vec![Preferred]),
            ("postgres://u@%2Frun%2Fpostgresql/d", vec![Unavailable]),
            ("postgres://u@db.example/d", vec![Required]),
            ("postgres://u@10.0.0.7/d", vec![Required]),
            ("postgres://u@localhost.example/d", vec![Required]),
            ("postgres://u@localhost/d?hostaddr=10.0.0.7", vec![Required]),
            ("postgres://u@db.example/d?hostaddr=127.0.0.1", vec![Preferred]),
            ("postgres://u@localhost/d?sslmode=require", vec![Required]),
            ("postgres://u@db.example/d?sslmode=disable", vec![Declined]),
            ("postgres://u@db.example/d?sslmode=require&sslnegotiation=direct", vec![Immediate]),
            ("postgres://u@127.0.0.1:1,db.example:2/d", vec![Preferred, Required]),
            ("postgres://u@%2Frun,db.example/d", vec![Unavailable, Required]),
        ] {
            assert_eq!(begins(address), expected, "{address}");
        }
    }
}
