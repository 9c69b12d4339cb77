//! What makes the pages behind an account's links its own.

use domain::branding::{Branding, Color, Logo};
use entity::branding;
use sea_orm::{DbErr, EntityTrait, FromQueryResult, QueryResult};
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

impl Store {
    /// An account's own; nothing until it was set.
    pub async fn branding(&self, account_id: Uuid) -> Result<Branding, Error> {
        let row = branding::Entity::find_by_id(account_id).one(self).await?;
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

    /// What a page shows of it.
    pub async fn look(&self, account_id: Uuid) -> Result<PageBranding, Error> {
        let look = statement!(
            "SELECT name, color, language, logo IS NOT NULL AS has_logo FROM branding WHERE account_id = $1"
        );
        let look = self.fetch_one(look, values![account_id]).await?;
        Ok(look.unwrap_or_default())
    }

    /// Sets all of it.
    pub async fn set_branding(&self, account_id: Uuid, given: &Branding) -> Result<(), Error> {
        let row = branding::Model {
            account_id,
            name: given.name.clone(),
            logo: given.logo.as_ref().map(|logo| logo.as_str().to_owned()),
            color: given.color.as_ref().map(ToString::to_string),
            language: given.language.clone(),
        };
        self.upsert(row).await
    }
}
