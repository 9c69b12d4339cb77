//! Signing in, how sessions end, what may be changed by whom and from where, and who did what.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Method;
use tests::app::App;
use tests::campaign::on_import;
use tests::client::{Answer, Client};
use tests::form::{PAIRS, pairs};
use tests::import::record;
use tests::person::{PASSWORD, Person, SIGN_IN, choose_password, path_of_link, try_sign_in};
use tests::wait::{LATER, SOON, eventually};

/// What holds within 5 s, and a little more for two busy cores.
const ENDED: Duration = Duration::from_secs(7);

/// A page of the dashboard, and nothing of the page is missing that keeps it safe.
fn check_page(answer: &Answer, status: u16) -> Result<()> {
    ensure!(answer.status == status, "not {status}: {answer:?}");
    let header = |name| answer.header(name).unwrap_or_default();
    ensure!(
        header("content-type").starts_with("text/html"),
        "{answer:?}"
    );
    let policy = header("content-security-policy");
    ensure!(
        policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    ensure!(header("cache-control") == "no-store", "{answer:?}");
    Ok(())
}

async fn is_signed_out(person: &Person) -> Result<()> {
    eventually(ENDED, async || {
        let answer = person.get("/dashboard").await?;
        ensure!(answer.status == 303, "still signed in: {}", answer.status);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn only_name_and_password_lead_in() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    app.person("Ada", "shop", "viewer").await?;
    let client = app.anonymous()?;
    let root = client.get("/").await?.expect(303)?;
    ensure!(root.header("location") == Some("/dashboard"), "{root:?}");
    let page = client
        .get("/dashboard/imports?cursor=x")
        .await?
        .expect(303)?;
    let to = page.header("location").unwrap_or_default();
    ensure!(
        to == "/dashboard/sign-in?next=%2Fdashboard%2Fimports%3Fcursor%3Dx",
        "{to}"
    );
    check_page(&client.get(to).await?, 200)?;
    let wrong = try_sign_in(&client, "ada", "wrong horse").await?;
    check_page(&wrong, 401)?;
    let unknown = try_sign_in(&client, "adb", "wrong horse").await?;
    let (wrong, unknown) = (wrong.text()?, unknown.text()?);
    ensure!(
        wrong.replace("\"ada\"", "\"adb\"") == unknown,
        "a name that nobody has shows"
    );
    // However it is typed.
    let person = Person::sign_in(&client, " ADA ").await?;
    check_page(&person.get("/dashboard").await?, 200)?;
    let api = person.get("/api_v1/sms/import").await?;
    api.problem(401, "unauthenticated")?;
    // What is tried too often is not tried at all, also with the right password.
    for _ in 0..10 {
        if try_sign_in(&client, "ada", "wrong horse").await?.status == 429 {
            break;
        }
    }
    let right = try_sign_in(&client, "ada", PASSWORD).await?;
    check_page(&right, 429)?;
    ensure!(right.header("retry-after") == Some("60"), "{right:?}");
    Ok(())
}

#[tokio::test]
async fn a_session_ends_with_what_it_rests_on() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let person = app.person("ben", "shop", "editor").await?;
    let out = person.post("/dashboard/sign-out", &[]).await?.expect(303)?;
    let taken = out.header("set-cookie").unwrap_or_default();
    ensure!(taken.contains("Max-Age=0"), "{taken}");
    is_signed_out(&person).await?;
    let client = app.anonymous()?;
    let again = async || Person::sign_in(&client, "ben").await;
    let person = again().await?;
    admin
        .post(
            "/dashboard/people/role",
            &[("name", "ben"), ("value", "viewer")],
        )
        .await?
        .expect(303)?;
    is_signed_out(&person).await?;
    let person = again().await?;
    app.succeeds(&["user", "role", "ben", "editor"]).await?;
    is_signed_out(&person).await?;
    let person = again().await?;
    let new = [("current", PASSWORD), ("new", "battery staple")];
    person
        .post("/dashboard/password", &new)
        .await?
        .expect(303)?;
    is_signed_out(&person).await?;
    ensure!(
        try_sign_in(&client, "ben", PASSWORD).await?.status == 401,
        "the old one works"
    );
    let answer = try_sign_in(&client, "ben", "battery staple")
        .await?
        .expect(303)?;
    let person = Person::of_answer(&client, &answer)?;
    app.succeeds(&["user", "remove", "ben"]).await?;
    is_signed_out(&person).await?;
    ensure!(
        try_sign_in(&client, "ben", "battery staple").await?.status == 401,
        "who is gone gets in"
    );
    Ok(())
}

#[tokio::test]
async fn a_session_ends_that_its_person_does_not_use() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let used_at = async |at: DateTime<Utc>| {
        let set = format!("UPDATE session SET last_seen_at = '{}'", at.to_rfc3339());
        app.sql(&set).await.map(drop)
    };
    let used_since = async |at: DateTime<Utc>| {
        let used = format!(
            "SELECT count(*) FROM session WHERE last_seen_at > '{}'",
            at.to_rfc3339()
        );
        Ok::<_, anyhow::Error>(app.sql(&used).await? == "1")
    };
    let before = Utc::now() - TimeDelta::minutes(30);
    used_at(before).await?;
    let live = person.call(Method::GET, "/dashboard");
    let live = live.header("x-feedback-live", "1");
    check_page(&live.send().await?, 200)?;
    ensure!(!used_since(before).await?, "a page that redraws itself");
    check_page(&person.get("/dashboard").await?, 200)?;
    eventually(SOON, async || {
        ensure!(used_since(before).await?, "what was done is not noted");
        Ok(())
    })
    .await?;
    used_at(Utc::now() - TimeDelta::minutes(62)).await?;
    is_signed_out(&person).await
}

#[tokio::test]
async fn everybody_sees_and_ends_their_own_sessions() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let here = app.person("ben", "shop", "viewer").await?;
    let there = Person::sign_in(&app.anonymous()?, "ben").await?;
    let elsewhere = Person::sign_in(&app.anonymous()?, "ben").await?;
    let page = here.get("/dashboard/password").await?.expect(200)?;
    let page = page.text()?;
    ensure!(page.matches("127.0.0.1").count() == 3, "{page}");
    ensure!(page.matches("this browser").count() == 1, "{page}");
    let mut ids = page.split("name=\"session\" value=\"").skip(1);
    let id = ids.next().and_then(|rest| rest.split('"').next());
    let id = [("session", id.unwrap_or_default())];
    check_page(&admin.post("/dashboard/sessions/end", &id).await?, 404)?;
    let ended = here
        .post("/dashboard/sessions/end", &id)
        .await?
        .expect(303)?;
    let told = here
        .get(ended.header("location").unwrap_or_default())
        .await?;
    let told = told.text()?;
    ensure!(told.contains("Session ended"), "{told}");
    ensure!(told.matches("127.0.0.1").count() == 2, "{told}");
    let end_others = here.post("/dashboard/sessions/end-others", &[]);
    end_others.await?.expect(303)?;
    is_signed_out(&there).await?;
    is_signed_out(&elsewhere).await?;
    check_page(&here.get("/dashboard").await?, 200)?;
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    for words in ["Session ended", "All other sessions ended"] {
        ensure!(log.text()?.contains(words), "no {words}: {log:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_password_that_an_admin_set_is_changed_first() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let client = app.anonymous()?;
    let new = [("name", "ben"), ("password", PASSWORD), ("role", "editor")];
    admin.post("/dashboard/people", &new).await?.expect(303)?;
    let other = "battery staple";
    // Leads nowhere before another password is chosen.
    let choose = async |set: &str, other: &str| -> Result<()> {
        let signed_in = try_sign_in(&client, "ben", set).await?.expect(303)?;
        let ben = Person::of_answer(&client, &signed_in)?;
        for page in ["/dashboard", "/dashboard/forms", "/dashboard/people"] {
            let led = ben.get(page).await?.expect(303)?;
            let to = led.header("location");
            ensure!(to == Some("/dashboard/password"), "{page}: {led:?}");
        }
        let page = ben.get("/dashboard/password").await?.expect(200)?;
        ensure!(
            page.text()?.contains("Somebody else set your password."),
            "{page:?}"
        );
        let change = async |new: &str| {
            let fields = [("current", set), ("new", new)];
            ben.post_from("/dashboard/password", "/dashboard/password", &fields)
                .await
        };
        let same = change(set).await?.expect(200)?;
        ensure!(same.text()?.contains("is the current one"), "{same:?}");
        change(other).await?.expect(303)?;
        let signed_in = try_sign_in(&client, "ben", other).await?.expect(303)?;
        let ben = Person::of_answer(&client, &signed_in)?;
        check_page(&ben.get("/dashboard").await?, 200)
    };
    choose(PASSWORD, other).await?;
    // One's own is not set without the old one.
    let own = [("name", "ada"), ("value", "battery staple")];
    let own = admin.post("/dashboard/people/password", &own).await?;
    check_page(&own, 404)?;
    check_page(&admin.get("/dashboard").await?, 200)?;
    let set = [("name", "ben"), ("value", PASSWORD)];
    admin
        .post("/dashboard/people/password", &set)
        .await?
        .expect(303)?;
    choose(PASSWORD, other).await?;
    let typed = async |command: &[&str]| {
        let fed = format!("{PASSWORD}\n");
        let output = app.cli_fed(LATER, command, &[], fed.as_bytes()).await?;
        ensure!(output.status.success(), "{output:?}");
        Ok::<_, anyhow::Error>(())
    };
    typed(&["user", "password", "ben"]).await?;
    choose(PASSWORD, other).await?;
    // Whoever sets up an account types a password of their own.
    app.create_key("other", &[]).await?;
    typed(&[
        "user",
        "add",
        "eve",
        "--account",
        "other",
        "--role",
        "admin",
    ])
    .await?;
    let eve = Person::sign_in(&client, "eve").await?;
    check_page(&eve.get("/dashboard").await?, 200)
}

#[tokio::test]
async fn a_link_lets_its_person_choose_a_password_once() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let client = app.anonymous()?;
    let add = ["user", "add", "ada", "--account", "shop", "--role", "chef"];
    let refused = String::from_utf8(app.cli(&add).await?.stderr)?;
    ensure!(
        refused.contains("a role is viewer, editor or admin"),
        "{refused}"
    );
    let add = [&add[..6], &["admin", "--link"]].concat();
    let made = app.succeeds(&add).await?;
    let choose = async |link: &str, password| choose_password(&client, link, password).await;
    let link = path_of_link(&made);
    ensure!(
        try_sign_in(&client, "ada", "").await?.status == 401,
        "nobody has chosen a password"
    );
    // Nor does anybody know the secret with which what is said to them is signed.
    let without = "SELECT count(*) FROM person WHERE password_hash = ''";
    ensure!(app.sql(without).await? == "0", "somebody has none");
    check_page(&client.get(&link).await?, 200)?;
    check_page(&choose(&link, "short").await?, 422)?;
    let signed_in = choose(&link, PASSWORD).await?.expect(303)?;
    let ada = Person::of_answer(&client, &signed_in)?;
    check_page(&choose(&link, "battery staple").await?, 410)?;
    // Whoever lost a password: another one holds once it is chosen, and ends what there was.
    let link = path_of_link(&app.succeeds(&["user", "link", "ada"]).await?);
    check_page(&ada.get("/dashboard").await?, 200)?;
    choose(&link, "battery staple").await?.expect(303)?;
    is_signed_out(&ada).await?;
    // What came through the command line is noted.
    let signed_in = try_sign_in(&client, "ada", "battery staple")
        .await?
        .expect(303)?;
    let log = Person::of_answer(&client, &signed_in)?
        .get("/dashboard/audit")
        .await?;
    let log = log.expect(200)?;
    let made = log
        .text()?
        .matches(">Link to choose a password created<")
        .count();
    ensure!(made == 2 && log.text()?.contains("ada (Admin)"), "{log:?}");
    ensure!(log.text()?.contains(">Command line<"), "{log:?}");
    ensure!(
        try_sign_in(&client, "ada", PASSWORD).await?.status == 401,
        "the old one works"
    );
    app.refuses(&["user", "link", "nobody"], "there is nobody of this name")
        .await
}

/// What a page's form sends.
type Fields = &'static [(&'static str, &'static str)];

/// What each role may change, by the lowest that may.
const CHANGES: [(&str, &str, Fields); 12] = [
    (
        "editor",
        "/dashboard/imports/0190c0de-0000-7000-8000-000000000000/cancel",
        &[],
    ),
    (
        "editor",
        "/dashboard/campaigns/0190c0de-0000-7000-8000-000000000000/pause",
        &[],
    ),
    (
        "editor",
        "/dashboard/forms/0190c0de-0000-7000-8000-000000000000/publish",
        &[],
    ),
    (
        "editor",
        "/dashboard/recipients/erase",
        &[("docid", "nobody")],
    ),
    (
        "editor",
        "/dashboard/imports/0190c0de-0000-7000-8000-000000000000/erase",
        &[],
    ),
    ("editor", "/dashboard/suppressions/gap", &[("days", "30")]),
    (
        "viewer",
        "/dashboard/recipients/phone",
        &[("phone", "+4915112345678")],
    ),
    (
        "admin",
        "/dashboard/people",
        &[("name", "new"), ("password", PASSWORD), ("role", "admin")],
    ),
    ("admin", "/dashboard/people/remove", &[("name", "viewer")]),
    ("admin", "/dashboard/keys", &[("report", "on")]),
    ("admin", "/dashboard/keys/revoke", &[("api_key", "fk_0")]),
    ("admin", "/dashboard/keys/rotate", &[("api_key", "fk_0")]),
];

#[tokio::test]
async fn a_change_needs_the_role_the_origin_and_the_token() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let roles = ["viewer", "editor", "admin"];
    let mut people = Vec::new();
    for role in roles {
        people.push(app.person(role, "shop", role).await?);
    }
    let admin = &people[2];
    let (token, base) = (admin.token().await?, app.anonymous()?.base().to_owned());
    for (lowest, path, fields) in CHANGES {
        let needed = roles.iter().position(|role| *role == lowest);
        for (place, person) in people.iter().enumerate().take(2) {
            let refused = person.post(path, fields).await?.status == 403;
            ensure!(
                refused == (Some(place) < needed),
                "{path} as {}",
                roles[place]
            );
        }
        let with_token = pairs(&[&[("token", token.as_str())], fields].concat());
        let forged = |origin: Option<&str>| {
            let call = admin
                .call(Method::POST, path)
                .body(PAIRS, with_token.clone());
            origin
                .into_iter()
                .fold(call, |call, origin| call.header("origin", origin))
        };
        for origin in [
            None,
            Some("https://evil.example"),
            Some("null"),
            Some("http://127.0.0.1"),
        ] {
            check_page(&forged(origin).send().await?, 403)?;
        }
        let other = people[1].token().await?;
        for token in ["", "0", other.as_str()] {
            let body = pairs(&[&[("token", token)], fields].concat());
            let call = admin.call(Method::POST, path).header("origin", &base);
            check_page(&call.body(PAIRS, body).send().await?, 403)?;
        }
    }
    for page in ["/dashboard/people", "/dashboard/keys", "/dashboard/audit"] {
        check_page(&people[0].get(page).await?, 403)?;
        check_page(&people[1].get(page).await?, 403)?;
        check_page(&admin.get(page).await?, 200)?;
    }
    let keys = admin.get("/dashboard/keys").await?;
    let words = "Read reports and answers";
    ensure!(keys.text()?.contains(words), "no {words}: {keys:?}");
    let sign_in = app
        .anonymous()?
        .call(Method::POST, SIGN_IN)
        .header("origin", "https://evil.example");
    let fields = pairs(&[("name", "viewer"), ("password", PASSWORD)]);
    check_page(&sign_in.body(PAIRS, fields).send().await?, 403)?;
    let listed = app.succeeds(&["user", "list"]).await?;
    ensure!(
        listed
            == "name    role    account\nadmin   admin   shop\neditor  editor  shop\nviewer  viewer  shop\n",
        "{listed}"
    );
    Ok(())
}

#[tokio::test]
async fn a_key_has_terms_and_admins_are_told_of_its_end() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let editor = app.person("eve", "shop", "editor").await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let tomorrow = (Utc::now() + TimeDelta::days(1)).date_naive().to_string();
    for (last_day, networks, refusal) in [
        ("2020-01-01", "", "The last day is today or later."),
        ("", "office", "These are no addresses or networks"),
    ] {
        let refused = till(last_day, networks);
        let refused = admin.post("/dashboard/keys", &refused).await?;
        let page = refused.text()?;
        ensure!(
            page.contains(refusal) && page.contains("value=\"Till in Berlin\""),
            "{page}"
        );
        ensure!(!page.contains("x-secret-key"), "a key was made: {page}");
    }
    let key = till(&tomorrow, "203.0.113.7");
    let made = admin.post("/dashboard/keys", &key).await?.expect(200)?;
    ensure!(made.text()?.contains("x-secret-key"), "{made:?}");
    let page = admin.get("/dashboard/keys").await?;
    let page = page.text()?;
    for words in [
        "Till in Berlin",
        "only from 203.0.113.7",
        "Create a new one in time",
    ] {
        ensure!(page.contains(words), "no {words}: {page}");
    }
    // Before an upgrade is finished no key gets what older programs cannot read.
    let version = app.sql("SELECT version FROM schema_version").await?;
    app.sql("UPDATE schema_version SET version = 26").await?;
    let early = admin.get("/dashboard/keys").await?;
    ensure!(!early.text()?.contains("name=\"retention\""), "{early:?}");
    app.create_key("shop", &[]).await?;
    let log = admin.get("/dashboard/audit").await?;
    let given = "(import,report,form,link,send,audit)";
    ensure!(log.text()?.contains(given), "no {given}: {log:?}");
    app.sql(&format!("UPDATE schema_version SET version = {version}"))
        .await?;
    let told = "1 API key expires within 14 days.";
    let home = admin.get("/dashboard").await?;
    ensure!(home.text()?.contains(told), "{home:?}");
    let home = editor.get("/dashboard").await?;
    ensure!(!home.text()?.contains(told), "{home:?}");
    let log = admin.get("/dashboard/audit").await?;
    ensure!(log.text()?.contains("Till in Berlin (report)"), "{log:?}");
    Ok(())
}

/// What the page sends of a key with a name that may read reports.
fn till<'a>(last_day: &'a str, networks: &'a str) -> [(&'a str, &'a str); 4] {
    [
        ("report", "on"),
        ("name", "Till in Berlin"),
        ("last_day", last_day),
        ("networks", networks),
    ]
}

#[tokio::test]
async fn the_last_admin_stays_and_names_are_taken_once() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    app.create_key("other", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    for (action, fields) in [
        ("remove", vec![("name", "ada")]),
        ("role", vec![("name", "ada"), ("value", "viewer")]),
    ] {
        let refused = admin
            .post(&format!("/dashboard/people/{action}"), &fields)
            .await?;
        ensure!(
            refused.text()?.contains("at least one admin"),
            "{refused:?}"
        );
    }
    for command in [
        ["user", "remove", "ada"].as_slice(),
        &["user", "role", "ada", "editor"],
    ] {
        let output = app.cli(command).await?;
        ensure!(!output.status.success(), "{output:?}");
    }
    let taken = app.person("Ada", "other", "viewer").await;
    ensure!(taken.is_err(), "a name was given twice");
    ensure!(
        app.person("ben", "nowhere", "viewer").await.is_err(),
        "an account was made up"
    );
    let new = [("name", "eve"), ("password", "short"), ("role", "viewer")];
    let short = admin.post("/dashboard/people", &new).await?;
    ensure!(
        short.text()?.contains("at least 10 characters"),
        "{short:?}"
    );
    for (common, refusal) in [
        ("Sunshine2026!", "one of those that are tried first"),
        ("shop-ada-shop", "more than the names"),
    ] {
        let change = [("current", PASSWORD), ("new", common)];
        let refused = admin.post("/dashboard/password", &change).await?;
        let refused = refused.expect(200)?;
        ensure!(refused.text()?.contains(refusal), "{common}: {refused:?}");
    }
    admin.get("/dashboard").await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn accounts_are_apart_and_changes_are_noted() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let owner: Client = app.anonymous()?.with_keys(&keys);
    app.create_key("other", &[]).await?;
    let editor = app.person("ada", "shop", "editor").await?;
    let admin = app.person("ben", "shop", "admin").await?;
    let stranger = app.person("eve", "other", "admin").await?;
    let campaign = owner.started(|form| on_import(form, "demo")).await?;
    let batch = owner.import_and_wait(&[record("order-1")], SOON).await?;
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let (campaign_id, form_id) = (text(&campaign["campaign_id"]), text(&campaign["form_id"]));
    for path in [
        format!("/dashboard/form/{form_id}"),
        format!("/dashboard/campaigns/{campaign_id}"),
        format!("/dashboard/imports/{}", text(&batch["batch_id"])),
        format!("/dashboard/answers?form={form_id}"),
    ] {
        check_page(&editor.get(&path).await?, 200)?;
        check_page(&stranger.get(&path).await?, 404)?;
    }
    let found = stranger
        .get("/dashboard/recipients?docid=order-1")
        .await?
        .expect(200)?;
    ensure!(!found.text()?.contains("+49"), "a foreign recipient");
    let pause = format!("/dashboard/campaigns/{campaign_id}/pause");
    check_page(&stranger.post(&pause, &[]).await?, 404)?;
    let revoke = stranger
        .post("/dashboard/keys/revoke", &[("api_key", &keys.api_key)])
        .await?;
    check_page(&revoke, 404)?;
    let removed = stranger
        .post("/dashboard/people/remove", &[("name", "ada")])
        .await?;
    check_page(&removed, 404)?;
    editor.post(&pause, &[]).await?.expect(303)?;
    // What is refused is noted with what it came to.
    let start = format!("/dashboard/campaigns/{campaign_id}/start");
    let again = editor.post(&start, &[]).await?;
    check_page(&again, 409)?;
    editor
        .post("/dashboard/recipients/erase", &[("docid", "order-1")])
        .await?
        .expect(303)?;
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    let log = log.text()?;
    for (what, outcome) in [
        ("campaign.pause", "done"),
        ("campaign.start", "refused: not possible"),
        ("recipient.erase", "done"),
    ] {
        let row = log
            .split("<tr ")
            .find(|row| row.contains(what) && row.contains(&format!(">{outcome}<")));
        let row = row.unwrap_or_default();
        ensure!(
            row.contains(">ada<") && row.contains("127.0.0.1"),
            "{what} {outcome}: {log}"
        );
    }
    let page = format!("/dashboard/campaigns/{campaign_id}");
    let page = admin.get(&page).await?.expect(200)?;
    let its_log = format!("/dashboard/audit?subject={campaign_id}");
    ensure!(page.text()?.contains(&its_log), "no way to its log");
    let of_it = admin.get(&its_log).await?.expect(200)?;
    ensure!(of_it.text()?.contains("Campaign paused"), "{of_it:?}");
    let paused = format!("href=\"/dashboard/campaigns/{campaign_id}\">After the visit</a>");
    for words in ["Campaign paused", "Recipient erased", &paused] {
        ensure!(log.contains(words), "no {words}: {log}");
    }
    ensure!(!log.contains(">409<"), "a status without words: {log}");
    ensure!(!log.contains(">audit-"), "a change without words: {log}");
    ensure!(!log.contains("+49"), "a phone in the log");
    ensure!(!log.contains("order-1"), "an erased person in the log");
    ensure!(log.contains("somebody who was erased"), "{log}");
    let theirs = stranger.get("/dashboard/audit").await?.expect(200)?;
    ensure!(!theirs.text()?.contains(">ada<"), "a foreign log");
    Ok(())
}

#[tokio::test]
async fn every_export_is_noted_whoever_asks() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let owner: Client = app.anonymous()?.with_keys(&keys);
    let admin = app.person("ada", "shop", "admin").await?;
    let campaign = owner.started(|form| on_import(form, "demo")).await?;
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let (campaign_id, form_id) = (text(&campaign["campaign_id"]), text(&campaign["form_id"]));
    let export = async |path: &str, accept: &str| {
        let call = owner.call(Method::GET, path).header("accept", accept);
        call.send().await?.expect(200)
    };
    export("/api_v1/sms/recipient", "text/csv").await?;
    let messages = format!("/api_v1/sms/campaign/{campaign_id}/message");
    export(&messages, "application/x-ndjson").await?;
    let feedbacks = format!("/api_v1/report/feedbacks/2026-01-01/2026-01-02/{form_id}");
    export(&feedbacks, "text/csv").await?;
    // A page of a list is none.
    export("/api_v1/sms/recipient", "application/json").await?;
    admin.get("/dashboard/recipients.xlsx").await?.expect(200)?;
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    let log = log.text()?;
    let rows = |who: &str, what: &str| {
        let what = format!(">{what} exported<");
        let rows = log.split("<tr ").filter(|row| row.contains(&what));
        rows.filter(|row| row.contains(who) && row.contains(">done<") && row.contains("127.0.0.1"))
            .count()
    };
    let key = format!(">API key {}<", keys.api_key);
    for (who, what) in [
        (&*key, "Recipients"),
        (&*key, "Messages"),
        (&*key, "Answers"),
        (">ada<", "Recipients"),
    ] {
        ensure!(rows(who, what) == 1, "{who} {what}: {log}");
    }
    Ok(())
}

#[tokio::test]
async fn an_admin_names_the_company() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let editor = app.person("eve", "shop", "editor").await?;
    let company = "/dashboard/company";
    let name = [("company", " Bäckerei Sonne ")];
    editor.post(company, &name).await?.expect(403)?;
    admin.post(company, &name).await?.expect(303)?;
    let page = admin.get("/dashboard").await?.expect(200)?;
    ensure!(
        page.text()?.contains("<span>Bäckerei Sonne</span>"),
        "{page:?}"
    );
    let refused = admin.post(company, &[("company", " ")]).await?;
    ensure!(
        refused.text()?.contains("has 1 to 100 characters"),
        "{refused:?}"
    );
    // Operators and senders know the account as before.
    let listed = app.succeeds(&["user", "list"]).await?;
    ensure!(
        listed.contains("shop") && !listed.contains("Sonne"),
        "{listed}"
    );
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    ensure!(log.text()?.contains("Company name changed"), "{log:?}");
    Ok(())
}

#[tokio::test]
async fn a_name_that_is_taken_stays_and_the_only_admin_is_not_removed() -> Result<()> {
    let app = App::start().await?;
    app.client_of("shop").await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let new = [
        ("name", "ada"),
        ("password", "correct horse battery"),
        ("role", "editor"),
    ];
    let refused = admin.post("/dashboard/people", &new).await?.expect(200)?;
    for part in [
        "Somebody has this name already.",
        "name=\"name\" value=\"ada\" maxlength",
        "<option value=\"editor\" selected>",
        "An account keeps at least one admin.",
    ] {
        ensure!(refused.text()?.contains(part), "no {part}: {refused:?}");
    }
    let page = refused.text()?;
    ensure!(!page.contains("/dashboard/people/remove"), "{page}");
    Ok(())
}

#[tokio::test]
async fn rows_of_the_log_say_what_was_done_and_whoever_is_gone_can_be_chosen() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let ben = app.person("ben", "shop", "viewer").await?;
    ben.post("/dashboard/sign-out", &[]).await?.expect(303)?;
    let change = async |path: &str, sent: &[(&str, &str)]| {
        admin.post(&format!("/dashboard/{path}"), sent).await
    };
    let role = [("name", "ben"), ("value", "editor")];
    change("people/role", &role).await?.expect(303)?;
    change("people/remove", &[("name", "ben")])
        .await?
        .expect(303)?;
    let phone = [("phone", "+4915112345678")];
    change("suppressions/add", &phone).await?.expect(303)?;
    let new = [
        ("report", "on"),
        ("name", "Till"),
        ("last_day", "2099-12-31"),
    ];
    change("keys", &new).await?.expect(200)?;
    let keys = owner
        .get("/api_v1/audit?kind=key&name=ada")
        .await?
        .expect(200)?;
    let made = &keys.json()?["items"][0]["subject"];
    let made = made.as_str().and_then(|made| made.split(' ').next());
    let key = made
        .filter(|key| key.starts_with("fk_"))
        .context("no key")?;
    change("keys/revoke", &[("api_key", key)])
        .await?
        .expect(303)?;
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    let log = log.text()?;
    let made = format!(">{key} Till (report), until ");
    for words in [
        "ben (Viewer → Editor)",
        ">+**********678<",
        &made,
        "<option value=\"ben\">ben</option>",
        "Times are in the time zone UTC.",
    ] {
        ensure!(log.contains(words), "no {words}: {log}");
    }
    let history = log_of(&admin, &format!("subject={key}")).await?;
    ensure!(history.len() == 2, "{history:?}");
    let none = admin.get("/dashboard/audit?last=2020-01-01").await?;
    let none = none.expect(200)?;
    ensure!(none.text()?.contains("The log goes back to "), "{none:?}");
    Ok(())
}

#[tokio::test]
async fn nobody_new_is_called_as_keys_are_or_as_somebody_else_looks() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let why = "1 to 100 visible characters";
    for name in [
        "fk_0",
        "FK_1",
        "a\u{200b}da",
        "\u{202e}ada",
        "a\u{1680}da",
        "ada\u{13440}",
    ] {
        let new = [("name", name), ("password", PASSWORD), ("role", "viewer")];
        let refused = admin.post("/dashboard/people", &new).await?.expect(200)?;
        ensure!(refused.text()?.contains(why), "{name:?}: {refused:?}");
        let add = ["user", "add", name, "--account", "shop", "--role", "viewer"];
        app.refuses(&[&add[..], &["--link"]].concat(), why).await?;
    }
    // However a letter is put together, it is one, also where its person signs in.
    let (large, small) = ("J\u{30c}ohn", "\u{1f0}ohn");
    app.person(large, "shop", "viewer").await?;
    let taken = app.person(small, "shop", "viewer").await;
    ensure!(taken.is_err(), "two people look the same");
    for name in [large, small] {
        Person::sign_in(&app.anonymous()?, name).await?;
    }
    let key = [("report", "on"), ("name", "Ti\u{202e}ll")];
    let refused = admin.post("/dashboard/keys", &key).await?;
    let why = "1 to 80 visible characters";
    ensure!(refused.text()?.contains(why), "{refused:?}");
    Ok(())
}

#[tokio::test]
async fn a_key_that_is_revoked_gets_no_other_secret() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let key = [("api_key", &*keys.api_key)];
    let revoked = admin.post("/dashboard/keys/revoke", &key).await?;
    revoked.expect(303)?;
    let rotated = admin.post("/dashboard/keys/rotate", &key).await?;
    check_page(&rotated, 404)?;
    let log = log_of(&admin, "").await?;
    let replaced = ">Secret of an API key replaced<";
    let row = log.iter().find(|row| row.contains(replaced));
    let is_told = row.is_some_and(|row| !row.contains(">done<"));
    ensure!(is_told, "{log:?}");
    Ok(())
}

/// The rows of the log that a query shows.
async fn log_of(admin: &Person, query: &str) -> Result<Vec<String>> {
    let log = admin.get(&format!("/dashboard/audit?{query}")).await?;
    let log = log.expect(200)?;
    let rows = log.text()?.split("<tr ").skip(1).map(str::to_owned);
    Ok(rows.filter(|row| row.contains("data-action")).collect())
}

#[tokio::test]
async fn who_signed_in_and_who_was_refused_is_in_the_log() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    app.person("ben", "shop", "editor").await?;
    let client = app.anonymous()?;
    for _ in 0..5 {
        try_sign_in(&client, "ben", "wrong horse")
            .await?
            .expect(401)?;
    }
    try_sign_in(&client, "nobody", "wrong horse")
        .await?
        .expect(401)?;
    let ben = Person::sign_in(&client, "ben").await?;
    ben.post("/dashboard/sign-out", &[]).await?.expect(303)?;
    // Of five that were refused the first, the second and the fourth.
    let wanted = "name=ben&kind=sign_in";
    eventually(SOON, async || {
        let rows = log_of(&admin, wanted).await?;
        ensure!(rows.len() == 6, "{rows:?}");
        Ok(())
    })
    .await?;
    let rows = log_of(&admin, wanted).await?;
    let of = |words: &str| rows.iter().filter(|row| row.contains(words)).count();
    for (words, count) in [
        ("refused: wrong password or code", 3),
        (">4 attempts within an hour<", 1),
        (">Sign-in with a password<", 4),
        (">Sign-in with a link<", 1),
        (">Signed out<", 1),
        ("127.0.0.1", 6),
    ] {
        ensure!(of(words) == count, "{words}: {rows:?}");
    }
    ensure!(log_of(&admin, "name=nobody").await?.is_empty(), "nobody");
    let by_command = log_of(&admin, "name=COMMAND-LINE&kind=person").await?;
    ensure!(
        by_command.iter().all(|row| row.contains(">Command line<")) && by_command.len() == 4,
        "{by_command:?}"
    );
    // Whoever has done nothing yet can be chosen too.
    let add = ["user", "add", "eve", "--account", "shop"];
    app.succeeds(&[&add[..], &["--role", "viewer", "--link"]].concat())
        .await?;
    let page = admin.get("/dashboard/audit").await?.expect(200)?;
    ensure!(page.text()?.contains("<option value=\"eve\""), "{page:?}");
    let past = log_of(&admin, "last=2020-01-01").await?;
    ensure!(past.is_empty(), "{past:?}");
    let exported = admin.get("/dashboard/audit.ndjson?kind=sign_in&name=ben");
    let exported = exported.await?.expect(200)?;
    ensure!(exported.text()?.lines().count() == 6, "{exported:?}");
    Ok(())
}
