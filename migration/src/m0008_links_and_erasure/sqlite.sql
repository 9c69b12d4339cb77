ALTER TABLE link ADD COLUMN name text;
ALTER TABLE link ADD COLUMN kiosk integer NOT NULL DEFAULT 0;

CREATE TABLE docid_key (
    id  integer PRIMARY KEY,
    key blob    NOT NULL
);
INSERT INTO docid_key (id, key) VALUES (1, randomblob(32));
