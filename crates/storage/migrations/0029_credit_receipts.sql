-- What a person handed in that no title takes: the second payment of a title, that of a cancelled one, or one ahead. It is
-- their credit in the group. Below 0, it is credit that was paid back.
CREATE TABLE credit_receipts (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    person BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    protection_group BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    settlement_type BIGINT NOT NULL,
    money_account BIGINT NOT NULL,
    paid_on TEXT NOT NULL,
    booked_on TEXT NOT NULL,
    -- The title that the money was meant for.
    title BIGINT,
    note TEXT,
    entry BIGINT NOT NULL,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, settlement_type) REFERENCES settlement_types (tenant, code),
    FOREIGN KEY (tenant, money_account) REFERENCES money_accounts (tenant, code),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code),
    FOREIGN KEY (tenant, entry) REFERENCES ledger_entries (tenant, code),
    CHECK (amount <> 0)
) CLUSTERED;
CREATE INDEX credit_receipts_by_person ON credit_receipts (tenant, person, code);
CREATE INDEX credit_receipts_by_day ON credit_receipts (tenant, paid_on, code);
CREATE INDEX credit_receipts_by_title ON credit_receipts (tenant, title, code) WHERE title IS NOT NULL;

CREATE TABLE credit_receipt_reversals (
    tenant BIGINT NOT NULL,
    receipt BIGINT NOT NULL,
    booked_on TEXT NOT NULL,
    reason TEXT NOT NULL,
    entry BIGINT NOT NULL,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, receipt),
    FOREIGN KEY (tenant, receipt) REFERENCES credit_receipts (tenant, code),
    FOREIGN KEY (tenant, entry) REFERENCES ledger_entries (tenant, code)
) CLUSTERED;

FORBID CHANGES ON credit_receipts;
FORBID CHANGES ON credit_receipt_reversals;
