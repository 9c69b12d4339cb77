//! What the document says of the figures that `domain` computes.

use std::ops::RangeInclusive;

use api_http::members;
use api_http::schema::{
    closed, count, field_type, flag, id, list_of, named, or_null, text, time, with,
};
use domain::retention::{KEPT_AUDIT_DAYS, KEPT_DAYS};
use serde_json::{Value, json};

api_http::schemas! {
    /// Something that was changed, exported or seen.
    AuditItem = members! {
        audit_id: id(),
        at: time(),
        /// Of a person or, such as `fk_…`, of a key; empty: it came through the command line.
        name: text(),
        /// The network that it was asked from; empty: it came through the command line.
        address: text(),
        /// Such as `form.publish`.
        action: text(),
        /// What it was done to. A recipient is U+0001 and a keyed hash of account and docid.
        subject: text(),
        /// The HTTP status that it came to; null: not known.
        status: or_null(count()),
        /// Of a form, a campaign, branding, retention or settings for messages: what is different. At most about 48 KiB; a value of more
        /// than 8 KiB is cut and ends with `…`.
        changes: list_of(named("ChangedMember")),
        /// How many members more were changed.
        changes_dropped: count(),
    };
    /// A member of what was changed, as it was and as it is.
    ChangedMember = members! {
        /// A JSON pointer, in which an entry of a list of objects is named by its `key` or `value`: `/reminder/text`,
        /// `/fields/recommend/label`. The list itself has these names, in their order. Of an audience's `fields` there are the names
        /// alone, of a logo its kind, size and SHA-256, of a list of more than 1 KiB the entries that the other one has not.
        member: text(),
        /// Null: nothing. Of a campaign that is started all is null: `after` is with what it was started.
        before: json!({}),
        after: json!({}),
    };
    /// Who had access on a day, at any moment of it.
    AccessOnDay = members! {
        day: day(),
        time_zone: text(),
        /// Of the first row of the audit log.
        log_from: or_null(time()),
        /// Whether the log goes back to the beginning of the day. If not, whoever was gone or had another role before is not known.
        is_complete: flag(),
        /// By name, with one role each: whoever was given another is there twice.
        people: list_of(named("PersonAccess")),
        keys: list_of(named("KeyAccess")),
        shares: list_of(named("ShareAccess")),
        /// False: of very many pages that are shared these are the first ones.
        shares_are_all: flag(),
    };
    PersonAccess = members! {
        name: text(),
        /// Null: not known.
        role: or_null(text()),
        since: since(),
        given_by: given_by(),
        until: until(),
        ended_by: ended_by(),
    };
    KeyAccess = members! {
        api_key: text(),
        name: or_null(text()),
        /// With commas between.
        scopes: text(),
        /// From where it could be used, with commas between; null: from anywhere.
        networks: or_null(text()),
        since: since(),
        given_by: given_by(),
        until: until(),
        ended_by: ended_by(),
    };
    /// A page of a report that whoever had its link could read.
    ShareAccess = members! {
        path: text(),
        since: since(),
        given_by: given_by(),
        until: until(),
        ended_by: ended_by(),
    };
    /// For how many days what is kept; what is left out or null: for ever.
    Retention = closed(members! {
        ;
        /// Answers with all that was written.
        answers_days: days(KEPT_DAYS),
        /// Who saw which page when.
        visits_days: days(KEPT_DAYS),
        /// Messages of campaigns that are over, since they ended, with what leads from their links to a person.
        messages_days: days(KEPT_DAYS),
        /// The audit log.
        audit_days: days(KEPT_AUDIT_DAYS),
    });
    StoredRetention = members! {
        answers_days: or_null(count()),
        visits_days: or_null(count()),
        messages_days: or_null(count()),
        audit_days: or_null(count()),
        sealed: named("SealedDays"),
        /// Until then nothing more is deleted, and it can be taken back; null: it holds.
        holds_from: or_null(time()),
    };
    /// The last days that are sealed, in the account's time zone; null: none is. Of these reports have what was counted, and lists,
    /// exports and comments have nothing.
    SealedDays = members! {
        answers: or_null(day()),
        visits: or_null(day()),
        messages: or_null(day()),
    };
    /// How much a retention would delete once it holds.
    WouldGo = members! {
        answers: count(),
        visits: count(),
        messages: count(),
        /// Rows of the audit log.
        audit: count(),
    };
    /// Sums over the range. A rate without answers is null.
    Metrics = members! {
        views: count(),
        responses: count(),
        /// Responses ÷ views.
        response_rate: or_null(real()),
        comments: count(),
        /// The share of 4 and 5 among the answers to `happiness`.
        happiness_rate: or_null(real()),
        happiness: named("Happiness"),
        /// 100 × (promoters − detractors) ÷ answers.
        nps: or_null(real()),
        nps_detail: named("NpsDetail"),
        /// Messages of campaigns that the provider accepted in the range; null, as are the next three, where there is none.
        sent: or_null(count()),
        /// Of these the delivered ones, whenever that was.
        delivered: or_null(count()),
        /// Of these the answered ones, whenever that was. An answer to a reminder is one to the first message, whose link it
        /// has.
        answered: or_null(count()),
        /// Messages delivered and answered ÷ messages delivered.
        response_rate_delivered: or_null(real()),
    };
    /// What the happiness rate is made of, with its 95 % interval (Wilson).
    Happiness = members! {
        happy: count(),
        answers: count(),
        low: or_null(real()),
        high: or_null(real()),
    };
    /// What the NPS is made of, with its 95 % interval (adjusted Wald).
    NpsDetail = members! {
        promoters: count(),
        passives: count(),
        detractors: count(),
        answers: count(),
        low: or_null(real()),
        high: or_null(real()),
    };
    /// How metrics differ from earlier ones; null where either of two is.
    Change = members! {
        views: count(),
        responses: count(),
        response_rate: or_null(real()),
        comments: count(),
        happiness_rate: or_null(real()),
        happiness: named("HappinessChange"),
        /// In points.
        nps: or_null(real()),
        nps_detail: named("NpsChange"),
        sent: or_null(count()),
        delivered: or_null(count()),
        answered: or_null(count()),
        response_rate_delivered: or_null(real()),
    };
    HappinessChange = members! { happy: count(), answers: count(), };
    NpsChange = members! { promoters: count(), passives: count(), detractors: count(), answers: count(), };
    /// What happened on a day.
    DayCounts = members! {
        /// Visits seen or answered.
        views: count(),
        /// Stored answers of a visit.
        responses: count(),
        /// Feedbacks with a comment.
        comments: count(),
        /// Answers 4 and 5 to `happiness`.
        happy: count(),
        happiness_answers: count(),
        /// Answers 9 and 10 to `nps`.
        promoters: count(),
        /// Answers 7 and 8 to `nps`.
        passives: count(),
        /// Answers 0 to 6 to `nps`.
        detractors: count(),
        nps_answers: count(),
        /// Messages of campaigns that the provider accepted on the day.
        sent: count(),
        /// Of these the delivered ones, whenever that was.
        delivered: count(),
        /// Of these the answered ones, whenever that was. An answer to a reminder is one to the first message, whose link it
        /// has. Erasing the feedback changes nothing.
        answered: count(),
    };
    /// How one field was answered.
    FieldSummary = members! {
        key: text(),
        type: json!(field_type()),
        label: text(),
        /// Off the page.
        retired: flag(),
        answers: count(),
        /// Responses − answers.
        skipped: count(),
        /// Of grades.
        mean: or_null(real()),
        /// Every grade or option, zeros too; empty for texts.
        distribution: list_of(named("ValueShare")),
    };
    /// How often one grade or option was given.
    ValueShare = members! {
        value: named("GradeOrOption"),
        label: text(),
        count: count(),
        /// Count ÷ the field's answers.
        share: or_null(real()),
    };
    /// A grade, or the value of an option.
    GradeOrOption = json!({"oneOf": [grade(), text()]});
    /// A grade, a text or the value of an option, or the values of options.
    AnswerValue = json!({"oneOf": [grade(), text(), list_of(text())]});
}

fn since() -> Value {
    with(
        or_null(time()),
        "description",
        "Null: before the log begins.",
    )
}

fn given_by() -> Value {
    let about = "As the log names people and keys, empty for the command line; null: not known.";
    with(or_null(text()), "description", about)
}

fn until() -> Value {
    with(or_null(time()), "description", "Null: it goes on.")
}

fn ended_by() -> Value {
    let about = "As `given_by`; null: not known, or it ends by itself.";
    with(or_null(text()), "description", about)
}

fn real() -> Value {
    json!({"type": "number", "format": "double"})
}

fn day() -> Value {
    json!({"type": "string", "format": "date"})
}

/// So many days, or null.
fn days(range: RangeInclusive<u16>) -> Value {
    let (lowest, highest) = range.into_inner();
    or_null(with(with(count(), "minimum", lowest), "maximum", highest))
}

fn grade() -> Value {
    json!({"type": "integer", "format": "int32", "minimum": 0})
}

#[cfg(test)]
mod tests {
    use api_http::schema::assert_describes;
    use chrono::{DateTime, NaiveDate};
    use domain::changes::Changes;
    use domain::form::{FormContent, FormInput};
    use domain::metrics;
    use domain::rollup::{self, FieldCounts};
    use store::account::AuditRow;
    use store::retention::{self as stored, Seals};
    use uuid::Uuid;

    use super::*;
    use crate::operations;

    #[test]
    fn a_row_of_the_log_has_the_members_that_the_document_says() {
        assert_describes::<AuditItem>(&AuditRow {
            audit_id: Uuid::nil(),
            at: DateTime::UNIX_EPOCH,
            name: String::new(),
            address: String::new(),
            action: "form.publish".to_owned(),
            subject: String::new(),
            docid: None,
            status: None,
            changes: Changes::default(),
        });
        assert_describes::<ChangedMember>(&domain::changes::ChangedMember {
            member: "/text".to_owned(),
            before: Value::Null,
            after: "Hello".into(),
        });
    }

    #[test]
    fn access_has_the_members_that_the_document_says() {
        let span = operations::Span::default();
        assert_describes::<PersonAccess>(&operations::PersonAccess::default());
        assert_describes::<KeyAccess>(&operations::KeyAccess {
            api_key: String::new(),
            name: None,
            scopes: String::new(),
            networks: None,
            span: span.clone(),
        });
        assert_describes::<ShareAccess>(&operations::ShareAccess {
            path: String::new(),
            span,
        });
        assert_describes::<AccessOnDay>(&operations::AccessOnDay {
            day: NaiveDate::MIN,
            time_zone: String::new(),
            log_from: None,
            is_complete: false,
            people: Vec::new(),
            keys: Vec::new(),
            shares: Vec::new(),
            shares_are_all: true,
        });
    }

    #[test]
    fn a_retention_has_the_members_that_the_document_says() {
        assert_describes::<Retention>(&domain::retention::Retention::default());
        assert_describes::<StoredRetention>(&stored::StoredRetention::default());
        assert_describes::<SealedDays>(&Seals::default());
        assert_describes::<WouldGo>(&stored::WouldGo::default());
    }

    #[test]
    fn figures_have_the_members_that_the_document_says() {
        let none = rollup::DayCounts::default();
        assert_describes::<DayCounts>(&none);
        let figures = metrics::Metrics::from(&none);
        assert_describes::<Metrics>(&figures);
        assert_describes::<Happiness>(&figures.happiness);
        assert_describes::<NpsDetail>(&figures.nps_detail);
        let change = metrics::MetricsChange::new(none, none);
        assert_describes::<Change>(&change);
        assert_describes::<HappinessChange>(&change.happiness);
        assert_describes::<NpsChange>(&change.nps_detail);
        let form = json!({"title": "A", "fields": [{"key": "a", "type": "nps", "label": "A"}]});
        let form = FormContent::new(FormInput::parse(&form).unwrap()).unwrap();
        let fields = metrics::FieldSummary::of_form(&form, &FieldCounts::default(), 0);
        assert_describes::<FieldSummary>(&fields[0]);
        assert_describes::<ValueShare>(&fields[0].distribution[0]);
    }
}
