//! JSON pointers (RFC 6901) into bodies.

/// A pointer shows at most this much of a name, or one hostile name would fill an answer.
const MAX_NAME_BYTES: usize = 256;

/// The pointer of the member `name` of the value at `pointer`. A name of more than 256 bytes is cut and ends in `…`.
pub fn member(pointer: &str, name: &str) -> String {
    let shown = crate::text::cut(name, MAX_NAME_BYTES);
    let mut member = String::with_capacity(pointer.len() + shown.len() + 4);
    member.push_str(pointer);
    member.push('/');
    for character in shown.chars() {
        match character {
            '~' => member.push_str("~0"),
            '/' => member.push_str("~1"),
            other => member.push(other),
        }
    }
    if shown.len() < name.len() {
        member.push('…');
    }
    member
}
