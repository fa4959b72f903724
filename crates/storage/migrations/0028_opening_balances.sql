-- What existed before the ledger began and came from a spreadsheet.

-- The key of an imported title in the system it came from; without one, what the line said of it. A second import finds
-- the title by it. Undoing the import frees the key.
CREATE TABLE imported_titles (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    external_key TEXT NOT NULL,
    title BIGINT NOT NULL,
    -- Whether the key is one of the other system.
    is_given BOOLEAN NOT NULL,
    PRIMARY KEY (tenant, external_key),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code)
) CLUSTERED;
CREATE UNIQUE INDEX imported_titles_by_title ON imported_titles (tenant, title);

-- The opening balances in force: credits of members and money in accounts. `kind` and `reference` are those of the
-- ledger account. An undone one is deleted here, and its entry reversed.
CREATE TABLE opening_balances (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    entry BIGINT NOT NULL,
    protection_group BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    reference BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    happened_on TEXT NOT NULL,
    PRIMARY KEY (tenant, entry),
    FOREIGN KEY (tenant, entry) REFERENCES ledger_entries (tenant, code)
) CLUSTERED;
CREATE UNIQUE INDEX opening_balances_by_owner ON opening_balances (tenant, kind, reference, protection_group);
