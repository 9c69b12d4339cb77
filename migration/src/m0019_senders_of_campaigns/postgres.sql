-- Between spaces all senders that messages of the campaign may have. Null: `sender` is the only one.
ALTER TABLE campaign ADD COLUMN senders text;
-- By which list of the campaign's senders it has its sender: an ISO code, or `*`. Empty: it stays with it. `-`: no other serves its
-- phone. Null: the campaign's is the only one.
ALTER TABLE message_due ADD COLUMN sender_list text;
-- Who carries it. Null: the `sender` of its campaign.
ALTER TABLE message ADD COLUMN sender text;
-- Since when it is in error, for whatever reasons.
ALTER TABLE sender_state ADD COLUMN error_since timestamptz;
-- When a person last let it go on.
ALTER TABLE sender_state ADD COLUMN resumed_at timestamptz;
