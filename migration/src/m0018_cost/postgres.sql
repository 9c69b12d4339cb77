-- What was handed over. One process drives a sender, so no row has two who add to it.
CREATE TABLE send_usage (
    account_id  uuid   NOT NULL,
    campaign_id uuid   NOT NULL,
    -- In the account's time zone.
    day         date   NOT NULL,
    sender      text   NOT NULL,
    -- Of the phones: an ISO code, or a calling code where no country is known.
    country     text   NOT NULL,
    -- Empty of a sender without a price.
    currency    text   NOT NULL,
    messages    bigint NOT NULL,
    parts       bigint NOT NULL,
    -- In millionths of the currency.
    cost        bigint NOT NULL,
    PRIMARY KEY (account_id, campaign_id, day, sender, country, currency)
) WITH (fillfactor = 50);
CREATE INDEX send_usage_day ON send_usage (account_id, day);
-- What it was counted as in `send_usage` when it was claimed.
ALTER TABLE message_due ADD COLUMN charge text;
-- In millionths: all its attempts that are counted.
ALTER TABLE message ADD COLUMN cost bigint;
