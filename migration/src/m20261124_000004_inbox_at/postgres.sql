-- When a row came. Two steps, because a default that is another for each row would rewrite the table, under a lock that
-- answers wait for. A process of the version before leaves it to the default.
ALTER TABLE inbox ADD COLUMN at timestamptz NOT NULL DEFAULT now();
ALTER TABLE inbox ALTER COLUMN at SET DEFAULT clock_timestamp();
