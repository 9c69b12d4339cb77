ALTER TABLE sender_state ADD COLUMN refusals integer NOT NULL DEFAULT 0;
ALTER TABLE sender_state ADD COLUMN refused_code text;
ALTER TABLE sender_state ADD COLUMN refused_at text;
ALTER TABLE sender_state ADD COLUMN unreported integer NOT NULL DEFAULT 0;
ALTER TABLE sender_state ADD COLUMN unreported_since text;
ALTER TABLE sender_state ADD COLUMN receipt_at text;
