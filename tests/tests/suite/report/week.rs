//! A week of one shop, small enough to be counted by hand: 2 to 8 March 2026 in UTC, with something just before and
//! after it.
//!
//! | day | link | | |
//! |---|---|---|---|
//! | 25 Feb | none | a view | before the week, within the 7 days before it |
//! | 1 Mar | Berlin | early | before the week |
//! | 2 Mar | Berlin | three views, first, second | |
//! | 3 Mar | Berlin and sms | third | |
//! | 3 Mar | Hamburg | a view, fourth | |
//! | 5 Mar | none | fifth, sixth | |
//! | 8 Mar | Hamburg | seventh | the last moment of the week |
//! | 9 Mar | Berlin | late | the first moment after it |

use anyhow::Result;
use serde_json::{Value, json};
use tests::form::form;
use uuid::Uuid;

use super::stage::Stage;

pub const WEEK: (&str, &str) = ("2026-03-02", "2026-03-08");

pub struct Week {
    pub form: Value,
    /// The feedbacks of the week in the order in which they came.
    pub ids: Vec<Uuid>,
}

pub async fn play(stage: &Stage) -> Result<Week> {
    let owner = &stage.owner;
    let form = owner.published(&form()).await?;
    let none = owner.link(&form, "", &[]).await?;
    let order = ("track_field", "order=4711");
    let berlin = owner.link(&form, "1", &[order]).await?;
    let hamburg = owner.link(&form, "2", &[]).await?;
    let both = owner
        .link(&form, "1_3", &[order, ("track_field", "way=a=b")])
        .await?;
    stage.seen(&none, "2026-02-25T12:00:00Z").await?;
    let early = json!({"recommend": 3, "mood": 2});
    stage
        .answered(&berlin, "2026-03-01T23:59:59.999Z", &early)
        .await?;
    let late = json!({"recommend": 9, "mood": 4});
    stage
        .answered(&berlin, "2026-03-09T00:00:00Z", &late)
        .await?;
    for _ in 0..3 {
        stage.seen(&berlin, "2026-03-02T08:00:00Z").await?;
    }
    stage.seen(&hamburg, "2026-03-03T20:00:00Z").await?;
    let mut ids = Vec::new();
    for (link, at, answers) in [
        (
            &berlin,
            "2026-03-02T00:00:00Z",
            json!({"recommend": 10, "mood": 5, "clean": 4, "reason": "buy", "seen": ["a", "b"], "name": "Anna",
                   "more": "Great"}),
        ),
        (
            &berlin,
            "2026-03-02T09:00:00Z",
            json!({"recommend": 8, "mood": 3, "name": " ", "seen": []}),
        ),
        (
            &both,
            "2026-03-03T10:00:00Z",
            json!({"recommend": 6, "mood": 4, "reason": "look", "seen": ["c"], "more": "Too loud"}),
        ),
        (
            &hamburg,
            "2026-03-03T10:00:00.001Z",
            json!({"recommend": 9, "mood": 5, "clean": 5, "reason": "buy", "seen": ["a", "b", "c"]}),
        ),
        (
            &none,
            "2026-03-05T12:00:00Z",
            json!({"recommend": 0, "mood": 1, "more": "=SUM(A1)"}),
        ),
        (
            &none,
            "2026-03-05T12:00:01Z",
            json!({"recommend": 7, "clean": 1, "name": "Bob"}),
        ),
        (
            &hamburg,
            "2026-03-08T23:59:59.999Z",
            json!({"recommend": 10, "seen": ["b"], "more": "Fine"}),
        ),
    ] {
        ids.push(stage.answered(link, at, &answers).await?);
    }
    Ok(Week { form, ids })
}
