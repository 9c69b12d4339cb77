ALTER TABLE audit ADD COLUMN outcome_of blob;
ALTER TABLE audit ADD COLUMN seal integer;
ALTER TABLE audit ADD COLUMN salt blob;
ALTER TABLE audit ADD COLUMN subject_hash blob;
CREATE TABLE audit_seal (
    account_id blob NOT NULL,
    seal       integer NOT NULL,
    sealed_at  text NOT NULL,
    digests    blob NOT NULL,
    hash       blob NOT NULL,
    PRIMARY KEY (account_id, seal)
);
