-- The tables that everything later stands on. Keys lead with the tenant; only what belongs to the server by its
-- nature does not: migrations, settings, processes, hosts, logins. Tenant 0 is the server itself.
-- Instants are milliseconds UTC, money is cents, calendar days are 'yyyy-MM-dd'.

CREATE TABLE migrations (
    version BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL
) CLUSTERED;

CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) CLUSTERED;

-- Who serves this database now; a process that stops, or is not seen for a while, is gone.
CREATE TABLE processes (
    process TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
) CLUSTERED;

CREATE TABLE tenants (
    tenant BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) CLUSTERED;

CREATE TABLE hosts (
    host TEXT NOT NULL PRIMARY KEY,
    tenant BIGINT NOT NULL REFERENCES tenants (tenant)
) CLUSTERED;

-- Codes, sequence numbers and protocols: the last one given, for each kind.
CREATE TABLE counters (
    tenant BIGINT NOT NULL,
    kind TEXT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (tenant, kind)
) CLUSTERED;

CREATE TABLE branches (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE TABLE users (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    role BIGINT NOT NULL,
    password_hash TEXT NOT NULL,
    must_change_password BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

-- The login, unique in the server: which user of which tenant an e-mail address belongs to.
CREATE TABLE logins (
    email TEXT NOT NULL PRIMARY KEY,
    tenant BIGINT NOT NULL,
    user_code BIGINT NOT NULL,
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code)
) CLUSTERED;

CREATE TABLE user_branches (
    tenant BIGINT NOT NULL,
    user_code BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    PRIMARY KEY (tenant, user_code, branch),
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code)
) CLUSTERED;

-- Only the hash of a token is kept.
CREATE TABLE tokens (
    tenant BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    user_code BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, hash),
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code)
) CLUSTERED;
CREATE INDEX tokens_by_expiry ON tokens (tenant, expires_at);
CREATE INDEX tokens_by_user ON tokens (tenant, user_code);

-- Secrets that must be read again (of receivers, of second factors), encrypted with the server's key.
CREATE TABLE secrets (
    tenant BIGINT NOT NULL,
    kind TEXT NOT NULL,
    code BIGINT NOT NULL,
    sealed BYTEA NOT NULL,
    PRIMARY KEY (tenant, kind, code)
) CLUSTERED;

CREATE TABLE situations (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    entity BIGINT NOT NULL,
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    kind BIGINT NOT NULL,
    colour TEXT NOT NULL,
    is_default BOOLEAN NOT NULL,
    position BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;
CREATE UNIQUE INDEX situations_by_name ON situations (tenant, entity, folded_name);

CREATE TABLE plans (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    benefit_kind BIGINT NOT NULL,
    price BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

-- Every change of situation, with the trigger's body as it was rendered then. The code is the feed's cursor.
CREATE TABLE history (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    entity BIGINT NOT NULL,
    record BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    happened_at BIGINT NOT NULL,
    from_situation BIGINT,
    to_situation BIGINT NOT NULL,
    user_code BIGINT,
    reason TEXT,
    origin TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant, code)
);
CREATE INDEX history_by_record ON history (tenant, entity, record, code);

-- What is still to be delivered: one row for each receiver of a change.
CREATE TABLE outbox (
    tenant BIGINT NOT NULL,
    receiver BIGINT NOT NULL,
    history_code BIGINT NOT NULL,
    entity BIGINT NOT NULL,
    record BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, receiver, history_code)
) CLUSTERED;

-- What was tried, and what came of it.
CREATE TABLE attempts (
    tenant BIGINT NOT NULL,
    receiver BIGINT NOT NULL,
    history_code BIGINT NOT NULL,
    number BIGINT NOT NULL,
    tried_at BIGINT NOT NULL,
    status BIGINT,
    millis BIGINT NOT NULL,
    answer TEXT,
    PRIMARY KEY (tenant, receiver, history_code, number)
) CLUSTERED;
CREATE INDEX attempts_by_time ON attempts (tenant, tried_at);

-- One row for each row of the searches, with everything they filter by. The slot only grows.
CREATE TABLE listing (
    tenant BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    person BIGINT NOT NULL,
    benefit BIGINT,
    situation BIGINT,
    document TEXT NOT NULL,
    company_document TEXT,
    plate_key TEXT,
    chassis TEXT,
    consultant BIGINT,
    representative BIGINT,
    state TEXT,
    born_on TEXT,
    registered_on TEXT NOT NULL,
    updated_on TEXT NOT NULL,
    PRIMARY KEY (tenant, slot)
) CLUSTERED;
CREATE INDEX listing_by_branch ON listing (tenant, branch, situation, slot);
CREATE INDEX listing_by_person ON listing (tenant, person, slot);
CREATE INDEX listing_by_document ON listing (tenant, document, slot);
CREATE INDEX listing_by_plate ON listing (tenant, plate_key, slot);
CREATE INDEX listing_by_chassis ON listing (tenant, chassis, slot);

-- How many rows of each branch and situation stand in each block, over slots and over benefit codes.
CREATE TABLE listing_tally (
    tenant BIGINT NOT NULL,
    ordering BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    situation BIGINT NOT NULL,
    block BIGINT NOT NULL,
    rows BIGINT NOT NULL,
    PRIMARY KEY (tenant, ordering, branch, situation, block)
) CLUSTERED;

-- Answers kept for callers that repeat themselves.
CREATE TABLE idempotency_keys (
    tenant BIGINT NOT NULL,
    user_code BIGINT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash BYTEA NOT NULL,
    status BIGINT NOT NULL,
    content_type TEXT NOT NULL,
    answer BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, user_code, operation, key)
) CLUSTERED;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (tenant, created_at);

-- Mail on its way; its body goes some days after it was sent, the fact that it was sent stays. There is no HTML
-- without a text.
CREATE TABLE mails (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    text_body TEXT,
    html_body TEXT,
    tries BIGINT NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    sent_at BIGINT,
    failure TEXT,
    PRIMARY KEY (tenant, code)
) CLUSTERED;
CREATE INDEX mails_with_body ON mails (tenant, sent_at) WHERE text_body IS NOT NULL;

-- Work that returns: when each job is due, and who has it.
CREATE TABLE jobs (
    tenant BIGINT NOT NULL,
    job TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    finished_at BIGINT,
    PRIMARY KEY (tenant, job)
) CLUSTERED;
