-- What changed since somebody last looked at a board.
CREATE INDEX claims_by_change ON claims (tenant, updated_at, code);
CREATE INDEX inspections_by_change ON inspections (tenant, updated_at, code);
CREATE INDEX tickets_by_change ON tickets (tenant, updated_at, code);
CREATE INDEX appointments_by_change ON appointments (tenant, updated_at, code);
