//! One row: what the docids of erased people are hashed under where no pepper is set. It serves for docids alone.

entity! { "docid_key";
    key {
        /// Always 1.
        id: i64,
    }
    /// The random bytes of a `domain::pepper::DocIdKey`.
    key: Vec<u8>,
}
