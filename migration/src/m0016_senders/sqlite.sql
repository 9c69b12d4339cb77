ALTER TABLE sender_state ADD COLUMN since text;
ALTER TABLE sender_state ADD COLUMN seen_at text;
ALTER TABLE sender_state ADD COLUMN last_accepted_at text;
ALTER TABLE sender_state ADD COLUMN paused_at text;
