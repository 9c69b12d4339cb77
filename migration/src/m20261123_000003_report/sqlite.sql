-- The same tables as postgres.sql.

-- The form's data_version when a rollup row of the month (its first day) last changed. A month without data has none.
-- A copy of a month's counts is right if it was made at just this version.
CREATE TABLE rollup_month (
    account_id blob    NOT NULL,
    form_id    blob    NOT NULL,
    month      text    NOT NULL,
    version    integer NOT NULL,
    PRIMARY KEY (account_id, form_id, month)
);

INSERT INTO rollup_month (account_id, form_id, month, version)
SELECT DISTINCT r.account_id, r.form_id, substr(r.day, 1, 8) || '01', v.data_version
  FROM rollup r JOIN form_version v ON v.account_id = r.account_id AND v.form_id = r.form_id;

-- One row. Versions rise within an epoch; copies of another one are never looked at.
CREATE TABLE cache_epoch (
    id    integer PRIMARY KEY CHECK (id = 1),
    epoch integer NOT NULL
);
INSERT INTO cache_epoch (id, epoch) VALUES (1, 1);

CREATE INDEX feedback_comment ON feedback (account_id, form_id, feedback_id) WHERE has_comment;
CREATE INDEX visit_view_day ON visit_view (account_id, form_id, day);
