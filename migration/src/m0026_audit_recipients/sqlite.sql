CREATE TABLE audit_recipient (
    account_id blob NOT NULL,
    docid      text NOT NULL,
    subject    text NOT NULL,
    PRIMARY KEY (account_id, docid, subject)
);
