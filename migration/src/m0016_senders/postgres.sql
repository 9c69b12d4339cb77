-- When the state and its reason became what they are.
ALTER TABLE sender_state ADD COLUMN since timestamptz;
-- When its driver said last how it is.
ALTER TABLE sender_state ADD COLUMN seen_at timestamptz;
ALTER TABLE sender_state ADD COLUMN last_accepted_at timestamptz;
-- When a person paused it.
ALTER TABLE sender_state ADD COLUMN paused_at timestamptz;
