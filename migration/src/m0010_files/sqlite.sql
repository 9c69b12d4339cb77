ALTER TABLE import_batch ADD COLUMN name text;
ALTER TABLE import_batch ADD COLUMN merged integer NOT NULL DEFAULT 0;

-- The body is last: what is before it is read without it.
CREATE TABLE upload (
    account_id blob    NOT NULL REFERENCES account (account_id),
    upload_id  blob    NOT NULL,
    part       integer NOT NULL,
    name       text    NOT NULL,
    is_last    integer NOT NULL,
    created_at text    NOT NULL,
    body       blob    NOT NULL,
    PRIMARY KEY (account_id, upload_id, part)
);

CREATE TABLE import_choice (
    account_id blob PRIMARY KEY NOT NULL REFERENCES account (account_id),
    choice     text NOT NULL
);
