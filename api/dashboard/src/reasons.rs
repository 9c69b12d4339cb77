//! Why something was refused, as people read it: what pages call it, never the API's own names.

use api_http::Problem;
use api_language::Text;
use domain::invalid::Invalid;

/// What pages call the members of bodies.
const MEMBERS: [(&str, &str); 45] = [
    ("after_days", "campaign-reminder-days"),
    ("amount", "budget-amount"),
    ("audience", "campaign-audience"),
    ("budget", "campaign-budget"),
    ("bus_prop", "form-bus-props"),
    ("bus_props", "form-bus-props"),
    ("bus_props_from", "campaign-bus-props"),
    ("color", "branding-color"),
    ("contact_gap_days", "campaign-gap"),
    ("currency", "budget-currency"),
    ("delay_minutes", "campaign-delay"),
    ("docid", "docid"),
    ("form_id", "form"),
    ("in", "form-show-answers"),
    ("intro", "form-intro"),
    ("intro_labels", "form-intro"),
    ("label", "form-label"),
    ("labels", "form-labels"),
    ("language", "branding-language"),
    ("link_expires_after_days", "campaign-expiry"),
    ("logo", "branding-logo"),
    ("max_messages", "campaign-most"),
    ("max_parts", "campaign-parts"),
    ("min_gap_days", "gap-days"),
    ("month_budget", "month-budget"),
    ("name", "name"),
    ("options", "form-options"),
    ("per_day", "campaign-per-day"),
    ("phone", "phone"),
    ("reminder", "campaign-reminder"),
    ("sample", "campaign-sample"),
    ("scale", "number-scale"),
    ("send_window", "campaign-window"),
    ("send_within_hours", "campaign-within"),
    ("sender", "sender"),
    ("show_if", "form-show-if"),
    ("starts_at", "campaign-starts-at"),
    ("status", "status"),
    ("text", "text"),
    ("thanks", "form-thanks"),
    ("thanks_labels", "form-thanks"),
    ("title", "form-title"),
    ("track_fields", "campaign-fields"),
    ("type", "form-type"),
    ("url", "form-link-url"),
];

/// What is wrong, member by member if any are, as people read it.
pub fn reasons(t: &Text, problem: &Problem) -> String {
    let reasons = problem.members().iter();
    let reasons: Vec<_> = reasons.map(|one| member_reason(t, one)).collect();
    if !reasons.is_empty() {
        return reasons.join("; ");
    }
    t.refused(problem.code().as_str(), "", problem.detail())
}

/// What is wrong with a member of a body.
pub fn reason(t: &Text, wrong: &Invalid) -> String {
    let mut names = wrong.pointer.rsplit('/');
    let name = names.find(|name| name.parse::<usize>().is_err());
    t.refused(wrong.code, name.unwrap_or_default(), &wrong.detail)
}

/// What is wrong with a member of a body, and where on the page it is.
pub fn member_reason(t: &Text, wrong: &Invalid) -> String {
    let (mut places, mut last) = (Vec::new(), "");
    let mut is_named = false;
    for segment in wrong.pointer.split('/').skip(1) {
        match segment.parse::<usize>() {
            Ok(index) if last == "fields" => places.push(t.with("form-place", index + 1)),
            Ok(index) if last == "options" => {
                places.pop();
                places.push(t.with("form-option", index + 1));
                is_named = true;
            }
            Ok(index) if last == "links" => {
                places.push(format!("{} {}", t.get("form-links"), index + 1));
                is_named = true;
            }
            Ok(_) => {}
            // What it is the text of was named before it.
            Err(_) if is_named && segment == "label" => last = segment,
            Err(_) => {
                last = segment;
                let known = MEMBERS.iter().find(|(name, _)| *name == segment);
                if let Some((_, key)) = known {
                    places.push(t.get(key));
                } else if !["fields", "links", "key"].contains(&segment) {
                    places.push(unescaped(segment));
                }
            }
        }
    }
    let reason = reason(t, wrong);
    match &*places {
        [] => reason,
        places => t.labelled(places.join(", "), reason),
    }
}

/// A name as it was before it was put into a JSON pointer.
fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use domain::invalid::code;

    use super::*;

    #[test]
    fn places_are_called_as_pages_call_them() {
        let english = of_code("en");
        for (pointer, code, detail, expected) in [
            (
                "/fields/2/label",
                code::BLANK,
                "",
                "Question 3, Question: Write the text here, or clear its translations too.",
            ),
            (
                "/max_parts",
                code::OUT_OF_RANGE,
                "max_parts is a whole number from 1 to 10",
                "Longest message: … SMS parts: Enter a whole number from 1 to 10.",
            ),
            (
                "/phone",
                code::MALFORMED,
                "",
                "Phone: Write the number with country code: +49151…",
            ),
            (
                "/fields/1/show_if/key",
                code::UNKNOWN_KEY,
                "",
                "Question 2, Show only if: No question before this one fits.",
            ),
            (
                "/bus_props/3",
                code::MALFORMED,
                "Berlin:",
                "Stores or groups to compare (one per line): “Berlin:” lacks a name before or after the colon.",
            ),
            ("", code::MISSING, "", "This is missing."),
        ] {
            let wrong = Invalid {
                pointer: pointer.to_owned(),
                code,
                detail: detail.to_owned(),
            };
            assert_eq!(member_reason(english, &wrong), expected);
        }
    }
}
