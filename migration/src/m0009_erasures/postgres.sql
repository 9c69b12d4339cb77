-- Erasures, by their places in the order of acceptance. A row goes once what older imports say of the person is gone. The row
-- without a person that an erasure leaves in recipient cannot say so: it is the person's again once they come back.
CREATE TABLE erasure (
    account_id uuid        NOT NULL,
    seq        bigint      NOT NULL,
    docid      text        COLLATE "C" NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (account_id, seq)
);
