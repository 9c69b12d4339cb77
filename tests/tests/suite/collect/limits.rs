//! The limits of public requests: an attacker is stopped, the people behind one address are not, and
//! nothing that was typed is lost.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::stream::{self, StreamExt, TryStreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::{Answer, Client, Crowd};
use tests::form::{PAIRS, form, pairs, short_form};
use tests::import::IMPORT;
use tests::visitor::{Visitor, page};
use tests::wait::{SOON, eventually};

/// So many pages of 1.3 MB are more than an account has memory for at once.
const LARGE_PAGES: usize = 8;
/// Of an option, each five bytes on the page.
const LABEL_BYTES: usize = 400;

/// A service whose limits of an address (or link) are one a second, in bursts of ten.
async fn strict(variable: &str) -> Result<App> {
    App::setup()
        .setting(variable, "1")
        .setting("FEEDBACK_TRUSTED_PROXIES", "127.0.0.0/8")
        .start()
        .await
}

async fn open(app: &App) -> Result<(Client, Value)> {
    let owner = app.client().await?;
    let published = owner.published(&form()).await?;
    let link = owner.link(&published, "", &[]).await?;
    Ok((owner, link))
}

/// The path of a token that nobody has.
fn unknown() -> String {
    let token = uuid::Uuid::new_v4().into_bytes();
    // 22 characters, the last of which holds two bits.
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digit = |bits: u8| char::from(digits[usize::from(bits & 63)]);
    let mut text: String = (0..21_u8)
        .map(|at| digit(token[usize::from(at) % 16] ^ at))
        .collect();
    text.push(digit((token[15] & 3) << 4));
    format!("/f/{text}")
}

/// Asks for a token that nobody has, from this address.
async fn guess(public: &Client, address: &str) -> Result<Answer> {
    let call = public.call(Method::GET, &unknown());
    call.header("x-forwarded-for", address).send().await
}

/// Guesses until the limit is met.
async fn use_up(public: &Client, address: &str) -> Result<u32> {
    for guesses in 0..60 {
        let answer = guess(public, address).await?;
        if answer.status == 429 {
            answer.tells_when_to_come_back()?;
            page(&answer, 429)?;
            return Ok(guesses);
        }
        page(&answer, 404)?;
    }
    anyhow::bail!("no limit was met")
}

/// Whether a guess that claims to come from `claimed` meets the limit that guesses from `spent` have used up. One guess
/// comes back each second, so that a single one may be lucky; whoever has a limit of his own is lucky thrice.
async fn shares_the_limit(public: &Client, spent: &str, claimed: &str) -> Result<bool> {
    for _ in 0..3 {
        use_up(public, spent).await?;
        if guess(public, claimed).await?.status == 429 {
            return Ok(true);
        }
    }
    Ok(false)
}

#[tokio::test]
async fn guessing_is_stopped_and_the_neighbours_are_not() -> Result<()> {
    let app = strict("FEEDBACK_ADDRESS_RATE").await?;
    let (owner, link) = open(&app).await?;
    let public = app.anonymous()?;
    let visitor = Visitor::new(&public, &link)?;
    let from = |address: &'static str| {
        let call = public.call(Method::GET, &visitor.path());
        call.header("x-forwarded-for", address).send()
    };
    let opened = from("203.0.113.9").await?;
    page(&opened, 200)?;
    let guesses = use_up(&public, "203.0.113.9").await?;
    ensure!(guesses >= 10, "only {guesses} of a burst of 10");
    // Whoever has a link is served from that very address; so is an answer.
    for _ in 0..20 {
        page(&from("203.0.113.9").await?, 200)?;
    }
    let body = json!({"visit": visitor.visit, "answers": {"recommend": 9}});
    let call = public.call(Method::POST, &visitor.path());
    let call = call.header("x-forwarded-for", "203.0.113.9");
    let call = call.body(tests::import::JSON, body.to_string());
    call.send().await?.expect(201)?;
    // Other addresses are not concerned, and whatever a caller claims itself changes nothing.
    page(&guess(&public, "203.0.113.10").await?, 404)?;
    let claim = "198.51.100.1, 203.0.113.9";
    let shared = shares_the_limit(&public, "203.0.113.9", claim).await?;
    ensure!(shared, "a forged address counted");
    // IPv6 counts by /64.
    let neighbour = "2001:db8:1:2:ffff::9";
    let shared = shares_the_limit(&public, "2001:db8:1:2::1", neighbour).await?;
    ensure!(shared, "a limit of its own within a /64");
    page(&guess(&public, "2001:db8:1:3::1").await?, 404)?;
    // It is over when it says so.
    eventually(SOON, async || {
        page(&guess(&public, "203.0.113.9").await?, 404).map(drop)
    })
    .await?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn thousands_of_guessed_tokens_find_nothing_and_cost_little() -> Result<()> {
    // By hand FEEDBACK_TEST_GUESSES=1000000, or any multiple of 20; a debug build needs many minutes for a million.
    let guesses =
        std::env::var("FEEDBACK_TEST_GUESSES").map_or(Ok(20_000), |count| count.parse())?;
    let app = App::start().await?;
    let (owner, link) = open(&app).await?;
    let public = app.anonymous()?;
    let visitor = Visitor::new(&public, &link)?;
    let crowd = &Crowd::default();
    let began = std::time::Instant::now();
    let looked_up = stream::iter(0..guesses)
        .map(|number| {
            let (public, visitor) = (&public, &visitor);
            async move {
                if number % (guesses / 20) == 0 {
                    // Meanwhile a person behind the same address answers.
                    let visitor = Visitor::new(public, &json!({"token": visitor.token()}))?;
                    page(&visitor.page().await?, 200)?;
                    visitor.stored(&json!({"recommend": 9})).await?;
                }
                let answer = crowd.served(|| guess(public, "203.0.113.9")).await?;
                ensure!([404, 429].contains(&answer.status), "found: {answer:?}");
                Ok(usize::from(answer.status == 404))
            }
        })
        .buffer_unordered(32)
        .try_fold(0, async |sum, one| Ok(sum + one))
        .await?;
    // The burst, what comes back meanwhile, and those under way at once when it ends.
    let seconds = usize::try_from(began.elapsed().as_secs())?;
    let most = 1_000 + 100 * (seconds + 1) + 64;
    ensure!(looked_up <= most, "{looked_up} of {guesses} were looked up");
    owner.counted(&link, 20, 20).await
}

#[tokio::test]
async fn without_a_trusted_proxy_nobodys_word_is_taken() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_ADDRESS_RATE", "1")
        .start()
        .await?;
    let public = app.anonymous()?;
    for number in 0..60 {
        let address = format!("203.0.113.{number}");
        let answer = guess(&public, &address).await?;
        if answer.status == 429 {
            return Ok(());
        }
    }
    anyhow::bail!("each claimed address had a limit of its own")
}

#[tokio::test]
async fn what_is_no_token_costs_nobody_anything() -> Result<()> {
    let app = strict("FEEDBACK_ADDRESS_RATE").await?;
    let public = app.anonymous()?;
    for _ in 0..30 {
        page(&public.get("/f/nonsense").await?, 404)?;
    }
    page(&guess(&public, "127.0.0.1").await?, 404)?;
    Ok(())
}

#[tokio::test]
async fn refused_submissions_are_limited_and_good_ones_are_not() -> Result<()> {
    let app = strict("FEEDBACK_ADDRESS_RATE").await?;
    let (owner, link) = open(&app).await?;
    let public = app.anonymous()?;
    let mut limited = None;
    for _ in 0..60 {
        let visitor = Visitor::new(&public, &link)?;
        let answer = visitor.answer(&json!({"recommend": 99})).await?;
        if answer.status == 429 {
            limited = Some(answer);
            break;
        }
        answer.problem(422, "validation_failed")?;
    }
    let limited = limited.context("no limit was met")?;
    limited.problem(429, "rate_limited")?;
    limited.tells_when_to_come_back()?;
    // A form post gets its page again.
    let mut visitor = Visitor::new(&public, &link)?;
    let mut answer = visitor.submit(&[("name", "a long name")]).await?;
    while answer.status != 429 {
        page(&answer, 422)?;
        visitor = Visitor::new(&public, &link)?;
        answer = visitor.submit(&[("name", "a long name")]).await?;
    }
    let html = page(&answer, 429)?;
    ensure!(
        html.contains("a long name"),
        "what was typed is lost: {html}"
    );
    ensure!(html.contains(&visitor.visit), "another visit: {html}");
    answer.tells_when_to_come_back()?;
    for _ in 0..20 {
        let visitor = Visitor::new(&public, &link)?;
        visitor.stored(&json!({"recommend": 9})).await?;
    }
    owner.counted(&link, 20, 20).await
}

#[tokio::test]
async fn a_rush_on_one_link_is_limited_and_loses_nothing() -> Result<()> {
    let app = strict("FEEDBACK_LINK_RATE").await?;
    let (owner, link) = open(&app).await?;
    let public = app.anonymous()?;
    let mut stored = 0;
    let limited = loop {
        let visitor = Visitor::new(&public, &link)?;
        let answer = visitor.answer(&json!({"recommend": 9})).await?;
        if answer.status == 429 {
            break answer;
        }
        answer.expect(201)?;
        stored += 1;
        ensure!(stored < 60, "no limit was met");
    };
    ensure!(stored >= 10, "only {stored} of a burst of 10");
    limited.problem(429, "rate_limited")?;
    limited.tells_when_to_come_back()?;
    owner.counted(&link, stored, stored).await?;
    // The page says it kindly; a form post gets its page again with all that was typed, and can be sent again.
    let typed = [("recommend", "9"), ("more", "typed with care")];
    let visitor = loop {
        let visitor = Visitor::new(&public, &link)?;
        let answer = visitor.submit(&typed).await?;
        if answer.status == 429 {
            let html = page(&answer, 429)?;
            ensure!(html.contains("typed with care"), "lost: {html}");
            ensure!(html.contains(&visitor.visit), "another visit: {html}");
            break visitor;
        }
        // One answer comes back each second.
        answer.expect(303)?;
        stored += 1;
        ensure!(stored < 60, "the limit was not met by a form post");
    };
    eventually(SOON, async || visitor.submit(&typed).await?.expect(303)).await?;
    owner.counted(&link, stored + 1, stored + 1).await?;
    let mut answer = visitor.page().await?;
    while answer.status != 429 {
        page(&answer, 200)?;
        answer = visitor.page().await?;
    }
    page(&answer, 429)?;
    // Another link of the same form has a limit of its own.
    let form = json!({"form_id": link["form_id"]});
    let other = owner.link(&form, "", &[]).await?;
    page(&Visitor::new(&public, &other)?.page().await?, 200)?;
    Ok(())
}

#[tokio::test]
async fn guessing_keys_is_stopped_and_good_keys_are_served_on() -> Result<()> {
    let app = strict("FEEDBACK_ADDRESS_RATE").await?;
    let client = app.client().await?;
    let unseen = app.client().await?;
    client.get(IMPORT).await?.expect(200)?;
    let mut met = false;
    for number in 0..60 {
        let call = app.anonymous()?.call(Method::GET, IMPORT);
        let call = call.header("x-api-key", &format!("fk_{number:0>20}"));
        let answer = call.header("x-secret-key", "guessed").send().await?;
        if answer.status == 429 {
            answer.problem(429, "rate_limited")?;
            answer.tells_when_to_come_back()?;
            if !met {
                // A key of which this instance has never heard, too.
                unseen.get(IMPORT).await?.expect(200)?;
            }
            met = true;
            // A known key from the same address, also once it is looked up anew.
            client.get(IMPORT).await?.expect(200)?;
        } else {
            answer.problem(401, "unauthenticated")?;
        }
    }
    ensure!(met, "no limit was met");
    // Visitors have a limit of their own.
    page(&guess(&app.anonymous()?, "127.0.0.1").await?, 404)?;
    let known = std::time::Instant::now();
    while known.elapsed() < Duration::from_secs(4) {
        let call = app.anonymous()?.call(Method::GET, IMPORT);
        let call = call.header("x-api-key", "fk_00000000000000000000");
        call.header("x-secret-key", "guessed").send().await?;
        client.get(IMPORT).await?.expect(200)?;
    }
    Ok(())
}

#[tokio::test]
async fn many_people_behind_one_address_are_all_served() -> Result<()> {
    let app = strict("FEEDBACK_ADDRESS_RATE").await?;
    let owner = app.client().await?;
    let form = owner.published(&short_form("x")).await?;
    let public = app.anonymous()?;
    let mut links = Vec::new();
    for _ in 0..40 {
        links.push(owner.link(&form, "", &[]).await?);
    }
    for link in &links {
        let visitor = Visitor::new(&public, link)?;
        page(&visitor.page().await?, 200)?;
        visitor.view().await?.expect(204)?;
        visitor.submit(&[("mood", "4")]).await?.expect(303)?;
    }
    for link in &links {
        owner.counted(link, 1, 1).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_link_nobody_opened_yet_is_served_to_a_limited_address() -> Result<()> {
    let app = strict("FEEDBACK_ADDRESS_RATE").await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let public = app.anonymous()?;
    for _ in 0..5 {
        let link = owner.link(&form, "", &[]).await?;
        let visitor = Visitor::new(&public, &link)?;
        use_up(&public, "203.0.113.9").await?;
        let call = public.call(Method::GET, &visitor.path());
        let opened = call.header("x-forwarded-for", "203.0.113.9").send();
        page(&opened.await?, 200)?;
    }
    let link = owner.link(&form, "", &[]).await?;
    let visitor = Visitor::new(&public, &link)?;
    let typed = [("visit", visitor.visit.as_str()), ("recommend", "9")];
    use_up(&public, "203.0.113.9").await?;
    let call = public.call(Method::POST, &visitor.path());
    let call = call.header("x-forwarded-for", "203.0.113.9");
    let answer = call.body(PAIRS, pairs(&typed)).send().await?;
    answer.expect(303)?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn a_form_post_of_a_limited_address_loses_nothing_that_was_typed() -> Result<()> {
    let app = strict("FEEDBACK_ADDRESS_RATE").await?;
    let public = app.anonymous()?;
    use_up(&public, "203.0.113.9").await?;
    let typed = [("recommend", "9"), ("more", "typed with care")];
    for _ in 0..60 {
        let call = public.call(Method::POST, &unknown());
        let call = call.header("x-forwarded-for", "203.0.113.9");
        let answer = call.body(PAIRS, pairs(&typed)).send().await?;
        if answer.status == 429 {
            let html = page(&answer, 429)?;
            ensure!(html.contains("typed with care"), "lost: {html}");
            return answer.tells_when_to_come_back();
        }
        // A second passed meanwhile.
        page(&answer, 404)?;
    }
    anyhow::bail!("no limit was met")
}

#[tokio::test]
async fn whoever_waits_for_the_memory_of_a_large_page_gets_all_of_it() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client().await?;
    let option =
        |number: usize| json!({"value": number.to_string(), "label": "&".repeat(LABEL_BYTES)});
    let options: Vec<_> = (0..100).map(option).collect();
    let field = |number: usize| json!({"key": format!("q{number}"), "type": "choices", "label": "{guest|?}", "options": options});
    let fields: Vec<_> = (0..6).map(field).collect();
    let form = json!({"title": "Large", "piping": true, "fields": fields});
    let form = owner.published(&form).await?;
    let public = app.anonymous()?;
    let mut visitors = Vec::new();
    for number in 0..LARGE_PAGES {
        let guest = format!("guest=number {number}.");
        let link = owner.link(&form, "", &[("track_field", &guest)]).await?;
        visitors.push(Visitor::new(&public, &link)?);
    }
    let opened = futures::future::try_join_all(visitors.iter().map(Visitor::page)).await?;
    // What was typed comes back with as large a page.
    let wrong = visitors
        .iter()
        .map(|visitor| visitor.submit(&[("q0", "x")]));
    let refused = futures::future::try_join_all(wrong).await?;
    for (status, answers) in [(200, opened), (422, refused)] {
        for (number, answer) in answers.iter().enumerate() {
            let html = page(answer, status)?;
            let labels = html.matches("&#38;").count();
            ensure!(labels == 6 * 100 * LABEL_BYTES, "{labels} of a page");
            let guests = html.matches(&format!(">number {number}.<")).count();
            ensure!(guests >= 6, "another's page: {guests} of {number}");
            ensure!(html.trim_end().ends_with("</html>"), "a page was cut");
        }
    }
    Ok(())
}
