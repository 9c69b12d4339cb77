-- The messages of a campaign that were handed over on a day, by what it asks only so many of.
CREATE TABLE campaign_quota (
    account_id  uuid        NOT NULL,
    campaign_id uuid        NOT NULL,
    -- In the account's time zone.
    day         date        NOT NULL,
    -- A business property, such as `store:S1`.
    bus_prop    text        NOT NULL,
    messages    bigint      NOT NULL,
    began_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, campaign_id, day, bus_prop)
) WITH (fillfactor = 50);
-- The day on which a message has a place in `campaign_quota`.
ALTER TABLE message ADD COLUMN quota_day date;
