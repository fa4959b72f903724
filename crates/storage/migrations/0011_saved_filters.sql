-- What people keep of a list: filters by name, and the columns they chose. And what the panel counts, kept as it changes.

CREATE TABLE saved_filters (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    -- Which list it filters, as in its address: 'associados', 'beneficios'.
    list TEXT NOT NULL,
    owner BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- What stands behind the question mark.
    query TEXT NOT NULL,
    -- Offered to the whole association.
    is_shared BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, owner) REFERENCES users (tenant, code)
) CLUSTERED;
CREATE INDEX saved_filters_by_owner ON saved_filters (tenant, list, owner, code);
CREATE INDEX saved_filters_shared ON saved_filters (tenant, list, code) WHERE is_shared;

CREATE TABLE chosen_columns (
    tenant BIGINT NOT NULL,
    user_code BIGINT NOT NULL,
    list TEXT NOT NULL,
    -- Their names in the order of the list: 'documento telefone'.
    columns TEXT NOT NULL,
    PRIMARY KEY (tenant, user_code, list),
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code)
) CLUSTERED;

-- How many benefits were registered (1) and cancelled (2) in each month, branch by branch. The month is 'yyyy-MM'.
CREATE TABLE monthly_tally (
    tenant BIGINT NOT NULL,
    turn BIGINT NOT NULL,
    month TEXT NOT NULL,
    branch BIGINT NOT NULL,
    rows BIGINT NOT NULL,
    PRIMARY KEY (tenant, turn, month, branch)
) CLUSTERED;
INSERT INTO monthly_tally (tenant, turn, month, branch, rows)
    SELECT tenant, 1, SUBSTR(registered_on, 1, 7), branch, COUNT(*) FROM listing WHERE benefit IS NOT NULL
    GROUP BY tenant, SUBSTR(registered_on, 1, 7), branch;
INSERT INTO monthly_tally (tenant, turn, month, branch, rows)
    SELECT tenant, 2, SUBSTR(cancelled_on, 1, 7), branch, COUNT(*) FROM benefits WHERE cancelled_on IS NOT NULL
    GROUP BY tenant, SUBSTR(cancelled_on, 1, 7), branch;
CREATE INDEX benefits_by_cancellation ON benefits (tenant, cancelled_on, code) WHERE cancelled_on IS NOT NULL;

-- What is open, counted without reading the rows themselves.
CREATE INDEX claims_by_age ON claims (tenant, situation, kind, branch, opened_at);
CREATE INDEX deals_by_age ON deals (tenant, stage, branch, stage_since) WHERE situation = 1;
