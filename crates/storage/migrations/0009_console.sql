-- From where somebody entered, for the list of his own sessions. A program's token says nothing of it.
ALTER TABLE tokens ADD COLUMN is_console BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE tokens ADD COLUMN address TEXT;
ALTER TABLE tokens ADD COLUMN agent TEXT;
