-- When a row came. SQLite wants a constant for the rows that are there, which then get the time of this step.
ALTER TABLE inbox ADD COLUMN at text NOT NULL DEFAULT '1970-01-01T00:00:00+00:00';
UPDATE inbox SET at = strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now');
