-- What the rest of the interface speaks of: dependents, equipment, cards, the sales board and events.

-- Every word that stands in a name, once for each tenant. What is typed is the beginning of a word: here are the words.
CREATE TABLE name_words (
    tenant BIGINT NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (tenant, word)
) CLUSTERED;

CREATE TABLE dependents (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    benefit BIGINT NOT NULL,
    name TEXT NOT NULL,
    cpf TEXT,
    born_on TEXT,
    kinship BIGINT NOT NULL,
    sex BIGINT,
    identity_number TEXT,
    phone TEXT,
    email TEXT,
    card TEXT,
    -- The codes of his plans: '10 12'.
    plans TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code)
);
CREATE INDEX dependents_by_benefit ON dependents (tenant, benefit, code);
CREATE INDEX dependents_by_cpf ON dependents (tenant, cpf, code);
CREATE INDEX dependents_by_card ON dependents (tenant, card, code);

-- The words of their names, by their codes.
CREATE NAME_INDEX name_index_dependents;

-- What is installed on the vehicle of a benefit, and was.
CREATE TABLE installations (
    tenant BIGINT NOT NULL,
    benefit BIGINT NOT NULL,
    code BIGINT NOT NULL,
    serial_number TEXT,
    imei TEXT,
    model TEXT,
    maker TEXT,
    supplier BIGINT,
    place TEXT,
    installed_on TEXT,
    removed_on TEXT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, benefit, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, supplier) REFERENCES suppliers (tenant, code)
) CLUSTERED;

-- Credit cards as a payment gateway keeps them: never a whole number, never a security code.
CREATE TABLE credit_cards (
    tenant BIGINT NOT NULL,
    person BIGINT NOT NULL,
    code BIGINT NOT NULL,
    brand TEXT NOT NULL,
    last_digits TEXT NOT NULL,
    holder TEXT NOT NULL,
    -- 'yyyy-MM'
    valid_until TEXT NOT NULL,
    gateway_token TEXT NOT NULL,
    is_main BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, person, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code)
) CLUSTERED;

CREATE TABLE funnels (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    position BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE TABLE stages (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    funnel BIGINT NOT NULL,
    name TEXT NOT NULL,
    position BIGINT NOT NULL,
    colour TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, funnel) REFERENCES funnels (tenant, code)
) CLUSTERED;

-- Every association that is there gets what new ones are born with (crates/registers/src/funnels.rs).
INSERT INTO funnels (tenant, code, name, position, active, version, created_at, updated_at)
    SELECT tenant, 1, 'Vendas', 1, TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO stages (tenant, code, funnel, name, position, colour, active, version, created_at, updated_at)
    SELECT tenant, 1, 1, 'Novo contato', 1, '1A73E8', TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO stages (tenant, code, funnel, name, position, colour, active, version, created_at, updated_at)
    SELECT tenant, 2, 1, 'Qualificação', 2, '8430CE', TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO stages (tenant, code, funnel, name, position, colour, active, version, created_at, updated_at)
    SELECT tenant, 3, 1, 'Proposta enviada', 3, 'F9AB00', TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO stages (tenant, code, funnel, name, position, colour, active, version, created_at, updated_at)
    SELECT tenant, 4, 1, 'Negociação', 4, 'E37400', TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO stages (tenant, code, funnel, name, position, colour, active, version, created_at, updated_at)
    SELECT tenant, 5, 1, 'Fechamento', 5, '188038', TRUE, 1, created_at, created_at FROM tenants;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'funnel', 1 FROM tenants;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'stage', 5 FROM tenants;

-- Somebody who may become a member, with what he told. His person is no member yet.
CREATE TABLE leads (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    person BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    name TEXT NOT NULL,
    document TEXT,
    email TEXT,
    mobile TEXT,
    landline TEXT,
    company TEXT,
    city TEXT,
    state TEXT,
    message TEXT,
    origin TEXT,
    consultant BIGINT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code)
);
CREATE INDEX leads_by_person ON leads (tenant, person, code);
CREATE INDEX leads_by_branch ON leads (tenant, branch, code) WHERE active;
CREATE INDEX leads_by_document ON leads (tenant, document, code);
CREATE INDEX leads_by_email ON leads (tenant, email, code);
CREATE INDEX leads_by_mobile ON leads (tenant, mobile, code);
CREATE INDEX leads_by_landline ON leads (tenant, landline, code);

-- The words of their names, by their codes.
CREATE NAME_INDEX name_index_leads;

CREATE TABLE deals (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    lead BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    title TEXT,
    funnel BIGINT NOT NULL,
    stage BIGINT NOT NULL,
    stage_since BIGINT NOT NULL,
    responsible BIGINT,
    benefit_kind BIGINT,
    -- The codes of the plans it is about: '10 12'.
    plans TEXT NOT NULL,
    price BIGINT,
    expected_on TEXT,
    -- 1 open, 2 won, 3 lost.
    situation BIGINT NOT NULL,
    lost_because TEXT,
    note TEXT,
    opened_on TEXT NOT NULL,
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
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, lead) REFERENCES leads (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, stage) REFERENCES stages (tenant, code)
);
CREATE UNIQUE INDEX deals_by_sequence ON deals (tenant, sequence);
CREATE INDEX deals_by_lead ON deals (tenant, lead, situation, code);
CREATE INDEX deals_by_opening ON deals (tenant, opened_on, code) WHERE situation = 1;
CREATE INDEX deals_by_branch ON deals (tenant, branch, code) WHERE situation = 1;
CREATE INDEX deals_by_responsible ON deals (tenant, responsible, code) WHERE situation = 1;

CREATE TABLE deal_dependents (
    tenant BIGINT NOT NULL,
    deal BIGINT NOT NULL,
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    cpf TEXT,
    born_on TEXT,
    sex BIGINT,
    kinship BIGINT NOT NULL,
    plans TEXT NOT NULL,
    price BIGINT,
    phone TEXT,
    email TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, deal, code),
    FOREIGN KEY (tenant, deal) REFERENCES deals (tenant, code)
) CLUSTERED;

-- Every move of a deal on the board.
CREATE TABLE deal_moves (
    tenant BIGINT NOT NULL,
    deal BIGINT NOT NULL,
    number BIGINT NOT NULL,
    moved_at BIGINT NOT NULL,
    stage BIGINT NOT NULL,
    situation BIGINT NOT NULL,
    user_code BIGINT,
    PRIMARY KEY (tenant, deal, number),
    FOREIGN KEY (tenant, deal) REFERENCES deals (tenant, code)
) CLUSTERED;

CREATE TABLE claim_types (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

-- What happened to somebody's benefit: a collision, a theft, a tow. Called evento outside.
CREATE TABLE claims (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    protocol BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    person BIGINT NOT NULL,
    benefit BIGINT,
    kind BIGINT NOT NULL,
    situation BIGINT NOT NULL,
    -- 1 the member, 2 a third party.
    involved BIGINT NOT NULL,
    priority BIGINT NOT NULL,
    -- The user who sees to it.
    responsible BIGINT,
    description TEXT,
    happened_on TEXT,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    -- Who drove: a person that need not be a member.
    driver BIGINT,
    street_kind TEXT,
    street TEXT,
    street_number TEXT,
    complement TEXT,
    district TEXT,
    city TEXT,
    state TEXT,
    cep TEXT,
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
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, kind) REFERENCES claim_types (tenant, code)
);
CREATE UNIQUE INDEX claims_by_protocol ON claims (tenant, protocol);
CREATE INDEX claims_by_opening ON claims (tenant, opened_at, code);
CREATE INDEX claims_by_branch ON claims (tenant, branch, opened_at, code);
CREATE INDEX claims_by_day ON claims (tenant, happened_on, opened_at, code);
CREATE INDEX claims_by_person ON claims (tenant, person, opened_at, code);

CREATE TABLE claim_relations (
    tenant BIGINT NOT NULL,
    claim BIGINT NOT NULL,
    related BIGINT NOT NULL,
    PRIMARY KEY (tenant, claim, related),
    FOREIGN KEY (tenant, claim) REFERENCES claims (tenant, code),
    FOREIGN KEY (tenant, related) REFERENCES claims (tenant, code)
) CLUSTERED;
