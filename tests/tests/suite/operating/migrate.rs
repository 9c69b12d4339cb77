//! A database of the first release comes up to the schema of this one, whatever happens on the way.

use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use domain::pepper::DocIdKey;
use serde_json::Value;
use store::migration::NEWEST;
use tests::app::App;
use tests::campaign::CAMPAIGN;
use tests::fixture::{self, FixtureRecord, PUBLIC_URL};
use tests::person::{Person, try_sign_in};
use tests::wait::{LATER, SOON, eventually};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::time::timeout;
use uuid::Uuid;

/// A service that was not started yet, on a database of the first release.
async fn on_fixture() -> Result<(App, FixtureRecord)> {
    let setup = App::setup().apis(0).workers(0);
    let app = setup
        .setting("FEEDBACK_PUBLIC_URL", PUBLIC_URL)
        .start()
        .await?;
    let recorded = fixture::fill(&app).await?;
    Ok((app, recorded))
}

async fn plan(app: &App) -> Result<Value> {
    let printed = app.succeeds(&["migrate", "status", "--json"]).await?;
    Ok(serde_json::from_str(&printed)?)
}

/// All of it is there, and as it was.
async fn check_migrated(app: &mut App, recorded: &FixtureRecord) -> Result<()> {
    let plan = plan(app).await?;
    ensure!(plan["up"] == serde_json::json!([]), "{plan}");
    ensure!(plan["finish"] == serde_json::json!([]), "{plan}");
    app.start_api().await?;
    app.start_worker().await?;
    app.succeeds(&["verify"]).await?;
    let client = app.anonymous()?.with_keys(&recorded.keys()?);
    recorded.check(&client).await
}

#[tokio::test]
async fn a_database_of_the_first_release_comes_up_with_every_figure() -> Result<()> {
    let (mut app, recorded) = on_fixture().await?;
    let before = plan(&app).await?;
    ensure!(before["newest"] == 7 && before["lowest"] == 7, "{before}");
    let checked = app.cli(&["migrate", "check"]).await?;
    ensure!(checked.status.code() == Some(1), "{checked:?}");
    if app.embedded() {
        // `serve` migrates its own database.
        app.start_api().await?;
    } else {
        let refused = app.cli(&["verify"]).await?;
        let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
        ensure!(stderr.contains("run `feedback migrate`"), "{stderr}");
        app.succeeds(&["migrate"]).await?;
        let between = plan(&app).await?;
        ensure!(
            between["newest"] == NEWEST && between["lowest"] == 7,
            "{between}"
        );
        app.succeeds(&["migrate", "finish"]).await?;
    }
    let after = plan(&app).await?;
    ensure!(
        after["newest"] == NEWEST && after["lowest"] == NEWEST,
        "{after}"
    );
    app.succeeds(&["migrate", "check"]).await?;
    check_migrated(&mut app, &recorded).await?;

    let [name, password] = recorded.admin()?;
    let client = app.anonymous()?;
    let answer = try_sign_in(&client, name, password).await?.expect(303)?;
    let admin = Person::of_answer(&client, &answer)?;
    let audit = admin.get("/dashboard/audit").await?.expect(200)?;
    for action in ["Number blocked", "Recipient erased"] {
        ensure!(audit.text()?.contains(action), "{action} is not there");
    }
    Ok(())
}

#[tokio::test]
async fn without_citus_no_table_is_distributed() -> Result<()> {
    let app = App::start().await?;
    let reason = if app.embedded() {
        "only PostgreSQL is distributed"
    } else {
        "the database has no extension citus"
    };
    app.refuses(&["migrate", "distribute", "--dry-run"], reason)
        .await?;
    app.refuses(&["migrate", "distribute"], reason).await?;
    app.succeeds(&["verify"]).await.map(drop)
}

#[tokio::test]
async fn what_the_first_release_left_waiting_goes_on() -> Result<()> {
    let (mut app, recorded) = on_fixture().await?;
    // A parked chunk is kept for a month, and the fixture for longer.
    app.sql("UPDATE import_chunk SET retry_at = '2100-01-01T00:00:00+00:00'")
        .await?;
    app.succeeds(&["migrate"]).await?;
    app.succeeds(&["migrate", "finish"]).await?;
    check_migrated(&mut app, &recorded).await?;
    let client = app.anonymous()?.with_keys(&recorded.keys()?);

    let parked: Vec<_> = recorded.parked().collect();
    let [retried, dropped] = parked[..] else {
        bail!("{parked:?} were parked");
    };
    for batch_id in [retried, dropped] {
        eventually(SOON, async || {
            let batch = client.batch(batch_id).await?;
            ensure!(batch["status"] == "stalled", "{batch}");
            // Whoever was erased is taken out of it.
            ensure!(batch["failed"] == 1, "{batch}");
            ensure!(batch["outcomes"]["superseded"] == 1, "{batch}");
            Ok(())
        })
        .await?;
    }
    let retry = client.batch_action(retried, "retry").await?;
    retry.expect(200)?;
    let batch = client.completed(retried, SOON).await?;
    ensure!(batch["outcomes"]["created"] == 1, "{batch}");
    let cancel = client.batch_action(dropped, "cancel").await?;
    let batch = cancel.expect(200)?.json()?;
    ensure!(batch["status"] == "cancelled", "{batch}");
    ensure!(batch["cancelled"] == 1, "{batch}");
    client.recipient("twin-4").await?.expect(200)?;
    for docid in recorded.erased().chain(["twin-5"]) {
        client.recipient(docid).await?.expect(404)?;
    }

    let reminds = format!("{CAMPAIGN}/{}", recorded.reminds()?);
    let scheduled = format!("{reminds}/message?status=scheduled");
    let messages = client.get(&scheduled).await?.expect(200)?.json()?;
    ensure!(messages["items"][0]["kind"] == "reminder", "{messages}");
    let suppressed = client.get("/api_v1/sms/suppression").await?;
    let suppressed = suppressed.expect(200)?.json()?.to_string();
    ensure!(suppressed.contains("inbound"), "{suppressed}");
    let preview = client.post(&format!("{reminds}/preview")).await?;
    let preview = preview.expect(200)?.json()?;
    ensure!(preview["skipped"]["opted_out"] == 1, "{preview}");
    Ok(())
}

#[tokio::test]
async fn whoever_was_erased_leaves_no_docid_but_its_hash() -> Result<()> {
    let (app, recorded) = on_fixture().await?;
    let account_id: Uuid = recorded.keys()?.account_id.parse()?;
    let of = |docid: &str| format!("SELECT count(*) FROM message WHERE docid = '{docid}'");
    for docid in recorded.erased() {
        ensure!(app.sql(&of(docid)).await? == "1", "{docid} has no message");
    }
    app.succeeds(&["migrate"]).await?;
    app.succeeds(&["migrate", "finish"]).await?;
    let key = if app.embedded() {
        "hex(key)"
    } else {
        "encode(key, 'hex')"
    };
    let key = app.sql(&format!("SELECT {key} FROM docid_key")).await?;
    let key = u128::from_str_radix(&key[..32], 16)?
        .to_be_bytes()
        .into_iter()
        .chain(u128::from_str_radix(&key[32..], 16)?.to_be_bytes())
        .collect::<Vec<u8>>();
    let key = DocIdKey::new(&key).context("no key of 32 bytes")?;
    for docid in recorded.erased() {
        ensure!(app.sql(&of(docid)).await? == "0", "{docid} is still there");
        let hash = key.erased_docid(account_id, docid);
        ensure!(
            app.sql(&of(&hash)).await? == "1",
            "nothing stands for {docid}"
        );
    }
    ensure!(
        app.sql(&of("person-1")).await? != "0",
        "who is there lost their docid"
    );
    Ok(())
}

/// Columns, types, indexes and constraints.
async fn schema(app: &App) -> Result<String> {
    if app.embedded() {
        let all = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2";
        return app.sql(all).await;
    }
    let all = "SELECT concat_ws('|', 'column', table_name, ordinal_position, column_name, data_type, is_nullable, column_default,
                      collation_name, is_identity) FROM information_schema.columns WHERE table_schema = 'public'
         UNION ALL SELECT concat_ws('|', 'index', indexdef) FROM pg_indexes WHERE schemaname = 'public'
         UNION ALL SELECT concat_ws('|', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
                     FROM pg_constraint WHERE connamespace = 'public'::regnamespace
         UNION ALL SELECT concat_ws('|', 'table', relname, reloptions) FROM pg_class WHERE relnamespace = 'public'::regnamespace
         ORDER BY 1";
    app.sql(all).await
}

#[tokio::test]
async fn the_schema_is_the_same_from_nothing() -> Result<()> {
    let (app, _) = on_fixture().await?;
    app.succeeds(&["migrate"]).await?;
    app.succeeds(&["migrate", "finish"]).await?;
    let from_nothing = App::start().await?;
    let (migrated, made) = (schema(&app).await?, schema(&from_nothing).await?);
    ensure!(migrated.lines().count() > 100, "{migrated}");
    for line in migrated.lines() {
        ensure!(
            made.lines().any(|other| other == line),
            "only migrated: {line}"
        );
    }
    for line in made.lines() {
        ensure!(
            migrated.lines().any(|other| other == line),
            "only made: {line}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn of_two_that_migrate_at_once_both_end_well() -> Result<()> {
    let (mut app, recorded) = on_fixture().await?;
    for arguments in [&["migrate"][..], &["migrate", "finish"]] {
        tokio::try_join!(app.succeeds(arguments), app.succeeds(arguments))?;
    }
    check_migrated(&mut app, &recorded).await
}

/// Runs a command until it prints a step, then kills it. It may be over by then.
async fn killed_at(app: &App, command: &str, step: &str) -> Result<()> {
    let mut child = begun(app, command)?;
    let was_printed = until_printed(&mut child, step).await?;
    child.kill().await?;
    ensure!(was_printed, "feedback {command} never came to {step}");
    Ok(())
}

fn begun(app: &App, command: &str) -> Result<Child> {
    let mut shell = app.shell(&format!("exec feedback {command}"))?;
    Ok(shell.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?)
}

async fn until_printed(child: &mut Child, text: &str) -> Result<bool> {
    let mut lines = BufReader::new(child.stderr.take().context("no stderr")?).lines();
    let was_printed = async {
        while let Some(line) = lines.next_line().await? {
            if line.contains(text) {
                return anyhow::Ok(true);
            }
        }
        Ok(false)
    };
    match timeout(LATER, was_printed).await {
        Ok(was_printed) => was_printed,
        Err(_) => bail!("{text:?} is never printed"),
    }
}

#[tokio::test]
async fn killed_at_any_step_it_goes_on() -> Result<()> {
    let (mut app, recorded) = on_fixture().await?;
    let steps = ["columns", "audit_subject"];
    for step in steps {
        // Where the one before was over already, there is nothing to kill.
        if plan(&app).await?["up"].to_string().contains(step) {
            killed_at(&app, "migrate up", step).await?;
        }
    }
    app.succeeds(&["migrate"]).await?;
    killed_at(&app, "migrate finish", "erased_docids").await?;
    app.succeeds(&["migrate", "finish"]).await?;
    check_migrated(&mut app, &recorded).await
}

mod servers_only {
    use reqwest::Method;
    use serde_json::json;
    use tests::campaign::on_import;
    use tests::form::short_form;
    use tests::servers::psql_within;

    use super::*;

    /// Somebody who is in the way of a step, until [`Self::go`].
    struct InTheWay<'a> {
        app: &'a App,
    }

    impl<'a> InTheWay<'a> {
        async fn holding(app: &'a App, statement: &str) -> Result<Self> {
            let url = app.database();
            let held = format!("BEGIN; {statement}; SELECT pg_sleep(600)");
            tokio::spawn(async move { psql_within(LATER * 5, &url, &held).await });
            let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)' AND wait_event = 'PgSleep'";
            eventually(SOON, async || {
                ensure!(app.sql(sleeping).await? == "1", "nobody is in the way yet");
                Ok(())
            })
            .await?;
            Ok(Self { app })
        }

        async fn go(self) -> Result<()> {
            let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()";
            self.app.sql(end).await.map(drop)
        }
    }

    /// `serve` ends the upgrade of its own database.
    #[tokio::test]
    async fn until_the_upgrade_is_finished_what_older_programs_would_do_wrong_is_refused()
    -> Result<()> {
        let (mut app, recorded) = on_fixture().await?;
        app.succeeds(&["migrate"]).await?;
        app.start_api().await?;
        let client = app.anonymous()?.with_keys(&recorded.keys()?);
        let form = client.published(&short_form("After the visit")).await?;
        let mut only_some = on_import(&form, "demo");
        only_some["sample"] = json!(0.5);
        let mut several = on_import(&form, "demo");
        several["sender"] = json!(["demo"]);
        let gap = json!({"min_gap_days": 30});
        let setting = "/api_v1/sms/setting";
        let create = async || client.send_json(Method::POST, CAMPAIGN, &only_some).await;
        let create_several = async || client.send_json(Method::POST, CAMPAIGN, &several).await;
        let replace = async || client.send_json(Method::PUT, setting, &gap).await;
        create().await?.problem(409, "upgrade_unfinished")?;
        create_several().await?.problem(409, "upgrade_unfinished")?;
        replace().await?.problem(409, "upgrade_unfinished")?;
        app.succeeds(&["migrate", "finish"]).await?;
        create().await?.expect(201)?;
        create_several().await?.expect(201)?;
        replace().await?.expect(200).map(drop)
    }

    #[tokio::test]
    async fn killed_in_the_middle_of_each_step_it_goes_on() -> Result<()> {
        let (mut app, recorded) = on_fixture().await?;
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'feedback' AND state = 'active' AND wait_event_type = 'Lock'";
        for (command, step, in_the_way) in [
            (
                "migrate up",
                "columns",
                "LOCK TABLE link IN ACCESS SHARE MODE",
            ),
            (
                "migrate up",
                "audit_subject",
                "LOCK TABLE audit IN ROW EXCLUSIVE MODE",
            ),
            (
                "migrate finish",
                "erased_docids",
                "SELECT count(*) FROM (SELECT 1 FROM campaign FOR UPDATE) c",
            ),
        ] {
            let holder = InTheWay::holding(&app, in_the_way).await?;
            let mut child = begun(&app, command)?;
            ensure!(
                until_printed(&mut child, step).await?,
                "never came to {step}"
            );
            eventually(SOON, async || {
                ensure!(app.sql(waiting).await? != "0", "{step} does not wait");
                Ok(())
            })
            .await?;
            child.kill().await?;
            holder.go().await?;
            // The step before is done, this one is not.
            let left = plan(&app).await?.to_string();
            if step != "audit_subject" {
                ensure!(left.contains(step), "{step} is done: {left}");
                continue;
            }
            app.succeeds(&["migrate"]).await?;
            let valid =
                "SELECT indisvalid FROM pg_index WHERE indexrelid = 'audit_subject'::regclass";
            ensure!(app.sql(valid).await? == "t", "the index is invalid");
        }
        app.succeeds(&["migrate", "finish"]).await?;
        check_migrated(&mut app, &recorded).await
    }

    #[tokio::test]
    async fn an_index_that_was_not_ended_is_made_anew() -> Result<()> {
        let (mut app, recorded) = on_fixture().await?;
        // As a build leaves it that found a duplicate, or was cancelled.
        let left = "CREATE INDEX audit_subject ON audit (account_id, subject);
             UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'audit_subject'::regclass";
        app.sql(left).await?;
        app.succeeds(&["migrate"]).await?;
        app.succeeds(&["migrate", "finish"]).await?;
        let valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'audit_subject'::regclass";
        ensure!(app.sql(valid).await? == "t", "the index is invalid");
        check_migrated(&mut app, &recorded).await
    }
}

mod embedded_only {
    use std::fs::{self, File};
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};

    use tests::servers::SmallDisk;

    use super::*;

    #[tokio::test]
    async fn two_copies_are_kept_and_none_that_is_old() -> Result<()> {
        let (mut app, recorded) = on_fixture().await?;
        let data = app.folder().join("data");
        let copies = || {
            let files = fs::read_dir(&data)?.collect::<Result<Vec<_>, _>>()?;
            let names = files.iter().map(fs::DirEntry::file_name);
            let mut names: Vec<_> = names
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            names.retain(|name| name.contains(".schema-"));
            names.sort();
            anyhow::Ok(names)
        };
        let day = Duration::from_hours(24);
        for (name, days) in [("a", 40), ("b", 3), ("c", 2), ("d.partial", 1)] {
            let file = File::create(data.join(format!("feedback.db.schema-6-{name}")))?;
            file.set_modified(SystemTime::now() - day * days)?;
        }
        app.start_api().await?;
        let kept = copies()?;
        ensure!(kept.len() == 2, "{kept:?}");
        ensure!(kept[0] == "feedback.db.schema-6-c", "{kept:?}");
        ensure!(kept[1].starts_with("feedback.db.schema-7-"), "{kept:?}");
        // The copy is the database of before, for its owner alone.
        let copy = data.join(&kept[1]);
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&copy)?.permissions());
        ensure!(mode & 0o777 == 0o600, "{mode:o}");
        app.api()?.stop().await?;
        fs::copy(&copy, data.join("feedback.db"))?;
        let before = plan(&app).await?;
        ensure!(before["newest"] == 7, "{before}");
        app.apis.clear();
        app.start_api().await?;
        check_migrated(&mut app, &recorded).await
    }

    #[tokio::test]
    async fn where_no_copy_finds_room_the_database_stays_as_it_was() -> Result<()> {
        // Room for the database, and not for a second one.
        let disk = Arc::new(SmallDisk::new(1).await?);
        let setup = App::setup().apis(0).on_disk(disk.clone());
        let app = setup
            .setting("FEEDBACK_PUBLIC_URL", PUBLIC_URL)
            .start()
            .await?;
        let data = disk.seen_from_here()?.join("data");
        fixture::fill_embedded(&data)?;
        let before = fs::read(data.join("feedback.db"))?;
        let refused = app.cli(&["serve"]).await?;
        let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
        ensure!(refused.status.code() == Some(1), "{stderr}");
        ensure!(
            stderr.contains("no copy of the database could be kept"),
            "{stderr}"
        );
        ensure!(
            fs::read(data.join("feedback.db"))? == before,
            "it was changed"
        );
        let files = fs::read_dir(&data)?.collect::<Result<Vec<_>, _>>()?;
        ensure!(
            files
                .iter()
                .all(|file| !file.file_name().to_string_lossy().contains(".schema-")),
            "{files:?}"
        );
        Ok(())
    }
}
