//! What files that are downloaded are called.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_DISPOSITION;
use axum::response::Response;
use chrono::Utc;
use domain::date_range::{DateRange, day_of};

use crate::signed_in::SignedIn;

/// Characters of a title that are in the name of a file.
const TITLE: usize = 60;

/// The same answer as a file that is called after what it has: the kind of list as the reader calls it, the title of what that is of,
/// and the days, in plain ASCII, such as `answers-after-the-visit-2026-11-01-2026-11-27.xlsx`.
pub fn named(
    mut answer: Response,
    (kind, ending): (&str, &str),
    title: &str,
    dates: DateRange,
) -> Response {
    let name = file_name(kind, title, dates);
    let name = format!("attachment; filename=\"{name}.{ending}\"");
    if let Ok(name) = HeaderValue::try_from(name) {
        answer.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    answer
}

/// The day that it is for whoever is signed in.
pub fn today(person: &SignedIn) -> DateRange {
    DateRange::day(day_of(Utc::now(), person.time_zone))
}

fn file_name(kind: &str, title: &str, dates: DateRange) -> String {
    let mut name = plain(kind);
    let title = plain(title);
    if !title.is_empty() {
        name = format!("{name}-{title}");
    }
    name = format!("{name}-{}", dates.start());
    if dates.num_days() > 1 {
        name = format!("{name}-{}", dates.end());
    }
    name
}

/// A title in small letters of ASCII and digits, and `-` for all else.
fn plain(title: &str) -> String {
    let mut plain = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        let letters = match letter {
            'ä' | 'æ' => "ae",
            'ö' | 'œ' => "oe",
            'ü' => "ue",
            'ß' => "ss",
            'à' | 'á' | 'â' | 'ã' | 'å' => "a",
            'ç' => "c",
            'è' | 'é' | 'ê' | 'ë' => "e",
            'ì' | 'í' | 'î' | 'ï' => "i",
            'ñ' => "n",
            'ò' | 'ó' | 'ô' | 'õ' | 'ø' => "o",
            'ù' | 'ú' | 'û' => "u",
            'ý' | 'ÿ' => "y",
            // Words such as "aujourd'hui" stay one.
            '\'' | '’' => "",
            _ if letter.is_ascii_alphanumeric() => {
                plain.push(letter);
                continue;
            }
            _ if plain.is_empty() || plain.ends_with('-') => "",
            _ => "-",
        };
        plain.push_str(letters);
    }
    plain.truncate(TITLE);
    plain.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_after_what_it_has() {
        let month = DateRange::parse("2026-11-01", "2026-11-27").unwrap();
        let day = DateRange::day(month.end());
        for (kind, title, dates, expected) in [
            (
                "Answers",
                "After the visit",
                month,
                "answers-after-the-visit-2026-11-01-2026-11-27",
            ),
            (
                "Empfänger",
                "Größe & Qualité?",
                day,
                "empfaenger-groesse-qualite-2026-11-27",
            ),
            ("Réponses", "L’accueil", day, "reponses-laccueil-2026-11-27"),
            ("Answers", "“お店”\r\n\"..", day, "answers-2026-11-27"),
        ] {
            assert_eq!(file_name(kind, title, dates), expected);
        }
        assert_eq!(plain(&"ab ".repeat(100)).len(), TITLE - 1);
    }
}
