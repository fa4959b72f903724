-- Whoever looks at the board of sales asks every few seconds what changed on it.
CREATE INDEX deals_by_change ON deals (tenant, updated_at, code);
