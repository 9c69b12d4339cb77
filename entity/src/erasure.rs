//! Erasures, by their places in the order of acceptance. A row goes once what older imports say of the person is gone. The
//! row without a person that an erasure leaves in recipient cannot say so: it is the person's again once they come back.

entity! { "erasure";
    key {
        account_id: Uuid,
        /// Its place in the order of acceptance, drawn like that of a batch.
        seq: i64,
    }
    docid: String,
    at: DateTimeUtc,
}
