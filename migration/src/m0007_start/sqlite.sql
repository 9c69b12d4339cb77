-- The schema on SQLite: the tables of postgres.sql, whose comments say what they are for. Times are RFC 3339 texts in UTC, ids
-- are blobs of 16 bytes.

CREATE TABLE schema_version (
    version integer NOT NULL
);
INSERT INTO schema_version (version) VALUES (7);

CREATE TABLE account (
    number     integer PRIMARY KEY AUTOINCREMENT,
    account_id blob NOT NULL UNIQUE,
    name       text NOT NULL UNIQUE,
    time_zone  text NOT NULL,
    created_at text NOT NULL
);

CREATE TABLE branding (
    account_id blob NOT NULL PRIMARY KEY REFERENCES account (account_id),
    name       text,
    logo       text,
    color      text,
    language   text
);

CREATE TABLE api_key (
    account_id   blob NOT NULL REFERENCES account (account_id),
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

CREATE TABLE person (
    account_id    blob NOT NULL REFERENCES account (account_id),
    name          text NOT NULL UNIQUE,
    role          text NOT NULL,
    password_hash text NOT NULL,
    created_at    text NOT NULL,
    PRIMARY KEY (account_id, name)
);

CREATE TABLE session (
    account_id blob    NOT NULL,
    hash       blob    NOT NULL UNIQUE,
    name       text    NOT NULL,
    is_link    boolean NOT NULL,
    expires_at text    NOT NULL,
    PRIMARY KEY (account_id, hash),
    FOREIGN KEY (account_id, name) REFERENCES person ON DELETE CASCADE
);

CREATE TABLE share (
    account_id blob NOT NULL REFERENCES account (account_id),
    share_id   blob NOT NULL,
    hash       blob NOT NULL UNIQUE,
    path       text NOT NULL,
    created_at text NOT NULL,
    expires_at text NOT NULL,
    PRIMARY KEY (account_id, share_id)
);

CREATE TABLE audit (
    account_id blob NOT NULL REFERENCES account (account_id),
    audit_id   blob NOT NULL,
    at         text NOT NULL,
    name       text NOT NULL,
    address    text NOT NULL,
    action     text NOT NULL,
    subject    text NOT NULL,
    status     integer,
    PRIMARY KEY (account_id, audit_id)
);

CREATE TABLE import_counter (
    account_id blob    PRIMARY KEY REFERENCES account (account_id),
    seq        integer NOT NULL
);

CREATE TABLE import_batch (
    account_id    blob    NOT NULL,
    batch_id      blob    NOT NULL,
    status        text    NOT NULL,
    attempt       blob    NOT NULL,
    heartbeat_at  text    NOT NULL,
    request_id    text    NOT NULL DEFAULT '',
    campaign_id    blob,
    lane          text    NOT NULL DEFAULT 'bulk',
    seq           integer,
    staging       boolean NOT NULL DEFAULT false,
    received      integer NOT NULL DEFAULT 0,
    accepted      integer NOT NULL DEFAULT 0,
    rejected      integer NOT NULL DEFAULT 0,
    errors_dropped integer NOT NULL DEFAULT 0,
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

CREATE INDEX import_batch_open ON import_batch (account_id, seq)
    WHERE status IN ('queued', 'processing', 'stalled');
CREATE INDEX import_batch_due ON import_batch (lane, account_id, seq)
    WHERE status IN ('queued', 'processing');
CREATE INDEX import_batch_ended ON import_batch (completed_at)
    WHERE status IN ('completed', 'cancelled');
CREATE INDEX import_batch_receiving ON import_batch (heartbeat_at) WHERE status = 'receiving';

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

CREATE TABLE import_payload (
    account_id blob    NOT NULL,
    batch_id   blob    NOT NULL,
    chunk_no   integer NOT NULL,
    payload    blob    NOT NULL,
    PRIMARY KEY (account_id, batch_id, chunk_no),
    FOREIGN KEY (account_id, batch_id, chunk_no) REFERENCES import_chunk ON DELETE CASCADE
);

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

CREATE TABLE worker_heartbeat (
    worker_id    blob PRIMARY KEY,
    heartbeat_at text NOT NULL
);

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
    account_id      blob NOT NULL,
    idempotency_key text NOT NULL,
    query           text NOT NULL,
    attempt         blob NOT NULL,
    batch_id        blob NOT NULL,
    created_at      text NOT NULL,
    heartbeat_at    text NOT NULL,
    body_hash       blob,
    status          integer,
    response        blob,
    PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

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

CREATE TABLE recipient_rollup (
    account_id blob    NOT NULL,
    day        text    NOT NULL,
    recipients integer NOT NULL,
    PRIMARY KEY (account_id, day)
);

CREATE TABLE recipient_version (
    account_id   blob    PRIMARY KEY,
    data_version integer NOT NULL,
    stamp        integer NOT NULL,
    as_of        text    NOT NULL
);

CREATE TABLE form (
    account_id   blob    NOT NULL,
    form_id      blob    NOT NULL,
    status       text    NOT NULL,
    title        text    NOT NULL,
    content      text    NOT NULL,
    revision     integer NOT NULL,
    created_at   text    NOT NULL,
    updated_at   text    NOT NULL,
    published_at text,
    deleted_at   text,
    PRIMARY KEY (account_id, form_id)
);
CREATE INDEX form_list ON form (account_id, status, form_id);

CREATE TABLE form_version (
    account_id        blob    NOT NULL,
    form_id           blob    NOT NULL,
    data_version      integer NOT NULL,
    stamp             integer NOT NULL,
    as_of             text    NOT NULL,
    watermark         integer NOT NULL DEFAULT 0,
    next_watermark    integer NOT NULL DEFAULT 0,
    next_watermark_at text    NOT NULL,
    PRIMARY KEY (account_id, form_id)
);

CREATE TABLE link (
    account_id    blob    NOT NULL,
    link_id       blob    NOT NULL,
    token         text    NOT NULL UNIQUE,
    form_id       blob    NOT NULL,
    bus_prop_ids  text    NOT NULL,
    track_fields  text    NOT NULL,
    expires_at    text,
    max_responses integer,
    used          integer NOT NULL DEFAULT 0,
    created_at    text    NOT NULL,
    deleted_at    text,
    campaign_id   blob,
    is_test       integer NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, link_id)
);
CREATE INDEX link_form ON link (account_id, form_id, link_id);

CREATE TABLE link_track_field (
    account_id  blob NOT NULL,
    form_id     blob NOT NULL,
    track_field text NOT NULL,
    link_id     blob NOT NULL,
    PRIMARY KEY (account_id, form_id, track_field, link_id)
) WITHOUT ROWID;

CREATE TABLE visit_view (
    account_id blob NOT NULL,
    link_id    blob NOT NULL,
    visit      blob NOT NULL,
    day        text NOT NULL,
    form_id    blob NOT NULL,
    seen_at    text NOT NULL,
    PRIMARY KEY (account_id, link_id, visit, day)
);
CREATE INDEX visit_view_day ON visit_view (account_id, form_id, day);

CREATE TABLE visit (
    account_id  blob NOT NULL,
    link_id     blob NOT NULL,
    visit       blob NOT NULL,
    feedback_id blob NOT NULL,
    PRIMARY KEY (account_id, link_id, visit)
);

CREATE TABLE feedback (
    account_id   blob    NOT NULL,
    form_id      blob    NOT NULL,
    feedback_id  blob    NOT NULL,
    link_id      blob    NOT NULL,
    day          text    NOT NULL,
    submitted_at text    NOT NULL,
    bus_prop_ids text    NOT NULL,
    track_fields text    NOT NULL,
    answers      text    NOT NULL,
    nps          integer,
    happiness    integer,
    has_comment  boolean NOT NULL,
    PRIMARY KEY (account_id, form_id, feedback_id)
);
CREATE INDEX feedback_comment ON feedback (account_id, form_id, feedback_id) WHERE has_comment;

-- AUTOINCREMENT never uses an id again, which the watermarks rely on.
CREATE TABLE pending_delta (
    id           integer PRIMARY KEY AUTOINCREMENT,
    account_id   blob    NOT NULL,
    form_id      blob    NOT NULL,
    day          text    NOT NULL,
    bus_prop_ids text    NOT NULL,
    delta        blob    NOT NULL,
    link_counts  text    NOT NULL,
    created_at   text    NOT NULL
);
CREATE INDEX pending_delta_form ON pending_delta (account_id, form_id, id);

CREATE TABLE campaign (
    account_id blob NOT NULL,
    campaign_id blob NOT NULL,
    status text NOT NULL,
    sender text NOT NULL,
    form_id blob NOT NULL,
    content text NOT NULL,
    revision integer NOT NULL,
    on_import integer NOT NULL,
    finishing integer NOT NULL,
    planned integer NOT NULL,
    planned_to text NOT NULL,
    created_at text NOT NULL,
    updated_at text NOT NULL,
    started_at text,
    finished_at text,
    PRIMARY KEY (account_id, campaign_id)
);
CREATE INDEX campaign_open ON campaign (sender, account_id, campaign_id) WHERE status IN ('RUNNING', 'PAUSED');

CREATE TABLE campaign_tally (
    account_id blob NOT NULL,
    campaign_id blob NOT NULL,
    kind text NOT NULL,
    counts text NOT NULL,
    PRIMARY KEY (account_id, campaign_id, kind)
);

CREATE TABLE campaign_delta (
    account_id blob NOT NULL,
    campaign_id blob NOT NULL,
    id integer PRIMARY KEY AUTOINCREMENT,
    kind text NOT NULL,
    counts text NOT NULL
);
CREATE INDEX campaign_delta_campaign ON campaign_delta (account_id, campaign_id, id);

CREATE TABLE message (
    account_id blob NOT NULL,
    message_id blob NOT NULL,
    campaign_id blob NOT NULL,
    docid text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    reason text,
    phone_mac blob,
    sent_mac blob,
    parts integer NOT NULL DEFAULT 0,
    part_states text NOT NULL DEFAULT '',
    encoding text,
    link_id blob NOT NULL,
    provider_ids text NOT NULL DEFAULT '[]',
    code text,
    scheduled_at text NOT NULL,
    accepted_at text,
    accepted_day text,
    delivered_at text,
    viewed_at text,
    answered_at text,
    PRIMARY KEY (account_id, message_id)
);
CREATE UNIQUE INDEX message_docid ON message (account_id, campaign_id, kind, docid) WHERE kind <> 'test';
CREATE UNIQUE INDEX message_phone ON message (account_id, campaign_id, kind, phone_mac)
    WHERE kind <> 'test' AND reason IS NOT 'duplicate_phone';
CREATE INDEX message_campaign ON message (account_id, campaign_id, message_id);
CREATE INDEX message_recipient ON message (account_id, docid, message_id);

CREATE TABLE message_due (
    account_id blob NOT NULL,
    campaign_id blob NOT NULL,
    due_at text NOT NULL,
    message_id blob NOT NULL,
    sender text NOT NULL,
    fence integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    phone text,
    PRIMARY KEY (account_id, campaign_id, due_at, message_id)
);
CREATE INDEX message_due_test ON message_due (sender, account_id, campaign_id) WHERE phone IS NOT NULL;
CREATE INDEX message_due_claimed ON message_due (sender, fence) WHERE fence > 0;

CREATE TABLE contact (
    account_id blob NOT NULL,
    phone_mac blob NOT NULL,
    last_sent_at text,
    last_campaign_id blob,
    docid text,
    opted_out_at text,
    source text,
    senders text NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, phone_mac)
);
CREATE INDEX contact_opted_out ON contact (account_id, opted_out_at, phone_mac) WHERE opted_out_at IS NOT NULL;

CREATE TABLE receipt (
    account_id blob NOT NULL,
    message_id blob NOT NULL,
    part integer NOT NULL,
    status text NOT NULL,
    code text,
    received_at text NOT NULL,
    PRIMARY KEY (account_id, message_id, part, status)
) WITHOUT ROWID;
CREATE INDEX receipt_age ON receipt (received_at);

CREATE TABLE send_setting (
    account_id blob PRIMARY KEY,
    content text NOT NULL
);

CREATE TABLE reply (
    account_id blob NOT NULL,
    phone_mac blob NOT NULL,
    kind text NOT NULL,
    day text NOT NULL,
    sender text,
    phone text,
    text text,
    made_at text NOT NULL,
    PRIMARY KEY (account_id, phone_mac, kind, day)
);
CREATE INDEX reply_waiting ON reply (sender, made_at) WHERE sender IS NOT NULL;

CREATE TABLE provider_ref (
    sender text NOT NULL,
    provider_id text NOT NULL,
    account_id blob NOT NULL,
    message_id blob NOT NULL,
    part integer NOT NULL,
    created_at text NOT NULL,
    PRIMARY KEY (sender, provider_id)
);
CREATE INDEX provider_ref_age ON provider_ref (created_at);

CREATE TABLE stray_receipt (
    sender text NOT NULL,
    provider_id text NOT NULL,
    status text NOT NULL,
    code text,
    received_at text NOT NULL,
    PRIMARY KEY (sender, provider_id, status)
);
CREATE INDEX stray_receipt_age ON stray_receipt (received_at);

CREATE TABLE lease (
    name text        PRIMARY KEY,
    owner blob NOT NULL,
    fence integer NOT NULL,
    heartbeat_at text NOT NULL
);
CREATE TABLE sender_state (
    name text PRIMARY KEY,
    state text NOT NULL,
    reason text
);
CREATE TABLE sender_usage (
    sender text NOT NULL,
    account_id blob NOT NULL,
    day text NOT NULL,
    parts integer NOT NULL,
    PRIMARY KEY (sender, account_id)
);
CREATE TABLE pepper (
    id integer PRIMARY KEY,
    fingerprint text NOT NULL
);
CREATE TABLE inbound (
    sender text NOT NULL,
    id text NOT NULL,
    received_at text NOT NULL,
    PRIMARY KEY (sender, id)
);

CREATE TABLE rollup (
    account_id  blob    NOT NULL,
    form_id     blob    NOT NULL,
    bus_prop_id integer NOT NULL,
    day         text    NOT NULL,
    delta       blob    NOT NULL,
    PRIMARY KEY (account_id, form_id, bus_prop_id, day)
);

CREATE TABLE rollup_month (
    account_id blob    NOT NULL,
    form_id    blob    NOT NULL,
    month      text    NOT NULL,
    version    integer NOT NULL,
    stamp      integer NOT NULL,
    PRIMARY KEY (account_id, form_id, month)
);

CREATE TABLE link_rollup (
    account_id blob    NOT NULL,
    form_id    blob    NOT NULL,
    link_id    blob    NOT NULL,
    views      integer NOT NULL,
    responses  integer NOT NULL,
    PRIMARY KEY (account_id, form_id, link_id)
);
