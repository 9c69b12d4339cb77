//! The audit log: who changed what, when, and from where.

use api_http::{Result, parse_id};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use domain::docid::is_erased;
use serde::Deserialize;
use store::account::AuditRow;
use uuid::Uuid;

use crate::names::names;
use crate::page::{Frame, page};
use crate::signed_in::SignedIn;

const ROWS: usize = 100;

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage<'a> {
    f: &'a Frame,
    /// Each with the page of what was changed and the text of the link to it, if there is one.
    rows: Vec<(AuditRow, Option<(String, String)>)>,
    /// The query of the next page.
    next: Option<String>,
}

/// The page of what was changed, if it has one.
fn page_of(row: &AuditRow) -> Option<String> {
    let (kind, _) = row.action.split_once('.')?;
    let folder = match kind {
        "form" => "form",
        // With which a file was uploaded.
        "import" if row.action.ends_with("upload") => "campaigns",
        "import" => "imports",
        "campaign" => "campaigns",
        _ => return None,
    };
    let id: Uuid = row.subject.parse().ok()?;
    Some(format!("/dashboard/{folder}/{id}"))
}

#[derive(Deserialize)]
pub struct AuditQuery {
    /// The id of the last row that was shown.
    after: Option<String>,
}

/// `GET /dashboard/audit`.
pub async fn show(person: SignedIn, Query(query): Query<AuditQuery>) -> Result<Response> {
    let f = person.frame("audit");
    let after = query
        .after
        .as_deref()
        .map(|after| parse_id("after", after))
        .transpose()?;
    let found = person.store().audit(person.account_id, after, ROWS).await?;
    let names = names(&person).await;
    let rows = found.rows.into_iter().map(|mut row| {
        if is_erased(&row.subject) {
            row.subject = f.t.get("erased-person");
        }
        let name = names.get(&row.subject).unwrap_or(&row.subject).clone();
        let page = page_of(&row).map(|page| (page, name));
        (row, page)
    });
    let template = AuditPage {
        f: &f,
        rows: rows.collect(),
        next: found.next.map(|last| format!("after={last}")),
    };
    Ok(page(&f, &template))
}
