//! Numbers that lead to exactly what they count.

use chrono::NaiveDate;
use domain::answer::Counted;
use domain::date_range::DateRange;
use domain::rollup::Delta;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::page::Frame;
use crate::range::Range;

/// The form of a list that has the answers to all forms.
pub const ALL_FORMS: &str = "all";
/// The page of the store that the list of an answer's page is narrowed to.
pub const STORE: &str = "store";

/// A number of answers or messages, and the list that has these; none on a shared page.
pub struct Figure {
    pub value: i64,
    pub href: String,
}

/// Makes figures of the answers to a form, or to all, on some days.
#[derive(Clone, Copy)]
pub struct AnswerFigures<'a> {
    f: &'a Frame,
    form: &'a str,
    /// `<name>:<value>`; empty: all.
    bus_prop: &'a str,
    pub range: &'a Range,
}

impl<'a> AnswerFigures<'a> {
    pub fn new(f: &'a Frame, range: &'a Range, form: &'a str, bus_prop: &'a str) -> Self {
        Self {
            f,
            form,
            bus_prop,
            range,
        }
    }

    /// The same of a business property.
    pub fn of<'b>(self, bus_prop: &'b str) -> AnswerFigures<'b>
    where
        'a: 'b,
    {
        AnswerFigures { bus_prop, ..self }
    }

    /// What these counts of all the days have.
    pub fn figure(self, counted: &Counted, counts: &Delta) -> Figure {
        self.make(counted, counts, self.range.query())
    }

    /// What these counts of other days have.
    pub fn figure_of(self, counted: &Counted, counts: &Delta, dates: DateRange) -> Figure {
        self.make(counted, counts, self.range.query_of(dates))
    }

    /// Answers of detractors, from a day of the range on, whose comment and short texts have each word of a term.
    pub fn of_term(self, term: &str, answers: i64, since: NaiveDate) -> Figure {
        let end = DateRange::day(self.range.dates.end());
        let figure = self.figure_of(
            &Counted::Responses,
            &Delta::default(),
            end.spanning(DateRange::day(since)),
        );
        let href = if figure.href.is_empty() {
            figure.href
        } else {
            let mut query = Serializer::new(figure.href);
            query
                .append_pair("nps", "0-6")
                .append_pair("q", term)
                .finish()
        };
        Figure {
            value: answers,
            href,
        }
    }

    /// The page that compares the values of a business property; empty on a shared page.
    pub fn stores(self, property: &str) -> String {
        if self.f.is_shared() {
            return String::new();
        }
        let mut query = Serializer::new(self.range.query());
        query
            .append_pair("form", self.form)
            .append_pair("property", property);
        format!("/dashboard/stores?{}", query.finish())
    }

    /// The page that compares the stores on these days; empty on a shared page.
    pub fn stores_of(self, dates: DateRange) -> String {
        if self.f.is_shared() {
            return String::new();
        }
        let mut query = Serializer::new(self.range.query_of(dates));
        query.append_pair("form", self.form);
        format!("/dashboard/stores?{}", query.finish())
    }

    /// The comments of detractors on these days; empty on a shared page.
    pub fn detractors(self, dates: DateRange) -> String {
        let range = if dates == self.range.dates {
            self.range.query()
        } else {
            self.range.query_of(dates)
        };
        let list = self.make(&Counted::Comments, &Delta::default(), range).href;
        if list.is_empty() {
            return list;
        }
        Serializer::new(list).append_pair("nps", "0-6").finish()
    }

    /// The page of one answer of these days, which leads back to a store's page; empty on a shared page.
    pub fn one(self, feedback_id: Uuid) -> String {
        if self.f.is_shared() {
            return String::new();
        }
        let mut query = Serializer::new(self.range.query());
        query
            .append_pair("form", self.form)
            .append_pair("one", &feedback_id.to_string());
        if !self.bus_prop.is_empty() {
            query
                .append_pair("bus_prop", self.bus_prop)
                .append_pair("from_page", STORE);
        }
        format!("/dashboard/answers?{}", query.finish())
    }

    fn make(self, counted: &Counted, counts: &Delta, range: String) -> Figure {
        let value = counted.count(counts);
        if self.f.is_shared() {
            return Figure {
                value,
                href: String::new(),
            };
        }
        let mut query = Serializer::new(range);
        query.append_pair("form", self.form);
        if !self.bus_prop.is_empty() {
            query.append_pair("bus_prop", self.bus_prop);
        }
        if *counted != Counted::Comments {
            query.append_pair("show", "all");
        }
        query.extend_pairs(counted.parameter());
        Figure {
            value,
            href: format!("/dashboard/answers?{}", query.finish()),
        }
    }
}
