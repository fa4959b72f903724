-- Imported titles of which the other system names benefits, but none that was here when they came. They are for none of
-- the others. A title without any named benefit is for all that its person has in its branch and group.
ALTER TABLE imported_titles ADD COLUMN has_only_unknown_benefits BOOLEAN NOT NULL DEFAULT FALSE;
-- The titles of a person that are for a month, however many others the person has.
CREATE INDEX titles_by_original_due_day ON titles (tenant, person, original_due_on, code);
