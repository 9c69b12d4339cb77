-- Of what came of a change, the row of the change.
ALTER TABLE audit ADD COLUMN outcome_of uuid;
-- The seal that it is in. Null: none yet.
ALTER TABLE audit ADD COLUMN seal bigint;
-- SHA-256 of `salt` and the subject. An erasure replaces the subject and forgets the salt.
ALTER TABLE audit ADD COLUMN salt bytea;
ALTER TABLE audit ADD COLUMN subject_hash bytea;
CREATE TABLE audit_seal (
    account_id uuid        NOT NULL,
    -- From 1 on, without a gap.
    seal       bigint      NOT NULL,
    sealed_at  timestamptz NOT NULL,
    -- Of each row its id and its SHA-256.
    digests    bytea       NOT NULL,
    -- SHA-256 of these and of the hash before.
    hash       bytea       NOT NULL,
    PRIMARY KEY (account_id, seal)
);
