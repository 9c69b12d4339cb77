//! A form as it is answered.

use chrono::{DateTime, Utc};
use domain::form::{BusPropEntry, Field};
use serde::Serialize;
use store::form::Form;
use utoipa::ToSchema;
use uuid::Uuid;

/// A form.
#[derive(Serialize, ToSchema)]
#[schema(as = Form)]
pub struct FormBody<'a> {
    form_id: Uuid,
    title: &'a str,
    #[schema(example = "PUBLISHED", pattern = "^(DRAFT|PUBLISHED|DELETED)$")]
    status: &'static str,
    bus_props: Vec<BusPropBody<'a>>,
    fields: &'a [Field],
    created_at: DateTime<Utc>,
    /// Of the last change of any kind.
    updated_at: DateTime<Utc>,
    #[schema(required = true)]
    published_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    deleted_at: Option<DateTime<Utc>>,
}

/// A business property.
#[derive(Serialize, ToSchema)]
#[schema(as = BusProp)]
pub struct BusPropBody<'a> {
    /// Given once in the form and never reused.
    #[schema(value_type = String, example = "1")]
    bus_prop_id: Id,
    #[schema(example = "store:Berlin")]
    bus_prop: &'a str,
    /// Only where it is: off new links, still in old ones and in reports.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    retired: bool,
}

/// A number as text.
struct Id(u32);

impl Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'a> FormBody<'a> {
    pub fn new(form: &'a Form) -> Self {
        Self {
            form_id: form.form_id,
            title: &form.content.title,
            status: form.status.as_str(),
            bus_props: form.content.bus_props.iter().map(bus_prop).collect(),
            fields: &form.content.fields,
            created_at: form.created_at,
            updated_at: form.updated_at,
            published_at: form.published_at,
            deleted_at: form.deleted_at,
        }
    }
}

fn bus_prop(entry: &BusPropEntry) -> BusPropBody<'_> {
    BusPropBody {
        bus_prop_id: Id(entry.id),
        bus_prop: entry.text.as_str(),
        retired: entry.retired,
    }
}
