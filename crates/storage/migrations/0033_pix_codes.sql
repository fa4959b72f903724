-- What members pay to by Pix without a connection to a bank: the key of an account, and its receiver as codes name them.
ALTER TABLE money_accounts ADD COLUMN pix_key TEXT;
ALTER TABLE money_accounts ADD COLUMN pix_name TEXT;
ALTER TABLE money_accounts ADD COLUMN pix_city TEXT;
-- Some banks refuse codes with a `txid` that they did not issue.
ALTER TABLE money_accounts ADD COLUMN pix_sends_txid BOOLEAN NOT NULL DEFAULT TRUE;

-- The codes that were given to people. A payment that comes in names the `txid`, which leads back to the title.
CREATE TABLE pix_codes (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    txid TEXT NOT NULL,
    title BIGINT NOT NULL,
    -- Counts the codes of the title, from 1.
    number BIGINT NOT NULL,
    money_account BIGINT NOT NULL,
    pix_key TEXT NOT NULL,
    content TEXT NOT NULL,
    amount BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, txid),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code),
    FOREIGN KEY (tenant, money_account) REFERENCES money_accounts (tenant, code),
    CHECK (amount > 0)
) CLUSTERED;
CREATE UNIQUE INDEX pix_codes_by_title ON pix_codes (tenant, title, number);

FORBID CHANGES ON pix_codes;
