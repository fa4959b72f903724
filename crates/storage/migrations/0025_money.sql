-- Money: protection groups, what is charged, the ledger, titles and their settlements.
-- Amounts are cents, rates are hundredths of a percent. Group 0 is the association's own book.

CREATE TABLE protection_groups (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

-- A benefit belongs to the group of its first plan.
ALTER TABLE plans ADD COLUMN protection_group BIGINT NOT NULL DEFAULT 1;

CREATE TABLE charge_items (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind BIGINT NOT NULL,
    nature BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE TABLE late_charge_rules (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    fine BIGINT NOT NULL,
    monthly_interest BIGINT NOT NULL,
    -- What becomes of fine and interest if only the principal is paid late.
    shortfall BIGINT NOT NULL,
    -- Taken off the lines of one nature by whoever pays that many days before the due day.
    early_discount BIGINT NOT NULL DEFAULT 0,
    early_discount_days BIGINT NOT NULL DEFAULT 0,
    early_discount_nature BIGINT NOT NULL DEFAULT 3,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE TABLE title_types (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    launch_kind BIGINT NOT NULL,
    charge_item BIGINT NOT NULL,
    late_charge_rule BIGINT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, charge_item) REFERENCES charge_items (tenant, code),
    FOREIGN KEY (tenant, late_charge_rule) REFERENCES late_charge_rules (tenant, code)
) CLUSTERED;

CREATE TABLE payment_forms (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

-- Bank accounts and cash boxes. Without a group, all books share the account.
CREATE TABLE money_accounts (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind BIGINT NOT NULL,
    bank TEXT,
    agency TEXT,
    account_number TEXT,
    protection_group BIGINT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, protection_group) REFERENCES protection_groups (tenant, code)
) CLUSTERED;

CREATE TABLE settlement_types (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- Where the money goes.
    money_account BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, money_account) REFERENCES money_accounts (tenant, code)
) CLUSTERED;

-- Local bank holidays; the national ones are computed.
CREATE TABLE bank_holidays (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    day TEXT NOT NULL,
    name TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

-- What a user may do with money (bits): 1 see, 2 settle, 4 approve a charging run, 8 close a period.
-- Operators (role 2) get theirs from an administrator.
ALTER TABLE users ADD COLUMN money_rights BIGINT NOT NULL DEFAULT 0;
UPDATE users SET money_rights = 3 WHERE role <> 2;

-- The books: an account is a group, a kind and what it stands for (a nature, a charge item, a person…).
CREATE TABLE ledger_accounts (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    protection_group BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    reference BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;
CREATE UNIQUE INDEX ledger_accounts_by_key ON ledger_accounts (tenant, protection_group, kind, reference);

CREATE TABLE ledger_entries (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    protection_group BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    -- The day in the books, never in a closed period, and the day of the fact.
    booked_on TEXT NOT NULL,
    happened_on TEXT NOT NULL,
    title BIGINT,
    settlement BIGINT,
    reverses BIGINT,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, reverses) REFERENCES ledger_entries (tenant, code)
) CLUSTERED;
CREATE INDEX ledger_entries_by_title ON ledger_entries (tenant, title, code);
CREATE INDEX ledger_entries_by_day ON ledger_entries (tenant, booked_on, code);
-- An entry is reversed at most once.
CREATE UNIQUE INDEX ledger_entries_by_reversed ON ledger_entries (tenant, reverses) WHERE reverses IS NOT NULL;

CREATE TABLE ledger_lines (
    tenant BIGINT NOT NULL,
    entry BIGINT NOT NULL,
    line BIGINT NOT NULL,
    account BIGINT NOT NULL,
    booked_on TEXT NOT NULL,
    debit BIGINT NOT NULL,
    credit BIGINT NOT NULL,
    PRIMARY KEY (tenant, entry, line),
    FOREIGN KEY (tenant, entry) REFERENCES ledger_entries (tenant, code),
    FOREIGN KEY (tenant, account) REFERENCES ledger_accounts (tenant, code),
    CHECK (debit >= 0 AND credit >= 0 AND (debit = 0) <> (credit = 0))
) CLUSTERED;
CREATE INDEX ledger_lines_by_account ON ledger_lines (tenant, account, booked_on);

-- Closing and reopening of months. The newest row says up to which month the books are closed.
CREATE TABLE period_changes (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    number BIGINT NOT NULL,
    is_closing BOOLEAN NOT NULL,
    closed_through TEXT,
    reason TEXT,
    user_code BIGINT,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, number)
) CLUSTERED;

-- The sums of every account up to a closed month.
CREATE TABLE ledger_checkpoints (
    tenant BIGINT NOT NULL,
    period_change BIGINT NOT NULL,
    account BIGINT NOT NULL,
    debit BIGINT NOT NULL,
    credit BIGINT NOT NULL,
    PRIMARY KEY (tenant, period_change, account),
    FOREIGN KEY (tenant, period_change) REFERENCES period_changes (tenant, number),
    FOREIGN KEY (tenant, account) REFERENCES ledger_accounts (tenant, code)
) CLUSTERED;

-- What a member owes, or the association. Amounts and situation follow from the lines and settlements.
CREATE TABLE titles (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    person BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    protection_group BIGINT NOT NULL,
    title_type BIGINT NOT NULL,
    launch_kind BIGINT NOT NULL,
    description TEXT NOT NULL,
    note TEXT,
    issued_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    original_due_on TEXT NOT NULL,
    -- The next bank day from the due day: fine, interest and delay count from it.
    effective_due_on TEXT NOT NULL,
    -- Without it, the title waits for release.
    posted_on TEXT,
    instalment BIGINT NOT NULL,
    instalments BIGINT NOT NULL,
    fine BIGINT NOT NULL,
    monthly_interest BIGINT NOT NULL,
    shortfall BIGINT NOT NULL,
    early_discount BIGINT NOT NULL DEFAULT 0,
    early_discount_days BIGINT NOT NULL DEFAULT 0,
    early_discount_nature BIGINT NOT NULL DEFAULT 3,
    -- The last day on which it is given. None without a discount.
    early_discount_until TEXT,
    amount BIGINT NOT NULL,
    open_amount BIGINT NOT NULL,
    settled_total BIGINT NOT NULL,
    settled_on TEXT,
    situation BIGINT NOT NULL,
    cancelled_on TEXT,
    cancelled_because TEXT,
    issue_entry BIGINT,
    user_code BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, title_type) REFERENCES title_types (tenant, code),
    CHECK (open_amount >= 0 AND open_amount <= amount)
);
CREATE INDEX titles_by_person ON titles (tenant, person, due_on, code);
-- With everything that lists filter and sum.
CREATE INDEX titles_by_situation ON titles
    (tenant, launch_kind, situation, due_on, code, branch, effective_due_on, amount, open_amount, settled_total);
CREATE INDEX titles_by_branch ON titles
    (tenant, branch, launch_kind, situation, due_on, code, effective_due_on, amount, open_amount, settled_total);
CREATE INDEX titles_by_amount ON titles (tenant, amount, due_on, code);
CREATE INDEX titles_by_issue_day ON titles (tenant, launch_kind, issued_on, code);
CREATE INDEX titles_by_settlement_day ON titles (tenant, launch_kind, settled_on, code) WHERE settled_on IS NOT NULL;

CREATE TABLE title_benefits (
    tenant BIGINT NOT NULL,
    title BIGINT NOT NULL,
    benefit BIGINT NOT NULL,
    PRIMARY KEY (tenant, title, benefit),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code)
) CLUSTERED;
CREATE INDEX title_benefits_by_benefit ON title_benefits (tenant, benefit, title);

CREATE TABLE title_lines (
    tenant BIGINT NOT NULL,
    title BIGINT NOT NULL,
    line BIGINT NOT NULL,
    charge_item BIGINT NOT NULL,
    nature BIGINT NOT NULL,
    benefit BIGINT,
    amount BIGINT NOT NULL,
    description TEXT,
    PRIMARY KEY (tenant, title, line),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code),
    FOREIGN KEY (tenant, charge_item) REFERENCES charge_items (tenant, code)
) CLUSTERED;

-- What settled a title: total = principal + interest + fine - discount. What came beyond is the person's credit. Without
-- a settlement type and an account, it was the person's credit that paid.
CREATE TABLE settlements (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    title BIGINT NOT NULL,
    settlement_type BIGINT,
    money_account BIGINT,
    paid_on TEXT NOT NULL,
    credited_on TEXT NOT NULL,
    booked_on TEXT NOT NULL,
    principal BIGINT NOT NULL,
    interest BIGINT NOT NULL,
    fine BIGINT NOT NULL,
    discount BIGINT NOT NULL,
    total BIGINT NOT NULL,
    credit BIGINT NOT NULL,
    -- Fine and interest that were due and not paid.
    late_charges_left BIGINT NOT NULL,
    note TEXT,
    entry BIGINT NOT NULL,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code),
    FOREIGN KEY (tenant, settlement_type) REFERENCES settlement_types (tenant, code),
    FOREIGN KEY (tenant, money_account) REFERENCES money_accounts (tenant, code),
    FOREIGN KEY (tenant, entry) REFERENCES ledger_entries (tenant, code),
    CHECK ((settlement_type IS NULL) = (money_account IS NULL))
) CLUSTERED;
CREATE INDEX settlements_by_title ON settlements (tenant, title, code);
CREATE INDEX settlements_by_day ON settlements (tenant, paid_on, code);

CREATE TABLE settlement_reversals (
    tenant BIGINT NOT NULL,
    settlement BIGINT NOT NULL,
    booked_on TEXT NOT NULL,
    reason TEXT NOT NULL,
    entry BIGINT NOT NULL,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, settlement),
    FOREIGN KEY (tenant, settlement) REFERENCES settlements (tenant, code),
    FOREIGN KEY (tenant, entry) REFERENCES ledger_entries (tenant, code)
) CLUSTERED;

-- Lines that the next charge takes: written by hand, or fine and interest that a settlement left.
CREATE TABLE pending_charges (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    person BIGINT NOT NULL,
    benefit BIGINT,
    branch BIGINT NOT NULL,
    protection_group BIGINT NOT NULL,
    charge_item BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    description TEXT,
    source BIGINT NOT NULL,
    -- The settlement, of late charges.
    settlement BIGINT,
    situation BIGINT NOT NULL,
    -- The title that took it.
    title BIGINT,
    cancelled_on TEXT,
    cancelled_because TEXT,
    user_code BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, charge_item) REFERENCES charge_items (tenant, code),
    FOREIGN KEY (tenant, settlement) REFERENCES settlements (tenant, code),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code),
    CHECK (amount > 0)
) CLUSTERED;
CREATE INDEX pending_charges_by_person ON pending_charges (tenant, person, code);
CREATE INDEX pending_charges_by_situation ON pending_charges (tenant, situation, code);
CREATE INDEX pending_charges_by_title ON pending_charges (tenant, title) WHERE title IS NOT NULL;
CREATE UNIQUE INDEX pending_charges_by_settlement ON pending_charges (tenant, settlement) WHERE settlement IS NOT NULL;

FORBID CHANGES ON ledger_accounts;
FORBID CHANGES ON ledger_entries;
FORBID CHANGES ON ledger_lines;
FORBID CHANGES ON period_changes;
FORBID CHANGES ON ledger_checkpoints;
FORBID CHANGES ON title_lines;
FORBID CHANGES ON title_benefits;
FORBID CHANGES ON settlements;
FORBID CHANGES ON settlement_reversals;

-- Every association gets what new ones are born with (crates/registers/src/defaults/finance.rs).
INSERT INTO protection_groups (tenant, code, name, active, version, created_at, updated_at)
    SELECT tenant, 1, 'Grupo geral', TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'protection_group', 1 FROM tenants;
INSERT INTO charge_items (tenant, code, name, kind, nature, active, version, created_at, updated_at)
    SELECT t.tenant, v.code, v.name, v.kind, v.nature, TRUE, 1, t.created_at, t.created_at FROM tenants t CROSS JOIN (
        SELECT 1 AS code, 'Taxa de administração' AS name, 1 AS kind, 3 AS nature
        UNION ALL SELECT 2, 'Rateio', 2, 1
        UNION ALL SELECT 3, 'Adicional', 3, 1
        UNION ALL SELECT 4, 'Taxa de adesão', 4, 3
        UNION ALL SELECT 5, 'Taxa de vistoria', 5, 4
        UNION ALL SELECT 6, 'Taxa de reativação', 6, 3
        UNION ALL SELECT 7, 'Fundo de reserva', 7, 1
        UNION ALL SELECT 8, 'Participação em evento', 8, 1
        UNION ALL SELECT 9, 'Rastreador não devolvido', 9, 4
        UNION ALL SELECT 10, 'Multa e juros', 10, 4
        UNION ALL SELECT 11, 'Despesas do grupo', 11, 4
    ) v;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'charge_item', 11 FROM tenants;
INSERT INTO late_charge_rules
    (tenant, code, name, fine, monthly_interest, shortfall, active, version, created_at, updated_at)
    SELECT tenant, 1, 'Multa de 2% e juros de 1% ao mês', 200, 100, 1, TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'late_charge_rule', 1 FROM tenants;
INSERT INTO title_types
    (tenant, code, name, launch_kind, charge_item, late_charge_rule, active, version, created_at, updated_at)
    SELECT t.tenant, v.code, v.name, v.launch_kind, v.charge_item, v.late_charge_rule, TRUE, 1, t.created_at,
        t.created_at
    FROM tenants t CROSS JOIN (
        SELECT 1 AS code, 'Mensalidade' AS name, 1 AS launch_kind, 1 AS charge_item, 1 AS late_charge_rule
        UNION ALL SELECT 2, 'Adesão', 1, 4, 1
        UNION ALL SELECT 3, 'Vistoria', 1, 5, 1
        UNION ALL SELECT 4, 'Reativação', 1, 6, 1
        UNION ALL SELECT 5, 'Participação em evento', 1, 8, 1
        UNION ALL SELECT 6, 'Rastreador não devolvido', 1, 9, 1
        UNION ALL SELECT 7, 'Conta a pagar', 2, 11, NULL
        UNION ALL SELECT 8, 'Rateio', 3, 2, NULL
    ) v;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'title_type', 8 FROM tenants;
INSERT INTO payment_forms (tenant, code, name, active, version, created_at, updated_at)
    SELECT t.tenant, v.code, v.name, TRUE, 1, t.created_at, t.created_at FROM tenants t CROSS JOIN (
        SELECT 1 AS code, 'Boleto' AS name UNION ALL SELECT 2, 'Pix' UNION ALL SELECT 3, 'Dinheiro'
        UNION ALL SELECT 4, 'Cartão de crédito' UNION ALL SELECT 5, 'Débito em conta'
    ) v;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'payment_form', 5 FROM tenants;
INSERT INTO money_accounts (tenant, code, name, kind, active, version, created_at, updated_at)
    SELECT t.tenant, v.code, v.name, v.kind, TRUE, 1, t.created_at, t.created_at FROM tenants t CROSS JOIN (
        SELECT 1 AS code, 'Caixa' AS name, 2 AS kind UNION ALL SELECT 2, 'Conta bancária', 1
    ) v;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'money_account', 2 FROM tenants;
INSERT INTO settlement_types (tenant, code, name, money_account, active, version, created_at, updated_at)
    SELECT t.tenant, v.code, v.name, v.money_account, TRUE, 1, t.created_at, t.created_at FROM tenants t CROSS JOIN (
        SELECT 1 AS code, 'Dinheiro' AS name, 1 AS money_account UNION ALL SELECT 2, 'Boleto', 2
        UNION ALL SELECT 3, 'Pix', 2 UNION ALL SELECT 4, 'Cartão', 2 UNION ALL SELECT 5, 'Transferência', 2
    ) v;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'settlement_type', 5 FROM tenants;
