-- While a new server key takes the place of an old one: the processes that have it, by its digest.
CREATE TABLE key_holders (
    process TEXT NOT NULL PRIMARY KEY,
    fingerprint TEXT NOT NULL
) CLUSTERED;
