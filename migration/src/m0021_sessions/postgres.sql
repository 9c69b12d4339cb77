-- When its person last did something, within a minute. Null: not known.
ALTER TABLE session ADD COLUMN last_seen_at timestamptz;
-- From where somebody signed in: their browser in a few words, and the network. Empty: not known.
ALTER TABLE session ADD COLUMN browser text NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN address text NOT NULL DEFAULT '';
-- Somebody else set the password, so they choose another before anything else.
ALTER TABLE person ADD COLUMN must_change_password boolean NOT NULL DEFAULT false;
-- Stands for the secret of the person's second factor, which is made of it under FEEDBACK_PEPPER. Null: they have none.
ALTER TABLE person ADD COLUMN second_factor text;
-- The step of time of the last code that was taken: none is taken twice.
ALTER TABLE person ADD COLUMN second_factor_step bigint NOT NULL DEFAULT 0;
-- The SHA-256 of each that is left, with blanks between.
ALTER TABLE person ADD COLUMN recovery_codes text NOT NULL DEFAULT '';
-- Whoever has no second factor sets one up before anything else.
ALTER TABLE account ADD COLUMN demands_second_factor boolean NOT NULL DEFAULT false;
