ALTER TABLE session ADD COLUMN last_seen_at text;
