//! In a real browser: what a person does with a link, with and without scripts, and what hostile texts do
//! to them.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::app::App;
use tests::browser::Browser;
use tests::client::Client;
use tests::form::{LINK, form};
use tests::tools;
use tests::wait::{SOON, eventually};

const THANKS: &str = "Thank you";
const CLOSED: &str = "This form is closed";

fn address(link: &Value) -> Result<&str> {
    link["link"].as_str().context("no link")
}

async fn open_form(app: &App) -> Result<(Client, Value)> {
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let link = owner
        .link(&form, "1_3", &[("track_field", "order=4711")])
        .await?;
    Ok((owner, link))
}

/// The beacon and the answer are on their own ways.
async fn soon_counted(owner: &Client, link: &Value, views: u64, responses: u64) -> Result<()> {
    eventually(SOON, async || owner.counted(link, views, responses).await).await
}

#[tokio::test]
async fn what_should_not_be_is_noticed() -> Result<()> {
    let browser = Browser::start().await?;
    for bad in [
        "<script>alert(1)</script>",
        "<img src=x: onerror=confirm(1)>",
        "<meta http-equiv=content-security-policy content=\"script-src 'none'\"><p onclick=x><script>1</script>",
    ] {
        browser.open(&format!("data:text/html,{bad}")).await?;
        ensure!(browser.no_incidents().await.is_err(), "not noticed: {bad}");
    }
    browser.open("data:text/html,<img src=x:>").await?;
    ensure!(
        browser.is_accessible().await.is_err(),
        "axe-core finds nothing"
    );
    Ok(())
}

#[tokio::test]
async fn what_was_typed_stays_for_a_person_and_not_on_a_kiosk() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let browser = Browser::start().await?;
    for (kiosk, stays) in [("false", "Zoë"), ("true", "")] {
        let link = owner.link(&form, "1_3", &[("kiosk", kiosk)]).await?;
        browser.open(address(&link)?).await?;
        browser.write("#f-name", "Zoë").await?;
        browser.open(address(&link)?).await?;
        let name = browser.property("#f-name", "value").await?;
        ensure!(name == stays, "kiosk {kiosk}: {name}");
    }
    Ok(())
}

#[tokio::test]
async fn a_person_opens_the_link_answers_and_is_thanked() -> Result<()> {
    let app = App::start().await?;
    let (owner, link) = open_form(&app).await?;
    let browser = Browser::start().await?;
    browser.open(address(&link)?).await?;
    browser.headline("How was your visit?").await?;
    soon_counted(&owner, &link, 1, 0).await?;
    // A finger: NPS 9, the happiest smiley, 4 of 5, one choice, two of three boxes.
    for control in [
        "#f-recommend-9",
        "#f-mood-4",
        "#f-clean-3",
        "#f-reason-1",
        "#f-seen",
        "#f-seen-2",
    ] {
        browser.click(control).await?;
    }
    // What need not be answered can be taken back.
    browser.click("fieldset:has(#f-clean) .clear").await?;
    browser.write("#f-name", "Zoë & \"Max\"").await?;
    browser.write("#f-more", "two\nlines").await?;
    ensure!(
        browser
            .property("#f-more ~ .count", "textContent")
            .await?
            .is_empty(),
        "characters are counted far from the limit"
    );
    let long = "x".repeat(980);
    browser.write("#f-name", &long).await?;
    ensure!(
        browser
            .property("#f-name ~ .count", "textContent")
            .await?
            .starts_with("Characters left: "),
        "nobody counts the characters"
    );
    browser.no_incidents().await?;
    browser.click(".send").await?;
    browser.headline(THANKS).await?;
    browser.no_incidents().await?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn the_keyboard_is_enough() -> Result<()> {
    const TAB: &str = "\u{e004}";
    const LEFT: &str = "\u{e012}";
    const RIGHT: &str = "\u{e014}";
    let app = App::start().await?;
    let (owner, link) = open_form(&app).await?;
    let browser = Browser::start().await?;
    browser.open(address(&link)?).await?;
    browser.press(TAB).await?;
    ensure!(
        browser.focused("id").await? == "f-recommend",
        "Tab goes elsewhere"
    );
    // From 0 back around to 10.
    browser.press(LEFT).await?;
    ensure!(
        browser.focused("id").await? == "f-recommend-10",
        "an arrow goes elsewhere"
    );
    browser.press(TAB).await?;
    browser.press(RIGHT).await?;
    ensure!(
        browser.focused("id").await? == "f-mood-1",
        "the smileys are not next"
    );
    for _ in 0..30 {
        if browser.focused("class").await? == "send" {
            break;
        }
        browser.press(TAB).await?;
    }
    browser.press(" ").await?;
    browser.headline(THANKS).await?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn what_is_wrong_is_said_and_nothing_typed_is_lost() -> Result<()> {
    let app = App::start().await?;
    let (owner, link) = open_form(&app).await?;
    let browser = Browser::start().await?;
    browser.open(address(&link)?).await?;
    let visit = browser.property("[name=visit]", "value").await?;
    browser.click("#f-mood-2").await?;
    browser.click("#f-seen-1").await?;
    browser.write("#f-name", "Zoë").await?;
    let script = "document.querySelector('#f-more').value = arguments[0]";
    let long = format!("\n{}", "😀\n".repeat(5_000));
    browser.run(script, vec![json!(long)]).await?;
    browser.click(".send").await?;
    eventually(SOON, async || {
        ensure!(
            browser.focused("class").await? == "notice",
            "the summary has no focus"
        );
        Ok(())
    })
    .await?;
    browser.no_incidents().await?;
    for id in ["f-mood-2", "f-seen-1"] {
        ensure!(
            browser.property(&format!("#{id}"), "checked").await? == "true",
            "{id} is lost"
        );
    }
    ensure!(
        browser.property("#f-name", "value").await? == "Zoë",
        "the name is lost"
    );
    ensure!(
        browser.property("#f-more", "value").await? == long,
        "the comment is another"
    );
    ensure!(
        browser
            .property("#e-more", "textContent")
            .await?
            .contains("by 1 character"),
        "no advice"
    );
    ensure!(
        browser.property("[name=visit]", "value").await? == visit,
        "another visit"
    );
    // The summary leads to what is wrong.
    browser.click(".notice a[href='#f-recommend']").await?;
    ensure!(
        browser.focused("id").await? == "f-recommend",
        "the link leads elsewhere"
    );
    browser.click("#f-recommend-7").await?;
    browser.run(script, vec![json!("short")]).await?;
    browser.click(".send").await?;
    browser.headline(THANKS).await?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn without_scripts_all_is_there_but_the_beacon() -> Result<()> {
    let app = App::start().await?;
    let (owner, link) = open_form(&app).await?;
    let browser = Browser::without_script().await?;
    browser.open(address(&link)?).await?;
    browser.headline("How was your visit?").await?;
    browser.click("#f-mood-4").await?;
    browser.write("#f-more", "all well").await?;
    browser.click(".send").await?;
    eventually(SOON, async || {
        ensure!(
            browser.focused("class").await? == "notice",
            "the summary has no focus"
        );
        Ok(())
    })
    .await?;
    ensure!(
        browser.property("#f-more", "value").await? == "all well",
        "the comment is lost"
    );
    owner.counted(&link, 0, 0).await?;
    browser.click("#f-recommend-10").await?;
    browser.click(".send").await?;
    browser.headline(THANKS).await?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn the_beacon_waits_until_the_page_is_seen() -> Result<()> {
    // No browser here renders ahead, so the page is told that one does.
    const AHEAD: &str = "
        document.ahead = true;
        Object.defineProperty(document, 'prerendering', {get: () => document.ahead});
    ";
    const SENT: &str = "return performance.getEntriesByType('resource').map(({name}) => name)";
    let app = App::start().await?;
    let (owner, link) = open_form(&app).await?;
    let browser = Browser::start().await?;
    browser.before_pages(AHEAD).await?;
    browser.open(address(&link)?).await?;
    browser.headline("How was your visit?").await?;
    ensure!(
        browser.run(SENT, vec![]).await? == json!([]),
        "something was fetched"
    );
    owner.counted(&link, 0, 0).await?;
    let show = "document.ahead = false; document.dispatchEvent(new Event('prerenderingchange'))";
    browser.run(show, vec![]).await?;
    soon_counted(&owner, &link, 1, 0).await?;
    // Nothing but the beacon is ever asked for; the browser lists it once it has the answer, after the commit.
    let beacon = json!([format!("{}/view", address(&link)?)]);
    eventually(SOON, async || {
        let sent = browser.run(SENT, vec![]).await?;
        ensure!(sent == beacon, "{sent}");
        Ok(())
    })
    .await
}

/// Texts of at most `most` characters, each as many of the strings as fit.
fn packed(strings: &[String], most: usize) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for string in strings {
        let fits = |text: &&mut String| text.chars().count() + 1 + string.chars().count() <= most;
        match texts.last_mut().filter(fits) {
            Some(text) => {
                text.push(' ');
                text.push_str(string);
            }
            None => texts.push(string.chars().take(most).collect()),
        }
    }
    texts
}

/// Every naughty string that a text of one line may have in it.
fn naughty_lines() -> Result<Vec<String>> {
    let visible = |text: &String| !text.trim().is_empty() && !text.chars().any(char::is_control);
    Ok(tools::naughty_strings()?
        .into_iter()
        .filter(visible)
        .collect())
}

/// A form whose every text is one of these; nothing of it need be answered but the last field.
fn naughty_form(title: &str, strings: &[String]) -> Value {
    let mut options: Vec<Value> = Vec::new();
    for string in strings {
        let value: String = string.chars().take(100).collect();
        if options.len() < 100 && options.iter().all(|option| option["value"] != value) {
            options.push(json!({"value": value, "label": string}));
        }
    }
    let mut fields: Vec<Value> = packed(strings, 500)
        .iter()
        .enumerate()
        .map(|(place, label)| json!({"key": format!("t{place}"), "type": "text", "label": label, "required": false}))
        .collect();
    fields.push(json!({"key": "some", "type": "choices", "label": title, "required": false, "options": options}));
    fields.push(json!({"key": "more", "type": "comment", "label": title, "required": false}));
    fields.push(json!({"key": "grade", "type": "nps", "label": title, "required": true}));
    json!({"title": title, "bus_props": [], "fields": fields})
}

#[tokio::test]
async fn naughty_texts_of_a_form_are_shown_and_never_run() -> Result<()> {
    const SHOWN: &str = "
        const texts = css => [...document.querySelectorAll(css)].map(element => element.textContent);
        const values = [...document.querySelectorAll('[name=some]')].map(element => element.value);
        return [texts('h1'), texts('label.l > span:first-child'), texts('.opt > span'), values, [document.title]];
    ";
    let app = App::start().await?;
    let owner = app.client().await?;
    let browser = Browser::start().await?;
    let lines = naughty_lines()?;
    // Those that could be markup stand in titles too, which are short.
    let titles = lines
        .iter()
        .filter(|line| line.contains(['<', '>', '"', '\'', '&', '\\']));
    let titles = packed(&titles.cloned().collect::<Vec<_>>(), 200);
    let share = lines.len().div_ceil(titles.len());
    for (title, strings) in titles.iter().zip(lines.chunks(share)) {
        let body = naughty_form(title, strings);
        let form = owner.published(&body).await?;
        let link = owner.link(&form, "", &[]).await?;
        browser.open(address(&link)?).await?;
        browser.no_incidents().await?;
        let texts = |list: &Value, member: &str| -> Vec<Value> {
            let list = list.as_array().cloned().unwrap_or_default();
            list.iter().map(|entry| entry[member].clone()).collect()
        };
        let fields = body["fields"].as_array().context("no fields")?;
        let boxes = |field: &&Value| {
            ["text", "comment"].contains(&field["type"].as_str().unwrap_or_default())
        };
        let labels: Vec<Value> = fields
            .iter()
            .filter(boxes)
            .map(|field| field["label"].clone())
            .collect();
        let choices = fields
            .iter()
            .find(|field| field["type"] == "choices")
            .context("no choices")?;
        let shown = browser.run(SHOWN, vec![]).await?;
        // A title's white space is tidied up by the browser.
        let tidy = title.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let expected = json!([
            [title],
            labels,
            texts(&choices["options"], "label"),
            texts(&choices["options"], "value"),
            [tidy]
        ]);
        ensure!(
            shown == expected,
            "shown is {shown:#}\nand not {expected:#}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn naughty_answers_come_back_as_they_were_and_never_run() -> Result<()> {
    const FILL: &str = "
        const [name, value] = arguments;
        document.querySelector(`[name=${name}]`).value = value;
        return document.querySelector(`[name=${name}]`).value;
    ";
    let app = App::start().await?;
    let (owner, link) = open_form(&app).await?;
    let browser = Browser::start().await?;
    browser.open(address(&link)?).await?;
    let all = tools::naughty_strings()?.join("\n");
    let all: Vec<char> = all.chars().filter(|character| *character != '\0').collect();
    let names = packed(&naughty_lines()?, 1_000);
    // The comment takes ten times as much.
    for (place, name) in names.iter().enumerate() {
        let comment: String = all
            .chunks(10_000)
            .nth(place)
            .unwrap_or(&[])
            .iter()
            .collect();
        let comment = browser
            .run(FILL, vec![json!("more"), json!(comment)])
            .await?;
        let name = browser.run(FILL, vec![json!("name"), json!(name)]).await?;
        browser
            .run("document.querySelector('.notice')?.remove()", vec![])
            .await?;
        browser.click(".send").await?;
        eventually(SOON, async || browser.find(".notice").await.map(|_| ())).await?;
        browser.no_incidents().await?;
        for (key, typed) in [("more", &comment), ("name", &name)] {
            let value = browser.property(&format!("[name={key}]"), "value").await?;
            ensure!(typed == &json!(value), "{key} is {value:?} and was {typed}");
        }
    }
    // The page of a link that is gone shows them once more.
    let token = link["token"].as_str().context("no token")?;
    owner
        .delete(&format!("{LINK}/{token}"))
        .await?
        .expect(204)?;
    browser.click("#f-recommend").await?;
    let name = names.first().context("no strings")?;
    browser.run(FILL, vec![json!("name"), json!(name)]).await?;
    browser.click(".send").await?;
    browser.headline(CLOSED).await?;
    browser.no_incidents().await?;
    let kept = browser
        .run(
            "return [...document.querySelectorAll('dd')].map(text => text.textContent)",
            vec![],
        )
        .await?;
    ensure!(
        kept.as_array()
            .is_some_and(|kept| kept.contains(&json!(name))),
        "{kept}"
    );
    Ok(())
}

#[tokio::test]
async fn nothing_keeps_people_from_using_the_pages() -> Result<()> {
    let app = App::start().await?;
    let (owner, link) = open_form(&app).await?;
    let browser = Browser::start().await?;
    let token = link["token"].as_str().context("no token")?;
    let unknown = address(&link)?.replace(token, "AAAAAAAAAAAAAAAAAAAAAA");
    for (width, scheme) in [
        (320, "light"),
        (320, "dark"),
        (1_280, "light"),
        (1_280, "dark"),
    ] {
        browser.look(width, scheme).await?;
        let good = async |page: &str| {
            browser
                .fits()
                .await
                .with_context(|| format!("{page}, {width} px"))?;
            let accessible = browser.is_accessible().await;
            accessible.with_context(|| format!("{page}, {width} px, {scheme}"))
        };
        browser.open(&unknown).await?;
        good("unknown").await?;
        browser.open(address(&link)?).await?;
        good("form").await?;
        browser.click(".send").await?;
        eventually(SOON, async || browser.find(".notice").await.map(|_| ())).await?;
        good("form with problems").await?;
        for control in [
            "#f-recommend-3",
            "#f-mood",
            "#f-clean-2",
            "#f-reason",
            "#f-seen",
        ] {
            browser.click(control).await?;
        }
        good("form with answers").await?;
        browser.click(".send").await?;
        browser.headline(THANKS).await?;
        good("thanks").await?;
    }
    owner
        .delete(&format!("{LINK}/{token}"))
        .await?
        .expect(204)?;
    browser.open(address(&link)?).await?;
    browser.headline("This link takes no more answers").await?;
    browser.is_accessible().await
}
