-- From where somebody looked who has no credential.
ALTER TABLE sightings ADD COLUMN address TEXT;
