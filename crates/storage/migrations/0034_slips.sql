-- The agreement by which a bank collects slips for an account, as `SlipAgreement` of bank-formats reads it, and what its
-- slips show. `slip_first_number` is the first that the bank left to us: another system may have used those before it.
ALTER TABLE money_accounts ADD COLUMN slip_bank BIGINT;
ALTER TABLE money_accounts ADD COLUMN slip_wallet TEXT;
ALTER TABLE money_accounts ADD COLUMN slip_agreement TEXT;
ALTER TABLE money_accounts ADD COLUMN slip_variation TEXT;
ALTER TABLE money_accounts ADD COLUMN slip_first_number BIGINT;
ALTER TABLE money_accounts ADD COLUMN slip_beneficiary TEXT;
ALTER TABLE money_accounts ADD COLUMN slip_document TEXT;
ALTER TABLE money_accounts ADD COLUMN slip_address TEXT;
ALTER TABLE money_accounts ADD COLUMN slip_message TEXT;

-- Slips are only inserted: a second copy is another row, and only the last of a title is in force. Value and due date are
-- those inside the barcode.
CREATE TABLE slips (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    title BIGINT NOT NULL,
    -- Counts the slips of the title, from 1.
    number BIGINT NOT NULL,
    money_account BIGINT NOT NULL,
    -- Counts the slips of the account.
    sequence BIGINT NOT NULL,
    our_number TEXT NOT NULL,
    barcode TEXT NOT NULL,
    issued_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    amount BIGINT NOT NULL,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code),
    FOREIGN KEY (tenant, money_account) REFERENCES money_accounts (tenant, code),
    CHECK (amount > 0)
) CLUSTERED;
CREATE UNIQUE INDEX slips_by_title ON slips (tenant, title, number);
CREATE UNIQUE INDEX slips_by_sequence ON slips (tenant, money_account, sequence);
CREATE INDEX slips_by_barcode ON slips (tenant, barcode);

FORBID CHANGES ON slips;
