//! Who made an import or a link, in words.

use std::collections::HashMap;

use crate::audit::who;
use crate::page::Frame;

/// Who made something, and for those who read the audit log from where. `names`: what API keys are called.
pub fn maker(
    f: &Frame,
    names: &HashMap<String, String>,
    made_by: &str,
    made_from: Option<&str>,
) -> String {
    let by = who(made_by, f.t, names);
    match made_from.filter(|_| f.may_read_log()) {
        Some(from) => format!("{by} ({from})"),
        None => by,
    }
}
