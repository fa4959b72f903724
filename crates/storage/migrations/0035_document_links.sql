-- Links that open a document without a credential. The token, which the address contains, begins with its tenant, so that it
-- is unique on the server and found in its tenant.
CREATE TABLE document_links (
    tenant BIGINT NOT NULL REFERENCES tenants (tenant),
    token TEXT NOT NULL,
    purpose BIGINT NOT NULL,
    -- The code of the document, among those of its purpose.
    subject BIGINT NOT NULL,
    -- Whose document it is.
    person BIGINT,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    user_code BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, token)
) CLUSTERED;
CREATE INDEX document_links_by_subject ON document_links (tenant, purpose, subject);
CREATE INDEX document_links_by_expiry ON document_links (tenant, expires_at);

-- From where somebody looked who has no credential. On SQLite these rows are in the file of activity.
ALTER TABLE sightings ADD COLUMN address TEXT;
