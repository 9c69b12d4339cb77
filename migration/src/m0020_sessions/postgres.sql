-- When its person last did something, within a minute. Null: not known.
ALTER TABLE session ADD COLUMN last_seen_at timestamptz;
