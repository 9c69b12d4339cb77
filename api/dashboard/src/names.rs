//! What people call campaigns and forms, which other things know by their ids.

use std::collections::HashMap;

use api_http::Result;
use serde_json::Value;

use crate::answers::PUBLISHED;
use crate::service::{List, text};
use crate::signed_in::SignedIn;

/// A list of the API, and which members are the id and the name.
type Named = [&'static str; 3];

pub const CAMPAIGNS: Named = ["/api_v1/sms/campaign?limit=200", "campaign_id", "name"];
pub const FORMS: Named = [PUBLISHED, "form_id", "title"];

/// Names by their ids, of a page of each list. A page can do without them: what cannot be read has none.
pub async fn names(person: &SignedIn, lists: &[Named]) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for [list, id, name] in lists {
        let list: List<Value> = person.get(list).await.unwrap_or_default();
        let items = list.items.iter();
        names.extend(items.map(|item| (text(&item[*id]), text(&item[*name]))));
    }
    names
}

/// The name, a member, of one thing that the API has at a path.
pub async fn name(person: &SignedIn, path: &str, member: &str) -> Option<String> {
    let found: Result<Value> = person.get(path).await;
    Some(text(&found.ok()?[member]))
}
