CREATE TABLE retention (
    account_id      blob PRIMARY KEY,
    answers_days    integer,
    visits_days     integer,
    messages_days   integer,
    audit_days      integer,
    answers_sealed  text,
    visits_sealed   text,
    messages_sealed text
);
ALTER TABLE link_rollup ADD COLUMN sealed_views integer NOT NULL DEFAULT 0;
ALTER TABLE link_rollup ADD COLUMN sealed_responses integer NOT NULL DEFAULT 0;
