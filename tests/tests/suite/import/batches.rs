//! Around the import: a batch's status, the list of batches, the list of record errors.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::on_import;
use tests::check;
use tests::client::{Answer, Client};
use tests::import::{Accepted, IMPORT, record, records};
use tests::wait::SOON;

/// One page: its items, and the cursor of the next. The `Link` header must say the same as the body.
fn page(answer: Answer) -> Result<(Vec<Value>, Option<String>)> {
    let answer = answer.expect(200)?;
    let body = answer.json()?;
    ensure!(
        check::members(&body) == ["items", "next_cursor"],
        "other members: {body}"
    );
    let items = body["items"].as_array().context("no items")?.clone();
    let next = body["next_cursor"].as_str().map(str::to_owned);
    let link = answer.header("link").unwrap_or_default();
    ensure!(
        next.is_some() == link.contains("rel=\"next\""),
        "Link and next_cursor differ: {answer:?}"
    );
    Ok((items, next))
}

/// All pages of `path`, of `limit` items each.
async fn pages(client: &Client, path: &str, limit: usize) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let mut query = format!("{path}?limit={limit}");
    loop {
        let (items, next) = page(client.get(&query).await?)?;
        ensure!(items.len() <= limit, "a page of {}", items.len());
        ensure!(next.is_none() || items.len() == limit, "a page cut short");
        all.extend(items);
        let Some(cursor) = next else { return Ok(all) };
        query = format!("{path}?limit={limit}&cursor={cursor}");
    }
}

#[tokio::test]
async fn a_batch_tells_all_about_itself() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut all = records("A", 20, "1");
    all.push(json!(7));
    let batch = client.import_and_wait(&all, SOON).await?;
    ensure!(
        check::members(&batch)
            == [
                "accepted",
                "batch_id",
                "cancelled",
                "completed_at",
                "created_at",
                "erased",
                "erasing",
                "errors_dropped",
                "eta_seconds",
                "failed",
                "made_by",
                "made_from",
                "merged",
                "name",
                "outcomes",
                "pending",
                "received",
                "records_per_second",
                "rejected",
                "started_at",
                "status",
            ],
        "other members: {batch}"
    );
    ensure!(batch["received"] == 21 && batch["rejected"] == 1, "{batch}");
    ensure!(
        batch["outcomes"] == json!({"created": 20, "updated": 0, "unchanged": 0, "superseded": 0}),
        "other outcomes: {batch}"
    );
    let mut times = Vec::new();
    for member in ["created_at", "started_at", "completed_at"] {
        let time = batch[member].as_str().unwrap_or_default();
        ensure!(check::is_time(time), "{member} is no time: {batch}");
        times.push(time.trim_end_matches('Z').to_owned());
    }
    ensure!(times.is_sorted(), "times out of order: {batch}");
    Ok(())
}

#[tokio::test]
async fn an_import_tells_who_made_it_and_from_where() -> Result<()> {
    let app = App::start().await?;
    let first = app.create_key("shop", &[]).await?;
    let one = app.anonymous()?.with_keys(&first);
    let other = app.client_of("shop").await?;
    let is_of_first = |batch: &Value| -> Result<()> {
        let is_told = batch["made_by"] == first.api_key && batch["made_from"] == "127.0.0.1";
        ensure!(is_told, "{batch}");
        Ok(())
    };
    // Whoever repeats an import does not become who made it.
    let people = [record("A1")];
    let accepted = Accepted::read(one.import_once("key-1", &people).await?)?;
    let again = Accepted::read(other.import_once("key-1", &people).await?)?;
    ensure!(again.batch_id == accepted.batch_id, "{again:?}");
    is_of_first(&other.completed(&accepted.batch_id, SOON).await?)?;
    let (listed, _) = page(other.get(IMPORT).await?)?;
    is_of_first(listed.first().context("no batch")?)?;
    // The same of one that sends.
    let campaign = one.started(|form| on_import(form, "demo")).await?;
    let sends = Accepted::read(one.import_for(&campaign, &[record("A2")]).await?)?;
    is_of_first(&other.batch(&sends.batch_id).await?)?;
    // Whoever asks for their data is not told who works for the account.
    let person = one.get("/api_v1/sms/person/A1").await?.expect(200)?;
    let person: Value = person.json()?;
    let batch = &person["batch"];
    ensure!(batch["batch_id"] == accepted.batch_id, "{batch}");
    ensure!(
        batch["made_by"].is_null() && batch["made_from"].is_null(),
        "{batch}"
    );

    let path = format!("/dashboard/imports/{}", accepted.batch_id);
    for (role, from) in [("viewer", ""), ("admin", " (127.0.0.1)")] {
        let reader = app.person(&format!("a.{role}"), "shop", role).await?;
        let shown = reader.get(&path).await?.expect(200)?;
        let by = format!("Imported by</th><td>API key {}{from}</td>", first.api_key);
        ensure!(shown.text()?.contains(&by), "{role}: {shown:?}");
    }
    Ok(())
}

#[tokio::test]
async fn outcomes_say_what_became_of_each_record() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    client.import_and_wait(&records("A", 30, "1"), SOON).await?;
    let mut mixed = records("A", 10, "1");
    mixed.extend(records("A", 30, "2").into_iter().skip(10));
    mixed.extend(records("B", 5, "1"));
    let batch = client.import_and_wait(&mixed, SOON).await?;
    ensure!(
        batch["outcomes"] == json!({"created": 5, "updated": 20, "unchanged": 10, "superseded": 0}),
        "other outcomes: {batch}"
    );
    let batch = client.import_and_wait(&mixed, SOON).await?;
    ensure!(check::outcome(&batch, "unchanged")? == 35, "{batch}");
    Ok(())
}

#[tokio::test]
async fn the_list_has_every_batch_once_newest_first() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut ids = Vec::new();
    for number in 0..7 {
        let accepted = client.import(&[record(&format!("A{number}"))]).await?;
        ids.insert(0, Value::String(accepted.batch_id));
    }
    let newest_first = |items: &[Value]| -> Vec<Value> {
        items.iter().map(|item| item["batch_id"].clone()).collect()
    };
    for limit in [1, 2, 3, 7, 1000] {
        let listed = pages(&client, IMPORT, limit).await?;
        ensure!(newest_first(&listed) == ids, "limit {limit}: {listed:?}");
    }
    for item in pages(&client, IMPORT, 50).await? {
        check::counts_add_up(&item)?;
    }
    // One that is new after the first page does not push another onto the second page again.
    let (first, next) = page(client.get(&format!("{IMPORT}?limit=4")).await?)?;
    client.import(&[record("new")]).await?;
    let cursor = next.context("no second page")?;
    let path = format!("{IMPORT}?limit=4&cursor={cursor}");
    let (second, _) = page(client.get(&path).await?)?;
    let seen = newest_first(&[first, second].concat());
    ensure!(seen == ids, "not each once: {seen:?}");
    Ok(())
}

#[tokio::test]
async fn a_limit_or_cursor_that_is_none_of_ours_is_invalid() -> Result<()> {
    let app = App::start().await?;
    let (client, other) = (app.client().await?, app.client().await?);
    let mut bodies = vec![record("A1")];
    bodies.extend((0..5).map(|_| json!(7)));
    let first = client.import(&bodies).await?;
    let second = client.import(&bodies).await?;
    for _ in 0..3 {
        other.import(&bodies).await?;
    }
    let lists = [
        IMPORT.to_owned(),
        format!("{IMPORT}/{}/errors", first.batch_id),
    ];
    let mut cursors = Vec::new();
    for path in &lists {
        let limits = ["0", "1001", "-1", "x", "", "1.5", "99999999999999999999"];
        for limit in limits {
            let answer = client.get(&format!("{path}?limit={limit}")).await?;
            answer
                .problem(400, "invalid_parameter")
                .with_context(|| format!("limit={limit}"))?;
        }
        for cursor in ["x", "", "AAAAAAAAAAAAAAAAAAAAAAAA", "..%2F..", "%00"] {
            let answer = client.get(&format!("{path}?cursor={cursor}")).await?;
            answer
                .problem(400, "invalid_parameter")
                .with_context(|| format!("cursor={cursor}"))?;
        }
        let (_, next) = page(client.get(&format!("{path}?limit=1")).await?)?;
        cursors.push(next.context("no second page")?);
    }
    let [of_list, of_errors] = cursors.try_into().map_err(|_| anyhow::anyhow!("two"))?;
    let others_errors = format!("{IMPORT}/{}/errors", second.batch_id);
    for (client, path, cursor) in [
        (&client, lists.first(), &of_errors),
        (&client, lists.last(), &of_list),
        (&client, Some(&others_errors), &of_errors),
        (&other, lists.first(), &of_list),
    ] {
        let path = path.context("no list")?;
        let answer = client.get(&format!("{path}?cursor={cursor}")).await?;
        answer.problem(400, "invalid_parameter")?;
    }
    // One character changed: forged.
    for place in 0..of_list.len() {
        let mut forged = of_list.clone().into_bytes();
        if let Some(byte) = forged.get_mut(place) {
            *byte = if *byte == b'A' { b'B' } else { b'A' };
        }
        let forged = String::from_utf8(forged)?;
        let answer = client.get(&format!("{IMPORT}?cursor={forged}")).await?;
        ensure!(answer.status == 400, "forged at {place}: {answer:?}");
    }
    Ok(())
}

#[tokio::test]
async fn all_record_errors_come_in_pages_or_whole_as_csv() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut all = records("A", 700, "1");
    for bad in all.iter_mut().step_by(2) {
        bad["phone"] = json!("a \"quoted\", number");
        bad["store_code"] = json!(7);
    }
    let accepted = client.import(&all).await?;
    let shown = accepted.body["errors"].as_array().context("no errors")?;
    ensure!(shown.len() == 100, "not the first 100: {}", shown.len());
    let path = format!("{IMPORT}/{}/errors", accepted.batch_id);
    for limit in [33, 100, 700] {
        let listed = pages(&client, &path, limit).await?;
        ensure!(listed.len() == 700, "{} errors", listed.len());
        let indexes: Vec<Option<u64>> =
            listed.iter().map(|error| error["index"].as_u64()).collect();
        let expected: Vec<Option<u64>> = (0..700).map(|number| Some(number / 2 * 2)).collect();
        ensure!(indexes == expected, "not each in order: {indexes:?}");
        ensure!(listed.get(..100) == Some(shown), "other first errors");
    }
    for (accept, csv) in [
        ("text/csv", true),
        ("text/csv;q=0.9, application/json;q=0.1", true),
        ("text/csv;q=0.1, application/json", false),
        ("application/json", false),
        ("text/csv;q=0", false),
    ] {
        let call = client.call(Method::GET, &path).header("accept", accept);
        let answer = call.send().await?.expect(200)?;
        let kind = answer.header("content-type").unwrap_or_default();
        ensure!(kind.starts_with("text/csv") == csv, "{accept}: {kind}");
        let vary = answer.header("vary").unwrap_or_default();
        ensure!(vary.eq_ignore_ascii_case("accept"), "no Vary: {answer:?}");
        if csv {
            let lines: Vec<&str> = answer.text()?.lines().collect();
            ensure!(
                lines.first() == Some(&"index,docid,pointer,code,detail"),
                "another header: {:?}",
                lines.first()
            );
            ensure!(lines.len() == 701, "{} lines", lines.len());
        }
    }
    let clean = client.import(&records("B", 3, "1")).await?;
    let path = format!("{IMPORT}/{}/errors", clean.batch_id);
    let (items, next) = page(client.get(&path).await?)?;
    ensure!(items.is_empty() && next.is_none(), "errors of none");
    Ok(())
}
