CREATE TABLE erasure (
    account_id blob    NOT NULL,
    seq        integer NOT NULL,
    docid      text    NOT NULL,
    at         text    NOT NULL,
    PRIMARY KEY (account_id, seq)
);
