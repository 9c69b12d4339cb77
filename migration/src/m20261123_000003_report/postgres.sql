-- By what copies of counts are judged, and how lists and recounts find their rows.

-- The form's data_version when a rollup row of the month (its first day) last changed. A month without data has none.
-- A copy of a month's counts is right if it was made at just this version.
CREATE TABLE rollup_month (
    account_id uuid   NOT NULL,
    form_id    uuid   NOT NULL,
    month      date   NOT NULL,
    version    bigint NOT NULL,
    PRIMARY KEY (account_id, form_id, month)
) WITH (fillfactor = 50);

INSERT INTO rollup_month (account_id, form_id, month, version)
SELECT DISTINCT r.account_id, r.form_id, CAST(date_trunc('month', r.day) AS date), v.data_version
  FROM rollup r JOIN form_version v ON v.account_id = r.account_id AND v.form_id = r.form_id;

-- One row. Versions rise within an epoch; copies of another one are never looked at.
CREATE TABLE cache_epoch (
    id    smallint PRIMARY KEY CHECK (id = 1),
    epoch bigint   NOT NULL
);
INSERT INTO cache_epoch (id, epoch) VALUES (1, 1);

CREATE INDEX feedback_comment ON feedback (account_id, form_id, feedback_id) WHERE has_comment;
CREATE INDEX visit_view_day ON visit_view (account_id, form_id, day);
