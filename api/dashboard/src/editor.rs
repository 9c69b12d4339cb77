//! What the editors of forms and of campaigns share: a draft begins as what is stored or as a copy of it, and is saved unless
//! somebody else has changed that since the page was drawn.

use api_http::precondition::IfMatch;
use api_http::{Code, Problem, Result, parse_id};
use api_language::Text;
use axum::body::HttpBody;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use uuid::Uuid;

use crate::done;
use crate::sent::{self, SentPairs};
use crate::signed_in::SignedIn;

/// What the form of an editor has, with its pages and its operations. It is read from what the page sends.
pub trait Draft: From<SentPairs> + Send + Sync {
    /// What the audit log calls it.
    const KIND: &'static str;

    /// What a new one begins as.
    fn new(t: &Text) -> Self;

    /// Of what is stored under the id, and its version.
    fn find(person: &SignedIn, id: Uuid) -> impl Future<Output = Result<(Self, i64)>> + Send;

    /// Whether a button was pressed that draws it anew and stores nothing.
    fn is_drawn_again(&self) -> bool {
        false
    }

    /// Makes one, or replaces what is stored if it has the version. Gives the page to go on to.
    fn save(
        &self,
        person: &SignedIn,
        stored: Option<(Uuid, &str)>,
    ) -> impl Future<Output = Result<String>> + Send;

    /// The editor with this draft.
    fn page(
        &self,
        person: &SignedIn,
        editing: &Editing,
    ) -> impl Future<Output = Result<Response>> + Send;
}

/// What an editor is about.
#[derive(Default)]
pub struct Editing {
    /// Of what is stored.
    pub id: Option<String>,
    /// The version of it that is to be changed; empty: none is stored.
    pub version: String,
    /// Why the draft was not stored.
    pub problem: Option<Problem>,
}

impl Editing {
    /// Whether somebody else changed what is stored.
    pub fn is_outdated(&self) -> bool {
        let problem = self.problem.as_ref();
        problem.is_some_and(|problem| problem.code() == Code::PreconditionFailed)
    }

    /// The HTTP status of the page.
    pub fn status(&self) -> StatusCode {
        let problem = self.problem.as_ref();
        problem.map_or(StatusCode::OK, |problem| problem.code().status())
    }
}

/// The editor of one that is stored.
pub async fn edit<D: Draft>(person: SignedIn, Path(id): Path<String>) -> Result<Response> {
    show::<D>(&person, id, None).await
}

/// The same, with a problem of something that was tried.
///
/// # Errors
/// 404, 503.
pub async fn show<D: Draft>(
    person: &SignedIn,
    id: String,
    problem: Option<Problem>,
) -> Result<Response> {
    // A form can be large, and so can its draft be.
    let _place = person.state.places.take(person.account_id).await;
    let (draft, version) = D::find(person, parse_id("id", &id)?).await?;
    let editing = Editing {
        id: Some(id),
        version: version.to_string(),
        problem,
    };
    draft.page(person, &editing).await
}

/// Whether what is stored still has the version that a page was drawn from.
///
/// # Errors
/// 404, 503.
pub async fn is_current<D: Draft>(person: &SignedIn, id: Uuid, version: &str) -> Result<bool> {
    let (_, stored) = D::find(person, id).await?;
    Ok(IfMatch::page(version).check(stored).is_ok())
}

/// Makes one, or replaces the version of it that the page was drawn from.
pub async fn save<D: Draft>(
    person: SignedIn,
    id: Option<Path<String>>,
    pairs: SentPairs,
) -> Result<Response> {
    let id = id.map(|Path(id)| id);
    let stored = id.as_deref().map(|id| parse_id("id", id)).transpose()?;
    let version = pairs.0.iter().find(|(name, _)| name == "version");
    let mut version = version.map_or_else(String::new, |(_, version)| version.clone());
    let (app, bytes) = (&person.state.app, sent::size(&pairs.0));
    let read = || D::from(pairs);
    let draft = app.work_here(person.account_id, bytes, read).await;
    // What was typed is given back also where the account has no memory left.
    let held = |page: Response| {
        let mut permit = app.list_memory.permit(person.account_id);
        let bytes = page.body().size_hint().exact().unwrap_or_default();
        match permit.grow_now_to(bytes) {
            Ok(()) => permit.hold(page),
            Err(_) => page,
        }
    };
    if draft.is_drawn_again() {
        let problem = None;
        let editing = Editing {
            id,
            version,
            problem,
        };
        return Ok(held(draft.page(&person, &editing).await?));
    }
    let replaces = stored.map(|id| (id, &*version));
    let problem = match draft.save(&person, replaces).await {
        Ok(page) => {
            let done = if stored.is_some() {
                "replace"
            } else {
                "create"
            };
            return Ok(done::go(&page, &format!("{}.{done}", D::KIND)));
        }
        // Nobody can save the page again.
        Err(problem) if problem.code() == Code::Unauthenticated => return Err(problem),
        Err(problem) => problem,
    };
    if let (Some(stored), Code::PreconditionFailed) = (stored, problem.code())
        && let Ok((_, newer)) = D::find(&person, stored).await
    {
        // Whoever saves again has been told of it.
        version = newer.to_string();
    }
    let editing = Editing {
        id,
        version,
        problem: Some(problem),
    };
    Ok(held(draft.page(&person, &editing).await?))
}
