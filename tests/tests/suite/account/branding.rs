//! Whose the pages behind links are.

use anyhow::{Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::short_form;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

const ACCOUNT: &str = "/api_v1/account";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0h9v9\"/></svg>";

fn svg(text: &str) -> String {
    format!("data:image/svg+xml;base64,{}", STANDARD.encode(text))
}

/// The page of a link, for a reader of these languages.
async fn page(owner: &Client, path: &str, languages: &str) -> Result<String> {
    let page = owner.call(Method::GET, path);
    let page = page.header("accept-language", languages).send().await?;
    Ok(page.expect(200)?.text()?.to_owned())
}

#[tokio::test]
async fn pages_are_the_account_s_own() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client().await?;
    let nothing = json!({"name": null, "logo": null, "color": null, "language": null});
    let unset = owner.get(ACCOUNT).await?.expect(200)?.json()?;
    ensure!(unset == nothing, "{unset}");
    let form = owner.published(&short_form("Your visit")).await?;
    let link = owner.link(&form, "", &[]).await?;
    let visitor = Visitor::new(&owner, &link)?;
    let path = visitor.path();
    let logo = format!("{path}/logo");
    ensure!(!page(&owner, &path, "").await?.contains("Acme"), "too soon");
    owner.get(&logo).await?.problem(404, "not_found")?;

    let acme = json!({"name": "Acme <b>", "logo": svg(SVG), "color": "#FFD400", "language": "de"});
    let set = owner.send_json(Method::PUT, ACCOUNT, &acme).await?;
    let set = set.expect(200)?.json()?;
    ensure!(set["color"] == "#ffd400", "{set}");
    let stored = owner.get(ACCOUNT).await?.expect(200)?.json()?;
    ensure!(set == stored, "{stored}");
    // Another instance has it in a moment.
    eventually(SOON, async || {
        let page = page(&owner, &path, "nl").await?;
        for part in [
            "Acme &#60;b&#62;",
            "--brand:#ffd400;--on-brand:#000",
            "<html lang=\"de\">",
            "Feedback senden",
        ] {
            ensure!(page.contains(part), "no {part}: {page}");
        }
        Ok(())
    })
    .await?;
    // Questions that do not say their language have the account's, and buttons go with them.
    let german = page(&owner, &path, "en-GB, de;q=0.5").await?;
    ensure!(german.contains("Feedback senden"), "{german}");
    let thanks = page(&owner, &format!("{path}/thanks"), "nl").await?;
    ensure!(
        thanks.contains("Vielen Dank") && thanks.contains("src=\"logo\""),
        "{thanks}"
    );
    let logo = owner.get(&logo).await?.expect(200)?;
    ensure!(logo.text()?.contains("<path d=\"M0 0h9v9\""), "{logo:?}");
    ensure!(
        logo.header("content-type") == Some("image/svg+xml")
            && logo
                .header("content-security-policy")
                .is_some_and(|policy| policy.starts_with("sandbox; default-src 'none'")),
        "{logo:?}"
    );
    // What is wrong in the form is told in the same language.
    let wrong = visitor.submit(&[]).await?.expect(422)?;
    ensure!(wrong.text()?.contains("Bitte prüfen Sie"), "{wrong:?}");

    // The rest is as it was before: of it nothing is given.
    let named = owner
        .send_json(Method::PUT, ACCOUNT, &json!({"name": "Acme"}))
        .await?;
    let named = named.expect(200)?.json()?;
    ensure!(
        named["logo"].is_null() && named["name"] == "Acme",
        "{named}"
    );
    let other = app.client_of("other").await?;
    let unset = other.get(ACCOUNT).await?.expect(200)?.json()?;
    ensure!(unset == nothing, "{unset}");
    Ok(())
}

#[tokio::test]
async fn what_is_no_branding_is_refused_member_by_member() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client().await?;
    let large = svg(&format!("<svg>{}</svg>", " ".repeat(100_000)));
    for (body, pointer, code) in [
        (json!({"name": ""}), "/name", "blank"),
        (json!({"name": "x".repeat(101)}), "/name", "too_long"),
        (json!({"color": "red"}), "/color", "malformed"),
        (json!({"language": "xx"}), "/language", "not_offered"),
        (
            json!({"logo": "https://a.example/x.png"}),
            "/logo",
            "malformed",
        ),
        (
            json!({"logo": svg("<svg xmlns='http://www.w3.org/2000/svg'><image href='https://a.example/x'/></svg>")}),
            "/logo",
            "malformed",
        ),
        (json!({"logo": large}), "/logo", "too_long"),
        (json!({"slogan": "x"}), "/slogan", "unknown_member"),
    ] {
        let refused = owner.send_json(Method::PUT, ACCOUNT, &body).await?;
        let problem = refused.problem(422, "validation_failed")?;
        let error: &Value = &problem["errors"][0];
        ensure!(
            error["pointer"] == pointer && error["code"] == code,
            "{problem}"
        );
    }
    Ok(())
}
