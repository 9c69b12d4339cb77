//! The service against its own OpenAPI document, by schemathesis: no error of ours, no status the document lacks.

use std::time::Duration;

use anyhow::Result;
use tests::app::App;
use tests::tools;

/// Its run is bounded to half a minute; a debug build on busy cores gets some more.
const RUN: Duration = Duration::from_mins(4);

#[tokio::test]
async fn schemathesis_finds_no_undocumented_answer() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let document = format!("{}/openapi.json", client.base());
    let [api_key, secret_key] = client
        .key_headers()?
        .map(|(name, value)| format!("{name}:{value}"));
    tools::python(
        "schemathesis",
        &[
            "run",
            &document,
            "--header",
            &api_key,
            "--header",
            &secret_key,
            "--include-path-regex",
            "^/(api_v1|f)/",
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,\
             response_schema_conformance",
            "--phases",
            "examples,coverage,fuzzing",
            "--max-examples",
            "20",
            "--max-time",
            "30",
            "--request-timeout",
            "20",
            "--seed",
            "20261121",
            "--generation-deterministic",
            "--suppress-health-check",
            "all",
            "--continue-on-failure",
            "--no-color",
        ],
        RUN,
    )
    .await?;
    Ok(())
}
