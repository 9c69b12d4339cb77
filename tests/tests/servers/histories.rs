//! Databases with the same past and another present: one that lost commits in a failover while Redis and the instances went
//! on, and a clone beside its original on the same Redis. Their ids and version numbers are the same, so nothing but the
//! stamps tells apart what was read of one from what the other has.

use anyhow::{Result, ensure};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tests::app::{App, Backends};
use tests::client::Client;
use tests::form::form;
use tests::report::{Of, etag, overview};
use tests::servers::{Endpoints, psql};
use tests::visitor::Visitor;
use tests::wait::{LATER, eventually};

/// Answers after which histories part, one at a time: each raises the version by one.
const ANSWERS: i64 = 4;
/// Answers that both have.
const COMMON: i64 = 2;
const PROMOTER: i64 = 10;
const PASSIVE: i64 = 8;
const DETRACTOR: i64 = 0;

/// The databases of the servers under test, beside the one that a service is connected to.
struct Databases {
    admin: String,
}

impl Databases {
    /// Ends all sessions of a database and lets nobody in, so that it can be copied or replaced.
    async fn close(&self, name: &str) -> Result<()> {
        for statement in [
            format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"),
            format!(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            ),
        ] {
            psql(&self.admin, &statement).await?;
        }
        Ok(())
    }

    /// Makes a database a copy of another.
    async fn copy(&self, from: &str, to: &str) -> Result<()> {
        self.close(from).await?;
        for statement in [
            format!("DROP DATABASE IF EXISTS {to} WITH (FORCE)"),
            format!("CREATE DATABASE {to} TEMPLATE {from}"),
            format!("ALTER DATABASE {from} ALLOW_CONNECTIONS true"),
        ] {
            psql(&self.admin, &statement).await?;
        }
        Ok(())
    }

    /// Puts a database in the place of another, as a failover does.
    async fn replace(&self, name: &str, by: &str) -> Result<()> {
        self.close(name).await?;
        for statement in [
            format!("DROP DATABASE {name} WITH (FORCE)"),
            format!("ALTER DATABASE {by} RENAME TO {name}"),
        ] {
            psql(&self.admin, &statement).await?;
        }
        Ok(())
    }
}

/// A service, and who reads its reports, on every instance.
struct Service {
    app: App,
    database: String,
    owner: Client,
}

impl Service {
    async fn start(backends: Backends, owner: Option<&Client>) -> Result<Self> {
        let app = App::setup().apis(2).workers(2).on(backends).start().await?;
        let owner = match owner {
            Some(owner) => owner.clone(),
            None => app.client().await?,
        };
        Ok(Self {
            database: name(app.backends()),
            app,
            owner,
        })
    }

    async fn answer(&self, link: &Value, score: i64, words: &str) -> Result<()> {
        let visitor = Visitor::new(&self.app.anonymous()?, link)?;
        let given = json!({"recommend": score, "more": words});
        eventually(LATER, async || visitor.stored(&given).await).await?;
        Ok(())
    }

    /// Every report of every instance counts just these answers, whatever tag a reader has of another history, and none shows
    /// these words. The tags of the reports.
    async fn reports(
        &self,
        form: &Value,
        (promoters, passives, detractors): (i64, i64, i64),
        hidden: &str,
        foreign: &[(String, String)],
    ) -> Result<Vec<(String, String)>> {
        let today = Utc::now().date_naive();
        let day = |offset: i64| (today + TimeDelta::days(offset)).to_string();
        let (from, to) = (day(-40), day(1));
        let mut paths = vec![overview((&from, &to))];
        for bus_prop in ["", "channel:sms"] {
            paths.extend(Of::ALL.map(|of| of.path(form, (&from, &to), bus_prop)));
        }
        let answers = promoters + passives + detractors;
        let mut tags = Vec::new();
        for api in &self.app.apis {
            let reader = self.owner.at(api.base());
            for path in &paths {
                let known = foreign.iter().find(|(of, _)| of == path);
                let tag = known.map_or("\"none\"", |(_, tag)| tag);
                let answer = eventually(LATER, async || {
                    let answer = reader.get_unless(path, tag).await?.expect(200)?;
                    let text = answer.text()?;
                    ensure!(!text.contains(hidden), "{path} shows {hidden}: {text}");
                    let report = answer.json()?;
                    let nps = &report["metrics"]["nps_detail"];
                    let as_stored = if nps.is_null() {
                        report["total"] == answers
                    } else {
                        let counts = [&nps["promoters"], &nps["passives"], &nps["detractors"]];
                        counts == [promoters, passives, detractors]
                            && report["metrics"]["responses"] == answers
                    };
                    ensure!(
                        as_stored,
                        "{path} is not of {promoters}, {passives}, {detractors}: {report}"
                    );
                    Ok(answer)
                })
                .await?;
                tags.push((path.clone(), etag(&answer)?));
            }
        }
        Ok(tags)
    }
}

fn name(backends: &Backends) -> String {
    let database = match backends {
        Backends::Embedded => "",
        Backends::Servers(lease) => &lease.database,
    };
    let (_, name) = database.rsplit_once('/').unwrap_or_default();
    name.to_owned()
}

/// A service with a form that some have answered, and its link.
async fn begin(endpoints: &Endpoints) -> Result<(Service, Value, Value)> {
    let service = Service::start(Backends::on(endpoints).await?, None).await?;
    let form = service.owner.published(&form()).await?;
    let link = service.owner.link(&form, "1_3", &[]).await?;
    for _ in 0..COMMON {
        service.answer(&link, PASSIVE, "common").await?;
    }
    service
        .reports(&form, (0, COMMON, 0), "nobody", &[])
        .await?;
    Ok((service, form, link))
}

#[tokio::test]
async fn after_a_failover_no_report_shows_what_the_database_lost() -> Result<()> {
    let endpoints = Endpoints::from_environment()?;
    let databases = Databases {
        admin: endpoints.database.clone(),
    };
    let (service, form, link) = begin(&endpoints).await?;
    let older = format!("{}_older", service.database);
    databases.copy(&service.database, &older).await?;
    let mut lost = Vec::new();
    for count in 1..=ANSWERS {
        service.answer(&link, PROMOTER, "lost words").await?;
        let counts = (count, COMMON, 0);
        lost.push(service.reports(&form, counts, "found words", &[]).await?);
    }
    databases.replace(&service.database, &older).await?;
    let counts = (0, COMMON, 0);
    let newest = lost.last().map_or(&[][..], Vec::as_slice);
    service.reports(&form, counts, "lost words", newest).await?;
    for (count, tags) in (1..).zip(&lost) {
        service.answer(&link, DETRACTOR, "found words").await?;
        let counts = (0, COMMON, count);
        service.reports(&form, counts, "lost words", tags).await?;
    }
    service.app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn two_databases_with_the_same_ids_on_one_redis_have_each_its_own_reports() -> Result<()> {
    let endpoints = Endpoints::from_environment()?;
    let databases = Databases {
        admin: endpoints.database.clone(),
    };
    let (original, form, link) = begin(&endpoints).await?;
    let backends = Backends::on(&endpoints).await?;
    databases.copy(&original.database, &name(&backends)).await?;
    let clone = Service::start(backends, Some(&original.owner)).await?;
    for count in 1..=ANSWERS {
        original.answer(&link, PROMOTER, "of the original").await?;
        clone.answer(&link, DETRACTOR, "of the clone").await?;
        let counts = (count, COMMON, 0);
        let tags = original.reports(&form, counts, "of the clone", &[]).await?;
        let counts = (0, COMMON, count);
        clone
            .reports(&form, counts, "of the original", &tags)
            .await?;
    }
    for service in [&original, &clone] {
        service.app.succeeds(&["verify"]).await?;
    }
    Ok(())
}
