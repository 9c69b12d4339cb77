-- The schema on PostgreSQL. The key of every tenant's table begins with account_id, so that the schema can be distributed by it.

-- One row: the lowest number of the programs that the schema admits. Those of number 7 take a database only where it is 7.
CREATE TABLE schema_version (
    version bigint NOT NULL
);
INSERT INTO schema_version (version) VALUES (7);

-- Accounts and keys.

CREATE TABLE account (
    account_id  uuid        PRIMARY KEY,
    -- Stands for the account in the references that providers get, which have no room for an id.
    number      integer     GENERATED ALWAYS AS IDENTITY UNIQUE,
    name        text        NOT NULL UNIQUE,
    time_zone   text        NOT NULL,
    created_at  timestamptz NOT NULL
);

-- What makes the pages behind an account's links its own. What is null is as the service has it.
CREATE TABLE branding (
    account_id uuid PRIMARY KEY REFERENCES account,
    name       text,
    -- A data: URL.
    logo       text,
    color      text,
    language   text
);

-- Only a hash of a secret is kept. A key has up to two live secrets, so that rotation overlaps.
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

-- People who sign in to the dashboard. A password's hash is a PHC string of argon2id.
CREATE TABLE person (
    account_id    uuid        NOT NULL REFERENCES account,
    name          text        NOT NULL UNIQUE,
    role          text        NOT NULL,
    password_hash text        NOT NULL,
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, name)
);

-- Who is signed in, and links with which somebody can sign in once. Only the SHA-256 of what the browser or the link has is
-- kept. A changed password or role ends the sessions of its person.
CREATE TABLE session (
    account_id uuid        NOT NULL,
    hash       bytea       NOT NULL UNIQUE,
    name       text        NOT NULL,
    is_link    boolean     NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, hash),
    FOREIGN KEY (account_id, name) REFERENCES person ON DELETE CASCADE
);

-- Pages of a report that whoever has the link may read. Only the SHA-256 of the link's secret is kept.
CREATE TABLE share (
    account_id uuid        NOT NULL REFERENCES account,
    share_id   uuid        NOT NULL,
    hash       bytea       NOT NULL UNIQUE,
    path       text        NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, share_id)
);

-- What people changed through the dashboard: written before it is done, with the HTTP status that it came to afterwards. Rows
-- are only added; the name stays when its person is gone.
CREATE TABLE audit (
    account_id uuid        NOT NULL REFERENCES account,
    audit_id   uuid        NOT NULL,
    at         timestamptz NOT NULL,
    name       text        NOT NULL,
    address    text        NOT NULL,
    action     text        NOT NULL,
    subject    text        NOT NULL,
    status     smallint,
    PRIMARY KEY (account_id, audit_id)
);

-- Imports.

-- Acceptance draws a seq as the last thing before its COMMIT: the order of seq is the order of commits.
CREATE TABLE import_counter (
    account_id uuid   PRIMARY KEY REFERENCES account,
    seq        bigint NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE import_batch (
    account_id    uuid        NOT NULL,
    batch_id      uuid        NOT NULL,
    status        text        NOT NULL,
    attempt       uuid        NOT NULL,
    heartbeat_at  timestamptz NOT NULL,
    request_id    text        NOT NULL DEFAULT '',
    campaign_id   uuid,
    lane          text        NOT NULL DEFAULT 'bulk',
    seq           bigint,
    staging       boolean     NOT NULL DEFAULT false,
    received      bigint      NOT NULL DEFAULT 0,
    accepted      bigint      NOT NULL DEFAULT 0,
    rejected      bigint      NOT NULL DEFAULT 0,
    errors_dropped bigint     NOT NULL DEFAULT 0,
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

-- For "is an older batch still open?", for whoever looks for due work, and for the sweep.
CREATE INDEX import_batch_open ON import_batch (account_id, seq)
    WHERE status IN ('queued', 'processing', 'stalled');
CREATE INDEX import_batch_due ON import_batch (lane, account_id, seq)
    WHERE status IN ('queued', 'processing');
CREATE INDEX import_batch_ended ON import_batch (completed_at)
    WHERE status IN ('completed', 'cancelled');
CREATE INDEX import_batch_receiving ON import_batch (heartbeat_at) WHERE status = 'receiving';

-- The row of a stored chunk is deleted: its absence proves that the chunk is stored.
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

-- The chunk's records, already compressed. A table of its own keeps the ledger small.
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

-- Which worker started on a chunk, written beside the transaction that holds the chunk. A foreign key's check would wait
-- for that transaction, so there is none.
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

CREATE TABLE worker_heartbeat (
    worker_id    uuid        PRIMARY KEY,
    heartbeat_at timestamptz NOT NULL
);

-- Blocks of many record errors, compressed.
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
    heartbeat_at    timestamptz NOT NULL,
    body_hash       bytea,
    status          bigint,
    response        bytea,
    PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- One row a person and account. An erased person's phone and fields are null until no older batch is open.
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

-- The recipients that are stored now, by the day (in the account's time zone) on which they were created.
CREATE TABLE recipient_rollup (
    account_id uuid   NOT NULL,
    day        date   NOT NULL,
    recipients bigint NOT NULL,
    PRIMARY KEY (account_id, day)
) WITH (fillfactor = 50);

CREATE TABLE recipient_version (
    account_id   uuid        PRIMARY KEY,
    data_version bigint      NOT NULL,
    stamp        bigint      NOT NULL,
    as_of        timestamptz NOT NULL
) WITH (fillfactor = 10);

-- Forms and links.

-- content is text and not jsonb, because the length of a text is known without reading it. The title is also in it.
CREATE TABLE form (
    account_id   uuid        NOT NULL,
    form_id      uuid        NOT NULL,
    status       text        NOT NULL,
    title        text        NOT NULL,
    content      text        NOT NULL,
    revision     bigint      NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    published_at timestamptz,
    deleted_at   timestamptz,
    PRIMARY KEY (account_id, form_id)
);
CREATE INDEX form_list ON form (account_id, status, form_id);

-- The lock of whoever changes what the form's reports say: the order of versions is the order of commits. The stamp is drawn
-- at random with each version, so that a version of another history of the data is never taken for it. The roll-up begins
-- above the watermark, which follows a minute behind what it has read: next_watermark replaces it then.
CREATE TABLE form_version (
    account_id        uuid        NOT NULL,
    form_id           uuid        NOT NULL,
    data_version      bigint      NOT NULL,
    stamp             bigint      NOT NULL,
    as_of             timestamptz NOT NULL,
    watermark         bigint      NOT NULL DEFAULT 0,
    next_watermark    bigint      NOT NULL DEFAULT 0,
    next_watermark_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, form_id)
) WITH (fillfactor = 10);

-- An answer writes to a link only if it has max_responses, so that a busy link is no busy row. A campaign's link has the id of
-- its message. What comes through the link of a test message is not stored.
CREATE TABLE link (
    account_id    uuid        NOT NULL,
    link_id       uuid        NOT NULL,
    token         text        COLLATE "C" NOT NULL UNIQUE,
    form_id       uuid        NOT NULL,
    bus_prop_ids  text        NOT NULL,
    track_fields  text        NOT NULL,
    expires_at    timestamptz,
    max_responses bigint,
    used          bigint      NOT NULL DEFAULT 0,
    created_at    timestamptz NOT NULL,
    deleted_at    timestamptz,
    campaign_id   uuid,
    is_test       boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (account_id, link_id)
);
CREATE INDEX link_form ON link (account_id, form_id, link_id);

-- The links that have a tracking field, <name>=<value>.
CREATE TABLE link_track_field (
    account_id  uuid NOT NULL,
    form_id     uuid NOT NULL,
    track_field text COLLATE "C" NOT NULL,
    link_id     uuid NOT NULL,
    PRIMARY KEY (account_id, form_id, track_field, link_id)
);

-- Views and answers.

-- One row is one view: a visit on a day on which it saw the page or answered.
CREATE TABLE visit_view (
    account_id uuid        NOT NULL,
    link_id    uuid        NOT NULL,
    visit      uuid        NOT NULL,
    day        date        NOT NULL,
    form_id    uuid        NOT NULL,
    seen_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, link_id, visit, day)
);
CREATE INDEX visit_view_day ON visit_view (account_id, form_id, day);

-- The first stored answer of a visit. The row outlives the feedback: a repeated answer still gets the first one's id.
CREATE TABLE visit (
    account_id  uuid NOT NULL,
    link_id     uuid NOT NULL,
    visit       uuid NOT NULL,
    feedback_id uuid NOT NULL,
    PRIMARY KEY (account_id, link_id, visit)
);

-- feedback_id is a version 7 UUID of submitted_at, so the key's order is that of time. answers is text as form.content is.
CREATE TABLE feedback (
    account_id   uuid        NOT NULL,
    form_id      uuid        NOT NULL,
    feedback_id  uuid        NOT NULL,
    link_id      uuid        NOT NULL,
    day          date        NOT NULL,
    submitted_at timestamptz NOT NULL,
    bus_prop_ids text        NOT NULL,
    track_fields jsonb       NOT NULL,
    answers      text        NOT NULL,
    nps          smallint,
    happiness    smallint,
    has_comment  boolean     NOT NULL,
    PRIMARY KEY (account_id, form_id, feedback_id)
);
CREATE INDEX feedback_comment ON feedback (account_id, form_id, feedback_id) WHERE has_comment;

-- Counts that no rollup has yet. The roll-up deletes the rows that it added.
CREATE TABLE pending_delta (
    account_id   uuid        NOT NULL,
    form_id      uuid        NOT NULL,
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    day          date        NOT NULL,
    bus_prop_ids text        NOT NULL,
    delta        bytea       NOT NULL,
    link_counts  text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_id, form_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
-- For "which forms have pending counts?" across accounts.
CREATE INDEX pending_delta_order ON pending_delta (id);

-- Sending.

-- content is what the account said of the campaign, as JSON. Whose audience is taken once is planned docid by docid: planned_to is
-- the last one so far, and planned says that nothing is left to plan. An on_import campaign is planned by its imports;
-- finishing says that it takes no more of them.
CREATE TABLE campaign (
    account_id  uuid        NOT NULL,
    campaign_id uuid        NOT NULL,
    status      text        NOT NULL,
    sender      text        NOT NULL,
    form_id     uuid        NOT NULL,
    content     text        NOT NULL,
    revision    bigint      NOT NULL,
    on_import   boolean     NOT NULL,
    finishing   boolean     NOT NULL,
    planned     boolean     NOT NULL,
    planned_to  text        COLLATE "C" NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    started_at  timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (account_id, campaign_id)
) WITH (fillfactor = 50);
CREATE INDEX campaign_open ON campaign (sender, account_id, campaign_id) WHERE status IN ('RUNNING', 'PAUSED');

-- The counts of a campaign's messages of a kind, as JSON, without those in campaign_delta.
CREATE TABLE campaign_tally (
    account_id  uuid NOT NULL,
    campaign_id uuid NOT NULL,
    kind        text NOT NULL,
    counts      text NOT NULL,
    PRIMARY KEY (account_id, campaign_id, kind)
) WITH (fillfactor = 10);

-- Counts that no tally has yet. Rows are only appended, so that no transaction waits for another to count.
CREATE TABLE campaign_delta (
    account_id  uuid   NOT NULL,
    campaign_id uuid   NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    kind        text   NOT NULL,
    counts      text   NOT NULL,
    PRIMARY KEY (account_id, campaign_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- phone_mac is the HMAC of the phone for which it was planned, 32 bytes, null of a test; sent_mac that of the phone to which it was
-- handed over. Both are null once the recipient is erased. provider_ids is a JSON array.
-- part_states has a character a part. The id of a first message is also that of its link. accepted_day is the day of accepted_at
-- in the account's time zone; both are set once the provider is known to have it: accepted, delivered, undelivered or expired.
-- No index knows of what changes, so that an update stays in its page.
CREATE TABLE message (
    account_id   uuid        NOT NULL,
    message_id   uuid        NOT NULL,
    campaign_id  uuid        NOT NULL,
    docid        text        COLLATE "C" NOT NULL,
    kind         text        NOT NULL,
    status       text        NOT NULL,
    reason       text,
    phone_mac    bytea,
    sent_mac     bytea,
    parts        bigint      NOT NULL DEFAULT 0,
    part_states  text        NOT NULL DEFAULT '',
    encoding     text,
    link_id      uuid        NOT NULL,
    provider_ids text        NOT NULL DEFAULT '[]',
    code         text,
    scheduled_at timestamptz NOT NULL,
    accepted_at  timestamptz,
    accepted_day date,
    delivered_at timestamptz,
    viewed_at    timestamptz,
    answered_at  timestamptz,
    PRIMARY KEY (account_id, message_id)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX message_docid ON message (account_id, campaign_id, kind, docid) WHERE kind <> 'test';
CREATE UNIQUE INDEX message_phone ON message (account_id, campaign_id, kind, phone_mac)
    WHERE kind <> 'test' AND reason IS DISTINCT FROM 'duplicate_phone';
CREATE INDEX message_campaign ON message (account_id, campaign_id, message_id);
CREATE INDEX message_recipient ON message (account_id, docid, message_id);

-- What is still to be sent, or handed over without a known result: then fence is that of the lease under which it was claimed,
-- else 0. A row's absence proves that the message's result is recorded. phone is that of a test.
CREATE TABLE message_due (
    account_id  uuid        NOT NULL,
    campaign_id uuid        NOT NULL,
    due_at      timestamptz NOT NULL,
    message_id  uuid        NOT NULL,
    sender      text        NOT NULL,
    fence       bigint      NOT NULL DEFAULT 0,
    failures    bigint      NOT NULL DEFAULT 0,
    phone       text,
    PRIMARY KEY (account_id, campaign_id, due_at, message_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX message_due_test ON message_due (sender, account_id, campaign_id) WHERE phone IS NOT NULL;
CREATE INDEX message_due_claimed ON message_due (sender, fence) WHERE fence > 0;

-- Phones that an account has sent to, with the docid that the last message was for, and those that opted out (its
-- suppression list). senders has the names of the senders through which it did, each between spaces.
CREATE TABLE contact (
    account_id   uuid        NOT NULL,
    phone_mac    bytea       NOT NULL,
    last_sent_at timestamptz,
    last_campaign_id uuid,
    docid        text,
    opted_out_at timestamptz,
    source       text,
    senders      text        NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, phone_mac)
) WITH (fillfactor = 90);
CREATE INDEX contact_opted_out ON contact (account_id, opted_out_at, phone_mac) WHERE opted_out_at IS NOT NULL;

-- What providers reported of messages, each status of a part once: part is counted from 0, and -1 stands for all.
CREATE TABLE receipt (
    account_id  uuid        NOT NULL,
    message_id  uuid        NOT NULL,
    part        bigint      NOT NULL,
    status      text        NOT NULL,
    code        text,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, message_id, part, status)
);
CREATE INDEX receipt_age ON receipt USING brin (received_at);

-- How an account takes texts that come from phones, as JSON.
CREATE TABLE send_setting (
    account_id uuid PRIMARY KEY,
    content    text NOT NULL
);

-- Replies to texts, one of a kind to a phone and day. sender, phone and text are null once it was handed over.
CREATE TABLE reply (
    account_id uuid        NOT NULL,
    phone_mac  bytea       NOT NULL,
    kind       text        NOT NULL,
    day        date        NOT NULL,
    sender     text,
    phone      text,
    text       text,
    made_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, phone_mac, kind, day)
);
CREATE INDEX reply_waiting ON reply (sender, made_at) WHERE sender IS NOT NULL;

-- The messages of a provider whose receipts carry its own ids alone.
CREATE TABLE provider_ref (
    sender      text        NOT NULL,
    provider_id text        NOT NULL,
    account_id  uuid        NOT NULL,
    message_id  uuid        NOT NULL,
    part        bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (sender, provider_id)
);
CREATE INDEX provider_ref_age ON provider_ref (created_at);

-- Receipts that came before the result which has their provider's id.
CREATE TABLE stray_receipt (
    sender      text        NOT NULL,
    provider_id text        NOT NULL,
    status      text        NOT NULL,
    code        text,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (sender, provider_id, status)
);
CREATE INDEX stray_receipt_age ON stray_receipt (received_at);

-- Who drives a sender. A driver whose fence is not the row's has lost it.
CREATE TABLE lease (
    name         text        PRIMARY KEY,
    owner        uuid        NOT NULL,
    fence        bigint      NOT NULL,
    heartbeat_at timestamptz NOT NULL
) WITH (fillfactor = 10);

-- How a sender is, as its driver saw it last. One without a row never was in trouble.
CREATE TABLE sender_state (
    name   text        PRIMARY KEY,
    state  text        NOT NULL,
    reason text
) WITH (fillfactor = 10);

-- Parts that an account handed over through a sender on the day (of its time zone) when it did so last.
CREATE TABLE sender_usage (
    sender     text   NOT NULL,
    account_id uuid   NOT NULL,
    day        date   NOT NULL,
    parts      bigint NOT NULL,
    PRIMARY KEY (sender, account_id)
) WITH (fillfactor = 50);

-- One row: what the pepper in use is recognized by.
CREATE TABLE pepper (
    id          bigint PRIMARY KEY,
    fingerprint text   NOT NULL
);

-- Texts that came from phones, by the sender and the id that its provider gave them: each counts once.
CREATE TABLE inbound (
    sender      text        NOT NULL,
    id          text        NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (sender, id)
);

-- Reports.

-- Counts of a form by day: of the whole (bus_prop_id 0) and of each of its business properties; encoded as in pending_delta.
CREATE TABLE rollup (
    account_id  uuid   NOT NULL,
    form_id     uuid   NOT NULL,
    bus_prop_id bigint NOT NULL,
    day         date   NOT NULL,
    delta       bytea  NOT NULL,
    PRIMARY KEY (account_id, form_id, bus_prop_id, day)
) WITH (fillfactor = 50);

-- The form's data_version and stamp when a rollup row of the month (its first day) last changed. A month without data has no
-- row. A copy of a month's counts may be used only if it was made at this version.
CREATE TABLE rollup_month (
    account_id uuid   NOT NULL,
    form_id    uuid   NOT NULL,
    month      date   NOT NULL,
    version    bigint NOT NULL,
    stamp      bigint NOT NULL,
    PRIMARY KEY (account_id, form_id, month)
) WITH (fillfactor = 50);

-- What came through a link: views on all days, and responses that were not erased. A link without either has no row.
CREATE TABLE link_rollup (
    account_id uuid   NOT NULL,
    form_id    uuid   NOT NULL,
    link_id    uuid   NOT NULL,
    views      bigint NOT NULL,
    responses  bigint NOT NULL,
    PRIMARY KEY (account_id, form_id, link_id)
) WITH (fillfactor = 50);
