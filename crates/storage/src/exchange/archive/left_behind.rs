//! The tables that an archive leaves out.

/// Excluded tables and columns, as `table` or `table.column`, with the reason.
pub const LEFT_BEHIND: &[(&str, &str)] = &[
    ("migrations", "of the server's database"),
    ("settings", "of the server"),
    ("processes", "of the server"),
    ("key_holders", "of the server"),
    ("jobs", "of the server: what is due there is due again here"),
    ("versions", "tells processes when to reload: starts again"),
    ("login_failures", "counted by the server"),
    ("tokens", "sessions: their users sign in again"),
    ("entrances", "sign-ins in progress: their users begin again"),
    ("password_resets", "asked for again"),
    ("document_links", "addresses of the other server: what is shown here gets new ones"),
    ("idempotency_keys", "answers to requests to the other server"),
    ("imports", "undone only where they were made; what they did is in the history"),
    ("import_lines", "of an import"),
    ("import_results", "of an import"),
    ("import_problems", "of an import"),
    ("loose_files", "bytes on the other server that no file references"),
    ("charging_runs.leased_until", "of the process that worked on it there"),
    ("charging_runs.fence", "of the process that worked on it there"),
    ("leases", "of the process that delivered there"),
];

/// The excluded tables with rows of a tenant that are deleted together with it, in an order that respects references.
pub(super) const DELETED_WITH_TENANT: &[&str] = &[
    "tokens",
    "entrances",
    "password_resets",
    "document_links",
    "idempotency_keys",
    "import_problems",
    "import_results",
    "import_lines",
    "imports",
    "loose_files",
    "leases",
    "jobs",
    "login_failures",
];

/// Version numbers by which processes notice changes: they must never restart, so they are not deleted.
#[cfg(test)]
pub(super) const KEPT_WITHOUT_TENANT: &[&str] = &["versions"];
