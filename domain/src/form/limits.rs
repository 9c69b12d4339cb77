//! How large a form may be. The limits count what is retired, so that a form cannot grow without end.

use crate::invalid::{Problems, code};

/// The fields of a form, at most.
pub const MAX_FIELDS: usize = 100;
/// The options of a field, at most.
pub const MAX_OPTIONS: usize = 100;
/// The business properties of a form, at most.
pub const MAX_BUS_PROPS: usize = 1_000;
/// The characters of a title, at most; at least 1.
pub const MAX_TITLE_CHARS: usize = 200;
/// The characters of the label of a field or option, at most; at least 1.
pub const MAX_LABEL_CHARS: usize = 500;
/// The characters of the text before the first question, and of that after the last one, at most; at least 1.
pub const MAX_BLOCK_CHARS: usize = 2_000;
/// The links at the end of a form, at most.
pub const MAX_LINKS: usize = 5;
/// The characters of the label of a link, at most; at least 1.
pub const MAX_LINK_LABEL_CHARS: usize = 100;
/// The bytes of the address of a link, at most.
pub const MAX_URL_BYTES: usize = 2_000;

/// The bytes of a published form with what it keeps of before, as JSON, at most. As it is sent it has 1 MiB.
pub const MAX_CONTENT: usize = 4 << 20;

/// Notes a list that has too many entries together with the retired ones.
pub(super) fn check_total(total: usize, max: usize, pointer: &str, problems: &Problems) {
    if total > max {
        let detail = format!("{total} with the retired ones; at most {max} are kept");
        problems.push(pointer, code::TOO_MANY, detail);
    }
}
