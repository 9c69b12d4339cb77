-- The name that the caller gave, and rows of the same docid and values as an earlier one: received = accepted + rejected + merged.
ALTER TABLE import_batch
    ADD COLUMN name text,
    ADD COLUMN merged bigint NOT NULL DEFAULT 0;

-- Files that somebody looks at before they are imported: part 0 is empty, the others are 1 MiB each, compressed with zstd.
CREATE TABLE upload (
    account_id uuid        NOT NULL REFERENCES account,
    upload_id  uuid        NOT NULL,
    part       bigint      NOT NULL,
    name       text        NOT NULL,
    is_last    boolean     NOT NULL,
    created_at timestamptz NOT NULL,
    body       bytea       NOT NULL,
    PRIMARY KEY (account_id, upload_id, part)
);
ALTER TABLE upload ALTER COLUMN body SET STORAGE EXTERNAL;

-- What an account said last of the columns of a file.
CREATE TABLE import_choice (
    account_id uuid PRIMARY KEY REFERENCES account,
    choice     text NOT NULL
);
