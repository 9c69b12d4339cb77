ALTER TABLE session ADD COLUMN last_seen_at text;
ALTER TABLE session ADD COLUMN browser text NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN address text NOT NULL DEFAULT '';
ALTER TABLE person ADD COLUMN must_change_password boolean NOT NULL DEFAULT false;
