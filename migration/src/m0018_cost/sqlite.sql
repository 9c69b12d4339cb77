CREATE TABLE send_usage (
    account_id blob NOT NULL,
    campaign_id blob NOT NULL,
    day text NOT NULL,
    sender text NOT NULL,
    country text NOT NULL,
    currency text NOT NULL,
    messages integer NOT NULL,
    parts integer NOT NULL,
    cost integer NOT NULL,
    PRIMARY KEY (account_id, campaign_id, day, sender, country, currency)
);
CREATE INDEX send_usage_day ON send_usage (account_id, day);
ALTER TABLE message_due ADD COLUMN charge text;
ALTER TABLE message ADD COLUMN cost integer;
