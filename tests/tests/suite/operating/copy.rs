//! Whoever outgrows the embedded database takes everything to servers.

mod servers_only {
    use std::process::Output;

    use anyhow::{Result, ensure};
    use tests::app::{App, Backends};
    use tests::fixture;

    async fn copy(from: &App, to: &App) -> Result<Output> {
        from.cli(&["copy", "--to", &to.database()]).await
    }

    fn refused(output: &Output, reason: &str) -> Result<()> {
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(1), "{stderr}");
        ensure!(stderr.contains(reason), "{stderr}");
        Ok(())
    }

    #[tokio::test]
    async fn everything_goes_from_the_embedded_database_to_servers() -> Result<()> {
        let none = || {
            let setup = App::setup().apis(0).workers(0);
            setup.setting("FEEDBACK_PUBLIC_URL", fixture::PUBLIC_URL)
        };
        let mut from = none().on(Backends::Embedded).start().await?;
        let recorded = fixture::fill(&from).await?;
        let mut to = none().start().await?;
        refused(&copy(&from, &to).await?, "run `feedback migrate`")?;
        from.start_api().await?;
        refused(&copy(&from, &to).await?, "stop the service first")?;
        from.api()?.stop().await?;

        let copied = copy(&from, &to).await?;
        let stderr = String::from_utf8_lossy(&copied.stderr);
        ensure!(copied.status.success(), "{stderr}");
        ensure!(
            stderr.contains("every number is what is stored"),
            "{stderr}"
        );
        refused(&copy(&from, &to).await?, "the database is not empty")?;

        to.start_api().await?;
        to.start_worker().await?;
        let client = to.anonymous()?.with_keys(&recorded.keys()?);
        recorded.check(&client).await?;
        // Numbers of accounts go on where they were.
        to.client().await?;
        to.succeeds(&["verify"]).await?;
        Ok(())
    }
}
