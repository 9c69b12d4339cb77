-- By how many the messages that were refused are more than those that were accepted, from 0 to 10.
ALTER TABLE sender_state ADD COLUMN refusals bigint NOT NULL DEFAULT 0;
-- Of the last that was refused.
ALTER TABLE sender_state ADD COLUMN refused_code text;
ALTER TABLE sender_state ADD COLUMN refused_at timestamptz;
-- Messages that were accepted since the last receipt, and since when.
ALTER TABLE sender_state ADD COLUMN unreported bigint NOT NULL DEFAULT 0;
ALTER TABLE sender_state ADD COLUMN unreported_since timestamptz;
-- When receipts came last, within some seconds.
ALTER TABLE sender_state ADD COLUMN receipt_at timestamptz;
