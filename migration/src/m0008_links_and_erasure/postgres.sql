-- What a link is called, and whether it is a kiosk's, where many people answer from one address.
ALTER TABLE link ADD COLUMN name text;
ALTER TABLE link ADD COLUMN kiosk boolean NOT NULL DEFAULT false;

-- One row: what the docids of erased people are hashed under where no pepper is set. It serves for docids alone.
CREATE TABLE docid_key (
    id  bigint PRIMARY KEY,
    key bytea  NOT NULL
);
-- Two random UUIDs have 244 random bits.
INSERT INTO docid_key (id, key)
VALUES (1, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
