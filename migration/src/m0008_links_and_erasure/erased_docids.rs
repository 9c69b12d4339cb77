//! Messages of people who were erased before have their docid still: a keyed hash takes its place.
//!
//! Its text is what `domain::pepper` makes of a docid, under the key of `docid_key`: a control character, which no docid has, and
//! 43 characters of base64url. It is made here too, because a migration stays as it is when the program goes on.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sea_orm::{
    ConnectionTrait, DatabaseExecutor, DatabaseTransaction, DbBackend, DbErr, FromQueryResult,
    Statement, Value,
};
use sea_orm_migration::async_trait::async_trait;
use sha2::Sha256;
use uuid::Uuid;

use crate::step::{Backfill, Batch};

/// Messages that a batch looks at.
const ROWS: i64 = 1_000;

const ABOUT_POSTGRES: &str =
    "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'message'::regclass";
const ABOUT_SQLITE: &str = "SELECT count(*) FROM message";

/// A phone is forgotten with the recipient; a test has none.
const SLICE: &str = "SELECT account_id, message_id, campaign_id, docid, phone_mac IS NULL AND kind <> 'test' AS has_no_phone
   FROM message WHERE (account_id, message_id) > ($1, $2) ORDER BY account_id, message_id LIMIT $3";

/// Whoever plans the campaign's messages has this lock: before, they find the docid, and after, its hash.
const LOCK: &str =
    "SELECT campaign_id FROM campaign WHERE account_id = $1 AND campaign_id = $2 FOR UPDATE";

const FORGET: &str = "UPDATE message SET docid = $3
  WHERE account_id = $1 AND message_id = $2 AND docid = $4 AND phone_mac IS NULL AND NOT EXISTS (
        SELECT 1 FROM recipient r WHERE r.account_id = $1 AND r.docid = $4 AND r.phone IS NOT NULL)";

pub(super) struct ErasedDocids;

#[derive(FromQueryResult)]
struct Row {
    account_id: Uuid,
    message_id: Uuid,
    campaign_id: Uuid,
    docid: String,
    has_no_phone: bool,
}

#[async_trait]
impl Backfill for ErasedDocids {
    async fn rows(&self, db: &DatabaseExecutor<'_>) -> Result<u64, DbErr> {
        let backend = db.get_database_backend();
        let about = match backend {
            DbBackend::Sqlite => ABOUT_SQLITE,
            _ => ABOUT_POSTGRES,
        };
        let about = db.query_one_raw(Statement::from_string(backend, about));
        let about: Option<i64> = about
            .await?
            .map(|row| row.try_get_by_index(0))
            .transpose()?;
        Ok(about.and_then(|rows| u64::try_from(rows).ok()).unwrap_or(0))
    }

    async fn batch(
        &self,
        tx: &DatabaseTransaction,
        after: Option<String>,
    ) -> Result<Option<Batch>, DbErr> {
        let (account_id, message_id) = after.as_deref().and_then(read).unwrap_or_default();
        let slice = [account_id.into(), message_id.into(), ROWS.into()];
        let slice = tx.query_all_raw(statement(tx, SLICE, slice)).await?;
        let messages = slice.iter().map(|row| Row::from_query_result(row, ""));
        let messages: Vec<Row> = messages.collect::<Result<_, _>>()?;
        let Some(last) = messages.last() else {
            return Ok(None);
        };
        let position = format!("{}/{}", last.account_id.simple(), last.message_id.simple());
        let rows = messages.len() as u64;
        let has_docid =
            |message: &&Row| message.has_no_phone && !message.docid.starts_with(char::is_control);
        let erased: Vec<&Row> = messages.iter().filter(has_docid).collect();
        if !erased.is_empty() {
            if tx.get_database_backend() == DbBackend::Postgres {
                let campaigns: BTreeSet<_> = erased
                    .iter()
                    .map(|message| (message.account_id, message.campaign_id))
                    .collect();
                for (account_id, campaign_id) in campaigns {
                    let lock = statement(tx, LOCK, [account_id.into(), campaign_id.into()]);
                    tx.query_one_raw(lock).await?;
                }
            }
            let key = key(tx).await?;
            for message in erased {
                let hash = hash(&key, message.account_id, &message.docid);
                let docid = message.docid.as_str();
                let ids = [message.account_id.into(), message.message_id.into()];
                let [account_id, message_id] = ids;
                let given = [account_id, message_id, hash.into(), docid.into()];
                tx.execute_raw(statement(tx, FORGET, given)).await?;
            }
        }
        Ok(Some(Batch { position, rows }))
    }
}

fn statement<const N: usize>(tx: &DatabaseTransaction, sql: &str, given: [Value; N]) -> Statement {
    Statement::from_sql_and_values(tx.get_database_backend(), sql, given)
}

/// The ids of a position.
fn read(position: &str) -> Option<(Uuid, Uuid)> {
    let (account_id, message_id) = position.split_once('/')?;
    Some((account_id.parse().ok()?, message_id.parse().ok()?))
}

async fn key(tx: &DatabaseTransaction) -> Result<Hmac<Sha256>, DbErr> {
    let key = tx.query_one_raw(statement(tx, "SELECT key FROM docid_key WHERE id = 1", []));
    let key: Option<Vec<u8>> = key.await?.map(|row| row.try_get("", "key")).transpose()?;
    let key = key.and_then(|key| Hmac::new_from_slice(&key).ok());
    key.ok_or_else(|| DbErr::Migration("there is no key for docids".to_owned()))
}

fn hash(key: &Hmac<Sha256>, account_id: Uuid, docid: &str) -> String {
    let mut mac = key.clone();
    mac.update(b"docid\0");
    mac.update(account_id.as_bytes());
    mac.update(docid.as_bytes());
    format!(
        "\u{1}{}",
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    )
}
