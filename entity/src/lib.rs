//! What is stored: a file a table, its rows as structs. No logic: queries live in `store`, the schema's history in `migration`.

use sea_orm::{ColumnTrait, ColumnType, EntityTrait, IdenStatic, Iterable, PrimaryKeyToColumn};

/// A table as its entity has it.
#[derive(Debug)]
pub struct Table {
    pub name: String,
    pub columns: Vec<TableColumn>,
    /// The columns of its primary key, in their order.
    pub key: Vec<String>,
}

/// A column of a [`Table`].
#[derive(Debug)]
pub struct TableColumn {
    pub name: String,
    pub kind: ColumnType,
    pub is_null: bool,
}

impl Table {
    fn of<E: EntityTrait>(entity: &E) -> Self {
        let columns = E::Column::iter().map(|column| TableColumn {
            name: column.as_str().to_owned(),
            kind: column.def().get_column_type().clone(),
            is_null: column.def().is_null(),
        });
        let key = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column);
        Self {
            name: entity.table_name().to_owned(),
            columns: columns.collect(),
            key: key.map(|column| column.as_str().to_owned()).collect(),
        }
    }
}

/// The entity of a table: its name, the columns of its primary key, and the others.
macro_rules! entity {
    (
        $table:literal;
        key { $($(#[$key_doc:meta])* $key:ident: $key_type:ident $(<$key_of:ty>)?,)+ }
        $($(#[$doc:meta])* $column:ident: $type:ident $(<$of:ty>)?,)*
    ) => {
        use sea_orm::entity::prelude::*;

        #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
        #[sea_orm(table_name = $table)]
        pub struct Model {
            $(
                $(#[$key_doc])*
                #[sea_orm(primary_key, auto_increment = false)]
                pub $key: $key_type $(<$key_of>)?,
            )+
            $($(#[$doc])* pub $column: $type $(<$of>)?,)*
        }

        #[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    };
}

macro_rules! tables {
    ($($table:ident,)+) => {
        $(pub mod $table;)+

        /// All tables but `schema_version` and those of the migrations, which have no entities.
        pub fn tables() -> Vec<Table> {
            vec![$(Table::of(&$table::Entity)),+]
        }
    };
}

tables! {
    account,
    api_key,
    api_secret,
    audit,
    audit_erased,
    audit_recipient,
    audit_seal,
    branding,
    campaign,
    campaign_delta,
    campaign_quota,
    campaign_tally,
    contact,
    docid_key,
    erasure,
    feedback,
    form,
    form_version,
    idempotency,
    import_batch,
    import_choice,
    import_chunk,
    import_counter,
    import_error,
    import_payload,
    import_start,
    inbound,
    lease,
    link,
    link_rollup,
    link_track_field,
    message,
    message_due,
    pending_delta,
    pepper,
    person,
    provider_ref,
    receipt,
    recipient,
    recipient_rollup,
    recipient_version,
    reply,
    retention,
    rollup,
    rollup_month,
    send_setting,
    send_usage,
    sender_state,
    sender_usage,
    session,
    share,
    stray_receipt,
    upload,
    visit,
    visit_view,
    worker_heartbeat,
}
