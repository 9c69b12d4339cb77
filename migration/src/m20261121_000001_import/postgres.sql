-- Every tenant table's key begins with account_id, so that the schema can be distributed by it.

CREATE TABLE account (
    account_id  uuid        PRIMARY KEY,
    name        text        NOT NULL UNIQUE,
    time_zone   text        NOT NULL,
    created_at  timestamptz NOT NULL
);

-- Only a hash of a secret is kept; a key has up to two live ones, so that rotation overlaps.
CREATE TABLE api_key (
    account_id   uuid        NOT NULL REFERENCES account,
    api_key      text        NOT NULL UNIQUE,
    scopes       text        NOT NULL,
    created_at   timestamptz NOT NULL,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (account_id, api_key)
);

CREATE TABLE api_secret (
    account_id  uuid        NOT NULL,
    api_key     text        NOT NULL,
    secret_hash bytea       NOT NULL,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz,
    PRIMARY KEY (account_id, api_key, secret_hash),
    FOREIGN KEY (account_id, api_key) REFERENCES api_key ON DELETE CASCADE
);

-- Acceptance draws from here as the last thing before its COMMIT: the order of seq is the order of commits.
CREATE TABLE import_counter (
    account_id uuid   PRIMARY KEY REFERENCES account,
    seq        bigint NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE import_batch (
    account_id    uuid        NOT NULL,
    batch_id      uuid        NOT NULL,
    status        text        NOT NULL,
    attempt       uuid        NOT NULL,
    beat_at       timestamptz NOT NULL,
    request_id    text        NOT NULL DEFAULT '',
    lane          text        NOT NULL DEFAULT 'bulk',
    seq           bigint,
    staging       boolean     NOT NULL DEFAULT false,
    received      bigint      NOT NULL DEFAULT 0,
    accepted      bigint      NOT NULL DEFAULT 0,
    rejected      bigint      NOT NULL DEFAULT 0,
    open_chunks   bigint      NOT NULL DEFAULT 0,
    parked_chunks bigint      NOT NULL DEFAULT 0,
    created       bigint      NOT NULL DEFAULT 0,
    updated       bigint      NOT NULL DEFAULT 0,
    unchanged     bigint      NOT NULL DEFAULT 0,
    superseded    bigint      NOT NULL DEFAULT 0,
    failed        bigint      NOT NULL DEFAULT 0,
    cancelled     bigint      NOT NULL DEFAULT 0,
    created_at    timestamptz NOT NULL,
    queued_at     timestamptz,
    started_at    timestamptz,
    completed_at  timestamptz,
    PRIMARY KEY (account_id, batch_id)
) WITH (fillfactor = 50);

-- "Is an older batch still open?" and the sweeper's search.
CREATE INDEX import_batch_open ON import_batch (account_id, seq)
    WHERE status IN ('queued', 'processing', 'stalled');
CREATE INDEX import_batch_due ON import_batch (lane, queued_at)
    WHERE status IN ('queued', 'processing');
CREATE INDEX import_batch_ended ON import_batch (completed_at)
    WHERE status IN ('completed', 'cancelled');
CREATE INDEX import_batch_receiving ON import_batch (beat_at) WHERE status = 'receiving';

-- A chunk that is stored is a row that is gone: its absence is the ledger's proof.
CREATE TABLE import_chunk (
    account_id uuid        NOT NULL,
    batch_id   uuid        NOT NULL,
    chunk_no   bigint      NOT NULL,
    records    bigint      NOT NULL,
    parked     boolean     NOT NULL DEFAULT false,
    failures   bigint      NOT NULL DEFAULT 0,
    retry_at   timestamptz,
    reason     text,
    PRIMARY KEY (account_id, batch_id, chunk_no),
    FOREIGN KEY (account_id, batch_id) REFERENCES import_batch ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Apart from the ledger, compressed already.
CREATE TABLE import_payload (
    account_id uuid   NOT NULL,
    batch_id   uuid   NOT NULL,
    chunk_no   bigint NOT NULL,
    payload    bytea  NOT NULL,
    PRIMARY KEY (account_id, batch_id, chunk_no),
    FOREIGN KEY (account_id, batch_id, chunk_no) REFERENCES import_chunk ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0,
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000, toast.autovacuum_vacuum_cost_delay = 0);
ALTER TABLE import_payload ALTER COLUMN payload SET STORAGE EXTERNAL;

-- Who works on a chunk, written beside the transaction that holds the chunk. No foreign key: its check would
-- wait for that very transaction.
CREATE TABLE import_start (
    account_id      uuid   NOT NULL,
    batch_id        uuid   NOT NULL,
    chunk_no        bigint NOT NULL,
    worker_id       uuid   NOT NULL,
    backend_pid     bigint,
    backend_start   timestamptz,
    starts          bigint NOT NULL,
    PRIMARY KEY (account_id, batch_id, chunk_no)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE worker_beat (
    worker_id uuid        PRIMARY KEY,
    beat_at   timestamptz NOT NULL
);

-- Record errors, many a block, compressed.
CREATE TABLE import_error (
    account_id uuid   NOT NULL,
    batch_id   uuid   NOT NULL,
    first      bigint NOT NULL,
    errors     bigint NOT NULL,
    block      bytea  NOT NULL,
    PRIMARY KEY (account_id, batch_id, first),
    FOREIGN KEY (account_id, batch_id) REFERENCES import_batch ON DELETE CASCADE
);
ALTER TABLE import_error ALTER COLUMN block SET STORAGE EXTERNAL;

CREATE TABLE idempotency (
    account_id      uuid        NOT NULL,
    idempotency_key text        NOT NULL,
    query           text        NOT NULL,
    attempt         uuid        NOT NULL,
    batch_id        uuid        NOT NULL,
    created_at      timestamptz NOT NULL,
    beat_at         timestamptz NOT NULL,
    body_hash       bytea,
    status          bigint,
    answer          bytea,
    PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- One row a person and account. Erased: phone and fields are null until no older batch is open.
CREATE TABLE recipient (
    account_id  uuid        NOT NULL,
    docid       text        COLLATE "C" NOT NULL,
    phone       text,
    fields      jsonb,
    batch_id    uuid,
    seq         bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    created_day date        NOT NULL,
    PRIMARY KEY (account_id, docid)
) WITH (fillfactor = 90);
CREATE INDEX recipient_erased ON recipient (account_id, seq) WHERE phone IS NULL;

-- Recipients now stored, by the day (in the account's time zone) on which they were created.
CREATE TABLE recipient_rollup (
    account_id uuid   NOT NULL,
    day        date   NOT NULL,
    recipients bigint NOT NULL,
    PRIMARY KEY (account_id, day)
) WITH (fillfactor = 50);

CREATE TABLE recipient_version (
    account_id   uuid        PRIMARY KEY,
    data_version bigint      NOT NULL,
    as_of        timestamptz NOT NULL
) WITH (fillfactor = 10);
