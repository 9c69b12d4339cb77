//! The first stored answer of a visit. The row outlives the feedback: a repeated answer still gets the first one's id.

entity! { "visit";
    key {
        account_id: Uuid,
        link_id: Uuid,
        /// Drawn when the page is opened, or named by the program that answers.
        visit: Uuid,
    }
    feedback_id: Uuid,
}
