-- The same tables as postgres.sql. Times are RFC 3339 texts in UTC, ids 16-byte blobs.
-- Every tenant table's key begins with account_id, so that the schema can be distributed by it.

CREATE TABLE account (
    account_id blob PRIMARY KEY,
    name       text NOT NULL UNIQUE,
    time_zone  text NOT NULL,
    created_at text NOT NULL
);

-- Only a hash of a secret is kept; a key has up to two live ones, so that rotation overlaps.
CREATE TABLE api_key (
    account_id   blob NOT NULL REFERENCES account,
    api_key      text NOT NULL UNIQUE,
    scopes       text NOT NULL,
    created_at   text NOT NULL,
    revoked_at   text,
    last_used_at text,
    PRIMARY KEY (account_id, api_key)
);

CREATE TABLE api_secret (
    account_id  blob NOT NULL,
    api_key     text NOT NULL,
    secret_hash blob NOT NULL,
    created_at  text NOT NULL,
    expires_at  text,
    PRIMARY KEY (account_id, api_key, secret_hash),
    FOREIGN KEY (account_id, api_key) REFERENCES api_key ON DELETE CASCADE
);

-- Acceptance draws from here as the last thing before its COMMIT: the order of seq is the order of commits.
CREATE TABLE import_counter (
    account_id blob    PRIMARY KEY REFERENCES account,
    seq        integer NOT NULL
);

CREATE TABLE import_batch (
    account_id    blob    NOT NULL,
    batch_id      blob    NOT NULL,
    status        text    NOT NULL,
    attempt       blob    NOT NULL,
    beat_at       text    NOT NULL,
    request_id    text    NOT NULL DEFAULT '',
    lane          text    NOT NULL DEFAULT 'bulk',
    seq           integer,
    staging       boolean NOT NULL DEFAULT false,
    received      integer NOT NULL DEFAULT 0,
    accepted      integer NOT NULL DEFAULT 0,
    rejected      integer NOT NULL DEFAULT 0,
    open_chunks   integer NOT NULL DEFAULT 0,
    parked_chunks integer NOT NULL DEFAULT 0,
    created       integer NOT NULL DEFAULT 0,
    updated       integer NOT NULL DEFAULT 0,
    unchanged     integer NOT NULL DEFAULT 0,
    superseded    integer NOT NULL DEFAULT 0,
    failed        integer NOT NULL DEFAULT 0,
    cancelled     integer NOT NULL DEFAULT 0,
    created_at    text    NOT NULL,
    queued_at     text,
    started_at    text,
    completed_at  text,
    PRIMARY KEY (account_id, batch_id)
);

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
    account_id blob    NOT NULL,
    batch_id   blob    NOT NULL,
    chunk_no   integer NOT NULL,
    records    integer NOT NULL,
    parked     boolean NOT NULL DEFAULT false,
    failures   integer NOT NULL DEFAULT 0,
    retry_at   text,
    reason     text,
    PRIMARY KEY (account_id, batch_id, chunk_no),
    FOREIGN KEY (account_id, batch_id) REFERENCES import_batch ON DELETE CASCADE
);

-- Apart from the ledger, compressed already.
CREATE TABLE import_payload (
    account_id blob    NOT NULL,
    batch_id   blob    NOT NULL,
    chunk_no   integer NOT NULL,
    payload    blob    NOT NULL,
    PRIMARY KEY (account_id, batch_id, chunk_no),
    FOREIGN KEY (account_id, batch_id, chunk_no) REFERENCES import_chunk ON DELETE CASCADE
);

-- Who works on a chunk, written beside the transaction that holds the chunk. No foreign key: its check would
-- wait for that very transaction. backend_* stay null here: the embedded store has one process.
CREATE TABLE import_start (
    account_id    blob    NOT NULL,
    batch_id      blob    NOT NULL,
    chunk_no      integer NOT NULL,
    worker_id     blob    NOT NULL,
    backend_pid   integer,
    backend_start text,
    starts        integer NOT NULL,
    PRIMARY KEY (account_id, batch_id, chunk_no)
);

CREATE TABLE worker_beat (
    worker_id blob PRIMARY KEY,
    beat_at   text NOT NULL
);

-- Record errors, many a block, compressed.
CREATE TABLE import_error (
    account_id blob    NOT NULL,
    batch_id   blob    NOT NULL,
    first      integer NOT NULL,
    errors     integer NOT NULL,
    block      blob    NOT NULL,
    PRIMARY KEY (account_id, batch_id, first),
    FOREIGN KEY (account_id, batch_id) REFERENCES import_batch ON DELETE CASCADE
);

CREATE TABLE idempotency (
    account_id      blob    NOT NULL,
    idempotency_key text    NOT NULL,
    query           text    NOT NULL,
    attempt         blob    NOT NULL,
    batch_id        blob    NOT NULL,
    created_at      text    NOT NULL,
    beat_at         text    NOT NULL,
    body_hash       blob,
    status          integer,
    answer          blob,
    PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- One row a person and account. Erased: phone and fields are null until no older batch is open.
CREATE TABLE recipient (
    account_id  blob    NOT NULL,
    docid       text    NOT NULL,
    phone       text,
    fields      text,
    batch_id    blob,
    seq         integer NOT NULL,
    created_at  text    NOT NULL,
    updated_at  text    NOT NULL,
    created_day text    NOT NULL,
    PRIMARY KEY (account_id, docid)
);
CREATE INDEX recipient_erased ON recipient (account_id, seq) WHERE phone IS NULL;

-- Recipients now stored, by the day (in the account's time zone) on which they were created.
CREATE TABLE recipient_rollup (
    account_id blob    NOT NULL,
    day        text    NOT NULL,
    recipients integer NOT NULL,
    PRIMARY KEY (account_id, day)
);

CREATE TABLE recipient_version (
    account_id   blob    PRIMARY KEY,
    data_version integer NOT NULL,
    as_of        text    NOT NULL
);
