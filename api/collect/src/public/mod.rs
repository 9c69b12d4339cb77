//! What people see who open a link: its page, its QR code, thanks, and that they get no more messages. Without a key; the token
//! is what they know.
//!
//! `submit` reads what they send and answers it, `take` stores it; `view` is the page's sign that it is seen. Pages are made in
//! [`crate::pages`].

pub mod submit;
mod take;
pub mod view;

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use domain::form::{FormContent, MAX_LANGUAGES};
use uuid::Uuid;

use crate::CollectState;
use crate::links::{FormPage, Opened};
use crate::pages::{self, Frame, HtmlPage, qr_code};
use api_http::accept::languages;
use api_http::{Code, Network, Problem, QUICK, Result, within};
use api_language::{Text, find, of_code, wanted};

/// Somebody who opens the link of a path.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct PublicRequest {
    #[param(ignore)]
    state: CollectState,
    #[param(ignore)]
    network: Network,
    /// Those that are wanted, best first.
    #[param(ignore)]
    languages: Vec<String>,
    /// The one that is wanted most of those that the pages' own words have.
    #[param(ignore)]
    t: Option<&'static Text>,
    /// The last part of the link.
    #[param(pattern = "^([A-Za-z0-9_-]{22}|[A-Za-z0-9]{11})$")]
    token: String,
}

impl FromRequestParts<CollectState> for PublicRequest {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &CollectState,
    ) -> Result<Self, Infallible> {
        let Ok(network) = Network::from_request_parts(parts, state).await;
        let path = Path::from_request_parts(parts, state).await;
        let languages = languages(&parts.headers).take(MAX_LANGUAGES);
        Ok(Self {
            state: state.clone(),
            network,
            languages: languages.map(str::to_ascii_lowercase).collect(),
            t: wanted(&parts.headers),
            token: path.map(|Path(token)| token).unwrap_or_default(),
        })
    }
}

impl PublicRequest {
    /// A request that is refused costs its address one of its failures: judging it was work. Without any left, that is the
    /// problem.
    fn charge(&self, problem: Problem) -> Problem {
        if !problem.code().status().is_client_error() {
            return problem;
        }
        let taken = self.state.app.failures.take(self.network);
        taken.err().unwrap_or(problem)
    }

    /// The language in which this visitor reads the form, other than its own.
    fn language<'a>(&'a self, opened: &Opened) -> Option<&'a str> {
        let wanted = self.languages.iter().map(String::as_str);
        opened
            .link
            .content
            .language_for(own_language(opened), wanted)
    }

    /// The form with its texts as this visitor reads them.
    fn form<'a>(&self, opened: &'a Opened) -> Cow<'a, FormContent> {
        let link = &opened.link;
        let language = self.language(opened);
        link.content
            .for_reader(language, &link.track_fields, &link.bus_prop_ids)
    }

    /// How the pages of a link look to this visitor: their own words are in the language of the questions, if the service has it.
    fn frame<'a>(&self, opened: &'a Opened) -> Frame<'a> {
        let look = &opened.link.look;
        let of_questions = self.language(opened).or_else(|| own_language(opened));
        let t = of_questions.and_then(find).or(self.t);
        let own = || of_code(look.language.as_deref().unwrap_or_default());
        Frame {
            t: t.unwrap_or_else(own),
            look,
        }
    }

    /// How a page looks that is nobody's.
    fn plain(&self) -> Frame<'static> {
        Frame::plain(self.t.unwrap_or_else(|| of_code("")))
    }

    /// A problem that is told to this visitor, by a page.
    fn tell(&self, problem: Problem) -> PageProblem {
        PageProblem {
            f: self.plain(),
            problem,
        }
    }

    /// What the token opens.
    async fn find(&self) -> Result<Arc<Opened>> {
        self.look_up(false).await
    }

    /// The same for a page of which the request holds memory already.
    async fn find_for_page(&self) -> Result<Arc<Opened>> {
        Box::pin(self.look_up(true)).await
    }

    async fn look_up(&self, has_memory: bool) -> Result<Arc<Opened>> {
        let token = self.token.parse().map_err(|_| Problem::not_found())?;
        let (app, links) = (&self.state.app, &self.state.links);
        let opened = links.open(app, self.network, token, has_memory).await?;
        let link_id = opened.link.link_id;
        tracing::Span::current().record("link.id", tracing::field::display(link_id));
        Ok(opened)
    }

    /// Counts a request for the link.
    ///
    /// # Errors
    /// 429: too many ask for it.
    fn count(&self, opened: &Opened) -> Result<()> {
        let rate = &self.state.app.link_rate;
        rate.check(&opened.link.link_id).map(drop)
    }

    /// What the token opens if not too many ask for it.
    async fn enter(&self) -> Result<Arc<Opened>> {
        let opened = self.find().await?;
        self.count(&opened)?;
        Ok(opened)
    }

    /// The same if it still takes answers.
    async fn open(&self) -> Result<Arc<Opened>> {
        let opened = self.enter().await?;
        if opened.link.is_gone(Utc::now()) {
            return Err(gone());
        }
        Ok(opened)
    }

    /// The page of what was opened. A large one is drawn when its account has memory for it; whoever waits for that lets go of the
    /// form, and finds it again.
    async fn show(&self, opened: Arc<Opened>) -> Result<Response> {
        let CollectState {
            app, links, memory, ..
        } = &self.state;
        let (f, language) = (self.frame(&opened), self.language(&opened));
        let page = links.page(app, f, &opened, language).await;
        let (account_id, visit) = (opened.link.account_id, Uuid::now_v7());
        drop(opened);
        let page = match &*page {
            FormPage::Small(prepared) => {
                return Ok(prepared.fill(&self.token, visit).into_response());
            }
            FormPage::Large(page) => page,
        };
        let draw = |most| async move {
            let opened = self.find_for_page().await?;
            let (f, language) = (self.frame(&opened), self.language(&opened));
            let draw = || opened.draw(f, language, most);
            Ok::<_, Problem>(app.work_here(account_id, opened.size, draw).await)
        };
        let held = page.hold(memory, account_id, draw).await?;
        Ok(held.show(&self.token, visit))
    }
}

/// The language of a form's own texts: that which it says, else that of the account.
fn own_language(opened: &Opened) -> Option<&str> {
    let link = &opened.link;
    let own = link.content.language.as_ref();
    own.or(link.look.language.as_ref()).map(String::as_str)
}

/// A problem that is told to people, by a page.
pub struct PageProblem {
    f: Frame<'static>,
    problem: Problem,
}

impl IntoResponse for PageProblem {
    fn into_response(self) -> Response {
        let page = match self.problem.code().status() {
            StatusCode::NOT_FOUND => pages::not_found(self.f),
            other => pages::trouble(self.f, other),
        };
        answer_with(&self.problem, page)
    }
}

/// A page for people, with the status and the headers of a problem.
fn answer_with(problem: &Problem, page: HtmlPage) -> Response {
    (problem.code().status(), problem.headers(), page).into_response()
}

/// The link takes no more answers.
fn gone() -> Problem {
    Problem::new(
        Code::LinkGone,
        "the link is deleted, expired or used up, or its form is deleted",
    )
}

/// The form as a page.
///
/// Fetching it counts nothing and spends nothing.
#[utoipa::path(
    get,
    path = "/f/{token}",
    tag = "public",
    params(PublicRequest),
    responses(
        (status = 200, description = "The page", body = String, content_type = "text/html"),
        (status = 404, description = "Nobody was given this token", body = String, content_type = "text/html"),
        (status = 410, description = "The link takes no more answers; of a message: with what ends messages", body = String, content_type = "text/html"),
    ),
)]
pub async fn show_form(visitor: PublicRequest) -> Result<Response, PageProblem> {
    let opened = visitor.enter().await;
    let opened = opened.map_err(|problem| visitor.tell(problem))?;
    if opened.link.is_gone(Utc::now()) {
        let page = pages::gone(visitor.plain(), opened.reader(), &visitor.token);
        return Ok(answer_with(&gone(), page));
    }
    let shown = visitor.show(opened).await;
    shown.map_err(|problem| visitor.tell(problem))
}

/// The link as a QR code.
#[utoipa::path(
    get,
    path = "/f/{token}/qr.svg",
    tag = "public",
    params(PublicRequest),
    responses(
        (status = 200, description = "The QR code", body = String, content_type = "image/svg+xml"),
        (status = 410, description = "`link_gone`"),
    ),
)]
pub async fn draw_link(visitor: PublicRequest) -> Result<HtmlPage> {
    visitor.open().await?;
    // A longer address than a QR code holds cannot be drawn.
    qr_code(&visitor.state.app.link_url(&visitor.token)).ok_or_else(Problem::not_found)
}

/// The logo of whose link it is.
#[utoipa::path(
    get,
    path = "/f/{token}/logo",
    tag = "public",
    params(PublicRequest),
    responses(
        (status = 200, description = "The logo, to be kept for five minutes", content(
            (Vec<u8> = "image/png"),
            (String = "image/svg+xml"),
        )),
        (status = 404, description = "`not_found`, also where there is no logo"),
    ),
)]
pub async fn show_logo(visitor: PublicRequest) -> Result<Response> {
    let opened = visitor.enter().await?;
    let CollectState { app, links, .. } = &visitor.state;
    let logo = if opened.link.look.has_logo {
        links.logo(app, opened.link.account_id).await?
    } else {
        None
    };
    let (kind, image) = logo.ok_or_else(Problem::not_found)?;
    Ok(pages::logo(kind, image))
}

/// What is shown after an answer was stored.
#[utoipa::path(
    get,
    path = "/f/{token}/thanks",
    tag = "public",
    params(PublicRequest),
    responses(
        (status = 200, description = "The page", body = String, content_type = "text/html"),
        (status = 404, description = "Nobody was given this token", body = String, content_type = "text/html"),
    ),
)]
pub async fn say_thanks(visitor: PublicRequest) -> Result<HtmlPage, PageProblem> {
    let opened = visitor.find().await;
    let opened = opened.map_err(|problem| visitor.tell(problem))?;
    // Whoever was let in to answer is thanked, however busy the link is and whatever became of it.
    let _ = visitor.count(&opened);
    let form = visitor.form(&opened);
    Ok(pages::thanks(
        visitor.frame(&opened),
        &form,
        opened.reader(),
        &visitor.token,
    ))
}

/// Get no more messages.
///
/// The phone goes onto the suppression list of the account, also where the link takes no more answers.
#[utoipa::path(
    post,
    path = "/f/{token}/stop",
    tag = "public",
    params(PublicRequest),
    responses(
        (status = 200, description = "A page that says so, or how else to do it where the phone is not known any more", body = String, content_type = "text/html"),
        (status = 404, description = "No message has this link", body = String, content_type = "text/html"),
    ),
)]
pub async fn stop_messages(visitor: PublicRequest) -> Result<HtmlPage, PageProblem> {
    let stopped = stop(&visitor).await;
    let (opened, is_stopped) = stopped.map_err(|problem| visitor.tell(problem))?;
    let title = &visitor.form(&opened).title;
    Ok(if is_stopped {
        pages::stopped(visitor.frame(&opened), title)
    } else {
        pages::not_stopped(visitor.frame(&opened))
    })
}

/// Whether the phone of the message is known, so that it gets no more.
async fn stop(visitor: &PublicRequest) -> Result<(Arc<Opened>, bool)> {
    let opened = visitor.enter().await?;
    let link = &opened.link;
    if !link.is_of_message {
        return Err(Problem::not_found());
    }
    let store = &visitor.state.app.store;
    let stopping = store.opt_out_by_message(link.account_id, link.link_id, "page");
    let is_stopped = within(QUICK, stopping).await?;
    Ok((opened, is_stopped))
}
