-- When a row came. A version that does not know of it leaves it to the default.
ALTER TABLE inbox ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp();
