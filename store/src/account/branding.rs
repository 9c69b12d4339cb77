//! What makes the pages behind an account's links its own.

use domain::branding::{Branding, Color, Logo};
use entity::branding;
use sea_orm::sea_query::LockType;
use sea_orm::{DbErr, EntityTrait, FromQueryResult, QueryResult, QuerySelect};
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Error, Store};

/// What a page shows of a branding; its logo is fetched by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageBranding {
    pub name: Option<String>,
    pub color: Option<Color>,
    pub language: Option<String>,
    pub has_logo: bool,
}

impl FromQueryResult for PageBranding {
    fn from_query_result(row: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let color: Option<String> = row.try_get(prefix, "color")?;
        let color = color.as_deref().map(Color::parse).transpose();
        Ok(Self {
            name: row.try_get(prefix, "name")?,
            color: color.map_err(|error| DbErr::Type(error.to_string()))?,
            language: row.try_get(prefix, "language")?,
            has_logo: row.try_get(prefix, "has_logo")?,
        })
    }
}

fn read(row: Option<branding::Model>) -> Result<Branding, Error> {
    let Some(row) = row else {
        return Ok(Branding::default());
    };
    let color = row.color.as_deref().map(Color::parse).transpose();
    Ok(Branding {
        name: row.name,
        logo: row.logo.map(Logo::of_stored),
        color: color.map_err(Error::broken)?,
        language: row.language,
    })
}

fn write(account_id: Uuid, given: &Branding) -> branding::Model {
    branding::Model {
        account_id,
        name: given.name.clone(),
        logo: given.logo.as_ref().map(|logo| logo.as_str().to_owned()),
        color: given.color.as_ref().map(ToString::to_string),
        language: given.language.clone(),
    }
}

impl Store {
    /// An account's own; nothing until it was set.
    pub async fn branding(&self, account_id: Uuid) -> Result<Branding, Error> {
        let row = branding::Entity::find_by_id(account_id).one(self);
        read(row.await?)
    }

    /// What a page shows of it.
    pub async fn look(&self, account_id: Uuid) -> Result<PageBranding, Error> {
        let look = statement!(
            "SELECT name, color, language, logo IS NOT NULL AS has_logo FROM branding WHERE account_id = $1"
        );
        let look = self.fetch_one(look, values![account_id]).await?;
        Ok(look.unwrap_or_default())
    }

    /// Sets all of it, and gives what was set before.
    pub async fn set_branding(
        &self,
        account_id: Uuid,
        given: &Branding,
    ) -> Result<Branding, Error> {
        let given = given.clone();
        let change = self.change_branding(account_id, |branding| *branding = given);
        let (before, _) = change.await?;
        Ok(before)
    }

    /// Changes it, and gives it before and after. Other changes wait for this one.
    pub async fn change_branding(
        &self,
        account_id: Uuid,
        change: impl FnOnce(&mut Branding),
    ) -> Result<(Branding, Branding), Error> {
        let tx = self.begin().await?;
        // Without a row there would be nothing to lock.
        let none = write(account_id, &Branding::default());
        tx.insert_new(none).await?;
        let row = branding::Entity::find_by_id(account_id).lock(LockType::Update);
        let before = read(row.one(&tx).await?)?;
        let mut after = before.clone();
        change(&mut after);
        tx.upsert(write(account_id, &after)).await?;
        tx.commit_surely().await?;
        Ok((before, after))
    }
}
