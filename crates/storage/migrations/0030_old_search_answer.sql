-- Programs of 2023 and 2024 read the member search as a bare array. Each user chooses; no one does at first.
ALTER TABLE users ADD COLUMN old_search_answer BOOLEAN NOT NULL DEFAULT FALSE;
