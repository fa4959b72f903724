-- What is written although nobody changes anything: who looked at whom, and which processes run. On SQLite these tables are in
-- a file of their own; a database server has them among the others. Tables, columns and meaning are the same there.

CREATE TABLE migrations (
    version BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL
) CLUSTERED;

-- The database that this file belongs to, as its settings name it.
CREATE TABLE identity (
    value TEXT NOT NULL PRIMARY KEY
) CLUSTERED;

CREATE TABLE processes (
    process TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
) CLUSTERED;

CREATE TABLE counters (
    tenant BIGINT NOT NULL,
    kind TEXT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (tenant, kind)
) CLUSTERED;

CREATE TABLE sightings (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    block BIGINT NOT NULL,
    happened_at BIGINT NOT NULL,
    user_code BIGINT,
    operation TEXT NOT NULL,
    people BYTEA NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;
CREATE INDEX sightings_by_block ON sightings (tenant, block, code);
CREATE INDEX sightings_by_user ON sightings (tenant, user_code, code);
