ALTER TABLE audit ADD COLUMN changes text;
CREATE TABLE audit_erased (
    account_id blob NOT NULL,
    subject    text NOT NULL,
    batch_id   blob NOT NULL,
    erased_at  text NOT NULL,
    PRIMARY KEY (account_id, subject, batch_id)
);
