//! People who sign in to the dashboard.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::person::{PersonName, Role};
use entity::{account, person};
use sea_orm::sea_query::LockType;
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QueryResult,
    QuerySelect,
};
use uuid::Uuid;

use super::ending::{is_ending, keep};
use super::random_text;
use crate::retention::Seals;
use crate::tx::{Parsed, Sql, statement, values};
use crate::{Error, Store, Tx};

/// Somebody who may sign in.
#[derive(Clone, Debug)]
pub struct Person {
    pub account_id: Uuid,
    /// By which operators and senders know the account.
    pub account_name: String,
    /// What pages call the account: the name of its branding, or else its own.
    pub company: String,
    pub time_zone: Tz,
    pub name: String,
    pub role: Role,
    /// A PHC string, or a text that no password fits; empty: an older program added them, and they have not chosen one yet.
    pub password_hash: String,
    /// Somebody else set the password, so they choose another before anything else.
    pub must_change_password: bool,
    /// Stands for the secret of their second factor; `None`: they have none.
    pub second_factor: Option<String>,
    /// Whoever of the account has no second factor sets one up before anything else.
    pub demands_second_factor: bool,
    /// Of whom an OpenID Connect provider signs in, issuer and subject with a blank between; `None`: they have a password.
    pub identity: Option<String>,
    /// Of the account.
    pub seals: Seals,
}

impl Person {
    /// What is no password of theirs: their name, and those of the account.
    pub fn names(&self) -> [&str; 3] {
        [&self.name, &self.company, &self.account_name]
    }

    /// How the audit log has that they are given a role: their name, the role of before and the new one, with blanks between.
    pub fn with_role(&self, role: Role) -> String {
        format!("{} {} {role}", self.name, self.role)
    }
}

/// A person as an admin lists them.
#[derive(Clone, Debug, serde::Serialize, FromQueryResult)]
pub struct PersonSummary {
    pub account: String,
    pub name: String,
    pub role: String,
    pub created_at: DateTime<Utc>,
    pub has_second_factor: bool,
    /// An OpenID Connect provider signs them in, and says what they may do.
    pub has_provider: bool,
}

/// What making or changing a person came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonChange {
    Done,
    /// No such person, or no such account.
    NotFound,
    /// The name is taken, perhaps in another account.
    Taken,
    /// An account with people keeps an admin.
    LastAdmin,
    /// They have no password: an OpenID Connect provider signs them in.
    NoPassword,
}

/// Reads a [`Person`]; more columns are named first, more tables and conditions follow.
macro_rules! people {
    ($($more:literal)?) => {
        concat!(
            "SELECT p.account_id, a.name AS account_name, coalesce(b.name, a.name) AS company, a.time_zone, p.name, p.role, p.password_hash, p.must_change_password, p.second_factor, a.demands_second_factor, p.identity,
                    r.answers_sealed AS answers, r.visits_sealed AS visits, r.messages_sealed AS messages", $($more,)?
            " FROM person p JOIN account a ON a.account_id = p.account_id LEFT JOIN branding b ON b.account_id = p.account_id
               LEFT JOIN retention r ON r.account_id = p.account_id"
        )
    };
}
pub(super) use people;

impl FromQueryResult for Person {
    fn from_query_result(row: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let Parsed(time_zone) = row.try_get(prefix, "time_zone")?;
        let Parsed(role) = row.try_get(prefix, "role")?;
        Ok(Self {
            account_id: row.try_get(prefix, "account_id")?,
            account_name: row.try_get(prefix, "account_name")?,
            company: row.try_get(prefix, "company")?,
            time_zone,
            name: row.try_get(prefix, "name")?,
            role,
            password_hash: row.try_get(prefix, "password_hash")?,
            must_change_password: row.try_get(prefix, "must_change_password")?,
            second_factor: row.try_get(prefix, "second_factor")?,
            demands_second_factor: row.try_get(prefix, "demands_second_factor")?,
            identity: row.try_get(prefix, "identity")?,
            seals: Seals::from_query_result(row, prefix)?,
        })
    }
}

impl Store {
    /// Adds a person to an account, which must exist. The hash of who chooses a password with a link is a [random text](random_text); a
    /// password that they must change is that of whoever adds them.
    pub async fn add_person(
        &self,
        account_name: &str,
        name: &PersonName,
        role: Role,
        (password_hash, must_change_password): (&str, bool),
    ) -> Result<PersonChange, Error> {
        let Some(account_id) = self.account_id(account_name).await? else {
            return Ok(PersonChange::NotFound);
        };
        let person = person::Model {
            password_hash: password_hash.to_owned(),
            must_change_password,
            ..new_person(account_id, name, role)
        };
        self.insert_person(person).await
    }

    /// Adds a person whom an OpenID Connect provider signs in. What they have for a password hash is random, so that no password fits
    /// it and nobody else can sign with it.
    pub async fn add_identity(
        &self,
        account_id: Uuid,
        name: &PersonName,
        role: Role,
        identity: &str,
    ) -> Result<PersonChange, Error> {
        let person = person::Model {
            identity: Some(identity.to_owned()),
            ..new_person(account_id, name, role)
        };
        self.insert_person(person).await
    }

    async fn insert_person(&self, person: person::Model) -> Result<PersonChange, Error> {
        let tx = self.begin().await?;
        if keep(&tx, person.account_id).await?.is_none() {
            return Ok(PersonChange::NotFound);
        }
        let added = tx.insert_new(person).await?;
        tx.commit_surely().await?;
        Ok(if added {
            PersonChange::Done
        } else {
            PersonChange::Taken
        })
    }

    /// The account of a name, unless its end has begun.
    pub async fn account_id(&self, name: &str) -> Result<Option<Uuid>, Error> {
        Ok(match account_of(self, name).await? {
            Some(account) if !is_ending(self, &account).await? => Some(account.account_id),
            _ => None,
        })
    }

    /// The person whom the OpenID Connect provider calls so.
    pub async fn person_of_identity(&self, identity: &str) -> Result<Option<Person>, Error> {
        let person = statement!(people!(), " WHERE p.identity = $1");
        self.fetch_one(person, values![identity]).await
    }

    /// The person of a name.
    pub async fn person(&self, name: &PersonName) -> Result<Option<Person>, Error> {
        let person = statement!(people!(), " WHERE p.name = $1");
        self.fetch_one(person, values![name.as_str()]).await
    }

    /// The people of an account, or of all, by account and name.
    pub async fn people(&self, account_id: Option<Uuid>) -> Result<Vec<PersonSummary>, Error> {
        let people = statement!(
            "SELECT a.name AS account, p.name, p.role, p.created_at, p.second_factor IS NOT NULL AS has_second_factor,
                    p.identity IS NOT NULL AS has_provider
               FROM person p JOIN account a ON a.account_id = p.account_id
              WHERE p.account_id = coalesce($1, p.account_id) ORDER BY a.name, p.name"
        );
        self.fetch_all(people, values![account_id]).await
    }

    /// Sets a password, which they must change if somebody else chose it, and ends the person's sessions. Nobody is found whose password
    /// is another one by now: somebody else has changed it, and it is to stand.
    pub async fn set_password(
        &self,
        person: &Person,
        password_hash: &str,
        must_change_password: bool,
    ) -> Result<PersonChange, Error> {
        if person.identity.is_some() {
            return Ok(PersonChange::NoPassword);
        }
        let password_hash = password_hash.to_owned();
        let set = |row| {
            Some(person::Model {
                password_hash,
                must_change_password,
                ..row
            })
        };
        let known = Some(&*person.password_hash);
        self.change_person(person, known, set).await
    }

    /// Sets a role and ends the person's sessions.
    pub async fn set_role(&self, person: &Person, role: Role) -> Result<PersonChange, Error> {
        let role = role.as_str().to_owned();
        let set = |row| Some(person::Model { role, ..row });
        self.change_person(person, None, set).await
    }

    /// Takes the second factor of a person, if they have one, and ends their sessions.
    pub async fn remove_second_factor(&self, person: &Person) -> Result<PersonChange, Error> {
        let remove = |row| {
            Some(person::Model {
                second_factor: None,
                recovery_codes: String::new(),
                ..row
            })
        };
        self.change_person(person, None, remove).await
    }

    /// Removes a person, whose sessions end.
    pub async fn remove_person(&self, person: &Person) -> Result<PersonChange, Error> {
        self.change_person(person, None, |_| None).await
    }

    /// Ends the person's sessions, and changes their row or, to `None`, removes it, unless no admin would be left. With a `password_hash`
    /// only of whom has it.
    async fn change_person(
        &self,
        person: &Person,
        password_hash: Option<&str>,
        change: impl FnOnce(person::Model) -> Option<person::Model>,
    ) -> Result<PersonChange, Error> {
        let tx = self.begin().await?;
        // One change of an account's people at a time: otherwise two could each take the other's admin for the one that stays.
        let all = person::Entity::find()
            .filter(person::Column::AccountId.eq(person.account_id))
            .order_by_asc(person::Column::Name)
            .lock(LockType::Update);
        let all = all.all(&tx).await?;
        let row = all.into_iter().find(|row| {
            let has = password_hash.is_none_or(|hash| row.password_hash == hash);
            row.name == person.name && has
        });
        let Some(row) = row else {
            tx.rollback().await?;
            return Ok(PersonChange::NotFound);
        };
        let had_admin = has_admin(&tx, person.account_id).await?;
        let sessions = statement!("DELETE FROM session WHERE account_id = $1 AND name = $2");
        let of_person = values![person.account_id, person.name.as_str()];
        tx.execute(sessions, of_person).await?;
        if let Some(changed) = change(row) {
            tx.update(changed).await?;
        } else {
            let delete = person::Entity::delete_by_id((person.account_id, person.name.clone()));
            delete.exec(&tx).await?;
        }
        if had_admin && !has_admin(&tx, person.account_id).await? {
            tx.rollback().await?;
            return Ok(PersonChange::LastAdmin);
        }
        tx.commit_surely().await?;
        Ok(PersonChange::Done)
    }
}

fn new_person(account_id: Uuid, name: &PersonName, role: Role) -> person::Model {
    person::Model {
        account_id,
        name: name.as_str().to_owned(),
        role: role.as_str().to_owned(),
        password_hash: random_text(),
        created_at: Utc::now(),
        must_change_password: false,
        second_factor: None,
        second_factor_step: 0,
        recovery_codes: String::new(),
        identity: None,
    }
}

/// The account of a name, also one whose end has begun.
pub(super) async fn account_of(db: &impl Sql, name: &str) -> Result<Option<account::Model>, Error> {
    let account = account::Entity::find().filter(account::Column::Name.eq(name));
    Ok(account.one(db).await?)
}

async fn has_admin(tx: &Tx, account_id: Uuid) -> Result<bool, Error> {
    let admin = person::Entity::find()
        .filter(person::Column::AccountId.eq(account_id))
        .filter(person::Column::Role.eq(Role::Admin.as_str()));
    Ok(admin.one(tx).await?.is_some())
}
