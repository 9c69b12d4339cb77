-- The same tables as postgres.sql. Times are RFC 3339 texts in UTC, ids 16-byte blobs.

CREATE TABLE form (
    account_id   blob    NOT NULL,
    form_id      blob    NOT NULL,
    status       text    NOT NULL,
    content      text    NOT NULL,
    revision     integer NOT NULL,
    created_at   text    NOT NULL,
    updated_at   text    NOT NULL,
    published_at text,
    deleted_at   text,
    PRIMARY KEY (account_id, form_id)
);
CREATE INDEX form_list ON form (account_id, status, form_id);

-- The form's version for whoever changes what its reports say: the order of versions is the order of commits.
CREATE TABLE form_version (
    account_id   blob    NOT NULL,
    form_id      blob    NOT NULL,
    data_version integer NOT NULL,
    as_of        text    NOT NULL,
    inbox_low    integer NOT NULL DEFAULT 0,
    inbox_mark   integer NOT NULL DEFAULT 0,
    marked_at    text    NOT NULL,
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
    erased        integer NOT NULL DEFAULT 0,
    created_at    text    NOT NULL,
    deleted_at    text,
    PRIMARY KEY (account_id, link_id)
);

-- One row is one view: a visit on a day on which it was seen or answered.
CREATE TABLE visit_view (
    account_id blob NOT NULL,
    link_id    blob NOT NULL,
    visit      blob NOT NULL,
    day        text NOT NULL,
    form_id    blob NOT NULL,
    seen_at    text NOT NULL,
    PRIMARY KEY (account_id, link_id, visit, day)
);

-- The first stored answer of a visit. It outlives the feedback: a repeat is still answered with it.
CREATE TABLE visit (
    account_id  blob NOT NULL,
    link_id     blob NOT NULL,
    visit       blob NOT NULL,
    feedback_id blob NOT NULL,
    PRIMARY KEY (account_id, link_id, visit)
);

-- feedback_id is a version 7 UUID of submitted_at, so the key's order is that of time.
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

-- Deltas that no rollup has yet; the fold deletes what it took. Ids are never used again (AUTOINCREMENT), because
-- the fold remembers how far it came.
CREATE TABLE inbox (
    id           integer PRIMARY KEY AUTOINCREMENT,
    account_id   blob    NOT NULL,
    form_id      blob    NOT NULL,
    day          text    NOT NULL,
    bus_prop_ids text    NOT NULL,
    delta        blob    NOT NULL
);
CREATE INDEX inbox_form ON inbox (account_id, form_id, id);

-- Counts of a form by day: of the whole (bus_prop_id 0) and of each of its business properties.
CREATE TABLE rollup (
    account_id        blob    NOT NULL,
    form_id           blob    NOT NULL,
    bus_prop_id       integer NOT NULL,
    day               text    NOT NULL,
    views             integer NOT NULL,
    responses         integer NOT NULL,
    comments          integer NOT NULL,
    happy             integer NOT NULL,
    happiness_answers integer NOT NULL,
    promoters         integer NOT NULL,
    passives          integer NOT NULL,
    detractors        integer NOT NULL,
    nps_answers       integer NOT NULL,
    fields            blob    NOT NULL,
    PRIMARY KEY (account_id, form_id, bus_prop_id, day)
);
