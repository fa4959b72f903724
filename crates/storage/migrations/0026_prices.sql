-- What is charged, and how much: which situations are charged, the price table, discounts, and how a month is charged.

-- Whether benefits in the situation are charged; other records never are.
ALTER TABLE situations ADD COLUMN is_charged BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE situations SET is_charged = TRUE WHERE entity = 1 AND kind IN (1, 3);

-- An agreed value is charged as it is; without one, the price table decides, else the plan.
ALTER TABLE items ADD COLUMN is_price_agreed BOOLEAN NOT NULL DEFAULT TRUE;

-- Without an item, the charging rule says what the first plan of a benefit is charged as; the others are add-ons.
ALTER TABLE plans ADD COLUMN charge_item BIGINT;
ALTER TABLE plans ADD COLUMN joining_fee BIGINT;

-- An empty branch, vehicle type or end of the band does not restrict; both ends belong to the band.
CREATE TABLE plan_prices (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    plan BIGINT NOT NULL,
    valid_from TEXT NOT NULL,
    branch BIGINT,
    vehicle_type BIGINT,
    value_from BIGINT,
    value_until BIGINT,
    price BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, plan) REFERENCES plans (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, vehicle_type) REFERENCES vehicle_types (tenant, code)
) CLUSTERED;
CREATE INDEX plan_prices_by_plan ON plan_prices (tenant, plan, valid_from, code);

-- Either a percentage, in hundredths, or an amount.
CREATE TABLE discounts (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    percentage BIGINT,
    amount BIGINT,
    -- The only nature of charges that it lowers.
    nature BIGINT NOT NULL,
    plan BIGINT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, plan) REFERENCES plans (tenant, code)
) CLUSTERED;

-- Who has a discount, in which months and why. One that ended stays.
CREATE TABLE benefit_discounts (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    benefit BIGINT NOT NULL,
    discount BIGINT NOT NULL,
    from_month TEXT NOT NULL,
    until_month TEXT,
    reason TEXT NOT NULL,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    ended_because TEXT,
    ended_by BIGINT,
    ended_at BIGINT,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, discount) REFERENCES discounts (tenant, code)
) CLUSTERED;
CREATE INDEX benefit_discounts_by_benefit ON benefit_discounts (tenant, benefit, code);

-- How a month is charged: without a group, the rule of every group that has none of its own.
CREATE TABLE charging_rules (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    protection_group BIGINT,
    cut_off_day BIGINT NOT NULL,
    -- Whether the month of joining is charged by its active days.
    is_joining_prorated BOOLEAN NOT NULL,
    title_type BIGINT NOT NULL,
    -- What the first plan of a benefit is charged as. Without it, the administration fee.
    charge_item BIGINT,
    -- Between issue and due day.
    minimum_bank_days BIGINT NOT NULL,
    -- On this day of the month the next one is prepared. Without it, by hand.
    preparation_day BIGINT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, protection_group) REFERENCES protection_groups (tenant, code),
    FOREIGN KEY (tenant, title_type) REFERENCES title_types (tenant, code),
    FOREIGN KEY (tenant, charge_item) REFERENCES charge_items (tenant, code)
) CLUSTERED;

-- Every association gets what new ones are born with (crates/registers/src/defaults/finance.rs).
INSERT INTO charging_rules (tenant, code, name, cut_off_day, is_joining_prorated, title_type, minimum_bank_days, active,
    version, created_at, updated_at)
    SELECT tenant, 1, 'Regra geral', 25, FALSE, 1, 5, TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'charging_rule', 1 FROM tenants;
