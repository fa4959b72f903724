//! The typed settings by section, and their validation. `config.default.toml` explains them.

use super::duration;
use super::error::SettingsError;
use super::layers::EffectiveSettings;
use api::{ConnectionLimits, HttpOptions, MetricsToken, RequestLogMode, RequestLogOptions};
use app::access::Throttle;
use delivery::mail::{SenderAddress, SmtpServer};
use delivery::triggers::{address_guard::AddressGuard, dispatch_settings::DispatchSettings};
use domain::RetryPolicy;
use ipnet::IpNet;
use std::fmt;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const CONNECTIONS: RangeInclusive<i64> = 1..=1_000_000;
const LANES: RangeInclusive<i64> = 1..=1024;
const LANES_OR_AUTOMATIC: RangeInclusive<i64> = 0..=1024;
const MIB: RangeInclusive<i64> = 1..=1_048_576;
const MIB_OR_NONE: RangeInclusive<i64> = 0..=1_048_576;
const FAILURES: RangeInclusive<i64> = 1..=1_000_000;
const IN_HAND: RangeInclusive<i64> = 1..=100_000;
const LOG_LINES: RangeInclusive<i64> = 1..=1_000_000;
const DAYS: RangeInclusive<i64> = 0..=36_500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

impl LogFormat {
    pub(super) fn read(values: &EffectiveSettings) -> Result<LogFormat, SettingsError> {
        match values.text("log") {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err(values.refuse("log", "text ou json")),
        }
    }
}

/// A level, or a filter in which every part names one. A word that is not a level would count as the name of a module,
/// and silence everything else.
pub(super) fn read_log_level(values: &EffectiveSettings) -> Result<String, SettingsError> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word.trim()));
    let text = values.text("log_level");
    let is_fine = text.split(',').all(|part| match part.rsplit_once('=') {
        Some((target, level)) => !target.trim().is_empty() && is_level(level),
        None => is_level(part),
    });
    if is_fine {
        return Ok(text.to_owned());
    }
    Err(values.refuse(
        "log_level",
        "error, warn, info, debug, trace ou off, ou um filtro como info,amparo_storage=debug",
    ))
}

/// Checks only the kind of address; `storage::DatabaseAddress` parses the rest.
pub(super) fn read_database_address(values: &EffectiveSettings) -> Result<String, SettingsError> {
    let text = values.text("database");
    if ["sqlite:", "postgres://", "postgresql://"].iter().any(|kind| text.starts_with(kind)) {
        return Ok(text.to_owned());
    }
    Err(values.refuse("database", "sqlite:CAMINHO ou postgres://usuário:senha@servidor/base"))
}

/// `None`: the address the server listens on. Without a trailing slash, so that a path can be appended.
pub(super) fn read_public_url(values: &EffectiveSettings) -> Result<Option<String>, SettingsError> {
    let text = values.text("public_url").trim_end_matches('/');
    let place = text.strip_prefix("https://").or(text.strip_prefix("http://"));
    let is_fine = |place: &str| {
        let (host, path) = place.split_once('/').unwrap_or((place, ""));
        let odd = |c: char| c.is_whitespace() || c.is_control() || "\"'<>@?#\\".contains(c);
        !host.is_empty() && !host.contains(odd) && !path.contains(odd)
    };
    match (text, place) {
        ("", _) => Ok(None),
        (text, Some(place)) if is_fine(place) => Ok(Some(text.to_owned())),
        _ => Err(values.refuse("public_url", "algo como https://amparo.exemplo.com.br")),
    }
}

pub struct MailSettings {
    /// `None`: mails are written to files.
    pub smtp: Option<SmtpServer>,
    pub from: SenderAddress,
    /// `None`: `mails` in the folder of the database or of the key.
    pub folder: Option<PathBuf>,
    pub interval: Duration,
}

impl MailSettings {
    pub(super) fn read(values: &EffectiveSettings) -> Result<MailSettings, SettingsError> {
        const SMTP: &str = "smtps://usuario:senha@servidor:465 ou \
                            smtp://usuario:senha@servidor:587?tls=required, com @ escrito como %40 na senha";
        let smtp = match values.text("mail.smtp") {
            "" => None,
            url => Some(SmtpServer::parse(url).map_err(|_| values.refuse("mail.smtp", SMTP))?),
        };
        let sender = SenderAddress::parse(values.text("mail.from"));
        Ok(MailSettings {
            smtp,
            from: sender
                .ok_or_else(|| values.refuse("mail.from", "algo como Amparo <amparo@exemplo.com.br>"))?,
            folder: values.path("mail.folder"),
            interval: values.duration("mail.interval")?,
        })
    }
}

/// Hides the mail server's credentials.
impl fmt::Debug for MailSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MailSettings { smtp, from, folder, interval } = self;
        write!(out, "{:?}", (smtp.as_ref().map(SmtpServer::host), from, folder, interval))
    }
}

#[derive(Clone, Debug)]
pub struct HttpSettings {
    pub limits: ConnectionLimits,
    pub http: HttpOptions,
    /// How long the server keeps serving after the stop signal while it reports that it is not ready.
    pub drain: Duration,
    /// The largest import file.
    pub import_mib: u64,
    /// 0: no limit.
    pub user_requests_per_second: u32,
}

impl HttpSettings {
    pub(super) fn read(values: &EffectiveSettings) -> Result<HttpSettings, SettingsError> {
        Ok(HttpSettings {
            limits: ConnectionLimits {
                max_connections: values.integer("http.max_connections", CONNECTIONS)?,
                max_per_address: values.integer("http.max_connections_per_address", CONNECTIONS)?,
                header_timeout: values.duration("http.header_timeout")?,
                shutdown_timeout: values.duration("http.shutdown_timeout")?,
            },
            http: HttpOptions {
                prefix: read_path_prefix(values)?,
                accepts_any_ext_prefix: values.boolean("http.any_ext_prefix"),
                trusted_proxies: read_networks(values, "http.trusted_proxies")?,
                origins: values.list("http.cors_origins").into_iter().map(str::to_owned).collect(),
                metrics_from: read_networks(values, "http.metrics_from")?,
                metrics_token: Some(values.text("http.metrics_token").trim())
                    .filter(|token| !token.is_empty())
                    .map(|token| MetricsToken::new(token.to_owned())),
                is_behind_local_proxy: is_behind_local_proxy(values)?,
                body_timeout: values.duration("http.body_timeout")?,
                is_strict: values.path("tls.cert_file").is_some(),
                request_log: RequestLogOptions {
                    mode: read_request_log_mode(values)?,
                    lines_per_second: values.integer("http.log_requests_per_second", LOG_LINES)?,
                },
            },
            drain: values.optional_duration("http.drain")?.unwrap_or_default(),
            import_mib: values.integer("http.import_mib", 1..=1024)?,
            user_requests_per_second: values.integer("http.user_requests_per_second", 0..=1_000_000)?,
        })
    }
}

fn read_request_log_mode(values: &EffectiveSettings) -> Result<RequestLogMode, SettingsError> {
    match values.text("http.log_requests") {
        "all" => Ok(RequestLogMode::All),
        "errors" => Ok(RequestLogMode::Errors),
        "none" => Ok(RequestLogMode::None),
        _ => Err(values.refuse("http.log_requests", "all, errors ou none")),
    }
}

/// The public URL is another address and the server listens only on this machine, so a local proxy forwards the
/// requests.
fn is_behind_local_proxy(values: &EffectiveSettings) -> Result<bool, SettingsError> {
    let is_local = |host: &str| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|at| at.is_loopback())
    };
    let host_of = |place: &str| match place.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host.to_owned(),
        _ => place.to_owned(),
    };
    let listens_here = is_local(&host_of(values.text("listen")));
    let public = read_public_url(values)?;
    let place =
        public.as_deref().and_then(|url| url.split("://").nth(1)).and_then(|rest| rest.split('/').next());
    Ok(listens_here && place.is_some_and(|place| !is_local(&host_of(place))))
}

fn read_path_prefix(values: &EffectiveSettings) -> Result<String, SettingsError> {
    const KEY: &str = "http.path_prefix";
    let text = values.text(KEY).trim_end_matches('/');
    let is_path = text.starts_with('/') && !text.contains("//") && !text.contains(['?', '#', ' ', '%']);
    if text.is_empty() || is_path {
        Ok(text.to_owned())
    } else {
        Err(values.refuse(KEY, "um caminho como /amparo"))
    }
}

/// A network, or a single address as a network of its own.
fn read_networks(values: &EffectiveSettings, key: &str) -> Result<Vec<IpNet>, SettingsError> {
    let network = |text: &str| text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    let read: Option<Vec<IpNet>> = values.list(key).into_iter().map(network).collect();
    read.ok_or_else(|| values.refuse(key, "redes como 10.0.0.0/8 ou endereços como 127.0.0.1"))
}

#[derive(Clone, Debug)]
pub struct TlsSettings {
    pub cert_file: Option<PathBuf>,
    pub key_file: Option<PathBuf>,
    pub self_signed: bool,
    pub renew_interval: Duration,
}

impl TlsSettings {
    pub fn is_enabled(&self) -> bool {
        self.self_signed || self.cert_file.is_some()
    }

    pub(super) fn read(values: &EffectiveSettings) -> Result<TlsSettings, SettingsError> {
        Ok(TlsSettings {
            cert_file: values.path("tls.cert_file"),
            key_file: values.path("tls.key_file"),
            self_signed: values.boolean("tls.self_signed"),
            renew_interval: values.duration("tls.renew_interval")?,
        })
    }
}

#[derive(Clone, Debug)]
pub struct AccessSettings {
    pub throttle: Throttle,
    /// The idle timeout of a console session; `None`: no separate limit.
    pub console_idle: Option<Duration>,
    pub renew_interval: Duration,
    pub audit_interval: Duration,
}

impl AccessSettings {
    pub(super) fn read(values: &EffectiveSettings) -> Result<AccessSettings, SettingsError> {
        Ok(AccessSettings {
            throttle: Throttle {
                by_account: values.integer("access.account_failures", FAILURES)?,
                by_address: values.integer("access.address_failures", FAILURES)?,
                misses: values.integer("access.validation_misses", FAILURES)?,
                lookups: values.integer("access.validation_lookups", FAILURES)?,
                link_misses: values.integer("access.link_misses", FAILURES)?,
                link_openings: values.integer("access.link_openings", FAILURES)?,
                record_lookups: values.integer("access.validation_record_lookups", FAILURES)?,
                document_misses: values.integer("access.validation_document_misses", FAILURES)?,
                window: values.duration("access.failure_window")?,
            },
            console_idle: values.optional_duration("access.console_idle")?,
            renew_interval: values.duration("access.renew_interval")?,
            audit_interval: values.duration("access.audit_interval")?,
        })
    }
}

#[derive(Clone, Debug)]
pub struct StorageSettings {
    options: storage::DatabaseOptions,
    /// Statements that take longer are logged; `None`: none.
    pub slow_statement: Option<Duration>,
}

impl StorageSettings {
    pub fn options(&self) -> storage::DatabaseOptions {
        self.options.clone()
    }

    pub(super) fn read(values: &EffectiveSettings) -> Result<StorageSettings, SettingsError> {
        let options = storage::DatabaseOptions {
            readers: read_lanes(values, "storage.readers")?,
            cache_mib: values.integer("storage.cache_mib", MIB)?,
            mmap_mib: values.integer("storage.mmap_mib", MIB_OR_NONE)?,
            writers: values.integer("storage.writers", LANES)?,
            points: read_lanes(values, "storage.points")?,
            connect_timeout: values.duration("storage.connect_timeout")?,
            point_timeout: values.duration("storage.point_timeout")?,
            search_timeout: values.duration("storage.search_timeout")?,
            unit_timeout: values.duration("storage.unit_timeout")?,
            ca_file: values.path("storage.ca_file"),
            ..storage::DatabaseOptions::default()
        };
        Ok(StorageSettings { options, slow_statement: values.optional_duration("storage.slow_statement")? })
    }
}

/// A number of concurrent reads; zero leaves it to the machine.
fn read_lanes(values: &EffectiveSettings, key: &str) -> Result<usize, SettingsError> {
    let lanes = values.integer(key, LANES_OR_AUTOMATIC)?;
    Ok(if lanes == 0 { storage::count_lanes_for_machine() } else { lanes })
}

impl TriggerSettings {
    pub(super) fn read(values: &EffectiveSettings) -> Result<TriggerSettings, SettingsError> {
        let waits = values.list("triggers.retries").into_iter().map(duration::parse_duration).collect();
        let waits: Option<Vec<Duration>> = waits;
        let policy = RetryPolicy {
            waits: waits.ok_or_else(|| {
                values.refuse("triggers.retries", "durações de 1ms a 7d, como [\"5s\", \"5m\", \"30m\"]")
            })?,
            probe: values.duration("triggers.probe_interval")?,
            pause_after: values.duration("triggers.pause_after")?,
        };
        let hosts = values.list("triggers.allowed_hosts").into_iter().map(str::to_owned);
        let settings = DispatchSettings {
            interval: values.duration("triggers.interval")?,
            timeout: values.duration("triggers.timeout")?,
            lease: values.duration("triggers.lease")?,
            policy: Arc::new(policy),
            guard: AddressGuard::new(hosts),
            most: values.integer("triggers.in_hand", IN_HAND)?,
        };
        if settings.lease < settings.timeout * 2 {
            return Err(values.refuse("triggers.lease", "ao menos o dobro de triggers.timeout"));
        }
        let worker_listen = Some(values.text("triggers.worker_listen")).filter(|text| !text.is_empty());
        Ok(TriggerSettings { delivery: settings, worker_listen: worker_listen.map(str::to_owned) })
    }
}

#[derive(Clone, Debug)]
pub struct TriggerSettings {
    pub delivery: DispatchSettings,
    /// The monitoring address of a worker; `None`: no monitoring.
    pub worker_listen: Option<String>,
}

#[derive(Clone, Debug)]
pub struct HousekeepingSettings {
    pub interval: Duration,
    pub heartbeat: Duration,
    pub tokens_days: u32,
    pub idempotency_days: u32,
    pub mail_body_days: u32,
    pub attempts_days: u32,
    pub removed_files_days: u32,
}

impl HousekeepingSettings {
    pub(super) fn read(values: &EffectiveSettings) -> Result<HousekeepingSettings, SettingsError> {
        Ok(HousekeepingSettings {
            interval: values.duration("housekeeping.interval")?,
            heartbeat: values.duration("housekeeping.heartbeat")?,
            tokens_days: values.integer("housekeeping.tokens_days", DAYS)?,
            idempotency_days: values.integer("housekeeping.idempotency_days", 1..=*DAYS.end())?,
            mail_body_days: values.integer("housekeeping.mail_body_days", DAYS)?,
            attempts_days: values.integer("housekeeping.attempts_days", DAYS)?,
            removed_files_days: values.integer("housekeeping.removed_files_days", 1..=*DAYS.end())?,
        })
    }
}
