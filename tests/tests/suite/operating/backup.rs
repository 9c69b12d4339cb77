//! The embedded database goes to a file and comes back.

mod embedded_only {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Output;

    use anyhow::{Context, Result, ensure};
    use serde_json::json;
    use tests::app::App;
    use tests::campaign::on_import;
    use tests::fixture;
    use tests::import::records;
    use tests::wait::LATER;
    use uuid::Uuid;

    fn refused(output: &Output, reason: &str) -> Result<()> {
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(1), "{stderr}");
        ensure!(stderr.contains(reason), "{stderr}");
        Ok(())
    }

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
        let file = from.folder().join("backup");
        let name = file.display().to_string();
        from.succeeds(&["backup", &name]).await?;
        let mode = fs::metadata(&file)?.permissions().mode() & 0o777;
        ensure!(mode == 0o600, "readable for others: {mode:o}");
        refused(&from.cli(&["backup", &name]).await?, "is there already")?;
        refused(
            &from.cli(&["restore", &name]).await?,
            "there is a database at",
        )?;

        let mut to = setup().apis(0).start().await?;
        let part = to.folder().join("part");
        let whole = fs::read(&file)?;
        fs::write(&part, whole.get(..whole.len() / 2).context("no half")?)?;
        let part = part.display().to_string();
        refused(
            &to.cli(&["restore", &part]).await?,
            "is no backup, or not all",
        )?;
        to.succeeds(&["restore", &name]).await?;
        let pepper = |app: &App| fs::read(app.folder().join("data").join("pepper"));
        ensure!(pepper(&from)? == pepper(&to)?, "another pepper");

        to.start_api().await?;
        let client = to.anonymous()?.with_keys(&keys);
        let id = batch["batch_id"].as_str().context("no batch_id")?;
        ensure!(client.batch(id).await? == batch, "another batch");
        let restored = client.read_campaign(&campaign).await?;
        ensure!(restored["status"] == "PAUSED", "{restored}");
        let left: Vec<_> = fs::read_dir(from.folder())?
            .chain(fs::read_dir(to.folder().join("data"))?)
            .map(|entry| Ok(entry?.file_name()))
            .collect::<Result<_>>()?;
        let is_left =
            |name: &std::ffi::OsString| name.as_encoded_bytes().starts_with(b".feedback-");
        ensure!(!left.iter().any(is_left), "{left:?}");
        Ok(())
    }
}
