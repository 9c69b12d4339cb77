//! How a sender is.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// How a sender is. As text and in JSON in snake case, such as `unattended`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum SenderState {
    /// It takes messages.
    Ok,
    /// Its provider asked to wait, or a person paused it.
    Paused,
    /// Its provider refuses whatever is sent, or cannot be reached.
    Error,
    /// No worker has it.
    Unattended,
}
