//! The form's `data_version` and stamp when a rollup row of the month (its first day) last changed. A month without data has
//! no row. A copy of a month's counts may be used only if it was made at this version.

entity! { "rollup_month";
    key {
        account_id: Uuid,
        form_id: Uuid,
        /// Its first day.
        month: Date,
    }
    version: i64,
    stamp: i64,
}
