-- What an association registers before it has members, and the people themselves.

CREATE TABLE vehicle_types (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    category BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;

CREATE TABLE due_days (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    day BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, day)
) CLUSTERED;

-- Consultants and representatives.
CREATE TABLE sellers (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    name TEXT NOT NULL,
    document TEXT,
    email TEXT,
    mobile TEXT,
    landline TEXT,
    district TEXT,
    city TEXT,
    state TEXT,
    branch BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code)
) CLUSTERED;

CREATE TABLE suppliers (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    name TEXT NOT NULL,
    trade_name TEXT,
    document TEXT,
    state_registration TEXT,
    email TEXT,
    mobile TEXT,
    landline TEXT,
    kind TEXT,
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
);

-- Fields that the association adds to the benefits of one kind.
CREATE TABLE additional_fields (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    benefit_kind BIGINT NOT NULL,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    kind BIGINT NOT NULL,
    required BOOLEAN NOT NULL,
    longest BIGINT,
    active BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code)
) CLUSTERED;
CREATE UNIQUE INDEX additional_fields_by_name ON additional_fields (tenant, benefit_kind, folded_name);

CREATE TABLE additional_field_options (
    tenant BIGINT NOT NULL,
    field BIGINT NOT NULL,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (tenant, field, position),
    FOREIGN KEY (tenant, field) REFERENCES additional_fields (tenant, code)
) CLUSTERED;

-- Everybody that the association knows: members, and people who may become one.
CREATE TABLE people (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    code BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    is_member BOOLEAN NOT NULL,
    document TEXT,
    nature BIGINT NOT NULL,
    name TEXT NOT NULL,
    integration_code TEXT,
    email TEXT,
    receives_email BOOLEAN,
    receives_whatsapp BOOLEAN,
    sex BIGINT,
    born_on TEXT,
    identity_number TEXT,
    identity_issuer TEXT,
    identity_issued_on TEXT,
    mother TEXT,
    civil_state BIGINT,
    cnh_number TEXT,
    cnh_category TEXT,
    cnh_valid_until TEXT,
    trade_name TEXT,
    state_registration TEXT,
    municipal_registration TEXT,
    legal_representative TEXT,
    company TEXT,
    company_document TEXT,
    consultant BIGINT,
    representative BIGINT,
    address_kind TEXT,
    street_kind TEXT,
    street TEXT,
    street_number TEXT,
    complement TEXT,
    district TEXT,
    city TEXT,
    state TEXT,
    cep TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, code),
    FOREIGN KEY (tenant, branch) REFERENCES branches (tenant, code)
);
CREATE UNIQUE INDEX people_by_document ON people (tenant, document);

CREATE TABLE phones (
    tenant BIGINT NOT NULL,
    person BIGINT NOT NULL,
    position BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    country TEXT NOT NULL,
    number TEXT NOT NULL,
    PRIMARY KEY (tenant, person, position),
    FOREIGN KEY (tenant, person) REFERENCES people (tenant, code)
) CLUSTERED;
CREATE INDEX phones_by_number ON phones (tenant, number);
