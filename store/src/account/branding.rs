//! What makes the pages behind an account's links its own.

use domain::branding::{Branding, Color, Logo};
use domain::invalid::Fault;
use entity::branding::{self, Column};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, DerivePartialModel, EntityTrait, IntoActiveModel};
use uuid::Uuid;

use crate::{Error, Store};

/// What a page shows of a branding; its logo is fetched by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageBranding {
    pub name: Option<String>,
    pub color: Option<Color>,
    pub language: Option<String>,
    pub has_logo: bool,
}

/// A branding but for its logo, as it is stored.
#[derive(Debug, DerivePartialModel)]
#[sea_orm(entity = "branding::Entity")]
pub(crate) struct PageBrandingRow {
    name: Option<String>,
    color: Option<String>,
    language: Option<String>,
    #[sea_orm(from_expr = "Column::Logo.is_not_null()")]
    has_logo: bool,
}

impl PageBrandingRow {
    pub(crate) fn read(&self) -> Result<PageBranding, Error> {
        Ok(PageBranding {
            name: self.name.clone(),
            color: parsed(self.color.as_deref(), Color::parse)?,
            language: self.language.clone(),
            has_logo: self.has_logo,
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
        Ok(Branding {
            name: row.name,
            logo: row.logo.map(Logo::of_stored),
            color: parsed(row.color.as_deref(), Color::parse)?,
            language: row.language,
        })
    }

    /// What a page shows of it.
    pub async fn look(&self, account_id: Uuid) -> Result<PageBranding, Error> {
        let row = branding::Entity::find_by_id(account_id);
        let row: Option<PageBrandingRow> = row.into_partial_model().one(self).await?;
        row.as_ref()
            .map_or_else(|| Ok(PageBranding::default()), PageBrandingRow::read)
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
        let mut again = OnConflict::column(Column::AccountId);
        again.update_columns([Column::Name, Column::Logo, Column::Color, Column::Language]);
        branding::Entity::insert(row.into_active_model())
            .on_conflict(again)
            .exec_without_returning(self)
            .await?;
        Ok(())
    }
}

/// What is stored, if anything is.
fn parsed<T>(text: Option<&str>, parse: fn(&str) -> Result<T, Fault>) -> Result<Option<T>, Error> {
    let parsed = text.map(parse).transpose();
    parsed.map_err(Error::broken)
}
