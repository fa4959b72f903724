-- Benefits with their plans and vehicles, what the searches need to find them, and who looked at whom.

CREATE TABLE benefits (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    person BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    situation BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    card TEXT,
    due_day BIGINT,
    consultant BIGINT,
    representative BIGINT,
    joined_on TEXT,
    activated_on TEXT,
    cancelled_on TEXT,
    integration_code TEXT,
    note TEXT,
    -- The plans of its active items, so that a search need not ask for them: '10:15055 12:2990', in cents.
    plans TEXT NOT NULL,
    -- The values of its additional fields, as a JSON object: {"3": "Cinza"}.
    field_values TEXT,
    plate TEXT,
    chassis TEXT,
    renavam TEXT,
    brand TEXT,
    model TEXT,
    built BIGINT,
    model_year BIGINT,
    colour TEXT,
    fuel BIGINT,
    category BIGINT,
    vehicle_type BIGINT,
    doors BIGINT,
    worth BIGINT,
    protected BIGINT,
    participation BIGINT,
    fipe TEXT,
    -- Where it stands in the searches.
    slot BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code)
);
CREATE UNIQUE INDEX benefits_by_sequence ON benefits (tenant, sequence);
CREATE INDEX benefits_by_card ON benefits (tenant, card, code);
CREATE INDEX benefits_by_person ON benefits (tenant, person, code);
CREATE INDEX benefits_by_branch ON benefits (tenant, branch, code);

-- The plans of a benefit, also those that it no longer has.
CREATE TABLE items (
    tenant BIGINT NOT NULL,
    benefit BIGINT NOT NULL,
    code BIGINT NOT NULL,
    plan BIGINT NOT NULL,
    price BIGINT NOT NULL,
    included_on TEXT NOT NULL,
    -- The one that the benefit was created with, and whatever replaced it.
    is_first BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    -- That of the benefit.
    slot BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, benefit, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, plan) REFERENCES plans (tenant, code)
) CLUSTERED;
CREATE INDEX items_by_plan ON items (tenant, plan, slot) WHERE active;

-- Where changes of situation are told.
CREATE TABLE receivers (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    address TEXT NOT NULL,
    -- One bit for each entity, by its number.
    entities BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE INDEX history_by_branch ON history (tenant, entity, branch, code);

-- The first telephone of each kind, where the searches read it.
ALTER TABLE people ADD COLUMN mobile TEXT;
ALTER TABLE people ADD COLUMN landline TEXT;
UPDATE people SET
    mobile = (SELECT f.number FROM phones f WHERE f.tenant = people.tenant AND f.person = people.code AND f.kind = 2
              ORDER BY f.position LIMIT 1),
    landline = (SELECT f.number FROM phones f WHERE f.tenant = people.tenant AND f.person = people.code AND f.kind = 1
                ORDER BY f.position LIMIT 1);

-- A row without a benefit has situation 0, so that it is found by an index like any other.
UPDATE listing SET situation = 0 WHERE situation IS NULL;
CREATE INDEX listing_by_company ON listing (tenant, company_document, slot);
CREATE INDEX listing_by_consultant ON listing (tenant, consultant, slot);
CREATE INDEX listing_by_representative ON listing (tenant, representative, slot);
CREATE INDEX listing_by_state ON listing (tenant, state, slot);
CREATE INDEX listing_by_birth ON listing (tenant, born_on, slot);
CREATE INDEX listing_by_registration ON listing (tenant, registered_on, slot);
CREATE INDEX listing_by_update ON listing (tenant, updated_on, slot);

-- Orderings: 1 and 2 by slot, 3 and 4 by the benefit's code, the odd ones in blocks of 1,000, the even ones of 32,000.
INSERT INTO listing_tally (tenant, ordering, branch, situation, block, rows)
    SELECT tenant, 2, branch, situation, block / 32, CAST(SUM(rows) AS BIGINT) FROM listing_tally
    WHERE ordering = 1 GROUP BY tenant, branch, situation, block / 32;

-- The words of the names in each row of the searches.
CREATE NAME_INDEX name_index;

-- Who looked at whom: one row for the people of one block (of 1,000 codes) whom one user saw by one operation within a
-- moment. Each of them is two bytes of his place in the block and four of the milliseconds since.
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
