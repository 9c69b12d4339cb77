//! The embedded database goes to a file and comes back.

mod embedded_only {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use anyhow::{Context, Result, ensure};
    use serde_json::json;
    use tests::app::{App, PEPPER};
    use tests::campaign::on_import;
    use tests::fixture;
    use tests::import::records;
    use tests::person::{PASSWORD, choose_password, path_of_link};
    use tests::wait::LATER;
    use uuid::Uuid;

    #[tokio::test]
    async fn what_an_older_release_stored_comes_back_and_is_migrated() -> Result<()> {
        let none = || {
            let setup = App::setup().apis(0).workers(0);
            setup.setting("FEEDBACK_PUBLIC_URL", fixture::PUBLIC_URL)
        };
        let (from, mut to) = (none().start().await?, none().start().await?);
        let recorded = fixture::fill(&from).await?;
        let file = from.folder().join("backup").display().to_string();
        from.succeeds(&["backup", &file]).await?;
        to.succeeds(&["restore", &file]).await?;
        to.start_api().await?;
        let client = to.anonymous()?.with_keys(&recorded.keys()?);
        let running = "SELECT hex(campaign_id) FROM campaign WHERE status = 'RUNNING'";
        for id in from.sql(running).await?.lines() {
            let paused = json!({"campaign_id": Uuid::parse_str(id)?});
            client.act(&paused, "resume").await?.expect(200)?;
        }
        recorded.check(&client).await
    }

    #[tokio::test]
    async fn a_backup_of_a_running_service_is_whole_and_sends_nothing_twice() -> Result<()> {
        // The pepper is in the data directory.
        let setup = || App::setup().setting("FEEDBACK_PEPPER", "");
        let from = setup().start().await?;
        let keys = from.create_key("shop", &[]).await?;
        let client = from.anonymous()?.with_keys(&keys);
        let campaign = client.started(|form| on_import(form, "demo")).await?;
        let batch = client
            .import_and_wait(&records("A", 1_000, "1"), LATER)
            .await?;
        let add = [
            "user",
            "add",
            "ada",
            "--account",
            "shop",
            "--role",
            "viewer",
            "--link",
        ];
        let link = from.succeeds(&add).await?;
        let file = from.folder().join("backup");
        let name = file.display().to_string();
        from.succeeds(&["backup", &name]).await?;
        let mode = fs::metadata(&file)?.permissions().mode() & 0o777;
        ensure!(mode == 0o600, "readable for others: {mode:o}");
        from.refuses(&["backup", &name], "is there already").await?;
        from.refuses(&["restore", &name], "stop its service and move")
            .await?;

        let mut to = setup().apis(0).start().await?;
        let whole = fs::read(&file)?;
        let half = whole.len() / 2;
        let mut damaged = whole.clone();
        *damaged.get_mut(half).context("no middle")? ^= 1;
        let broken = to.folder().join("broken");
        let broken_name = broken.display().to_string();
        for bytes in [whole.get(..half).context("no half")?, &damaged, b"text"] {
            fs::write(&broken, bytes)?;
            to.refuses(&["restore", &broken_name], "is no backup")
                .await?;
        }
        // A log of another database would be applied to this one.
        let data = to.folder().join("data");
        let log = data.join("feedback.db-wal");
        fs::write(&log, "of a service that was killed")?;
        to.refuses(&["restore", &name], "feedback.db-wal").await?;
        fs::remove_file(&log)?;
        to.succeeds(&["restore", &name]).await?;
        let pepper = |app: &App| fs::read(app.folder().join("data").join("pepper"));
        ensure!(pepper(&from)? == pepper(&to)?, "another pepper");

        to.start_api().await?;
        let client = to.anonymous()?.with_keys(&keys);
        let id = batch["batch_id"].as_str().context("no batch_id")?;
        ensure!(client.batch(id).await? == batch, "another batch");
        let used = choose_password(&to.anonymous()?, &path_of_link(&link), PASSWORD).await?;
        ensure!(used.status != 303, "a link of before lets in: {used:?}");
        let restored = client.read_campaign(&campaign).await?;
        ensure!(restored["status"] == "PAUSED", "{restored}");
        let log = client.get("/api_v1/audit?name=&kind=campaign").await?;
        let log = log.expect(200)?.json()?;
        ensure!(log["items"][0]["action"] == "campaign.pause", "{log}");
        let left: Vec<_> = fs::read_dir(from.folder())?
            .chain(fs::read_dir(to.folder().join("data"))?)
            .map(|entry| Ok(entry?.file_name()))
            .collect::<Result<_>>()?;
        let is_left = |name: &OsString| name == "restoring" || name == "backup.partial";
        ensure!(!left.iter().any(is_left), "{left:?}");
        Ok(())
    }

    #[tokio::test]
    async fn a_pepper_that_is_lost_is_not_made_anew() -> Result<()> {
        let mut app = App::setup().setting("FEEDBACK_PEPPER", "").start().await?;
        app.api()?.stop().await?;
        let pepper = app.folder().join("data").join("pepper");
        let kept = fs::read_to_string(&pepper)?;
        fs::remove_file(&pepper)?;
        app.refuses(&["serve"], "pepper is missing").await?;
        app.refuses(&["doctor"], "are wrong").await?;
        ensure!(!pepper.exists(), "another one was made");

        let file = app.folder().join("backup").display().to_string();
        fs::write(&pepper, &kept)?;
        app.succeeds(&["backup", &file]).await?;
        let elsewhere = app.folder().join("elsewhere").display().to_string();
        let other = [
            ("FEEDBACK_DATA_DIR", elsewhere.as_str()),
            ("FEEDBACK_PEPPER", PEPPER),
        ];
        app.refuses_with(&["restore", &file], &other, "another one than the backup's")
            .await
    }
}
