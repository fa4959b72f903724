-- Entries about entering and about accounts: from which address, with what result (1 success, 2 failure, 3 throttled), and
-- how often, where one entry stands for repetitions within minutes. Other entries have neither address nor result.
ALTER TABLE audit ADD COLUMN address TEXT;
ALTER TABLE audit ADD COLUMN result BIGINT;
ALTER TABLE audit ADD COLUMN times BIGINT NOT NULL DEFAULT 1;

-- The roles that must have a second factor: the bit of each role's number.
ALTER TABLE tenants ADD COLUMN second_factor_roles BIGINT NOT NULL DEFAULT 0;

-- When a session of the console was last used, noted every few minutes; NULL for programs and for sessions from before.
ALTER TABLE tokens ADD COLUMN active_at BIGINT;
-- Whether the owner of a program's token gave a code besides the password.
ALTER TABLE tokens ADD COLUMN has_code BOOLEAN NOT NULL DEFAULT FALSE;
