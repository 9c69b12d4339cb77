ALTER TABLE campaign ADD COLUMN senders text;
ALTER TABLE message_due ADD COLUMN sender_list text;
ALTER TABLE message ADD COLUMN sender text;
ALTER TABLE sender_state ADD COLUMN error_since text;
ALTER TABLE sender_state ADD COLUMN resumed_at text;
