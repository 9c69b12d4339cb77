//! The audit log has each change that a key makes, whatever it came to.

use std::collections::BTreeMap;

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use store::account::{AuditFilter, AuditRow};
use uuid::Uuid;

use crate::service::{Answer, Service};

/// What changes nothing that the log would tell, and why. All other operations that are no GET have a row.
const WITHOUT_ROW: [(&str, &str); 10] = [
    ("post /api_v1/account/retention/preview", "changes nothing"),
    (
        "delete /api_v1/sms/recipient",
        "each who has the phone has a row, and nobody is stored",
    ),
    ("post /api_v1/form/link/{id}", "the link tells"),
    (
        "post /api_v1/form/link/{form_id}/{bus_prop_id}",
        "the link tells",
    ),
    ("post /api_v1/sms/campaign/preview", "changes nothing"),
    (
        "post /api_v1/sms/campaign/{campaign_id}/preview",
        "changes nothing",
    ),
    ("post /api_v1/sms/import", "the batch tells"),
    ("post /f/{token}", "the answer tells"),
    ("post /f/{token}/stop", "the list of blocked numbers tells"),
    ("post /f/{token}/view", "the visit tells"),
];

/// Does one operation after the other, and sees what the log has of each.
struct Walk {
    service: Service,
    /// The rows of each operation, with what they came to.
    rows: BTreeMap<String, Vec<(String, Option<i16>)>>,
}

impl Walk {
    async fn log(&self) -> Vec<AuditRow> {
        let (store, account_id) = (&self.service.backends.store, self.service.key.account_id);
        let filter = AuditFilter::default();
        let all = store.audit(account_id, &filter, None, 1_000);
        all.await.unwrap().rows
    }

    /// Asks for an operation of the document, with these values in its path.
    async fn ask(&mut self, operation: &str, values: &[&str], body: &Value) -> Answer {
        let (method, template) = operation.split_once(' ').unwrap();
        let mut path = template.to_owned();
        for value in values {
            let (before, rest) = path.split_once('{').unwrap();
            let (_, after) = rest.split_once('}').unwrap();
            path = format!("{before}{value}{after}");
        }
        let before = self.log().await.len();
        let request = self.service.request(&method.to_uppercase(), &path);
        let answer = if body.is_null() {
            self.service.ask(request, "").await
        } else {
            let request = request.header("content-type", "application/json");
            self.service.ask(request, body.to_string()).await
        };
        assert!(answer.status != 404, "{operation}: {answer:?}");
        let after = self.log().await;
        let new = &after[..after.len() - before];
        for row in new {
            assert_eq!(row.name, self.service.key.api_key, "{operation}");
            let status = i16::try_from(answer.status.as_u16()).unwrap();
            assert_eq!(row.status, Some(status), "{operation}: {answer:?}");
        }
        let template = template.split('?').next().unwrap();
        let rows = new.iter().map(|row| (row.action.clone(), row.status));
        let of = self.rows.entry(format!("{method} {template}")).or_default();
        of.extend(rows);
        answer
    }
}

/// A member of an answer that is a text.
fn text(answer: &Answer, name: &str) -> String {
    assert!(answer.status.is_success(), "no {name}: {answer:?}");
    answer.json()[name].as_str().unwrap().to_owned()
}

async fn forms_and_answers(walk: &mut Walk) {
    let content = json!({"title": "A form", "bus_props": ["store:Berlin"],
        "fields": [{"key": "recommend", "type": "nps", "label": "Would you?"}]});
    let made = walk.ask("post /api_v1/form", &[], &content).await;
    let form = text(&made, "form_id");
    let one = "put /api_v1/form/{form_id}";
    walk.ask(one, &[&form], &content).await;
    let publish = "post /api_v1/form/{form_id}/publish";
    walk.ask(publish, &[&form], &Value::Null).await;
    let linked = "post /api_v1/form/link/{id}";
    let link = walk.ask(linked, &[&form], &Value::Null).await;
    let token = text(&link, "token");
    let of_store = "post /api_v1/form/link/{form_id}/{bus_prop_id}";
    walk.ask(of_store, &[&form, "1"], &Value::Null).await;
    let answered = json!({"visit": Uuid::now_v7(), "answers": {"recommend": 9}});
    walk.ask("post /f/{token}", &[&token], &answered).await;
    let today = Utc::now().date_naive();
    let list = format!("/api_v1/report/feedbacks/{today}/{today}/{form}");
    let list = walk.service.get(&list).await.json();
    let feedback = list["items"][0]["feedback_id"].as_str().unwrap();
    let erase = "delete /api_v1/feedback/{feedback_id}";
    walk.ask(erase, &[feedback], &Value::Null).await;
    let unlink = "delete /api_v1/form/link/{id}";
    walk.ask(unlink, &[&token], &Value::Null).await;
    let share = json!({"path": "/dashboard?days=30",
        "expires_at": (Utc::now() + TimeDelta::days(1)).format("%FT%TZ").to_string()});
    let shared = walk.ask("post /api_v1/report/share", &[], &share).await;
    let other =
        json!({"path": "/dashboard/recipients?docid=order-1", "expires_at": share["expires_at"]});
    walk.ask("post /api_v1/report/share", &[], &other).await;
    let withdraw = "delete /api_v1/report/share/{share_id}";
    let share = text(&shared, "share_id");
    walk.ask(withdraw, &[&share], &Value::Null).await;
    let branding = json!({"name": "Shop"});
    walk.ask("put /api_v1/account", &[], &branding).await;
    let retention = json!({"answers_days": 3_650});
    walk.ask("put /api_v1/account/retention", &[], &retention)
        .await;
    let delete = "delete /api_v1/form/{form_id}";
    walk.ask(delete, &[&form], &Value::Null).await;
}

async fn campaigns_and_recipients(walk: &mut Walk) {
    let content = json!({"title": "Another",
        "fields": [{"key": "recommend", "type": "nps", "label": "Would you?"}]});
    let form = walk.ask("post /api_v1/form", &[], &content).await;
    let form = text(&form, "form_id");
    let publish = "post /api_v1/form/{form_id}/publish";
    walk.ask(publish, &[&form], &Value::Null).await;
    let content = json!({"name": "After a visit", "form_id": form, "sender": "demo",
        "text": "How was it? {link}", "audience": {"on_import": true}});
    let made = "post /api_v1/sms/campaign";
    let draft = walk.ask(made, &[], &content).await;
    let draft = text(&draft, "campaign_id");
    let one = "delete /api_v1/sms/campaign/{campaign_id}";
    walk.ask(one, &[&draft], &Value::Null).await;
    let campaign = walk.ask(made, &[], &content).await;
    let campaign = text(&campaign, "campaign_id");
    let one = "put /api_v1/sms/campaign/{campaign_id}";
    walk.ask(one, &[&campaign], &content).await;
    let test = "post /api_v1/sms/campaign/{campaign_id}/test";
    let phone = json!({"phone": "+491701234567"});
    walk.ask(test, &[&campaign], &phone).await;
    for action in ["start", "pause", "resume", "finish", "cancel"] {
        let act = format!("post /api_v1/sms/campaign/{{campaign_id}}/{action}");
        walk.ask(&act, &[&campaign], &Value::Null).await;
    }
    let resend = "post /api_v1/sms/campaign/{campaign_id}/resend";
    let unknown = json!({"status": "unknown"});
    walk.ask(resend, &[&campaign], &unknown).await;
    let setting = walk.service.get("/api_v1/sms/setting").await.json();
    walk.ask("put /api_v1/sms/setting", &[], &setting).await;
    for method in ["put", "delete"] {
        let change = format!("{method} /api_v1/sms/suppression");
        walk.ask(&change, &[], &phone).await;
    }
    let records = json!([{"docid": "order-1", "phone": "+491701234567"}]);
    let import = "post /api_v1/sms/import";
    let batch = walk.ask(import, &[], &records).await;
    let batch = text(&batch, "batch_id");
    for action in ["retry", "cancel", "erase"] {
        let act = format!("post /api_v1/sms/import/{{batch_id}}/{action}");
        walk.ask(&act, &[&batch], &Value::Null).await;
    }
    let erase = "delete /api_v1/sms/recipient/{docid}";
    walk.ask(erase, &["order-1"], &Value::Null).await;
    let of_phone = "delete /api_v1/sms/recipient?phone=%2B491701234567";
    walk.ask(of_phone, &[], &Value::Null).await;
}

#[tokio::test]
async fn each_change_of_a_key_has_a_row_or_a_reason_why_not() {
    let mut walk = Walk {
        service: Service::start(&[]).await,
        rows: BTreeMap::new(),
    };
    Box::pin(forms_and_answers(&mut walk)).await;
    Box::pin(campaigns_and_recipients(&mut walk)).await;
    let document = walk.service.get("/openapi.json").await.json();
    let mut wrong = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys().filter(|one| *one != "get") {
            let operation = format!("{method} {path}");
            let rows = walk.rows.get(&operation);
            let has_row = rows.is_some_and(|rows| !rows.is_empty());
            let reason = WITHOUT_ROW.iter().find(|(other, _)| *other == operation);
            if has_row == reason.is_some() {
                wrong.push(format!("{operation}: {rows:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let log = walk.log().await;
    let kept: String = log.iter().map(|row| row.subject.as_str()).collect();
    assert!(
        !kept.contains("order-1") && !kept.contains("1701234567"),
        "{kept}"
    );
}
