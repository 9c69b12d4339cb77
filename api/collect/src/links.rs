//! What a token opens: remembered for a moment, so that a popular link is one query several times a second, however many
//! open it. What this instance changes itself is forgotten at once.
//!
//! What another instance changes is known only from the next query, 400 ms later at most. Until then pages are shown, answers
//! are read by the form that is remembered, and views are counted, also of a link that is gone by now. Whether a link
//! still takes an answer is judged again in the database.

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
use store::form::PublicLink;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::pages::{Frame, Prepared, Reader, prepare};
use api_http::memory::{MemoryPermit, MemoryPool};
use api_http::{AppState, Code, Network, Problem, QUICK, Result, found, within};

/// How long a link that was found is fresh.
const MAX_AGE: Duration = Duration::from_millis(400);
/// The bytes that a link takes besides its texts, about …
const LINK: usize = 1 << 10;
/// … and each of its tracking fields, and each business property, question and choice of its form.
const ENTRY: usize = 128;
/// A page of at most so many bytes holds none of its account's memory. Most have a third of them.
const SMALL_PAGE: usize = 64 << 10;
/// A page that nobody opens is forgotten after that.
const PAGE_IDLE: Duration = Duration::from_mins(1);
/// How long a token that opened a link is looked up whatever its address did.
const WAS_OPENED: Duration = Duration::from_hours(1);
/// The bytes that it takes, about.
const TOKEN: u64 = 200;

/// The links opened lately.
pub struct Links {
    found: Cache<Token, Arc<Opened>>,
    /// An attacker behind the same address does not take a link from those who have it open.
    lately: Cache<Token, ()>,
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
pub struct FormPage {
    prepared: Prepared,
    /// What a large one holds of its account's memory while anybody reads it.
    held: Mutex<Weak<MemoryPermit>>,
}

impl FormPage {
    fn new(prepared: Prepared) -> Self {
        Self {
            prepared,
            held: Mutex::default(),
        }
    }

    /// Bytes of it, about.
    pub fn size(&self) -> usize {
        self.prepared.size()
    }

    /// The page for one reader who opened this link of the account, and whose answers will belong to this visit.
    ///
    /// # Errors
    /// 503 `busy`: the account has no memory for it.
    pub async fn show(
        &self,
        pool: &MemoryPool,
        account_id: Uuid,
        token: &str,
        visit: Uuid,
    ) -> Result<Response> {
        if self.size() <= SMALL_PAGE {
            return Ok(self.prepared.fill(token, visit).into_response());
        }
        let mut held = self.held.lock().await;
        let permit = if let Some(permit) = held.upgrade() {
            permit
        } else {
            let mut permit = pool.permit(account_id);
            permit.grow_to(self.size() as u64).await?;
            let permit = Arc::new(permit);
            *held = Arc::downgrade(&permit);
            permit
        };
        Ok(permit.hold_too(self.prepared.fill(token, visit).into_response()))
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
}

impl Links {
    pub fn new(parts: &MemoryParts) -> Self {
        Self {
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
                .weigher(|_, page: &Arc<FormPage>| u32::try_from(page.size()).unwrap_or(u32::MAX))
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
    /// share one query.
    ///
    /// # Errors
    /// 404; 429 for an address that failed too often; 503 when the database does not answer.
    pub async fn open(
        &self,
        state: &AppState,
        network: Network,
        token: Token,
    ) -> Result<Arc<Opened>> {
        if let Some(opened) = self.found.get(&token).await
            && !is_outdated(state, &opened)
        {
            return Ok(opened);
        }
        let was_opened = self.lately.contains_key(&token);
        let _permit = state.failures.lookup_permit(network, was_opened)?;
        let opened = self.look_up(state, token).await;
        match &opened {
            Ok(_) => self.lately.insert(token, ()).await,
            Err(problem) if problem.code() == Code::NotFound => state.failures.take(network)?,
            Err(_) => {}
        }
        opened.map_err(|problem| Problem::clone(&problem))
    }

    async fn look_up(&self, state: &AppState, token: Token) -> Result<Arc<Opened>, Arc<Problem>> {
        loop {
            let query = async {
                let looked_up_at = Instant::now();
                let stored = found(state.store.stored_link(&token)).await?;
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
            // Outdated: remembered, or read by a query that began before the change.
            if !is_outdated(state, &opened) {
                return Ok(opened);
            }
            self.found.invalidate(&token).await;
        }
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
        let prepared = state.work_here(link.account_id, opened.size, || {
            let form = form.for_reader(language, &link.track_fields, &link.bus_prop_ids);
            Arc::new(FormPage::new(prepare(f, &form, opened.reader())))
        });
        let page = self.pages.get_with(key, prepared).await;
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
    use api_http::memory::PoolSize;
    use api_language::of_code;
    use domain::form::FormContent;
    use futures::FutureExt;
    use serde_json::json;

    use super::*;

    /// The page of a form whose title has so many letters.
    fn page(letters: usize) -> FormPage {
        let title = "x".repeat(letters);
        let form = json!({"title": title, "bus_props": [], "fields": [], "last_bus_prop_id": 0});
        let form: FormContent = serde_json::from_value(form).unwrap();
        let frame = Frame::plain(of_code("en"));
        FormPage::new(prepare(frame, &form, Reader::Anybody))
    }

    /// What one more reader is shown; `None`: the page is not there at once.
    fn show(page: &FormPage, pool: &MemoryPool, account: u128) -> Option<Response> {
        let shown = page.show(pool, Uuid::from_u128(account), "token", Uuid::nil());
        shown.now_or_never()?.ok()
    }

    #[tokio::test]
    async fn a_large_page_takes_memory_once_however_many_read_it() {
        let (large, other, small) = (page(SMALL_PAGE), page(SMALL_PAGE), page(1));
        assert!(large.size() > SMALL_PAGE && small.size() <= SMALL_PAGE);
        let largest = large.size() as u64;
        // An account has half of it, which is one page.
        let pool = MemoryPool::new(PoolSize {
            total: 2 * largest,
            largest,
            small: 0,
        });
        let (first, second) = (show(&large, &pool, 1), show(&large, &pool, 1));
        assert!(first.is_some() && second.is_some());
        assert!(show(&other, &pool, 1).is_none(), "held by nobody");
        assert!(show(&small, &pool, 1).is_some(), "a small page waits");
        assert!(show(&other, &pool, 2).is_some(), "another account waits");
        drop(first);
        assert!(show(&other, &pool, 1).is_none(), "one still reads");
        drop(second);
        assert!(show(&other, &pool, 1).is_some(), "nobody reads");
    }
}
