-- Whom the hashes in `audit` are of, as long as they are stored.
CREATE TABLE audit_recipient (
    account_id uuid             NOT NULL,
    docid      text COLLATE "C" NOT NULL,
    -- As `audit.subject` has it.
    subject    text             NOT NULL,
    PRIMARY KEY (account_id, docid, subject)
);
