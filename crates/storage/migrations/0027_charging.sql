-- Charging runs: the preview of a month's charges, its approval, the titles that came of it, and the way back.

CREATE TABLE charging_runs (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    -- 2026-12
    month TEXT NOT NULL,
    -- The benefits that it is for. All of them where nothing is named.
    protection_group BIGINT,
    branch BIGINT,
    due_day BIGINT,
    -- More than one: a booklet of this month and those after it.
    instalments BIGINT NOT NULL,
    state BIGINT NOT NULL,
    -- The day whose prices and discounts count.
    prepared_on TEXT NOT NULL,
    issued_on TEXT,
    -- The rule that prepared it by itself.
    charging_rule BIGINT,
    -- The last benefit, person or title that the present stage is done with.
    position BIGINT NOT NULL DEFAULT 0,
    benefits BIGINT NOT NULL DEFAULT 0,
    charged BIGINT NOT NULL DEFAULT 0,
    charged_amount BIGINT NOT NULL DEFAULT 0,
    titles BIGINT NOT NULL DEFAULT 0,
    titles_amount BIGINT NOT NULL DEFAULT 0,
    cancelled BIGINT NOT NULL DEFAULT 0,
    kept BIGINT NOT NULL DEFAULT 0,
    -- The process that works on it, told from a later one by the fence.
    leased_until BIGINT NOT NULL DEFAULT 0,
    fence BIGINT NOT NULL DEFAULT 0,
    user_code BIGINT,
    approved_by BIGINT,
    approved_at BIGINT,
    undone_by BIGINT,
    undone_because TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;
CREATE INDEX charging_runs_by_month ON charging_runs (tenant, month, code);
CREATE INDEX charging_runs_by_state ON charging_runs (tenant, state, code);
-- A rule prepares a month of a group once, however many servers run.
CREATE UNIQUE INDEX charging_runs_by_rule ON charging_runs (tenant, charging_rule, month, protection_group)
    WHERE charging_rule IS NOT NULL;
CREATE UNIQUE INDEX charging_runs_of_all_groups ON charging_runs (tenant, charging_rule, month)
    WHERE charging_rule IS NOT NULL AND protection_group IS NULL;

-- Every benefit of a run's scope: what it is charged, or why it is not.
CREATE TABLE charging_run_benefits (
    tenant BIGINT NOT NULL,
    run BIGINT NOT NULL,
    benefit BIGINT NOT NULL,
    benefit_version BIGINT NOT NULL,
    person BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    protection_group BIGINT NOT NULL,
    due_day BIGINT,
    due_on TEXT,
    reason BIGINT,
    -- Of all instalments together.
    amount BIGINT NOT NULL,
    -- The first one.
    title BIGINT,
    PRIMARY KEY (tenant, run, benefit),
    FOREIGN KEY (tenant, run) REFERENCES charging_runs (tenant, code)
) CLUSTERED;
CREATE INDEX charging_run_benefits_by_person ON charging_run_benefits (tenant, run, person, benefit)
    WHERE reason IS NULL;

CREATE TABLE charging_run_lines (
    tenant BIGINT NOT NULL,
    run BIGINT NOT NULL,
    benefit BIGINT NOT NULL,
    instalment BIGINT NOT NULL,
    line BIGINT NOT NULL,
    charge_item BIGINT NOT NULL,
    nature BIGINT NOT NULL,
    source BIGINT NOT NULL,
    -- Which price was used, for a contribution and an add-on.
    price_origin BIGINT,
    amount BIGINT NOT NULL,
    description TEXT,
    pending_charge BIGINT,
    PRIMARY KEY (tenant, run, benefit, instalment, line),
    FOREIGN KEY (tenant, run, benefit) REFERENCES charging_run_benefits (tenant, run, benefit)
) CLUSTERED;

CREATE TABLE charging_run_titles (
    tenant BIGINT NOT NULL,
    run BIGINT NOT NULL,
    title BIGINT NOT NULL,
    outcome BIGINT NOT NULL,
    PRIMARY KEY (tenant, run, title),
    FOREIGN KEY (tenant, run) REFERENCES charging_runs (tenant, code),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code)
) CLUSTERED;

-- A month of a benefit is charged once.
CREATE TABLE charged_months (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    benefit BIGINT NOT NULL,
    month TEXT NOT NULL,
    title BIGINT NOT NULL,
    run BIGINT NOT NULL,
    is_booklet BOOLEAN NOT NULL,
    PRIMARY KEY (tenant, benefit, month),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, title) REFERENCES titles (tenant, code)
) CLUSTERED;
CREATE INDEX charged_months_by_title ON charged_months (tenant, title);

-- Benefits that changed after titles not yet due were issued for them. The titles wait for somebody to look at them.
CREATE TABLE title_revisions (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    benefit BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, benefit),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code)
) CLUSTERED;
