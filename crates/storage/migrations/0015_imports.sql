-- Files that are imported: each line as it came, what became of it, and what the record was before.

CREATE TABLE imports (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    state BIGINT NOT NULL,
    file_name TEXT NOT NULL,
    -- The names of the columns and the field that each goes to, two lists in JSON.
    headers TEXT NOT NULL,
    mapping TEXT NOT NULL,
    -- Whether receivers are told of what it changes.
    triggers BOOLEAN NOT NULL,
    -- Where those who are new go for whom a line names no branch.
    branch BIGINT,
    -- Whose it is, and nobody's where a command brought it.
    user_code BIGINT,
    -- Who asked for the present stage, with whose rights it is done, and nobody where a command did.
    acting_user BIGINT,
    total BIGINT NOT NULL,
    -- The last line that the present stage is done with.
    position BIGINT NOT NULL,
    created BIGINT NOT NULL,
    changed BIGINT NOT NULL,
    same BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    -- What undoing it came to.
    removed BIGINT NOT NULL,
    restored BIGINT NOT NULL,
    kept BIGINT NOT NULL,
    -- Whoever works on it holds it until then, and tells himself from a later one by the fence.
    leased_until BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    PRIMARY KEY (tenant, code)
);
CREATE INDEX imports_by_state ON imports (tenant, state, code);
CREATE INDEX imports_by_user ON imports (tenant, user_code, code);

-- The cells of a line as JSON. They hold what is personal, and go once nothing can be undone any more.
CREATE TABLE import_lines (
    tenant BIGINT NOT NULL,
    import BIGINT NOT NULL,
    line BIGINT NOT NULL,
    cells TEXT NOT NULL,
    PRIMARY KEY (tenant, import, line),
    FOREIGN KEY (tenant, import) REFERENCES imports (tenant, code)
) CLUSTERED;

CREATE TABLE import_results (
    tenant BIGINT NOT NULL,
    import BIGINT NOT NULL,
    line BIGINT NOT NULL,
    outcome BIGINT NOT NULL,
    record BIGINT,
    -- The record as it was before it was changed.
    before TEXT,
    -- The version in which the import left it.
    version BIGINT,
    -- Why undoing left it as it is.
    kept_because TEXT,
    PRIMARY KEY (tenant, import, line),
    FOREIGN KEY (tenant, import) REFERENCES imports (tenant, code)
) CLUSTERED;
CREATE INDEX import_results_kept ON import_results (tenant, import, line) WHERE kept_because IS NOT NULL;

CREATE TABLE import_problems (
    tenant BIGINT NOT NULL,
    import BIGINT NOT NULL,
    line BIGINT NOT NULL,
    number BIGINT NOT NULL,
    -- The name of the column, where it is the matter of one.
    header TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (tenant, import, line, number),
    FOREIGN KEY (tenant, import) REFERENCES imports (tenant, code)
) CLUSTERED;

-- Which field a column went to when somebody last said so, by its folded name.
CREATE TABLE import_columns (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    kind BIGINT NOT NULL,
    header TEXT NOT NULL,
    -- Empty where it is to be left out.
    field TEXT NOT NULL,
    PRIMARY KEY (tenant, kind, header)
) CLUSTERED;

-- The codes of what was removed again, which are given to nothing else.
CREATE TABLE removed_codes (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    kind TEXT NOT NULL,
    code BIGINT NOT NULL,
    PRIMARY KEY (tenant, kind, code)
) CLUSTERED;

-- Whom a seller sells to: one to whom nobody leads is removed again with the import that brought him.
CREATE INDEX people_by_consultant ON people (tenant, consultant) WHERE consultant IS NOT NULL;
CREATE INDEX people_by_representative ON people (tenant, representative) WHERE representative IS NOT NULL;
