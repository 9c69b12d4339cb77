//! What a token opens: remembered for a moment, so that a popular link is one query several times a second, however many
//! open it. What this instance changes itself is forgotten at once.
//!
//! What another instance changes is known only from the next query, 400 ms later at most. Until then pages are shown, answers
//! are read by the form that is remembered, and views are counted, also of a link that is gone by now. Whether a link
//! still takes an answer is judged again in the database.
//!
//! What is large, a form or its page, is there only in memory of its account: whoever waits for that has neither in hand.

use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::form::{Field, FormStatus, Labels};
use domain::link::{BusPropIds, Token};
use moka::future::Cache;
use platform::config::MemoryParts;
use store::account::PageBranding;
use store::form::{PublicLink, StoredLink};
use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use crate::pages::{Frame, Prepared, Reader, prepare};
use api_http::memory::{MemoryPermit, MemoryPool, hold_too};
use api_http::{AppState, Code, Network, Problem, QUICK, Result, found, within};

/// How long a link that was found is fresh.
const MAX_AGE: Duration = Duration::from_millis(400);
/// The bytes that a link takes besides its texts, about …
const LINK: usize = 1 << 10;
/// … and each of its tracking fields, and each business property, question and choice of its form.
const ENTRY: usize = 128;
/// A page, or the content of a form, of at most so many bytes holds none of its account's memory. Most have a third of them.
pub const SMALL: usize = 64 << 10;
/// The bytes that a form takes while it is read, for each byte of its content, about.
const READ: usize = 3;
/// The bytes of what a page depends on, at most about.
const PAGE_KEY: usize = 8 << 10;
/// A page that nobody opens is forgotten after that.
const PAGE_IDLE: Duration = Duration::from_mins(1);
/// How long a reader waits for those before them, and for the memory of a large page.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a token that opened a link is looked up whatever its address did.
const WAS_OPENED: Duration = Duration::from_hours(1);
/// The bytes that it takes, about.
const TOKEN: u64 = 200;

/// The links opened lately.
pub struct Links {
    found: Cache<Token, Arc<Opened>>,
    /// An attacker behind the same address does not take a link from those who have it open.
    lately: Cache<Token, ()>,
    memory: MemoryPool,
    pages: Cache<PageKey, Arc<FormPage>>,
    /// By account.
    logos: Cache<Uuid, Option<LogoBytes>>,
}

/// Its media type and its bytes.
type LogoBytes = (&'static str, Bytes);

/// What a form's page depends on.
#[derive(PartialEq, Eq, Hash)]
struct PageKey {
    form_id: Uuid,
    updated_at: DateTime<Utc>,
    reader: Reader,
    look: PageBranding,
    /// The language of the page's own words.
    words: &'static str,
    /// Of the form's texts, other than their own.
    language: Option<String>,
    /// Of the link, where they are in the texts: an erasure takes them off.
    track_fields: Option<Vec<(String, String)>>,
    /// The same.
    bus_prop_ids: Option<BusPropIds>,
}

/// A form's page, which those who read it at once share.
pub enum FormPage {
    Small(Prepared),
    Large(LargePage),
}

/// A page that is drawn when its account has memory for it, and is there as long as anybody reads it.
pub struct LargePage {
    bytes: usize,
    read: Mutex<Weak<HeldPage>>,
}

/// A page with the memory that it takes.
pub struct HeldPage {
    prepared: Prepared,
    _permit: MemoryPermit,
}

impl FormPage {
    /// A small page as it was drawn, or the bytes of a large one.
    fn new(drawn: Result<Prepared, usize>) -> Self {
        match drawn {
            Ok(prepared) => Self::Small(prepared),
            Err(bytes) => Self::Large(LargePage {
                bytes,
                read: Mutex::default(),
            }),
        }
    }

    /// The bytes that it takes while nobody reads it, about.
    fn weight(&self) -> u32 {
        let bytes = match self {
            Self::Small(prepared) => prepared.size(),
            Self::Large(_) => PAGE_KEY,
        };
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

impl LargePage {
    /// The page for whoever reads it now. `draw` makes it, of at most so many bytes, or says how many it has by now.
    ///
    /// # Errors
    /// 503 `busy`: the account has no memory for it; 413: no account has; that of `draw`.
    pub async fn hold<F>(
        &self,
        pool: &MemoryPool,
        account_id: Uuid,
        draw: impl Fn(usize) -> F,
    ) -> Result<Arc<HeldPage>>
    where
        F: Future<Output = Result<Result<Prepared, usize>>>,
    {
        // All together: one who waits for memory holds up those behind it.
        let held = timeout(PATIENCE, async {
            let mut read = self.read.lock().await;
            if let Some(page) = read.upgrade() {
                return Ok(page);
            }
            let (mut permit, mut bytes) = (pool.permit(account_id), self.bytes);
            let prepared = loop {
                permit.check(bytes as u64)?;
                permit.grow_to(bytes as u64).await?;
                match draw(bytes).await? {
                    Ok(prepared) => break prepared,
                    // The form was changed meanwhile.
                    Err(more) => bytes = more,
                }
            };
            let page = Arc::new(HeldPage {
                prepared,
                _permit: permit,
            });
            *read = Arc::downgrade(&page);
            Ok(page)
        });
        held.await.unwrap_or_else(|_| {
            let detail = "too many wait for pages of this account; try again in a moment";
            Err(Problem::new(Code::Busy, detail).retry_after(5))
        })
    }
}

impl HeldPage {
    /// The page for one reader who opened this link, and whose answers will belong to this visit.
    pub fn show(self: Arc<Self>, token: &str, visit: Uuid) -> Response {
        let page = self.prepared.fill(token, visit).into_response();
        hold_too(self, page)
    }
}

/// A link with its form.
pub struct Opened {
    pub link: PublicLink,
    /// Bytes of its form's content.
    pub size: usize,
    /// In the form's own language, and that of the page's own words for whoever came first.
    page: OnceLock<(&'static str, Arc<FormPage>)>,
    /// When it was looked up in the database.
    looked_up_at: Instant,
}

impl Opened {
    /// Who is to open it.
    pub fn reader(&self) -> Reader {
        match &self.link {
            link if link.is_of_message => Reader::Recipient,
            link if link.is_test => Reader::Owner,
            link if link.kiosk && link.max_responses != Some(1) => Reader::Kiosk,
            _ => Reader::Anybody,
        }
    }

    /// The memory that whoever has it in hand for long is to hold.
    pub fn memory(&self) -> u64 {
        memory_of(self.size).unwrap_or_default()
    }

    /// The page of its form, in a language if it is translated, of at most so many bytes.
    ///
    /// # Errors
    /// So many bytes it has, which are more.
    pub fn draw(
        &self,
        f: Frame<'_>,
        language: Option<&str>,
        most: usize,
    ) -> Result<Prepared, usize> {
        let link = &self.link;
        let form = link
            .content
            .for_reader(language, &link.track_fields, &link.bus_prop_ids);
        prepare(f, &form, self.reader(), most)
    }
}

/// The memory in which a form with a content of so many bytes is read; `None`: it is small.
fn memory_of(content: usize) -> Option<u64> {
    (content > SMALL).then_some((READ * content) as u64)
}

impl Links {
    /// `memory` is for what is large.
    pub fn new(parts: &MemoryParts, memory: MemoryPool) -> Self {
        Self {
            memory,
            found: Cache::builder()
                .max_capacity(parts.links)
                .weigher(|_, opened: &Arc<Opened>| weight(&opened.link))
                .time_to_live(MAX_AGE)
                .build(),
            lately: Cache::builder()
                .max_capacity(parts.tokens / TOKEN)
                .time_to_live(WAS_OPENED)
                .build(),
            pages: Cache::builder()
                .max_capacity(parts.form_pages)
                .weigher(|_, page: &Arc<FormPage>| page.weight())
                .time_to_idle(PAGE_IDLE)
                .build(),
            logos: Cache::builder()
                .max_capacity(parts.logos)
                .weigher(|_, logo: &Option<LogoBytes>| {
                    let bytes = logo.as_ref().map_or(0, |(_, image)| image.len());
                    u32::try_from(ENTRY + bytes).unwrap_or(u32::MAX)
                })
                .time_to_live(MAX_AGE)
                .build(),
        }
    }

    /// Opens a token for a caller at this address: a link, also one that is gone. Callers who open the same link at once
    /// share one query. Whoever `has_memory` of its account, for a page of it, waits for no more: that would be for themselves.
    ///
    /// # Errors
    /// 404; 429 for an address that failed too often; 503 when the database does not answer, or the account has no memory for
    /// a large form.
    pub async fn open(
        &self,
        state: &AppState,
        network: Network,
        token: Token,
        has_memory: bool,
    ) -> Result<Arc<Opened>> {
        if let Some(opened) = self.found.get(&token).await
            && !is_outdated(state, &opened)
        {
            return Ok(opened);
        }
        let was_opened = self.lately.contains_key(&token);
        let _permit = state.failures.lookup_permit(network, was_opened)?;
        let opened = self.look_up(state, token, has_memory).await;
        match &opened {
            Ok(_) => self.lately.insert(token, ()).await,
            Err(problem) if problem.code() == Code::NotFound => state.failures.take(network)?,
            Err(_) => {}
        }
        opened.map_err(|problem| Problem::clone(&problem))
    }

    async fn look_up(
        &self,
        state: &AppState,
        token: Token,
        has_memory: bool,
    ) -> Result<Arc<Opened>, Arc<Problem>> {
        loop {
            let query = async {
                let looked_up_at = Instant::now();
                let stored = found(state.store.stored_link(&token)).await?;
                let held = Box::pin(self.with_memory(state, &token, stored, has_memory));
                let (stored, _permit) = held.await?;
                let (account_id, size) = (stored.account_id(), stored.size());
                let read = move || Ok(stored.read()?);
                let link = state.work_on(account_id, size, read).await?;
                // Whoever makes a draft tries it.
                if link.status == FormStatus::Draft && !link.is_test {
                    return Err(Problem::not_found());
                }
                Ok(Arc::new(Opened {
                    link,
                    size,
                    page: OnceLock::new(),
                    looked_up_at,
                }))
            };
            let opened = self.found.try_get_with(token, query).await?;
            if opened.size > SMALL {
                // By itself the cache would have more than its part for a while.
                self.found.run_pending_tasks().await;
            }
            // Outdated: remembered, or read by a query that began before the change.
            if !is_outdated(state, &opened) {
                return Ok(opened);
            }
            self.found.invalidate(&token).await;
        }
    }

    /// A link that was found, and the memory to read a large one. If that has to wait for it, it is let go of and found again.
    async fn with_memory(
        &self,
        state: &AppState,
        token: &Token,
        stored: StoredLink,
        has_memory: bool,
    ) -> Result<(StoredLink, Option<MemoryPermit>)> {
        let bytes = match memory_of(stored.size()) {
            Some(bytes) if !has_memory => bytes,
            _ => return Ok((stored, None)),
        };
        let mut permit = self.memory.permit(stored.account_id());
        if permit.grow_now_to(bytes).is_ok() {
            return Ok((stored, Some(permit)));
        }
        drop(stored);
        permit.grow_within(QUICK, bytes).await?;
        let stored = found(state.store.stored_link(token)).await?;
        Ok((stored, Some(permit)))
    }

    /// The page of a link's form, in a language if it is translated.
    pub async fn page(
        &self,
        state: &AppState,
        f: Frame<'_>,
        opened: &Opened,
        language: Option<&str>,
    ) -> Arc<FormPage> {
        let link = &opened.link;
        let (form, words) = (&link.content, f.t.code);
        let language = language.filter(|language| form.is_translated(language));
        if let (Some((of, page)), None) = (opened.page.get(), language)
            && *of == words
        {
            return page.clone();
        }
        let key = PageKey {
            form_id: link.form_id,
            updated_at: link.updated_at,
            reader: opened.reader(),
            look: link.look.clone(),
            words,
            language: language.map(ToOwned::to_owned),
            track_fields: form.piping.then(|| {
                let fields = link.track_fields.iter();
                fields
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect()
            }),
            bus_prop_ids: form.piping.then(|| link.bus_prop_ids.clone()),
        };
        let draw = || Arc::new(FormPage::new(opened.draw(f, language, SMALL)));
        let drawn = state.work_here(link.account_id, opened.size, draw);
        let page = self.pages.get_with(key, drawn).await;
        if language.is_none() {
            opened.page.get_or_init(|| (words, page.clone()));
        }
        page
    }

    /// The logo of an account, if it has one.
    pub async fn logo(&self, state: &AppState, account_id: Uuid) -> Result<Option<LogoBytes>> {
        let query = async {
            let branding = within(QUICK, state.store.branding(account_id)).await?;
            let image = branding.logo.and_then(|logo| logo.image());
            Ok::<_, Problem>(image.map(|(kind, bytes)| (kind, bytes.into())))
        };
        let logo = self.logos.try_get_with(account_id, query).await;
        logo.map_err(|problem| Problem::clone(&problem))
    }
}

/// Whether this instance changed the link, its form or the account's look after they were looked up.
fn is_outdated(state: &AppState, opened: &Opened) -> bool {
    let link = &opened.link;
    let ids = [link.link_id, link.form_id, link.account_id];
    state.recent_changes.any_since(opened.looked_up_at, &ids)
}

/// The bytes of when a field is asked, about.
fn asked_if(field: &Field) -> usize {
    let values = field.show_if.as_ref().map(|show_if| &show_if.values);
    let values = values.into_iter().flatten();
    values
        .map(|value| ENTRY + value.as_str().map_or(0, str::len))
        .sum()
}

/// The bytes of a text in other languages, about.
fn size(labels: &Labels) -> usize {
    labels.values().map(|text| ENTRY + text.len()).sum()
}

/// The bytes of a link with its form, about.
fn weight(link: &PublicLink) -> u32 {
    let form = &link.content;
    let track_fields = link.track_fields.iter();
    let track_fields = track_fields.map(|(name, value)| name.len() + value.len());
    let bus_props = form.bus_props.iter();
    let bus_props = bus_props.map(|entry| entry.text.as_str().len());
    let fields = form.fields.iter();
    let fields = fields.map(|field| {
        field.key.as_str().len() + field.label.len() + size(&field.labels) + asked_if(field)
    });
    let options = form.fields.iter().flat_map(|field| field.kind.options());
    let options =
        options.map(|option| option.value.len() + option.label.len() + size(&option.labels));
    let entries = track_fields.chain(bus_props).chain(fields).chain(options);
    let bytes: usize = entries.map(|texts| ENTRY + texts).sum();
    let ids = link.bus_prop_ids.len() * size_of::<u32>();
    let links = form.links.iter();
    let links = links.map(|link| ENTRY + link.label.len() + link.url.len() + size(&link.labels));
    let blocks = [
        (&form.intro, &form.intro_labels),
        (&form.thanks, &form.thanks_labels),
    ];
    let blocks = blocks.map(|(text, labels)| text.as_ref().map_or(0, String::len) + size(labels));
    let around = links.chain(blocks).sum::<usize>();
    let title = form.title.len() + size(&form.labels);
    u32::try_from(LINK + title + ids + bytes + around).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::{Ready, ready};
    use std::pin::pin;

    use api_http::body;
    use api_http::memory::PoolSize;
    use api_language::of_code;
    use domain::form::{FormContent, FormInput};
    use domain::link::TrackFields;
    use futures::FutureExt;
    use serde_json::json;

    use super::*;

    /// The page of a form whose title has so many letters, of at most so many bytes.
    fn draw(letters: usize, most: usize) -> Result<Prepared, usize> {
        let title = "x".repeat(letters);
        let form = json!({"title": title, "bus_props": [], "fields": [], "last_bus_prop_id": 0});
        let form: FormContent = serde_json::from_value(form).unwrap();
        prepare(Frame::plain(of_code("en")), &form, Reader::Anybody, most)
    }

    fn large() -> LargePage {
        match FormPage::new(draw(SMALL, SMALL)) {
            FormPage::Large(page) => page,
            FormPage::Small(page) => panic!("{} bytes", page.size()),
        }
    }

    /// Memory of which an account has half, which is one page.
    fn pool() -> MemoryPool {
        let largest = large().bytes as u64;
        MemoryPool::new(PoolSize {
            total: 2 * largest,
            largest,
            small: 0,
        })
    }

    /// What one more reader is shown; `None`: the page is not there at once.
    fn show(page: &LargePage, pool: &MemoryPool, account: u128) -> Option<Response> {
        let draw = |most| ready(Ok(draw(SMALL, most)));
        let held = page.hold(pool, Uuid::from_u128(account), draw);
        let held = held.now_or_never()?.ok()?;
        Some(held.show("token", Uuid::nil()))
    }

    #[tokio::test]
    async fn a_large_page_takes_memory_once_however_many_read_it() {
        let (page, other, pool) = (large(), large(), pool());
        let (first, second) = (show(&page, &pool, 1), show(&page, &pool, 1));
        assert!(first.is_some() && second.is_some());
        assert!(show(&other, &pool, 1).is_none(), "held by nobody");
        assert!(show(&other, &pool, 2).is_some(), "another account waits");
        drop(first);
        assert!(show(&other, &pool, 1).is_none(), "one still reads");
        drop(second);
        assert!(show(&other, &pool, 1).is_some(), "nobody reads");
    }

    #[tokio::test]
    async fn a_large_page_is_drawn_once_there_is_memory_for_it() {
        let (page, other, pool) = (large(), large(), pool());
        let first = show(&page, &pool, 1);
        assert!(first.is_some());
        let drawn = Cell::new(0);
        let draw = |most| {
            drawn.set(drawn.get() + 1);
            ready(Ok(draw(SMALL, most)))
        };
        let mut waiting = pin!(other.hold(&pool, Uuid::from_u128(1), draw));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert_eq!(drawn.get(), 0, "it was drawn before");
        drop(first);
        assert!(waiting.await.is_ok());
        assert_eq!(drawn.get(), 1);
    }

    #[tokio::test]
    async fn a_page_that_grew_while_it_waited_is_drawn_when_there_is_memory_for_all_of_it() {
        let page = large();
        let pool = MemoryPool::new(PoolSize {
            total: 1 << 20,
            largest: 1 << 20,
            small: 0,
        });
        let tried = Cell::new(0);
        let draw = |most| {
            tried.set(tried.get() + 1);
            ready(Ok(draw(2 * SMALL, most)))
        };
        let held = page.hold(&pool, Uuid::nil(), draw).await.unwrap();
        assert!(tried.get() == 2 && held.prepared.size() > 2 * SMALL);
    }

    #[tokio::test]
    async fn a_page_that_no_account_has_memory_for_is_refused() {
        let page = large();
        let pool = MemoryPool::new(PoolSize {
            total: 2 << 20,
            largest: page.bytes as u64 - 1,
            small: 0,
        });
        let draw = |_: usize| -> Ready<Result<Result<Prepared, usize>>> { panic!("it was drawn") };
        let refused = page.hold(&pool, Uuid::nil(), draw).await.err();
        assert_eq!(refused.unwrap().code(), Code::BodyTooLarge);
    }

    #[test]
    fn the_page_of_the_largest_form_has_memory() {
        // As many bytes as a program may send, nearly all of which are five each on the page, and as many tracking fields as may be
        // in its texts.
        let option = |number: usize| {
            let piped = if number < 2 {
                "{a|}{b|}{c|}{d|}{e|}"
            } else {
                ""
            };
            let label = format!("{piped:&<77}");
            json!({"value": number.to_string(), "label": label})
        };
        let options: Vec<_> = (0..100).map(option).collect();
        let field = |number: usize| {
            let key = format!("f{number:0>39}");
            json!({"key": key, "type": "choices", "label": "&", "options": options})
        };
        let fields: Vec<_> = (0..100).map(field).collect();
        let form = json!({"title": "x", "piping": true, "fields": fields});
        let sent = form.to_string().len();
        assert!(
            (body::SMALL / 100 * 98..=body::SMALL).contains(&sent),
            "{sent}"
        );
        let form = FormContent::new(FormInput::parse(&form).unwrap()).unwrap();
        let mut track_fields = TrackFields::default();
        for name in ["a", "b", "c", "d", "e"] {
            let value = "&".repeat(1_024);
            track_fields.push(&format!("{name}={value}")).unwrap();
        }
        let form = form.for_reader(None, &track_fields, &BusPropIds::default());
        let page = prepare(Frame::plain(of_code("en")), &form, Reader::Anybody, 0);
        let parts = MemoryParts::divide(256 << 20, 1_000_000).unwrap();
        let (bytes, largest) = (page.unwrap_err() as u64, parts.public_bodies.largest);
        assert!(
            bytes <= largest && bytes > largest / 2,
            "{bytes} of {largest}"
        );
    }
}
