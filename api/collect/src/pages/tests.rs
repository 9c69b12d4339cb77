use api_language::of_code;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use bytes::Bytes;
use domain::answer::Answers;
use domain::branding::Color;
use domain::form::FormContent;
use domain::invalid::{Invalid, code};
use futures::StreamExt;
use serde_json::{Value, json};
use store::account::PageBranding;
use uuid::Uuid;

use super::*;

fn plain() -> Frame<'static> {
    Frame::plain(of_code("en"))
}

// Pages of whatever size.

fn prepare(f: Frame<'_>, form: &FormContent, reader: Reader) -> Prepared {
    super::prepare(f, form, reader, usize::MAX).unwrap()
}

fn form_again(
    f: Frame<'_>,
    form: &FormContent,
    reader: Reader,
    typed: &[(String, String)],
    why: FormNotice<'_>,
) -> HtmlPage {
    let page = super::form_again(f, form, reader, typed, why, usize::MAX);
    page.unwrap().fill(TOKEN, VISIT)
}

fn form_closed(f: Frame<'_>, form: &FormContent, typed: &[(String, String)]) -> HtmlPage {
    let page = super::form_closed(f, form, typed, usize::MAX);
    page.unwrap().fill(TOKEN, Uuid::nil())
}

const TOKEN: &str = "AAAAAAAAAAAAAAAAAAAA-_";
const VISIT: Uuid = Uuid::from_u128(0x0193_3f0a_0000_7000_8000_0000_0000_0001);
/// What would run if any of it came out as it is, in text or in an attribute.
const HOSTILE: &str =
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)>`</textarea></title></style>";

fn option(value: &str, label: &str) -> Value {
    json!({"value": value, "label": label, "retired": false, "number": 0})
}

fn field(key: &str, label: &str, required: bool, kind: &Value) -> Value {
    let mut field = json!({"key": key, "label": label, "required": required, "retired": false});
    field
        .as_object_mut()
        .unwrap()
        .extend(kind.as_object().unwrap().clone());
    field
}

fn form(title: &str, fields: &[Value]) -> FormContent {
    let form = json!({"title": title, "bus_props": [], "fields": fields, "last_bus_prop_id": 0});
    serde_json::from_value(form).unwrap()
}

/// A form with each type of field; every text of it is `text`.
fn every_type(text: &str) -> FormContent {
    let options = json!([option("a", text), option("b", text), option("c", text)]);
    form(
        text,
        &[
            field("nps", text, true, &json!({"type": "nps"})),
            field("mood", text, true, &json!({"type": "happiness"})),
            field("taste", text, false, &json!({"type": "rating", "scale": 7})),
            field(
                "one",
                text,
                true,
                &json!({"type": "choice", "options": options}),
            ),
            field(
                "some",
                text,
                true,
                &json!({"type": "choices", "options": options}),
            ),
            field("city", text, false, &json!({"type": "text"})),
            field("words", text, true, &json!({"type": "comment"})),
        ],
    )
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pair = |(key, text): &(&str, &str)| ((*key).to_owned(), (*text).to_owned());
    pairs.iter().map(pair).collect()
}

fn problem(key: &str, code: &'static str) -> Invalid {
    Invalid {
        pointer: format!("/{key}"),
        code,
        detail: "as the domain says it".to_owned(),
    }
}

fn empty(form: &FormContent) -> String {
    let page = prepare(plain(), form, Reader::Anybody).fill(TOKEN, VISIT);
    page.html()
}

fn again(form: &FormContent, typed: &[(&str, &str)], problems: &[Invalid]) -> String {
    let (typed, why) = (pairs(typed), FormNotice::Invalid(problems));
    let page = form_again(plain(), form, Reader::Anybody, &typed, why);
    page.html()
}

#[track_caller]
fn assert_has(html: &str, part: &str) {
    assert!(html.contains(part), "no {part} in:\n{html}");
}

#[track_caller]
fn assert_has_not(html: &str, part: &str) {
    assert!(!html.contains(part), "{part} in:\n{html}");
}

#[test]
fn without_its_own_texts_a_form_is_under_30_kb() {
    let problems: Vec<Invalid> = ["nps", "mood", "taste", "one", "some", "city", "words"]
        .map(|key| problem(key, code::MISSING))
        .to_vec();
    let form = every_type("");
    for html in [empty(&form), again(&form, &[], &problems)] {
        assert!(html.len() < 30_000, "{} bytes", html.len());
    }
}

#[test]
fn every_placeholder_is_filled_and_a_page_has_a_nonce_of_its_own() {
    let form = prepare(plain(), &every_type("Question"), Reader::Recipient);
    let (one, other) = (form.fill(TOKEN, VISIT), form.fill(TOKEN, VISIT));
    let html = &one.html();
    assert_has(html, &format!("action=\"{TOKEN}\""));
    assert_has(html, &format!("name=\"visit\" value=\"{VISIT}\""));
    assert_has_not(html, "<:");
    let nonce = |html: &str| {
        let (_, rest) = html.split_once("nonce=\"").unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    assert_eq!(
        html.matches(&format!("nonce=\"{}\"", nonce(html))).count(),
        2
    );
    assert_eq!(nonce(html).len(), 22);
    assert_ne!(nonce(html), nonce(&other.html()));
}

#[test]
fn a_text_that_looks_like_a_placeholder_is_none() {
    let text = "<:nonce><:visit><:token>";
    let form = every_type(text);
    let typed = [("city", text), ("words", text)];
    for html in [empty(&form), again(&form, &typed, &[])] {
        assert_eq!(html.matches(&VISIT.to_string()).count(), 1);
        assert_eq!(html.matches(TOKEN).count(), 1);
        assert_has(&html, "&#60;:visit&#62;");
    }
}

#[test]
fn texts_never_come_out_as_markup() {
    let form = every_type(HOSTILE);
    let mut typed: Vec<(&str, &str)> = ["nps", "mood", "one", "some", "city", "words", HOSTILE]
        .map(|key| (key, HOSTILE))
        .to_vec();
    typed.push(("some", "a"));
    let problems = ["nps", "words", HOSTILE].map(|key| problem(key, code::TOO_LONG));
    let closed = form_closed(plain(), &form, &pairs(&typed));
    let look = PageBranding {
        name: Some(HOSTILE.to_owned()),
        ..PageBranding::default()
    };
    let t = of_code("de");
    let hostile = Frame { t, look: &look };
    let pages = [
        empty(&form),
        again(&form, &typed, &problems),
        thanks(hostile, &form, Reader::Anybody, TOKEN).html(),
        thanks(plain(), &form, Reader::Anybody, TOKEN).html(),
        closed.html(),
    ];
    for html in pages {
        assert_has_not(&html, "<script>");
        assert_has_not(&html, "<img");
        assert_has_not(&html, "\"'>");
        // Ours is the only script, and closes once.
        assert!(html.matches("</script>").count() <= 1);
        assert_eq!(html.matches("</title>").count(), 1);
        assert_eq!(html.matches("</style>").count(), 1);
        assert!(html.matches("</textarea>").count() <= 1);
    }
    let values = json!([option(HOSTILE, "a")]);
    let form = self::form(
        "t",
        &[field(
            "one",
            "l",
            true,
            &json!({"type": "choice", "options": values}),
        )],
    );
    let html = again(&form, &[("one", HOSTILE)], &[]);
    assert_has(&html, "value=\"&#34;&#39;&#62;&#60;script&#62;");
    assert_has(&html, " checked>");
}

#[test]
fn what_is_retired_is_not_shown() {
    let mut changed = serde_json::to_value(every_type("Question")).unwrap();
    changed["fields"][5]["retired"] = json!(true);
    changed["fields"][3]["options"][1] =
        json!({"value": "gone", "label": "Gone", "retired": true, "number": 1});
    let form: FormContent = serde_json::from_value(changed).unwrap();
    let typed = [("city", "Oslo"), ("one", "gone")];
    for html in [
        empty(&form),
        again(&form, &typed, &[problem("city", code::RETIRED)]),
        form_closed(plain(), &form, &pairs(&typed)).html(),
    ] {
        assert_has_not(&html, "\"city\"");
        assert_has_not(&html, "Oslo");
        assert_has_not(&html, "gone");
        assert_has_not(&html, "Gone");
    }
    let html = again(&form, &typed, &[problem("city", code::RETIRED)]);
    assert_has(&html, "The form has changed since you opened it.");
}

#[test]
fn all_that_was_typed_is_there_again_with_what_is_wrong() {
    let form = every_type("Question");
    // Its end is to be seen, because white space alone is no answer.
    let long = format!("{}end", "\r\n".repeat(10_003));
    let typed = [
        ("visit", "ignored"),
        ("nps", "11"),
        ("mood", "4"),
        ("taste", "7"),
        ("one", "b"),
        ("some", "a"),
        ("some", "c"),
        ("city", "Reykjavík & \"Oslo\""),
        ("words", &long),
    ];
    let problems = Answers::from_pairs(&form, &pairs(&typed[1..])).unwrap_err();
    let html = again(&form, &typed, &problems);
    assert_has(&html, "<title>Error: Question</title>");
    for id in ["f-mood-3", "f-taste-6", "f-one-1", "f-some", "f-some-2"] {
        let (_, control) = html.split_once(&format!("id=\"{id}\"")).unwrap();
        let (control, _) = control.split_once('>').unwrap();
        assert!(
            control.ends_with(" checked"),
            "{id} is not chosen: {control}"
        );
    }
    assert_eq!(html.matches(" checked>").count(), 5);
    assert_has(&html, "value=\"Reykjavík &#38; &#34;Oslo&#34;\"");
    // The parser takes one line break away.
    assert_has(&html, ">\n\r\n\r\n");
    assert_has(&html, "<a href=\"#f-nps\">");
    assert_has(&html, "<a href=\"#f-words\">");
    assert_has(
        &html,
        "role=\"radiogroup\" aria-required=\"true\" aria-invalid=\"true\" aria-describedby=\"e-nps\"",
    );
    assert_has(
        &html,
        "aria-required=\"true\" aria-invalid=\"true\" aria-describedby=\"e-words\"",
    );
    assert_has(
        &html,
        "</span>Please shorten this by 6 characters. At most 10,000 characters.</p>",
    );
    assert_has(&html, "</span>Please choose from 0–10.</p>");
    assert_has_not(&html, "id=\"e-mood\"");
}

#[test]
fn a_submission_without_answers_is_told_so() {
    let form = form(
        "Title",
        &[field("city", "City", false, &json!({"type": "text"}))],
    );
    let problems = Answers::from_pairs(&form, &pairs(&[("city", " ")])).unwrap_err();
    let html = again(&form, &[("city", " ")], &problems);
    assert_has(&html, "Nothing is answered yet.");
    assert_has_not(&html, "<ul>");
}

#[test]
fn a_limit_keeps_what_was_typed() {
    let form = every_type("Question");
    let typed = pairs(&[("city", "Oslo"), ("nps", "9")]);
    for why in [
        FormNotice::TooMany,
        FormNotice::Enough,
        FormNotice::Unavailable,
    ] {
        let page = form_again(plain(), &form, Reader::Anybody, &typed, why);
        assert_has(&page.html(), "value=\"Oslo\"");
        assert_has(&page.html(), "value=\"9\" checked");
        assert_has(&page.html(), "Everything you entered is below");
        assert_has(&page.html(), &format!("value=\"{VISIT}\""));
        assert_has_not(&page.html(), "aria-invalid=");
    }
}

#[test]
fn a_closed_form_gives_back_what_was_typed() {
    let form = every_type("Question");
    let typed = pairs(&[
        ("mood", "5"),
        ("one", "a"),
        ("some", "x"),
        ("words", "two\r\nlines"),
    ]);
    let page = form_closed(plain(), &form, &typed);
    assert_eq!(page.html().matches("<dd").count(), 3);
    assert_has(&page.html(), ">Very happy</dd>");
    assert_has(&page.html(), ">two\r\nlines</dd>");
    assert_has_not(&page.html(), "<form");
}

#[test]
fn texts_of_a_form_find_their_own_direction_and_have_its_language() {
    let mut form = every_type("سؤال");
    let html = empty(&form);
    assert_has(&html, "<h1 id=\"title\" dir=\"auto\" lang=\"\">سؤال</h1>");
    assert_has(
        &html,
        "<legend dir=\"auto\"><span lang=\"\">سؤال</span> <span class=\"req\" dir=\"ltr\">(required)</span></legend>",
    );
    form.language = Some("ar".to_owned());
    assert_has(&empty(&form), "<h1 id=\"title\" dir=\"auto\" lang=\"ar\">");
    assert_has(&empty(&form), "<span lang=\"ar\">سؤال</span>");
}

#[test]
fn what_a_form_says_around_its_questions_is_on_its_pages() {
    let mut form = every_type("Question");
    form.intro = Some("Two minutes.\nReally.".to_owned());
    form.thanks = Some("See you <soon>".to_owned());
    form.links = serde_json::from_value(
        json!([{"label": "Privacy & more", "url": "https://a.example/?a=1&b=2"}]),
    )
    .unwrap();
    let link = ">Privacy &#38; more</a>";
    let html = empty(&form);
    assert_has(&html, ">Two minutes.\nReally.</p>");
    assert_has(&html, "<a href=\"https://a.example/?a=1&#38;b=2\"");
    assert_has(&html, link);
    let html = thanks(plain(), &form, Reader::Anybody, TOKEN).html();
    assert_has(&html, ">See you &#60;soon&#62;</p>");
    assert_has(&html, link);
    assert_has_not(&html, "has arrived");
    // That alone is said.
    assert_has(&html, "<h1 class=\"vh\">Thank you</h1>");
    assert_has_not(&html, ">Question</p>");
    // The summary is what is read then.
    assert_has_not(&again(&form, &[], &[]), "Two minutes");
}

#[test]
fn a_choice_has_a_box_for_what_else_there_is() {
    let other = json!({"value": "x", "label": "Other", "text": true, "retired": false});
    let kind = json!({"type": "choice", "options": [option("a", "A"), other]});
    let form = form("Title", &[field("why", "Why", true, &kind)]);
    let box_of = |text: &str| format!("name=\"why.text\" value=\"{text}\"");
    assert_has(&empty(&form), &box_of(""));
    let long = "y".repeat(201);
    let typed = [("why", "x"), ("why.text", &*long)];
    let problems = Answers::from_pairs(&form, &pairs(&typed)).unwrap_err();
    let html = again(&form, &typed, &problems);
    assert_has(&html, &box_of(&long));
    assert_has(&html, "by 1 character. At most 200 characters.");
    let closed = form_closed(plain(), &form, &pairs(&[("why.text", "rain")]));
    assert_has(&closed.html(), ">Other: rain</dd>");
}

#[test]
fn every_id_is_given_once_and_what_is_named_is_there() {
    let form = form(
        "Title",
        &[
            field("a", "A", true, &json!({"type": "nps"})),
            field("a_1", "B", true, &json!({"type": "rating", "scale": 2})),
            field("title", "C", true, &json!({"type": "text"})),
            field("problem", "D", true, &json!({"type": "comment"})),
        ],
    );
    let problems = ["a", "a_1", "title", "problem"].map(|key| problem(key, code::MISSING));
    let html = again(&form, &[], &problems);
    let values = |name: &str| -> Vec<String> {
        let attribute = format!(" {name}=\"");
        let parts = html.split(&attribute).skip(1);
        let values = parts.flat_map(|part| part.split('"').next().unwrap().split(' '));
        values.map(str::to_owned).collect()
    };
    let ids = values("id");
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len());
    for name in ["for", "aria-labelledby", "aria-describedby"] {
        for id in values(name) {
            assert!(ids.contains(&id), "{name} names {id}");
        }
    }
}

#[test]
fn the_ends_of_a_scale_are_written_as_in_their_language() {
    for (code, end) in [
        ("en", "<span>0: not at all likely</span>"),
        ("fr", "<span>0\u{a0}: pas du tout probable</span>"),
    ] {
        let page = prepare(
            Frame::plain(of_code(code)),
            &every_type("x"),
            Reader::Anybody,
        );
        assert_has(&page.fill(TOKEN, VISIT).html(), end);
    }
}

#[test]
fn the_grades_of_a_scale_break_into_rows_of_at_most_six() {
    for (scale, rows) in [
        (2, "k2 w2"),
        (5, "k5 w5"),
        (6, "k6 w6"),
        (7, "k4 w7"),
        (9, "k5 w9"),
        (10, "k5 w10"),
    ] {
        let rating = field("r", "R", false, &json!({"type": "rating", "scale": scale}));
        assert_has(
            &empty(&form("Title", &[rating])),
            &format!("class=\"scale {rows}\""),
        );
    }
    let nps = field("n", "N", false, &json!({"type": "nps"}));
    assert_has(&empty(&form("Title", &[nps])), "class=\"scale k6 w11\"");
}

#[test]
fn every_page_carries_the_headers_that_keep_it_safe() {
    let form = every_type("Question");
    let pages = [
        prepare(plain(), &form, Reader::Anybody).fill(TOKEN, VISIT),
        form_closed(plain(), &form, &[]),
        thanks(plain(), &form, Reader::Anybody, TOKEN),
        gone(plain(), Reader::Recipient, TOKEN),
        not_found(plain()),
        trouble(plain(), StatusCode::SERVICE_UNAVAILABLE),
        trouble(plain(), StatusCode::PAYLOAD_TOO_LARGE),
    ];
    for page in pages {
        let html = &page.html();
        let (_, nonce) = html.split_once("<style nonce=\"").unwrap();
        let (nonce, _) = nonce.split_once('"').unwrap();
        let response = page.into_response();
        let header = |name: &str| response.headers()[name].to_str().unwrap();
        assert_eq!(
            header("content-security-policy"),
            format!(
                "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; img-src data: 'self'; \
                 base-uri 'none'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'"
            )
        );
        assert_eq!(header("content-type"), "text/html; charset=utf-8");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(header("x-robots-tag"), "noindex");
        assert_has_not(html, "<:");
        assert_has_not(html, " style=");
    }
}

#[test]
fn a_qr_code_is_an_svg_with_a_title() {
    let code = qr_code("https://example.com/f/AAAAAAAAAAAAAAAAAAAA-_?a=1&b=<2>").unwrap();
    let svg = &code.html();
    assert_has(
        svg,
        "<title id=\"title\">QR code of https://example.com/f/AAAAAAAAAAAAAAAAAAAA-_?a=1&#38;b=&#60;2&#62;</title>",
    );
    // The upper edge of a finder pattern: seven dark modules after the margin.
    assert_has(svg, "d=\"M4 4h7v1h-7z");
    let response = code.into_response();
    assert_eq!(response.headers()["content-type"], "image/svg+xml");
    assert!(qr_code(&"x".repeat(2_331)).is_some());
    assert!(qr_code(&"x".repeat(2_332)).is_none());
}

#[test]
fn what_was_sent_can_be_sent_again_without_its_form() {
    let sent = [
        ("visit".to_owned(), VISIT.to_string()),
        ("more".to_owned(), "\"<b>\n&amp;\"".to_owned()),
        ("<:visit>".to_owned(), "<:nonce>".to_owned()),
    ];
    let page = send_again(plain(), &sent, usize::MAX).unwrap();
    let html = &page.fill(TOKEN, Uuid::nil()).html();
    assert_has(html, &format!("action=\"{TOKEN}\""));
    assert_has(html, &format!("name=\"visit\" value=\"{VISIT}\""));
    assert_has(html, "value=\"&#34;&#60;b&#62;\n&#38;amp;&#34;\"");
    assert_has(html, "name=\"&#60;:visit&#62;\" value=\"&#60;:nonce&#62;\"");
}

#[test]
fn only_a_message_s_page_offers_no_more_messages_and_only_a_trial_s_says_so() {
    let form = every_type("Question");
    let page = |reader| prepare(plain(), &form, reader).fill(TOKEN, VISIT).html();
    let action = format!("action=\"{TOKEN}/stop\"");
    let of_message = page(Reader::Recipient);
    assert!(of_message.contains(&action) && of_message.contains("No more messages"));
    assert!(!page(Reader::Anybody).contains("/stop"));
    let ended = |reader| gone(plain(), reader, TOKEN).html();
    let of_message = ended(Reader::Recipient);
    assert!(of_message.contains(&action) && of_message.contains("No more messages"));
    assert!(!ended(Reader::Anybody).contains("/stop"));
    assert!(page(Reader::Owner).contains("stored nowhere"));
    assert!(!page(Reader::Anybody).contains("stored nowhere"));
    let thanked = |reader| thanks(plain(), &form, reader, TOKEN).html();
    assert!(thanked(Reader::Owner).contains("stored nowhere"));
    assert!(!thanked(Reader::Anybody).contains("stored nowhere"));
}

#[test]
fn to_get_no_more_messages_takes_two_taps() {
    let html = prepare(plain(), &every_type("Question"), Reader::Recipient);
    let html = html.fill(TOKEN, VISIT).html();
    let (_, stop) = html.split_once("<details class=\"stop\">").unwrap();
    let (asked, sent) = stop.split_once("<form").unwrap();
    assert!(asked.contains("No more messages</summary>"), "{asked}");
    assert!(
        sent.contains("no more messages from this sender?"),
        "{sent}"
    );
}

#[test]
fn only_a_kiosk_s_form_comes_back_by_itself() {
    let form = every_type("Question");
    let back = format!("location.replace(\"../{TOKEN}\")");
    let thanked = |reader| thanks(plain(), &form, reader, TOKEN).html();
    assert_has(&thanked(Reader::Kiosk), &back);
    for reader in [Reader::Anybody, Reader::Recipient, Reader::Owner] {
        assert_has_not(&thanked(reader), "location.replace");
    }
}

#[test]
fn only_a_kiosk_s_form_keeps_nothing_of_whoever_walks_away() {
    let form = every_type("Question");
    let page = |reader| prepare(plain(), &form, reader).fill(TOKEN, VISIT).html();
    let marked = " data-kiosk autocomplete=\"off\">";
    assert_has(&page(Reader::Kiosk), marked);
    for reader in [Reader::Anybody, Reader::Recipient, Reader::Owner] {
        assert_has_not(&page(reader), marked);
    }
}

#[test]
fn a_page_is_the_account_s_own() {
    let look = PageBranding {
        name: Some("Acme & Söhne".to_owned()),
        color: Some(Color::parse("#ffd400").unwrap()),
        language: None,
        has_logo: true,
    };
    let t = of_code("de");
    let f = Frame { t, look: &look };
    let page = prepare(f, &every_type("Frage"), Reader::Anybody).fill(TOKEN, VISIT);
    let html = &page.html();
    assert_has(html, "<html lang=\"de\">");
    assert_has(
        html,
        ":root{--brand:#ffd400;--on-brand:#000;--brand-edge:var(--edge)}",
    );
    // What is chosen is of the account's colour as well, in the dark too.
    let color = Color::parse("#ffd400").unwrap();
    let light = color.readable_on("#ffffff");
    assert_has(html, &format!(":root{{--accent:{light};--tint:"));
    assert_has(
        html,
        "@media (prefers-color-scheme:dark){:root{--accent:#ffd400;--tint:",
    );
    assert_has(
        html,
        &format!("<img src=\"{TOKEN}/logo\" alt=\"\">Acme &#38; Söhne</p>"),
    );
    assert_has(html, ">Feedback senden</button>");
    // Below the link's own address.
    let form = every_type("Frage");
    assert_has(
        &thanks(f, &form, Reader::Anybody, TOKEN).html(),
        "<img src=\"logo\" alt=\"\">",
    );
    assert_has(
        &form_closed(f, &every_type("Frage"), &[]).html(),
        &format!("<img src=\"{TOKEN}/logo\""),
    );
}

#[tokio::test]
async fn what_is_large_of_a_page_is_the_same_memory_for_all_readers() {
    let options: Vec<Value> = (0..100).map(|n| option(&n.to_string(), "label")).collect();
    let kind = json!({"type": "choice", "options": options});
    let fields: Vec<Value> = (0..10)
        .map(|n| field(&format!("q{n}"), "l", false, &kind))
        .collect();
    let form = prepare(plain(), &form("Large", &fields), Reader::Anybody);
    let large = async || {
        let response = form.fill(TOKEN, VISIT).into_response();
        let length: usize = response.headers()["content-length"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        let parts = response.into_body().into_data_stream();
        let parts: Vec<_> = parts.map(Result::unwrap).collect().await;
        assert_eq!(parts.iter().map(Bytes::len).sum::<usize>(), length);
        let large = parts.iter().max_by_key(|part| part.len()).unwrap();
        assert!(large.len() > length / 2, "{} of {length}", large.len());
        large.clone()
    };
    let (one, other) = (large().await, large().await);
    assert_eq!(one.as_ptr(), other.as_ptr());
    assert_ne!(
        form.fill(TOKEN, VISIT).html(),
        form.fill(TOKEN, VISIT).html()
    );
}

#[test]
fn a_page_of_more_bytes_than_it_may_have_is_not_drawn() {
    let form = every_type(HOSTILE);
    let draw = |most| super::prepare(plain(), &form, Reader::Anybody, most);
    let bytes = draw(0).unwrap_err();
    let page = draw(bytes).unwrap();
    assert_eq!(draw(bytes - 1).unwrap_err(), bytes);
    let filled = page.fill(TOKEN, VISIT);
    assert_eq!(filled.size(), filled.html().len());
    assert!(filled.size() <= page.size() && bytes <= page.size());
}
