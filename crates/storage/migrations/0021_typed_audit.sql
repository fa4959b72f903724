-- An audit entry as data: what was done, to which record, which fields, and what else is needed to say it. Entries from
-- before have none of these, and keep their text in `detail`. `origin` and `chain` are filled by a later version.
ALTER TABLE audit ADD COLUMN action TEXT;
ALTER TABLE audit ADD COLUMN subject_kind TEXT;
ALTER TABLE audit ADD COLUMN subject_code BIGINT;
ALTER TABLE audit ADD COLUMN fields TEXT;
ALTER TABLE audit ADD COLUMN arguments TEXT;
ALTER TABLE audit ADD COLUMN reason TEXT;
ALTER TABLE audit ADD COLUMN origin TEXT;
ALTER TABLE audit ADD COLUMN chain BYTEA;
