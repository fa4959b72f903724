//! All metrics of a process, whatever emits them. Each is described and set to zero at start, so that `increase()` sees its
//! first event. Tests hold `/metrics`, docs/operations.md, the dashboard and the alert rules against this list.

use metrics::Unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

#[derive(Clone, Copy, Debug)]
pub struct MetricDescription {
    pub name: &'static str,
    pub kind: MetricKind,
    pub unit: Unit,
    pub help: &'static str,
    /// Each label with the values that exist from the start; all their combinations do.
    pub labels: &'static [(&'static str, &'static [&'static str])],
}

impl MetricDescription {
    const fn with_labels(
        mut self,
        labels: &'static [(&'static str, &'static [&'static str])],
    ) -> MetricDescription {
        self.labels = labels;
        self
    }

    /// The combinations of labels that exist from the start.
    pub fn list_series(&self) -> Vec<Vec<(&'static str, &'static str)>> {
        self.labels.iter().fold(vec![Vec::new()], |series, (label, values)| {
            let extend = |one: &Vec<_>, value: &&'static str| [&one[..], &[(*label, *value)]].concat();
            series.iter().flat_map(|one| values.iter().map(move |value| extend(one, value))).collect()
        })
    }
}

const fn describe_counter(name: &'static str, unit: Unit, help: &'static str) -> MetricDescription {
    MetricDescription { name, kind: MetricKind::Counter, unit, help, labels: &[] }
}

const fn describe_gauge(name: &'static str, unit: Unit, help: &'static str) -> MetricDescription {
    MetricDescription { name, kind: MetricKind::Gauge, unit, help, labels: &[] }
}

const fn describe_histogram(name: &'static str, unit: Unit, help: &'static str) -> MetricDescription {
    MetricDescription { name, kind: MetricKind::Histogram, unit, help, labels: &[] }
}

/// On a database file the accesses to personal data are in a file of their own; on a database server they are not.
const DATABASES: &[(&str, &[&str])] = &[("database", &["main", "activity"])];
const WORK: &[(&str, &[&str])] = &[("work", &["write", "search"])];
const DISKS: &[(&str, &[&str])] = &[("place", &["database", "attachments", "backups"])];

pub const ALL_METRICS: &[MetricDescription] = &[
    describe_gauge("amparo_build_info", Unit::Count, "Always 1; the label tells the version.")
        .with_labels(&[("version", &[env!("CARGO_PKG_VERSION")])]),
    describe_gauge("process_start_time_seconds", Unit::Seconds, "When the process started, in Unix time."),
    describe_counter("process_cpu_seconds_total", Unit::Seconds, "CPU time used, in whole seconds."),
    describe_gauge("process_resident_memory_bytes", Unit::Bytes, "Memory that is in RAM."),
    describe_gauge("process_virtual_memory_bytes", Unit::Bytes, "Address space in use."),
    describe_gauge("process_open_fds", Unit::Count, "Open files and connections."),
    describe_gauge("process_max_fds", Unit::Count, "Limit of open files and connections."),
    describe_gauge("process_threads", Unit::Count, "Threads of the process."),
    describe_gauge(
        "amparo_ready",
        Unit::Count,
        "1 while /readyz would answer 200: the database answers, writes succeed, the process is not stopping.",
    ),
    describe_counter(
        "amparo_http_requests_total",
        Unit::Count,
        "Answered requests by template of the route, method and status.",
    )
    .with_labels(&[("route", &["/readyz"]), ("method", &["GET"]), ("status", &["200"])]),
    describe_histogram(
        "amparo_http_seconds",
        Unit::Seconds,
        "Time from the headers of a request to its answer.",
    )
    .with_labels(&[("route", &["/readyz"])]),
    describe_counter("amparo_http_answers_total", Unit::Count, "Answered requests by class of the status.")
        .with_labels(&[("class", &["1xx", "2xx", "3xx", "4xx", "5xx"])]),
    describe_counter(
        "amparo_http_log_lines_dropped_total",
        Unit::Count,
        "Requests that were not logged because there were more than http.log_requests_per_second.",
    ),
    describe_gauge("amparo_http_connections", Unit::Count, "Open connections of callers."),
    describe_gauge("amparo_http_connections_limit", Unit::Count, "http.max_connections."),
    describe_counter(
        "amparo_http_connections_refused_total",
        Unit::Count,
        "Connections closed at once because their address had too many (http.max_connections_per_address).",
    ),
    describe_gauge(
        "amparo_certificate_expiry_timestamp_seconds",
        Unit::Seconds,
        "When the TLS certificate in use expires, in Unix time; 0 without TLS.",
    ),
    describe_gauge(
        "amparo_database_writable",
        Unit::Count,
        "1 if the most recent write succeeded; 0 if it failed, and before the first.",
    ),
    describe_gauge("amparo_database_size_bytes", Unit::Bytes, "Size of the database.").with_labels(DATABASES),
    describe_gauge(
        "amparo_database_log_bytes",
        Unit::Bytes,
        "Length of the write-ahead log beside a SQLite file; 0 on PostgreSQL.",
    )
    .with_labels(DATABASES),
    describe_counter(
        "amparo_database_commits_total",
        Unit::Count,
        "Transactions that this process committed.",
    ),
    describe_gauge(
        "amparo_database_clock_offset_seconds",
        Unit::Seconds,
        "By how much the clock of PostgreSQL is ahead of that of this process; 0 on SQLite.",
    ),
    describe_gauge(
        "amparo_database_waiting",
        Unit::Count,
        "Work of this process that waits for a thread (SQLite) or a connection (PostgreSQL).",
    )
    .with_labels(WORK),
    describe_gauge(
        "amparo_database_connections_used",
        Unit::Count,
        "Connections to PostgreSQL in use by this process; 0 on SQLite.",
    )
    .with_labels(WORK),
    describe_gauge(
        "amparo_database_connections_limit",
        Unit::Count,
        "storage.writers and storage.readers; 0 on SQLite.",
    )
    .with_labels(WORK),
    describe_histogram("amparo_unit_seconds", Unit::Seconds, "Time of a unit of work, with its waiting."),
    describe_histogram("amparo_batch_seconds", Unit::Seconds, "Time of a batch of units, with its commit."),
    describe_histogram("amparo_batch_units", Unit::Count, "Units of work that shared a commit."),
    describe_counter(
        "amparo_batches_repeated_total",
        Unit::Count,
        "Batches that ran again because a unit failed after it wrote.",
    ),
    describe_gauge(
        "amparo_disk_free_bytes",
        Unit::Bytes,
        "Free space of the disk of a folder; 0 if the place is no folder of this machine.",
    )
    .with_labels(DISKS),
    describe_gauge(
        "amparo_disk_size_bytes",
        Unit::Bytes,
        "Size of the disk of a folder; 0 if the place is no folder of this machine.",
    )
    .with_labels(DISKS),
    describe_gauge(
        "amparo_backup_scheduled",
        Unit::Count,
        "1 if this process makes backups by itself (backup.times).",
    ),
    describe_counter("amparo_backups_total", Unit::Count, "Backups that this process made, by result.")
        .with_labels(&[("result", &["done", "failed"])]),
    describe_gauge(
        "amparo_backup_last_success_timestamp_seconds",
        Unit::Seconds,
        "When the newest backup began, in Unix time; 0 if there is none or none is scheduled.",
    ),
    describe_counter("amparo_mails_total", Unit::Count, "Attempts to send a mail, by result.")
        .with_labels(&[("result", &["sent", "failed", "given_up"])]),
    describe_gauge("amparo_mail_queue_length", Unit::Count, "Mails that wait to be sent."),
    describe_gauge("amparo_mail_queue_age_seconds", Unit::Seconds, "Age of the oldest mail that waits."),
    describe_counter(
        "amparo_trigger_attempts_total",
        Unit::Count,
        "Attempts to deliver a trigger, by outcome.",
    )
    .with_labels(&[("outcome", &["delivered", "failed", "gone", "untried"])]),
    describe_counter(
        "amparo_trigger_exhausted_total",
        Unit::Count,
        "Triggers that no attempt delivered; they are not tried again.",
    ),
    describe_histogram(
        "amparo_trigger_first_attempt_seconds",
        Unit::Seconds,
        "Time from a change of situation to the first attempt to deliver its trigger.",
    ),
    describe_gauge(
        "amparo_trigger_queue_length",
        Unit::Count,
        "Triggers that wait, of all active receivers.",
    ),
    describe_gauge(
        "amparo_trigger_queue_age_seconds",
        Unit::Seconds,
        "Age of the oldest trigger that waits.",
    ),
    describe_gauge("amparo_trigger_receivers_failing", Unit::Count, "Active receivers that only fail."),
    describe_gauge("amparo_trigger_receivers_paused", Unit::Count, "Active receivers that are paused."),
    describe_counter("amparo_login_failures_total", Unit::Count, "Logins with a wrong password or code."),
    describe_counter("amparo_password_checks_total", Unit::Count, "Passwords that were checked."),
    describe_counter(
        "amparo_validation_misses_total",
        Unit::Count,
        "Validations without a credential that found nothing.",
    ),
    describe_counter(
        "amparo_reset_requests_dropped_total",
        Unit::Count,
        "Requests for a new password that were dropped because there were too many.",
    ),
    describe_counter(
        "amparo_access_entries_dropped_total",
        Unit::Count,
        "Entries of logins that were dropped because too many waited to be written.",
    ),
    describe_gauge(
        "amparo_access_log_backlog_bytes",
        Unit::Bytes,
        "Memory of the accesses to personal data that wait to be written.",
    ),
    describe_gauge(
        "amparo_housekeeping_last_success_timestamp_seconds",
        Unit::Seconds,
        "When housekeeping last ended in any process, in Unix time; 0 if never.",
    ),
    describe_counter("amparo_swept_rows_total", Unit::Count, "Rows and files that housekeeping deleted.")
        .with_labels(&[(
            "what",
            &[
                "expired_tokens",
                "expired_resets",
                "expired_entrances",
                "expired_links",
                "idempotency_keys",
                "sent_mail_bodies",
                "attempts",
                "known_addresses",
                "login_failures",
                "import_lines",
                "import_problems",
                "import_results",
                "cut_off_imports",
                "files",
            ],
        )]),
];
