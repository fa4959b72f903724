-- Whether benefits may be validated without a credential, and which networks may do it more often than others: a line for
-- each, the network and how many lookups it has.
ALTER TABLE tenants ADD COLUMN open_validation BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE tenants ADD COLUMN validation_partners TEXT;
