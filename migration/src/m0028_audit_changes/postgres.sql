-- What a change made, in JSON: of the outcome of one of a form, a campaign or settings.
ALTER TABLE audit ADD COLUMN changes text;
-- Who was erased with which import, by what stands for them in `audit.subject`.
CREATE TABLE audit_erased (
    account_id uuid        NOT NULL,
    subject    text        NOT NULL,
    batch_id   uuid        NOT NULL,
    erased_at  timestamptz NOT NULL,
    PRIMARY KEY (account_id, subject, batch_id)
);
