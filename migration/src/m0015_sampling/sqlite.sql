CREATE TABLE campaign_quota (
    account_id blob NOT NULL,
    campaign_id blob NOT NULL,
    day text NOT NULL,
    bus_prop text NOT NULL,
    messages integer NOT NULL,
    began_at text NOT NULL,
    PRIMARY KEY (account_id, campaign_id, day, bus_prop)
);
ALTER TABLE message ADD COLUMN quota_day text;
