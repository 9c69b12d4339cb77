//! Whoever outgrows the embedded database takes everything to servers.

mod servers_only {
    use anyhow::{Result, ensure};
    use tests::app::{App, Backends};
    use tests::fixture;

    #[tokio::test]
    async fn everything_goes_from_the_embedded_database_to_servers() -> Result<()> {
        let none = || {
            let setup = App::setup().apis(0).workers(0);
            setup.setting("FEEDBACK_PUBLIC_URL", fixture::PUBLIC_URL)
        };
        let mut from = none().on(Backends::Embedded).start().await?;
        let recorded = fixture::fill(&from).await?;
        let mut to = none().start().await?;
        let url = to.database();
        let copy = ["copy", "--to", &url];
        from.refuses(&copy, "run `feedback migrate`").await?;
        from.start_api().await?;
        from.refuses(&copy, "stop the service first").await?;
        from.api()?.stop().await?;

        let copied = from.cli(&copy).await?;
        let stderr = String::from_utf8_lossy(&copied.stderr);
        ensure!(copied.status.success(), "{stderr}");
        ensure!(
            stderr.contains("every number is what is stored"),
            "{stderr}"
        );
        from.refuses(&copy, "the database is not empty").await?;

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
