-- Who did what to whom, and who looked at whom. A change is written in its own unit, a look in batches behind the answer.
CREATE TABLE audit (
    tenant BIGINT NOT NULL,
    code BIGINT NOT NULL,
    happened_at BIGINT NOT NULL,
    user_code BIGINT,
    operation TEXT NOT NULL,
    person BIGINT,
    detail TEXT,
    PRIMARY KEY (tenant, code)
) CLUSTERED;
CREATE INDEX audit_by_person ON audit (tenant, person, code);
CREATE INDEX audit_by_user ON audit (tenant, user_code, code);
