CREATE TABLE retention (
    account_id      uuid PRIMARY KEY,
    -- For how many days it is kept. Null: for ever.
    answers_days    integer,
    visits_days     integer,
    messages_days   integer,
    audit_days      integer,
    -- The last day that is sealed: what was counted stays, and is never counted anew. It only rises.
    answers_sealed  date,
    visits_sealed   date,
    messages_sealed date
);
-- Of the views and responses of a link, those that are sealed and whose rows are gone.
ALTER TABLE link_rollup ADD COLUMN sealed_views bigint NOT NULL DEFAULT 0;
ALTER TABLE link_rollup ADD COLUMN sealed_responses bigint NOT NULL DEFAULT 0;
