INSERT INTO erasure (account_id, seq, docid, at)
SELECT account_id, seq, docid, updated_at FROM recipient WHERE phone IS NULL AND seq > 0
ON CONFLICT DO NOTHING;
