-- Who may enter, from where, and the mail that tells him so.

-- What a process may remember of a tenant (tenant 0: of the server), by the number it must be as new as. Every process
-- reads the whole table twice a second.
CREATE TABLE versions (
    tenant BIGINT NOT NULL PRIMARY KEY,
    access BIGINT NOT NULL,
    registers BIGINT NOT NULL
) CLUSTERED;

-- From where an account was entered correctly, and when last.
CREATE TABLE known_addresses (
    tenant BIGINT NOT NULL,
    user_code BIGINT NOT NULL,
    address TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, user_code, address),
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code)
) CLUSTERED;
CREATE INDEX known_addresses_by_age ON known_addresses (tenant, seen_at);

-- Failed logins, by account and by address. An account need not exist, so they are the server's (tenant 0).
CREATE TABLE login_failures (
    tenant BIGINT NOT NULL,
    subject TEXT NOT NULL,
    failures BIGINT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (tenant, subject)
) CLUSTERED;
CREATE INDEX login_failures_by_age ON login_failures (tenant, since);

-- Links by which a password is set anew: used once, for half an hour, and only their hash is kept.
CREATE TABLE password_resets (
    tenant BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    user_code BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, hash),
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code)
) CLUSTERED;
CREATE INDEX password_resets_by_expiry ON password_resets (tenant, expires_at);
CREATE INDEX password_resets_by_user ON password_resets (tenant, user_code);

-- A token is good while its generation is its user's: ending every session of a user is one row, however many he has.
ALTER TABLE users ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;

-- The body of a confidential mail (a password, a link) goes as soon as it was sent.
ALTER TABLE mails ADD COLUMN confidential BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX mails_due ON mails (due_at, tenant, code) WHERE due_at IS NOT NULL;
