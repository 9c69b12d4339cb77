-- What asks, what came back, and what reports read. Every tenant table's key begins with account_id.

CREATE TABLE form (
    account_id   uuid        NOT NULL,
    form_id      uuid        NOT NULL,
    status       text        NOT NULL,
    content      jsonb       NOT NULL,
    revision     bigint      NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    published_at timestamptz,
    deleted_at   timestamptz,
    PRIMARY KEY (account_id, form_id)
);
CREATE INDEX form_list ON form (account_id, status, form_id);

-- The form's lock for whoever changes what its reports say: the order of versions is the order of commits.
-- inbox_low: up to here the fold need not look; it trails by a minute (inbox_mark, marked_at: the next one).
CREATE TABLE form_version (
    account_id   uuid        NOT NULL,
    form_id      uuid        NOT NULL,
    data_version bigint      NOT NULL,
    as_of        timestamptz NOT NULL,
    inbox_low    bigint      NOT NULL DEFAULT 0,
    inbox_mark   bigint      NOT NULL DEFAULT 0,
    marked_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, form_id)
) WITH (fillfactor = 10);

-- Links without max_responses are never written by an answer: a hot link is no hot row.
-- track_fields is json and not jsonb, because it keeps the order in which they were given.
CREATE TABLE link (
    account_id    uuid        NOT NULL,
    link_id       uuid        NOT NULL,
    token         text        COLLATE "C" NOT NULL UNIQUE,
    form_id       uuid        NOT NULL,
    bus_prop_ids  text        NOT NULL,
    track_fields  json        NOT NULL,
    expires_at    timestamptz,
    max_responses bigint,
    used          bigint      NOT NULL DEFAULT 0,
    erased        bigint      NOT NULL DEFAULT 0,
    created_at    timestamptz NOT NULL,
    deleted_at    timestamptz,
    PRIMARY KEY (account_id, link_id)
);

-- One row is one view: a visit on a day on which it was seen or answered.
CREATE TABLE visit_view (
    account_id uuid        NOT NULL,
    link_id    uuid        NOT NULL,
    visit      uuid        NOT NULL,
    day        date        NOT NULL,
    form_id    uuid        NOT NULL,
    seen_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, link_id, visit, day)
);

-- The first stored answer of a visit. It outlives the feedback: a repeat is still answered with it.
CREATE TABLE visit (
    account_id  uuid NOT NULL,
    link_id     uuid NOT NULL,
    visit       uuid NOT NULL,
    feedback_id uuid NOT NULL,
    PRIMARY KEY (account_id, link_id, visit)
);

-- feedback_id is a version 7 UUID of submitted_at, so the key's order is that of time.
CREATE TABLE feedback (
    account_id   uuid        NOT NULL,
    form_id      uuid        NOT NULL,
    feedback_id  uuid        NOT NULL,
    link_id      uuid        NOT NULL,
    day          date        NOT NULL,
    submitted_at timestamptz NOT NULL,
    bus_prop_ids text        NOT NULL,
    track_fields jsonb       NOT NULL,
    answers      jsonb       NOT NULL,
    nps          smallint,
    happiness    smallint,
    has_comment  boolean     NOT NULL,
    PRIMARY KEY (account_id, form_id, feedback_id)
);

-- Deltas that no rollup has yet; the fold deletes what it took.
CREATE TABLE inbox (
    account_id   uuid   NOT NULL,
    form_id      uuid   NOT NULL,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    day          date   NOT NULL,
    bus_prop_ids text   NOT NULL,
    delta        bytea  NOT NULL,
    PRIMARY KEY (account_id, form_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
-- "Which forms wait?" across accounts.
CREATE INDEX inbox_order ON inbox (id);

-- Counts of a form by day: of the whole (bus_prop_id 0) and of each of its business properties.
CREATE TABLE rollup (
    account_id        uuid   NOT NULL,
    form_id           uuid   NOT NULL,
    bus_prop_id       bigint NOT NULL,
    day               date   NOT NULL,
    views             bigint NOT NULL,
    responses         bigint NOT NULL,
    comments          bigint NOT NULL,
    happy             bigint NOT NULL,
    happiness_answers bigint NOT NULL,
    promoters         bigint NOT NULL,
    passives          bigint NOT NULL,
    detractors        bigint NOT NULL,
    nps_answers       bigint NOT NULL,
    fields            bytea  NOT NULL,
    PRIMARY KEY (account_id, form_id, bus_prop_id, day)
) WITH (fillfactor = 50);
