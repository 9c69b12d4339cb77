//! Which of the columns of a file that somebody has are the phone and the customer's number, as far as their names and values tell.

use super::Mapping;
use crate::national::international;
use crate::sms::Country;

/// What people call a phone, in small letters and without what stands between words.
const PHONE: [&str; 27] = [
    "phone",
    "phonenumber",
    "mobile",
    "mobilephone",
    "mobilenumber",
    "cell",
    "cellphone",
    "sms",
    "msisdn",
    "handy",
    "handynummer",
    "handynr",
    "mobil",
    "mobilnummer",
    "mobilnr",
    "mobiltelefon",
    "telefon",
    "telefonnummer",
    "telefonnr",
    "tel",
    "telnr",
    "rufnummer",
    "téléphone",
    "telephone",
    "portable",
    "mobiletéléphone",
    "gsm",
];
/// What people call the number of a customer or of an order.
const DOCID: [&str; 27] = [
    "docid",
    "customernumber",
    "customerno",
    "customerid",
    "custid",
    "kundennummer",
    "kundennr",
    "kundenid",
    "kdnr",
    "knr",
    "id",
    "number",
    "nummer",
    "nr",
    "ordernumber",
    "orderid",
    "orderno",
    "auftragsnummer",
    "auftragsnr",
    "bestellnummer",
    "bestellnr",
    "rechnungsnummer",
    "numéroclient",
    "numeroclient",
    "noclient",
    "idclient",
    "codeclient",
];

/// The mapping that a file with these columns most likely has, for its first rows. Where no column has the number of a customer the
/// phone is that too; where none has a phone the mapping names none.
pub fn guess(columns: &[String], rows: &[Vec<String>], country: Option<Country>) -> Mapping {
    let phone = named(columns, &PHONE).or_else(|| of_phones(columns, rows, country));
    let docid = named(columns, &DOCID).filter(|docid| Some(*docid) != phone);
    let name = |column: Option<usize>| column.and_then(|n| columns.get(n).cloned());
    Mapping {
        docid_column: name(docid.or(phone)),
        phone_column: name(phone),
        skip_columns: Vec::new(),
        country,
    }
}

/// The first column with one of these names, in their order.
fn named(columns: &[String], names: &[&str]) -> Option<usize> {
    let plain = |column: &String| -> String {
        let letters = column.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let columns: Vec<_> = columns.iter().map(plain).collect();
    let mut found = names
        .iter()
        .filter_map(|name| columns.iter().position(|column| column == name));
    found.next()
}

/// The column of which most rows hold a phone, if at least half of those with a value do.
fn of_phones(columns: &[String], rows: &[Vec<String>], country: Option<Country>) -> Option<usize> {
    let is_phone = |text: &&String| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let written = country.map(|country| international(text, country).is_ok());
        digits >= 8 && written.unwrap_or_else(|| text.starts_with('+'))
    };
    let count = |column: usize| {
        let values = rows.iter().filter_map(|row| row.get(column));
        let (values, phones) = values
            .filter(|text| !text.is_empty())
            .fold((0, 0), |(values, phones), text| {
                (values + 1, phones + usize::from(is_phone(&text)))
            });
        (phones * 2 >= values.max(1)).then_some(phones)
    };
    let counted = (0..columns.len()).filter_map(|column| Some((count(column)?, column)));
    // The first of those with as many.
    counted
        .max_by_key(|(phones, column)| (*phones, usize::MAX - column))
        .map(|(_, column)| column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(columns: &[&str], rows: &[&[&str]]) -> [Option<String>; 2] {
        let owned = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        let rows: Vec<_> = rows.iter().map(|row| owned(row)).collect();
        let mapping = guess(&owned(columns), &rows, Some(Country::DE));
        [mapping.docid_column, mapping.phone_column]
    }

    #[test]
    fn names_tell_then_values_and_the_phone_may_be_both() {
        let row: &[&str] = &["Meier", "0151 12345678", "4711"];
        for (columns, docid, phone) in [
            (
                ["Name", "Telefon-Nr.", "Kunden-Nr."],
                "Kunden-Nr.",
                "Telefon-Nr.",
            ),
            (
                ["Name", "Mobile phone", "Customer ID"],
                "Customer ID",
                "Mobile phone",
            ),
            (
                ["Nom", "Téléphone", "Numéro client"],
                "Numéro client",
                "Téléphone",
            ),
            (["Name", "Erreichbar", "Haus"], "Erreichbar", "Erreichbar"),
        ] {
            assert_eq!(
                guessed(&columns, &[row]),
                [Some(docid.to_owned()), Some(phone.to_owned())]
            );
        }
        assert_eq!(guessed(&["a", "b"], &[&["x", "1"]]), [None, None]);
        assert_eq!(guessed(&["Id", "b"], &[]), [Some("Id".to_owned()), None]);
    }
}
