-- When its person last did something, within a minute. Null: not known.
ALTER TABLE session ADD COLUMN last_seen_at timestamptz;
-- From where somebody signed in: their browser in a few words, and the network. Empty: not known.
ALTER TABLE session ADD COLUMN browser text NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN address text NOT NULL DEFAULT '';
-- Somebody else set the password, so they choose another before anything else.
ALTER TABLE person ADD COLUMN must_change_password boolean NOT NULL DEFAULT false;
