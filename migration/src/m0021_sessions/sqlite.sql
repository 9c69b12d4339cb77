ALTER TABLE session ADD COLUMN last_seen_at text;
ALTER TABLE session ADD COLUMN browser text NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN address text NOT NULL DEFAULT '';
ALTER TABLE person ADD COLUMN must_change_password boolean NOT NULL DEFAULT false;
ALTER TABLE person ADD COLUMN second_factor text;
ALTER TABLE person ADD COLUMN second_factor_step integer NOT NULL DEFAULT 0;
ALTER TABLE person ADD COLUMN recovery_codes text NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN demands_second_factor boolean NOT NULL DEFAULT false;
