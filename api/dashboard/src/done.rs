//! What was done, told by the page after it: an action of the audit log in the page's address, which tells its text there.

use api_language::Text;
use axum::http::Uri;
use axum::response::{IntoResponse, Redirect, Response};
use url::form_urlencoded;

/// The parameter.
const DONE: &str = "done";

/// To a page that tells that this was done: an action as the audit log names it.
pub fn go(page: &str, action: &str) -> Response {
    let mark = if page.contains('?') { '&' } else { '?' };
    Redirect::to(&format!("{page}{mark}{DONE}={action}")).into_response()
}

/// What a page's address says was done. Only actions have a text; nothing else of the address is shown.
pub fn told(t: &Text, uri: &Uri) -> Option<String> {
    let query = uri.query().unwrap_or_default();
    let (_, action) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == DONE)?;
    let told = || {
        t.known("done", &*action)
            .or_else(|| t.known("audit", &*action))
    };
    action.contains('.').then(told)?
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use axum::http::header::LOCATION;

    use super::*;

    #[test]
    fn only_what_has_a_text_is_told() {
        let told = |uri: &str| told(of_code("en"), &uri.parse().unwrap());
        let to = go("/dashboard/forms?status=DRAFT", "form.replace");
        let to = to.headers()[LOCATION].to_str().unwrap();
        assert_eq!(told(to).as_deref(), Some("Form saved"));
        // The audit log says that it goes on, which the page cannot know yet.
        let resumed = told("/dashboard/senders?done=sender.resume").unwrap();
        assert!(resumed.contains("tried again now"), "{resumed}");
        for other in ["/a", "/a?done=none", "/a?done=form.x", "/a?done=%3Cb%3E."] {
            assert_eq!(told(other), None, "{other}");
        }
    }
}
