//! Words that opt out or ask for help in the languages of a phone's country.

use super::country::{Country, countries_of_code, country_of};

/// The words of a language.
pub(super) struct Words {
    /// The countries in which it is spoken by many, as codes between spaces.
    countries: &'static str,
    /// What opts out.
    pub(super) stop: &'static [&'static str],
    /// What asks for help.
    pub(super) help: &'static [&'static str],
}

/// As people of the countries write them; case, width and diacritics do not matter.
const LANGUAGES: &[Words] = &[
    // French.
    Words {
        countries: "FR BE CH LU MC CA GP MQ GF RE YT PM NC PF WF BL MF HT MA DZ TN MR SN ML BF NE TG BJ CI GN GA CG CD CM CF TD MG DJ KM BI RW \
                    SC MU VU LB",
        stop: &[
            "arrêt",
            "arrêter",
            "arrêtez",
            "désabonner",
            "désabonnement",
            "désinscrire",
            "désinscription",
        ],
        help: &["aide"],
    },
    // German.
    Words {
        countries: "DE AT CH LI LU BE IT",
        stop: &[
            "stopp",
            "abmelden",
            "abmeldung",
            "abbestellen",
            "austragen",
            "ende",
        ],
        help: &["hilfe"],
    },
    // Spanish.
    Words {
        countries: "ES MX AR CO PE VE CL EC GT CU BO DO HN PY SV NI CR PA UY PR GQ US AD",
        stop: &[
            "baja",
            "alto",
            "parar",
            "detener",
            "cancelar",
            "darme de baja",
        ],
        help: &["ayuda"],
    },
    // Catalan and Galician.
    Words {
        countries: "ES AD",
        stop: &["atura", "baixa"],
        help: &["ajuda", "axuda"],
    },
    // Portuguese.
    Words {
        countries: "PT BR AO MZ CV GW ST TL MO LU",
        stop: &["parar", "pare", "sair", "cancelar", "remover"],
        help: &["ajuda"],
    },
    // Italian.
    Words {
        countries: "IT SM VA CH",
        stop: &[
            "ferma",
            "fermare",
            "basta",
            "annulla",
            "cancella",
            "disiscrivi",
        ],
        help: &["aiuto"],
    },
    // Dutch.
    Words {
        countries: "NL BE SR AW CW SX BQ",
        stop: &["stoppen", "afmelden", "uitschrijven"],
        help: &["hulp"],
    },
    // Afrikaans.
    Words {
        countries: "ZA NA",
        stop: &["staak", "kanselleer"],
        help: &["hulp"],
    },
    // Danish.
    Words {
        countries: "DK GL FO",
        stop: &["stands", "afmeld", "frameld"],
        help: &["hjælp"],
    },
    // Swedish.
    Words {
        countries: "SE FI AX",
        stop: &["stopp", "stoppa", "sluta", "avsluta", "avregistrera"],
        help: &["hjälp"],
    },
    // Norwegian.
    Words {
        countries: "NO SJ",
        stop: &["stopp", "avslutt", "avmeld"],
        help: &["hjelp"],
    },
    // Icelandic.
    Words {
        countries: "IS",
        stop: &["hætta", "afskrá"],
        help: &["hjálp"],
    },
    // Finnish.
    Words {
        countries: "FI AX",
        stop: &["seis", "lopeta", "peruuta", "peru"],
        help: &["apua", "ohje"],
    },
    // Estonian.
    Words {
        countries: "EE",
        stop: &["stopp", "lõpeta", "loobu"],
        help: &["abi"],
    },
    // Latvian.
    Words {
        countries: "LV",
        stop: &["beigt", "apturēt", "atteikties"],
        help: &["palīdzība", "palīgā"],
    },
    // Lithuanian.
    Words {
        countries: "LT",
        stop: &["stabdyti", "baigti", "nutraukti", "atsisakyti"],
        help: &["pagalba"],
    },
    // Polish.
    Words {
        countries: "PL",
        stop: &["koniec", "wypisz", "rezygnuję", "zatrzymaj", "wyłącz"],
        help: &["pomoc"],
    },
    // Czech and Slovak.
    Words {
        countries: "CZ SK",
        stop: &[
            "konec",
            "koniec",
            "odhlásit",
            "odhlásiť",
            "zrušit",
            "zrušiť",
        ],
        help: &["pomoc"],
    },
    // Hungarian.
    Words {
        countries: "HU",
        stop: &["állj", "vége", "leállítás", "leiratkozás", "leiratkozom"],
        help: &["segítség"],
    },
    // Romanian.
    Words {
        countries: "RO MD",
        stop: &["oprire", "oprește", "dezabonare", "dezabonează"],
        help: &["ajutor"],
    },
    // Bulgarian.
    Words {
        countries: "BG",
        stop: &["стоп", "спри", "край", "отказ", "отписване"],
        help: &["помощ"],
    },
    // Greek.
    Words {
        countries: "GR CY",
        stop: &["στοπ", "διακοπή", "διαγραφή", "τέλος"],
        help: &["βοήθεια"],
    },
    // Russian.
    Words {
        countries: "RU BY KZ KG TJ UZ TM AM AZ GE MD UA LV EE",
        stop: &["стоп", "отписаться", "отписка", "отмена", "хватит"],
        help: &["помощь", "справка"],
    },
    // Ukrainian and Belarusian.
    Words {
        countries: "UA BY",
        stop: &["стоп", "відписатися", "відписка", "скасувати", "спыніць"],
        help: &["допомога", "дапамога"],
    },
    // Serbian, Croatian, Bosnian, Slovene and Macedonian.
    Words {
        countries: "RS HR BA ME SI MK XK",
        stop: &[
            "odjava",
            "odjavi",
            "prekini",
            "ustavi",
            "kraj",
            "konec",
            "стоп",
            "одјава",
            "прекини",
            "крај",
        ],
        help: &["pomoć", "помоћ", "помош"],
    },
    // Albanian.
    Words {
        countries: "AL XK MK",
        stop: &["ndal", "ndalo", "çregjistrohu"],
        help: &["ndihmë"],
    },
    // Turkish.
    Words {
        countries: "TR CY",
        stop: &["dur", "durdur", "iptal", "ret", "red", "çıkış"],
        help: &["yardım"],
    },
    // Azerbaijani.
    Words {
        countries: "AZ",
        stop: &["dayan", "dayandır", "ləğv"],
        help: &["kömək"],
    },
    // Georgian.
    Words {
        countries: "GE",
        stop: &["სტოპ", "შეჩერება", "გაუქმება"],
        help: &["დახმარება"],
    },
    // Armenian.
    Words {
        countries: "AM",
        stop: &["ստոպ", "կանգ", "դադարեցնել"],
        help: &["օգնություն"],
    },
    // Kazakh.
    Words {
        countries: "KZ",
        stop: &["тоқта", "тоқтату"],
        help: &["көмек"],
    },
    // Uzbek.
    Words {
        countries: "UZ",
        stop: &["to'xta", "to'xtatish", "bekor qilish"],
        help: &["yordam"],
    },
    // Mongolian.
    Words {
        countries: "MN",
        stop: &["зогс", "зогсоох"],
        help: &["тусламж"],
    },
    // Arabic.
    Words {
        countries: "SA AE EG JO LB SY IQ KW BH QA OM YE LY TN DZ MA SD MR PS DJ SO KM TD",
        stop: &["قف", "توقف", "أوقف", "إيقاف", "إلغاء", "إلغاء الاشتراك"],
        help: &["مساعدة"],
    },
    // Hebrew.
    Words {
        countries: "IL",
        stop: &["הסר", "הסרה", "עצור", "הפסק"],
        help: &["עזרה"],
    },
    // Persian.
    Words {
        countries: "IR AF",
        stop: &["توقف", "لغو"],
        help: &["کمک", "راهنما"],
    },
    // Urdu.
    Words {
        countries: "PK",
        stop: &["بند", "بند کریں", "روکیں"],
        help: &["مدد"],
    },
    // Hindi and Nepali.
    Words {
        countries: "IN NP",
        stop: &["बंद", "बन्द", "बंद करें", "रोकें", "रुकें", "रोक्नुहोस्"],
        help: &["मदद", "सहायता", "मद्दत"],
    },
    // Bengali.
    Words {
        countries: "BD IN",
        stop: &["বন্ধ", "বন্ধ করুন"],
        help: &["সাহায্য"],
    },
    // Tamil and Sinhala.
    Words {
        countries: "LK IN SG MY",
        stop: &["நிறுத்து", "நிறுத்தவும்", "නවත්වන්න"],
        help: &["உதவி", "උදව්"],
    },
    // Thai.
    Words {
        countries: "TH",
        stop: &["หยุด", "ยกเลิก"],
        help: &["ช่วยเหลือ"],
    },
    // Vietnamese.
    Words {
        countries: "VN",
        stop: &["hủy", "dừng", "ngừng", "từ chối"],
        help: &["trợ giúp"],
    },
    // Indonesian and Malay.
    Words {
        countries: "ID MY BN SG",
        stop: &["berhenti", "henti", "hentikan", "batal"],
        help: &["bantuan", "tolong"],
    },
    // Filipino.
    Words {
        countries: "PH",
        stop: &["tigil", "itigil", "hinto"],
        help: &["tulong"],
    },
    // Chinese; the letters are what messages there ask to answer with.
    Words {
        countries: "CN HK TW MO SG",
        stop: &[
            "停止",
            "停",
            "退订",
            "退訂",
            "取消",
            "取消订阅",
            "取消訂閱",
            "拒收",
            "t",
            "td",
        ],
        help: &["帮助", "幫助", "求助"],
    },
    // Japanese.
    Words {
        countries: "JP",
        stop: &[
            "停止",
            "中止",
            "解除",
            "配信停止",
            "退会",
            "ストップ",
            "すとっぷ",
        ],
        help: &["ヘルプ", "へるぷ"],
    },
    // Korean.
    Words {
        countries: "KR",
        stop: &["중지", "정지", "그만", "해지", "거부", "수신거부", "스톱"],
        help: &["도움", "도움말"],
    },
    // Khmer, Lao and Burmese.
    Words {
        countries: "KH LA MM",
        stop: &["ឈប់", "បញ្ឈប់", "ຢຸດ", "ရပ်", "ရပ်ပါ"],
        help: &["ជំនួយ", "ຊ່ວຍ", "အကူအညီ"],
    },
    // Swahili.
    Words {
        countries: "KE TZ UG CD RW BI",
        stop: &["acha", "simama", "sitisha", "ondoa"],
        help: &["msaada"],
    },
    // Amharic.
    Words {
        countries: "ET",
        stop: &["አቁም"],
        help: &["እርዳታ"],
    },
    // Maltese.
    Words {
        countries: "MT",
        stop: &["ieqaf", "waqqaf"],
        help: &["għajnuna"],
    },
    // Irish and Welsh.
    Words {
        countries: "IE GB",
        stop: &["stad", "stopio"],
        help: &["cabhair", "cymorth"],
    },
];

/// The words of the languages that are spoken where a phone is: in its country, or where that is not known, in those of its calling
/// code.
pub(super) fn words_of(phone: &str) -> impl Iterator<Item = &'static Words> {
    let countries: Vec<Country> = match country_of(phone) {
        Some(country) => vec![country],
        None => countries_of_code(phone).collect(),
    };
    let codes: Vec<String> = countries.iter().map(ToString::to_string).collect();
    LANGUAGES.iter().filter(move |words| {
        let mut spoken = words.countries.split(' ');
        spoken.any(|country| codes.iter().any(|code| code == country))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_of_a_language_is_one() {
        for words in LANGUAGES {
            for code in words.countries.split(' ') {
                assert!(code.parse::<Country>().is_ok(), "{code}");
            }
        }
    }

    #[test]
    fn a_number_that_no_plan_knows_has_the_words_of_its_calling_code() {
        let stop = |phone| {
            let words = words_of(phone).flat_map(|words| words.stop);
            words.copied().collect::<Vec<_>>()
        };
        assert!(stop("+11111111111").contains(&"arrêt"));
        assert!(stop("+11111111111").contains(&"baja"));
        assert!(!stop("+12125550123").contains(&"arrêt"));
        assert!(stop("+80012345678").is_empty());
    }
}
