-- What an association registers and operates by itself.

-- Its colours, on screens and in mails: six digits.
ALTER TABLE tenants ADD COLUMN colour TEXT;
ALTER TABLE tenants ADD COLUMN second_colour TEXT;

-- How long a record may stay in a situation before somebody should look.
ALTER TABLE situations ADD COLUMN limit_hours BIGINT;

-- Where a situation may lead. One without a row here leads anywhere.
CREATE TABLE situation_moves (
    tenant BIGINT NOT NULL,
    situation BIGINT NOT NULL,
    next BIGINT NOT NULL,
    PRIMARY KEY (tenant, situation, next),
    FOREIGN KEY (tenant, situation) REFERENCES situations (tenant, code),
    FOREIGN KEY (tenant, next) REFERENCES situations (tenant, code)
) CLUSTERED;

ALTER TABLE plans ADD COLUMN description TEXT;

CREATE TABLE inspection_types (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- What an inspector looks at, one thing a line.
    checklist TEXT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE TABLE ticket_types (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- What a ticket of this type has that names none.
    priority BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

-- Every association that has none gets what new ones are born with (crates/registers/src/born.rs).
INSERT INTO claim_types (tenant, code, name, active, version, created_at, updated_at)
    SELECT t.tenant, v.code, v.name, TRUE, 1, t.created_at, t.created_at FROM tenants t CROSS JOIN (
        SELECT 1 AS code, 'Colisão' AS name UNION ALL SELECT 2, 'Roubo ou furto' UNION ALL SELECT 3, 'Vidros e faróis'
        UNION ALL SELECT 4, 'Danos da natureza' UNION ALL SELECT 5, 'Assistência e guincho'
    ) v WHERE NOT EXISTS (SELECT 1 FROM counters c WHERE c.tenant = t.tenant AND c.kind = 'claim_type');
INSERT INTO counters (tenant, kind, last) SELECT t.tenant, 'claim_type', 5 FROM tenants t
    WHERE NOT EXISTS (SELECT 1 FROM counters c WHERE c.tenant = t.tenant AND c.kind = 'claim_type');
INSERT INTO inspection_types (tenant, code, name, checklist, active, version, created_at, updated_at)
    SELECT t.tenant, v.code, v.name, v.checklist, TRUE, 1, t.created_at, t.created_at FROM tenants t CROSS JOIN (
        SELECT 1 AS code, 'Vistoria de adesão' AS name, 'Placa e chassi
Lataria e pintura
Vidros e faróis
Pneus e estepe
Quilometragem
Documento do veículo' AS checklist UNION ALL SELECT 2, 'Vistoria de evento', 'Placa e chassi
Danos visíveis
Fotos dos quatro lados
Boletim de ocorrência' UNION ALL SELECT 3, 'Documentação', 'Identidade
Comprovante de endereço
CNH'
    ) v;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'inspection_type', 3 FROM tenants;
INSERT INTO ticket_types (tenant, code, name, priority, active, version, created_at, updated_at)
    SELECT t.tenant, v.code, v.name, v.priority, TRUE, 1, t.created_at, t.created_at FROM tenants t CROSS JOIN (
        SELECT 1 AS code, 'Dúvida' AS name, 1 AS priority UNION ALL SELECT 2, 'Boleto e pagamento', 2
        UNION ALL SELECT 3, 'Alteração de cadastro', 2 UNION ALL SELECT 4, 'Reclamação', 3
        UNION ALL SELECT 5, 'Cancelamento', 3
    ) v;
INSERT INTO counters (tenant, kind, last) SELECT tenant, 'ticket_type', 5 FROM tenants;

CREATE TABLE specialties (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE TABLE clinics (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    document TEXT,
    email TEXT,
    mobile TEXT,
    landline TEXT,
    street_kind TEXT,
    street TEXT,
    street_number TEXT,
    complement TEXT,
    district TEXT,
    city TEXT,
    state TEXT,
    cep TEXT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE TABLE doctors (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- His number at the council of his state.
    council_number TEXT,
    council_state TEXT,
    specialty BIGINT,
    clinic BIGINT,
    email TEXT,
    mobile TEXT,
    landline TEXT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, specialty) REFERENCES specialties (tenant, code),
    FOREIGN KEY (tenant, clinic) REFERENCES clinics (tenant, code)
) CLUSTERED;

-- Equipment that the association owns or rents, in its stock or on a vehicle.
CREATE TABLE trackers (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    serial_number TEXT NOT NULL,
    imei TEXT,
    model TEXT,
    maker TEXT,
    supplier BIGINT,
    note TEXT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, supplier) REFERENCES suppliers (tenant, code)
);
CREATE UNIQUE INDEX trackers_by_serial ON trackers (tenant, serial_number);
CREATE INDEX trackers_by_imei ON trackers (tenant, imei, code);

ALTER TABLE installations ADD COLUMN tracker BIGINT;
CREATE INDEX installations_by_code ON installations (tenant, code);
CREATE INDEX installations_by_tracker ON installations (tenant, tracker, code);
CREATE INDEX credit_cards_by_code ON credit_cards (tenant, code);

-- Since when a record is in its situation: what is past its time is found by it.
ALTER TABLE claims ADD COLUMN situation_since BIGINT NOT NULL DEFAULT 0;
UPDATE claims SET situation_since = opened_at;
CREATE INDEX claims_by_benefit ON claims (tenant, benefit, opened_at, code);
CREATE INDEX claims_by_kind ON claims (tenant, kind, opened_at, code);
CREATE INDEX claims_by_responsible ON claims (tenant, responsible, opened_at, code);
CREATE INDEX claims_by_situation ON claims (tenant, situation, opened_at, code);
CREATE INDEX claims_by_branch_situation ON claims (tenant, branch, situation, opened_at, code);
CREATE INDEX claims_by_time ON claims (tenant, situation, situation_since, code);
CREATE INDEX claims_by_branch_time ON claims (tenant, branch, situation, situation_since, code);

-- A look at a vehicle or at papers. Called vistoria outside.
CREATE TABLE inspections (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    protocol BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    person BIGINT NOT NULL,
    benefit BIGINT,
    kind BIGINT NOT NULL,
    situation BIGINT NOT NULL,
    situation_since BIGINT NOT NULL,
    inspector TEXT,
    -- The user who sees to it.
    responsible BIGINT,
    planned_for BIGINT,
    place TEXT,
    note TEXT,
    -- What was looked at, as a JSON array of the item, whether it is as it should be, and a note.
    checklist TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, kind) REFERENCES inspection_types (tenant, code)
);
CREATE UNIQUE INDEX inspections_by_protocol ON inspections (tenant, protocol);
CREATE INDEX inspections_by_opening ON inspections (tenant, opened_at, code);
CREATE INDEX inspections_by_branch ON inspections (tenant, branch, opened_at, code);
CREATE INDEX inspections_by_person ON inspections (tenant, person, opened_at, code);
CREATE INDEX inspections_by_benefit ON inspections (tenant, benefit, opened_at, code);
CREATE INDEX inspections_by_kind ON inspections (tenant, kind, opened_at, code);
CREATE INDEX inspections_by_responsible ON inspections (tenant, responsible, opened_at, code);
CREATE INDEX inspections_by_situation ON inspections (tenant, situation, opened_at, code);
CREATE INDEX inspections_by_branch_situation ON inspections (tenant, branch, situation, opened_at, code);
CREATE INDEX inspections_by_time ON inspections (tenant, situation, situation_since, code);
CREATE INDEX inspections_by_branch_time ON inspections (tenant, branch, situation, situation_since, code);

-- What a member asks the help desk.
CREATE TABLE tickets (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    protocol BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    person BIGINT NOT NULL,
    benefit BIGINT,
    kind BIGINT NOT NULL,
    situation BIGINT NOT NULL,
    situation_since BIGINT NOT NULL,
    priority BIGINT NOT NULL,
    responsible BIGINT,
    description TEXT,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, kind) REFERENCES ticket_types (tenant, code)
);
CREATE UNIQUE INDEX tickets_by_protocol ON tickets (tenant, protocol);
CREATE INDEX tickets_by_opening ON tickets (tenant, opened_at, code);
CREATE INDEX tickets_by_branch ON tickets (tenant, branch, opened_at, code);
CREATE INDEX tickets_by_person ON tickets (tenant, person, opened_at, code);
CREATE INDEX tickets_by_benefit ON tickets (tenant, benefit, opened_at, code);
CREATE INDEX tickets_by_kind ON tickets (tenant, kind, opened_at, code);
CREATE INDEX tickets_by_responsible ON tickets (tenant, responsible, opened_at, code);
CREATE INDEX tickets_by_situation ON tickets (tenant, situation, opened_at, code);
CREATE INDEX tickets_by_branch_situation ON tickets (tenant, branch, situation, opened_at, code);
CREATE INDEX tickets_by_time ON tickets (tenant, situation, situation_since, code);
CREATE INDEX tickets_by_branch_time ON tickets (tenant, branch, situation, situation_since, code);

-- A visit to a doctor. Called consulta outside.
CREATE TABLE appointments (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    protocol BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    person BIGINT NOT NULL,
    benefit BIGINT,
    -- Who goes, where it is not the member himself.
    dependent BIGINT,
    situation BIGINT NOT NULL,
    situation_since BIGINT NOT NULL,
    responsible BIGINT,
    takes_place_at BIGINT,
    specialty BIGINT,
    clinic BIGINT,
    doctor BIGINT,
    -- One line.
    address TEXT,
    note TEXT,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code),
    FOREIGN KEY (tenant, benefit) REFERENCES benefits (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code),
    FOREIGN KEY (tenant, specialty) REFERENCES specialties (tenant, code),
    FOREIGN KEY (tenant, clinic) REFERENCES clinics (tenant, code),
    FOREIGN KEY (tenant, doctor) REFERENCES doctors (tenant, code)
);
CREATE UNIQUE INDEX appointments_by_protocol ON appointments (tenant, protocol);
CREATE INDEX appointments_by_opening ON appointments (tenant, opened_at, code);
CREATE INDEX appointments_by_branch ON appointments (tenant, branch, opened_at, code);
CREATE INDEX appointments_by_person ON appointments (tenant, person, opened_at, code);
CREATE INDEX appointments_by_benefit ON appointments (tenant, benefit, opened_at, code);
CREATE INDEX appointments_by_kind ON appointments (tenant, specialty, opened_at, code);
CREATE INDEX appointments_by_responsible ON appointments (tenant, responsible, opened_at, code);
CREATE INDEX appointments_by_situation ON appointments (tenant, situation, opened_at, code);
CREATE INDEX appointments_by_branch_situation ON appointments (tenant, branch, situation, opened_at, code);
CREATE INDEX appointments_by_time ON appointments (tenant, situation, situation_since, code);
CREATE INDEX appointments_by_branch_time ON appointments (tenant, branch, situation, situation_since, code);
CREATE INDEX appointments_by_day ON appointments (tenant, takes_place_at, code);

-- What people wrote about a record, or to the member. The entity is that of the history.
CREATE TABLE notes (
    tenant BIGINT NOT NULL,
    entity BIGINT NOT NULL,
    record BIGINT NOT NULL,
    number BIGINT NOT NULL,
    written_at BIGINT NOT NULL,
    user_code BIGINT,
    -- Meant for the member, or written by him.
    is_message BOOLEAN NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tenant, entity, record, number)
) CLUSTERED;

-- Every change of a field by people: who, when, before, after. The subject is 'claim', 'person', 'deal'.
CREATE TABLE field_changes (
    tenant BIGINT NOT NULL,
    subject TEXT NOT NULL,
    record BIGINT NOT NULL,
    number BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    user_code BIGINT,
    field TEXT NOT NULL,
    before TEXT,
    after TEXT,
    PRIMARY KEY (tenant, subject, record, number)
) CLUSTERED;

-- What a member tells the association alone. The payer's address is a JSON object of the columns of an address.
ALTER TABLE people ADD COLUMN spouse TEXT;
ALTER TABLE people ADD COLUMN payer_document TEXT;
ALTER TABLE people ADD COLUMN payer_address TEXT;

-- What a won deal became.
ALTER TABLE deals ADD COLUMN benefit BIGINT;

-- Deals in whatever situation, as the board and its list ask for them.
CREATE INDEX deals_by_stage ON deals (tenant, stage, situation, code);
CREATE INDEX deals_of_branch ON deals (tenant, branch, situation, code);
CREATE INDEX deals_of_responsible ON deals (tenant, responsible, situation, code);
