//! Messages that a figure counts: of a campaign, or of all on some days.

use std::collections::HashMap;

use api_http::{Problem, Result, parse_id};
use api_send::{CampaignItem, SendState, operations};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use domain::campaign::{Count, Counts, Message, MessageKind, MessageSet};
use domain::scope::Scope;
use domain::text::has_control;
use serde::Deserialize;
use store::send::failure::Failure;
use store::send::message::{MessageFilter, NONE};
use store::send::resend::MAY_BE_RESENT;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::download::{named, today};
use crate::figure::Figure;
use crate::list::{PageQuery, ShownList};
use crate::names::names;
use crate::page::{Frame, page_of_days, status};
use crate::provider_code;
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;

/// Bytes of a code in an address, at most: providers' are shorter.
const MAX_CODE_BYTES: usize = 200;

/// Which messages a page is about. Of a campaign all days count, otherwise those on which providers accepted them.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct MessagesQuery {
    campaign: String,
    kind: String,
    /// A [`MessageSet`].
    set: String,
    /// The provider's code; `-`: those without.
    code: String,
    /// An ISO code; `-`: those of which no country is known.
    country: String,
    #[serde(flatten)]
    page: PageQuery,
    #[serde(flatten)]
    range: RangeQuery,
}

#[derive(Template)]
#[template(path = "messages.html")]
struct MessagesPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    query: &'a MessagesQuery,
    /// Whether only those of some days are listed.
    of_days: bool,
    set: MessageSet,
    keep: Vec<(&'static str, &'a str)>,
    /// All parameters.
    filter: String,
    sending: &'a SendState,
    /// How many there are; `None`: nobody counts them.
    total: Option<i64>,
    /// What is told of messages that are kept no longer.
    sealed: Option<String>,
    /// The names of campaigns by their ids.
    names: HashMap<String, String>,
    found: ShownList<Message>,
}

impl MessagesPage<'_> {
    fn status(&self, message: &Message) -> &'static str {
        status(message, self.sending.is_simulated(&message.sender))
    }

    fn code(&self, message: &Message) -> Option<String> {
        provider_code::words(self.f.t, self.sending, message)
    }

    /// What its messages are called.
    fn label(&self) -> String {
        let t = self.f.t;
        match self.set {
            MessageSet::Sent => t.get("step-sent"),
            MessageSet::DELIVERED => t.get(self.f.delivered()),
            MessageSet::Counted(Count::Recipients | Count::Parts) => t.get("messages"),
            MessageSet::Counted(Count::Viewed) => t.get("step-viewed"),
            MessageSet::Counted(Count::Answered) => t.get("step-answered"),
            MessageSet::Counted(Count::Status(status)) => t.of("status", status.into_str()),
            MessageSet::Counted(Count::Skipped(reason)) => t.of("skip", reason.into_str()),
        }
    }

    /// Why its messages did not arrive, where they are narrowed to that.
    fn reason(&self) -> Option<String> {
        let t = self.f.t;
        match &*self.query.code {
            "" => None,
            NONE => Some(t.get("failure-no-code")),
            code => {
                let words = self.found.items.first().and_then(|one| self.code(one));
                words.or_else(|| Some(t.with("provider-code-other", code)))
            }
        }
    }

    fn campaign(&self, message: &Message) -> String {
        let name = self.names.get(&message.campaign_id.to_string());
        name.map_or_else(|| self.f.t.get("campaign"), Clone::clone)
    }
}

/// Makes figures of messages.
pub struct MessageFigures {
    /// Parameters of the list; `None` on a shared page.
    query: Option<String>,
}

impl MessageFigures {
    /// Of all campaigns, on the days on which providers accepted them.
    pub fn of_days(f: &Frame, range: &Range) -> Self {
        Self {
            query: (!f.is_shared()).then(|| range.query()),
        }
    }

    /// Of one kind of a campaign.
    pub fn of_campaign(campaign_id: Uuid, kind: MessageKind) -> Self {
        let query = format!("campaign={campaign_id}&kind={}", kind.into_str());
        Self { query: Some(query) }
    }

    /// Messages of a campaign that did not arrive for the same reason.
    pub fn of_failure(campaign_id: Uuid, failure: &Failure) -> Figure {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| NONE.to_owned());
        let mut query = Serializer::new(String::new());
        query
            .append_pair("campaign", &campaign_id.to_string())
            .append_pair("set", failure.status.into_str())
            .append_pair("code", &or_none(&failure.code))
            .append_pair("country", &or_none(&failure.country));
        Figure {
            value: failure.messages,
            href: format!("/dashboard/messages?{}", query.finish()),
        }
    }

    /// What these counts have.
    pub fn figure(&self, set: MessageSet, counts: &Counts) -> Figure {
        self.counted(set, set.count(counts))
    }

    /// What was counted already.
    pub fn counted(&self, set: MessageSet, value: i64) -> Figure {
        let href = self.query.as_ref();
        let href = href.map(|query| format!("/dashboard/messages?{query}&set={set}"));
        Figure {
            value,
            href: href.unwrap_or_default(),
        }
    }
}

impl MessagesQuery {
    /// Which messages these are.
    fn filter(&self, range: &Range) -> Result<MessageFilter> {
        let set = match self.set.as_str() {
            "" => MessageSet::ALL,
            set => set
                .parse()
                .map_err(|()| Problem::invalid_parameter("set is no count of messages"))?,
        };
        let kind = match self.kind.as_str() {
            "" => None,
            kind => Some(
                kind.parse()
                    .map_err(|_| Problem::invalid_parameter("kind is none of a message"))?,
            ),
        };
        let campaign_id = match self.campaign.as_str() {
            "" => None,
            id => Some(parse_id("campaign_id", id)?),
        };
        let is_word = |text: &str| text.len() <= MAX_CODE_BYTES && !has_control(text);
        if !is_word(&self.code) || !is_word(&self.country) {
            return Err(Problem::invalid_parameter("code or country is none"));
        }
        // What nobody sent has no day.
        let is_sent = matches!(set, MessageSet::Sent | MessageSet::DELIVERED);
        let of_days = campaign_id.is_none() && is_sent;
        Ok(MessageFilter {
            campaign_id,
            kind,
            set,
            code: self.code.clone(),
            country: self.country.clone(),
            days: of_days.then_some(range.dates),
        })
    }
}

/// `GET /dashboard/messages.xlsx`: all that the page lists.
pub async fn export(person: SignedIn, Query(query): Query<MessagesQuery>) -> Result<Response> {
    let filter = query.filter(&Range::checked(&query.range, person.time_zone)?)?;
    let dates = filter.days.unwrap_or_else(|| today(&person));
    let names = names(&person).await;
    let (state, account) = (&person.state.sending, person.frame("campaigns").account);
    let caller = (&person.caller, &*account);
    let title = names.get(&query.campaign).cloned();
    let title = title.unwrap_or_else(|| account.clone());
    let export = operations::export_messages(state, caller, filter, names, person.t);
    let kind = person.t.get("messages");
    Ok(named(export.await?, (&kind, "xlsx"), &title, dates))
}

/// `GET /dashboard/messages`.
pub async fn show(person: SignedIn, Query(query): Query<MessagesQuery>) -> Result<Response> {
    let f = person.frame("campaigns");
    let range = Range::read(&query.range, f.zone);
    let filter = query.filter(&range)?;
    let list = query.page.list(&person, "messages", 50);
    let campaign = campaign(&person, filter.campaign_id).await?;
    let of_campaign = filter.campaign_id.map(|id| id.to_string());
    let of_campaign = of_campaign.unwrap_or_default();
    let noted = person.caller.note_list("messages.read", &of_campaign);
    noted.await?;
    let found = operations::list_messages(&person.caller, &filter, list.position()?, list.limit);
    let found = ShownList::new(&list, found.await?);
    let total = total(&person, &filter, campaign.as_ref()).await?;
    let sealed = match &campaign {
        Some(item) if f.are_messages_gone(item.campaign.finished_at) => {
            Some(f.t.get("sealed-messages"))
        }
        None if filter.days.is_none() => f.gone_messages_note(),
        _ => None,
    };
    let names = names(&person).await;
    let mut keep = vec![
        ("set", &*query.set),
        ("code", &*query.code),
        ("country", &*query.country),
    ];
    keep.retain(|(_, value)| !value.is_empty());
    let mut parameters = Serializer::new(range.query());
    parameters.extend_pairs([("campaign", &query.campaign), ("kind", &query.kind)]);
    parameters.extend_pairs(&keep);
    let template = MessagesPage {
        f: &f,
        range: &range,
        query: &query,
        of_days: filter.days.is_some(),
        set: filter.set,
        keep,
        filter: parameters.finish(),
        sending: &person.state.sending,
        total,
        sealed,
        names,
        found,
    };
    Ok(page_of_days(&f, &range, &template))
}

async fn campaign(person: &SignedIn, campaign_id: Option<Uuid>) -> Result<Option<CampaignItem>> {
    let Some(campaign_id) = campaign_id else {
        return Ok(None);
    };
    let read = operations::read_campaign(&person.state.sending, &person.caller, campaign_id);
    Ok(Some(read.await?.item))
}

/// How many messages a list has, as reports and campaigns count them.
async fn total(
    person: &SignedIn,
    filter: &MessageFilter,
    campaign: Option<&CampaignItem>,
) -> Result<Option<i64>> {
    if !filter.code.is_empty() || !filter.country.is_empty() {
        return total_of_reason(person, filter).await;
    }
    if let Some(campaign) = campaign {
        let counts = &campaign.counts;
        let count = |kind| match kind {
            MessageKind::Reminder => filter.set.count(&counts.reminder),
            MessageKind::First => filter.set.count(&counts.first),
            MessageKind::Test => 0,
        };
        let kinds = [MessageKind::First, MessageKind::Reminder];
        return Ok(Some(
            filter
                .kind
                .map_or_else(|| kinds.map(count).iter().sum(), count),
        ));
    }
    let Some(days) = filter.days else {
        return Ok(None);
    };
    let (state, account_id) = (&person.state, person.account_id);
    let count = async {
        let _place = state.places.take(account_id).await;
        Ok(report::account_series(person.store(), &state.cache, account_id, days).await?)
    };
    let series = person.caller.read(Scope::Report, count).await?;
    let counts = series.days.iter().map(|(_, _, counts)| match filter.set {
        MessageSet::Sent => counts.sent,
        MessageSet::Counted(_) => counts.delivered,
    });
    Ok(Some(counts.sum()))
}

/// How many messages a list has that is narrowed to why they did not arrive, unless that are more than are told apart.
async fn total_of_reason(person: &SignedIn, filter: &MessageFilter) -> Result<Option<i64>> {
    let (Some(campaign_id), None) = (filter.campaign_id, filter.kind) else {
        return Ok(None);
    };
    let is_told = MAY_BE_RESENT
        .iter()
        .any(|status| filter.set == MessageSet::Counted(Count::Status(*status)));
    if !is_told {
        return Ok(None);
    }
    let failures = operations::list_failures(&person.caller, campaign_id).await?;
    let found = failures.items.iter().filter(|one| one.is_in(filter));
    let total = found.map(|failure| failure.messages).sum();
    Ok((!failures.partial).then_some(total))
}

#[cfg(test)]
mod tests {
    use domain::campaign::MessageStatus;

    use super::*;

    #[test]
    fn the_list_of_a_reason_tells_what_is_not_there_from_any() {
        let mut failure = Failure {
            status: MessageStatus::Undelivered,
            code: Some("30003".to_owned()),
            country: Some("DE".to_owned()),
            messages: 3,
        };
        let start = format!(
            "/dashboard/messages?campaign={}&set=undelivered",
            Uuid::nil()
        );
        let figure = MessageFigures::of_failure(Uuid::nil(), &failure);
        assert_eq!(figure.href, format!("{start}&code=30003&country=DE"));
        (failure.code, failure.country) = (None, None);
        let figure = MessageFigures::of_failure(Uuid::nil(), &failure);
        assert_eq!(figure.href, format!("{start}&code=-&country=-"));
    }
}
