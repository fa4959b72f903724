-- A base that is the mirror of another server's: where that is, and how far the reading of it has come.
CREATE TABLE mirrors (
    tenant BIGINT NOT NULL PRIMARY KEY REFERENCES tenants (tenant),
    source TEXT NOT NULL,
    login TEXT NOT NULL,
    -- The code of the base over there.
    source_base BIGINT NOT NULL,
    -- The day from which on changes are asked for, or nothing where everything is read.
    since TEXT,
    -- What is being read, and the last page or code of it that was written.
    phase BIGINT NOT NULL,
    place BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    written BIGINT NOT NULL,
    -- Nothing that this run should have read is missing so far.
    has_all BOOLEAN NOT NULL,
    started_at BIGINT NOT NULL,
    -- When the last run that came to its end began.
    complete_from BIGINT,
    finished_at BIGINT
) CLUSTERED;

-- What the list of benefits said of each, until the search has said whose it is.
CREATE TABLE mirror_staged (
    tenant BIGINT NOT NULL,
    benefit BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant, benefit)
);

-- What could not be taken over, and why, without any value of it.
CREATE TABLE mirror_notes (
    tenant BIGINT NOT NULL,
    kind TEXT NOT NULL,
    record BIGINT NOT NULL,
    field TEXT NOT NULL,
    reason TEXT NOT NULL,
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, kind, record, field)
) CLUSTERED;
