-- Who enters the console with a second factor. Its secret stands in `secrets`, sealed, and counts once a code has confirmed
-- it. A code is good once: the last step of time that was used is kept, and none up to it is taken again.
CREATE TABLE second_factors (
    tenant BIGINT NOT NULL,
    user_code BIGINT NOT NULL,
    confirmed_at BIGINT,
    last_step BIGINT NOT NULL,
    PRIMARY KEY (tenant, user_code),
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code)
) CLUSTERED;

-- Codes for whoever lost the other device: each good once, and only its hash is kept.
CREATE TABLE recovery_codes (
    tenant BIGINT NOT NULL,
    user_code BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (tenant, user_code, hash),
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code)
) CLUSTERED;

-- Those who gave the right password and still owe the code. Nobody can do anything with it but give the code.
CREATE TABLE entrances (
    tenant BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    user_code BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, hash),
    FOREIGN KEY (tenant, user_code) REFERENCES users (tenant, code)
) CLUSTERED;
CREATE INDEX entrances_by_expiry ON entrances (tenant, expires_at);
CREATE INDEX entrances_by_user ON entrances (tenant, user_code);
