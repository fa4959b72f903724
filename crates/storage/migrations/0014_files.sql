-- Files that people attach. Their bytes are kept elsewhere, under a key that nobody can guess.

CREATE TABLE files (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    -- Whose it is: of a claim 1, an inspection 2, a ticket 3, a member 4, and of which.
    owner BIGINT NOT NULL,
    record BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind BIGINT NOT NULL,
    size BIGINT NOT NULL,
    -- Of the bytes as they are kept.
    sha256 BYTEA NOT NULL,
    -- Of pictures, as they are looked at.
    width BIGINT,
    height BIGINT,
    has_preview BOOLEAN NOT NULL,
    storage_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by BIGINT,
    removed_at BIGINT,
    removed_by BIGINT,
    PRIMARY KEY (tenant, code)
);
CREATE INDEX files_by_record ON files (tenant, owner, record, code);
CREATE INDEX files_by_removal ON files (tenant, removed_at, code) WHERE removed_at IS NOT NULL;

-- Bytes that no row vouches for: not yet, or no longer. Whoever finds them old enough removes them.
CREATE TABLE loose_files (
    tenant BIGINT NOT NULL,
    storage_key TEXT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (tenant, storage_key)
) CLUSTERED;
CREATE INDEX loose_files_by_age ON loose_files (tenant, since, storage_key);

-- How much an association keeps, what was removed and is not gone yet included.
CREATE TABLE file_totals (
    tenant BIGINT NOT NULL,
    files BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (tenant)
) CLUSTERED;
