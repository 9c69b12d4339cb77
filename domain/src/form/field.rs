//! One question of a form.

use serde::{Deserialize, Serialize};
use utoipa::openapi::{
    ArrayBuilder, KnownFormat, ObjectBuilder, Ref, RefOr, Schema, SchemaFormat, Type,
};
use utoipa::{PartialSchema, ToSchema};

use super::choice::ChoiceOption;
use super::key::FieldKey;
use super::kind::{FieldKind, FieldType, KindMember, MemberShape};

/// A question, as it is stored and answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Not `visit`; each key once.
    pub key: FieldKey,
    #[serde(flatten)]
    pub kind: FieldKind,
    pub label: String,
    pub required: bool,
    /// Off the page, still in reports.
    pub retired: bool,
}

impl Field {
    /// The options of the page.
    pub fn page_options(&self) -> impl Iterator<Item = &ChoiceOption> {
        self.kind.options().iter().filter(|option| !option.retired)
    }
}

impl PartialSchema for Field {
    /// One object with the members of all types: a union is more than many generators of clients can do.
    fn schema() -> RefOr<Schema> {
        let of = |kind: Type| ObjectBuilder::new().schema_type(kind);
        let retired = of(Type::Boolean).description(Some("Off the page, still in reports."));
        let common = of(Type::Object)
            .description(Some("A question."))
            .property("key", of(Type::String).examples(["recommend"]))
            .required("key")
            .property("type", FieldType::text().examples(["nps"]))
            .required("type")
            .property("label", of(Type::String))
            .required("label")
            .property("required", of(Type::Boolean))
            .required("required")
            .property("retired", retired)
            .required("retired");
        FieldType::all()
            .flat_map(FieldType::members)
            .fold(common, |field, member| {
                field.property(member.name, member_schema(member))
            })
            .into()
    }
}

/// A member that fields of some types have.
fn member_schema(member: &KindMember) -> Schema {
    let about = Some(member.about);
    match member.shape {
        MemberShape::Number(_) => ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
            .description(about)
            .minimum(Some(0))
            .into(),
        MemberShape::Options => ArrayBuilder::new()
            .items(Ref::from_schema_name(ChoiceOption::name()))
            .description(about)
            .into(),
    }
}

impl ToSchema for Field {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ChoiceOption::name().into(), ChoiceOption::schema()));
    }
}
