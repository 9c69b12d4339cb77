//! The members of small bodies.

use domain::invalid::{Invalid, MAX_PROBLEMS, code, member};
use serde_json::{Map, Value};

use api_http::body::Limit;
use api_http::error::Problem;

/// A body of a few texts.
pub const FEW: Limit = Limit {
    bytes: 16 << 10,
    values: 200,
};

/// The texts of these members, all of which must be there, and nothing else.
///
/// # Errors
/// 422.
pub fn texts<const N: usize>(
    body: &Map<String, Value>,
    names: [&'static str; N],
) -> Result<[String; N], Problem> {
    let mut wrong: Vec<Invalid> = Vec::new();
    for name in body.keys().take(MAX_PROBLEMS) {
        if !names.contains(&name.as_str()) {
            let detail = format!("not known here; known are: {}", names.join(", "));
            wrong.push(invalid(name, code::UNKNOWN_MEMBER, detail));
        }
    }
    let texts = names.map(|name| match body.get(name) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => {
            wrong.push(invalid(
                name,
                code::MISSING,
                format!("{name} is absent or null"),
            ));
            String::new()
        }
        Some(_) => {
            wrong.push(invalid(
                name,
                code::WRONG_TYPE,
                format!("{name} is not a string"),
            ));
            String::new()
        }
    });
    if wrong.is_empty() {
        Ok(texts)
    } else {
        Err(Problem::invalid(wrong))
    }
}

/// What is wrong with a member.
pub fn invalid(name: &str, code: &'static str, detail: impl Into<String>) -> Invalid {
    Invalid {
        pointer: member("", name),
        code,
        detail: detail.into(),
    }
}

#[cfg(test)]
mod tests {
    use api_http::error::Code;
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> Result<[String; 2], Code> {
        let body = body.as_object().unwrap();
        texts(body, ["phone", "docid"]).map_err(|problem| problem.code())
    }

    #[test]
    fn members_are_there_as_texts_and_there_are_no_others() {
        let good = json!({"phone": "1", "docid": "2"});
        assert_eq!(read(&good), Ok(["1".to_owned(), "2".to_owned()]));
        for body in [
            json!({"phone": "1"}),
            json!({"phone": "1", "docid": null}),
            json!({"phone": 1, "docid": "2"}),
            json!({"phone": "1", "docid": "2", "more": "3"}),
        ] {
            assert_eq!(read(&body), Err(Code::ValidationFailed), "{body}");
        }
    }
}
