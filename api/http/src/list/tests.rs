use super::*;
use crate::Result;

fn of(account: u128, uri: &str) -> Result<List> {
    let uri: axum::http::Uri = uri.parse().unwrap();
    List::read(Uuid::from_u128(account), uri.path(), &Parameters::of(&uri)?)
}

fn list() -> List {
    of(1, "/things?limit=2").unwrap()
}

fn with_cursor(cursor: &str) -> List {
    List {
        cursor: Some(cursor.to_owned()),
        ..list()
    }
}

fn texts(page: &Page<Box<RawValue>>) -> Vec<&str> {
    page.items.iter().map(|item| item.get()).collect()
}

#[test]
fn a_limit_is_a_number_from_1_to_1000() {
    let read = |query| of(1, &format!("/x?{query}"));
    assert_eq!(read("").unwrap().limit, 50);
    assert_eq!(read("limit=1").unwrap().limit, 1);
    assert_eq!(read("limit=1000&other=x").unwrap().limit, 1_000);
    for query in [
        "limit=0",
        "limit=1001",
        "limit=",
        "limit=-1",
        "limit=%2B5",
        "limit=x",
        "limit=1&limit=1",
        "limit=99999999",
    ] {
        assert!(read(query).is_err(), "{query}");
    }
}

#[test]
fn a_page_links_to_the_next_while_the_list_goes_on() {
    let items = [([1], 10), ([2], 20)];
    let page = list().page(items, Some([2])).unwrap();
    assert_eq!(texts(&page), ["10", "20"]);
    let cursor = page.next_cursor.clone().unwrap();
    assert_eq!(with_cursor(&cursor).position().unwrap(), Some([2]));
    let link = format!("</things?limit=2&cursor={cursor}>; rel=\"next\"");
    assert_eq!(list().link_to_next(&page)[LINK], link);
    let filtered = of(1, "/things/?cursor=x&b=%20&limit=2&a=b").unwrap();
    let link = format!("</things?a=b&b=+&limit=2&cursor={cursor}>; rel=\"next\"");
    assert_eq!(filtered.link_to_next(&page)[LINK], link);

    let last = list().page(items, None).unwrap();
    assert_eq!((last.items.len(), last.next_cursor.as_ref()), (2, None));
    assert!(list().link_to_next(&last).is_empty());
    let answer = list().answer(items, None).unwrap();
    assert!(answer.headers().get(LINK).is_none());
}

#[test]
fn a_page_of_large_items_ends_early_and_goes_on_behind_its_last() {
    let large = "x".repeat(PAGE_BYTES / 2);
    let all = [([1], &large), ([2], &large), ([3], &large)];
    let page = list().page(all, Some([9])).unwrap();
    assert_eq!(page.items.len(), 2);
    let cursor = page.next_cursor.unwrap();
    assert_eq!(with_cursor(&cursor).position().unwrap(), Some([2]));
    let rest = list().page(all.into_iter().skip(2), None).unwrap();
    assert_eq!((rest.items.len(), rest.next_cursor), (1, None));
    let full = list().page(all.into_iter().skip(1), None).unwrap();
    assert_eq!((full.items.len(), full.next_cursor), (2, None), "no more");
}

#[test]
fn a_foreign_cursor_is_refused() {
    let cursor = list().cursor(&"position");
    let position = |list: Result<List>| list.unwrap().position::<String>();
    let with = |uri: &str| format!("{uri}cursor={cursor}");
    let own = ["/things?", "/things?limit=7&", "/things/?"];
    for uri in own.map(with) {
        let found = position(of(1, &uri)).unwrap();
        assert_eq!(found.as_deref(), Some("position"), "{uri}");
    }
    let others = [
        (2, "/things?"),
        (1, "/others?"),
        (1, "/?"),
        (1, "/things?a=b&"),
    ];
    for (account, uri) in others {
        assert!(position(of(account, &with(uri))).is_err(), "{uri}");
    }
}

#[test]
fn a_forged_cursor_is_refused() {
    let cursor = list().cursor(&"position");
    assert!(
        cursor
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    );
    let mut turned = cursor.clone().into_bytes();
    turned[0] ^= 1;
    let turned = String::from_utf8(turned).unwrap();
    let longer = format!("{cursor}AA");
    for forged in [
        "",
        "AAAA",
        "not base64!",
        turned.as_str(),
        longer.as_str(),
        &cursor[..cursor.len() - 2],
    ] {
        let position = with_cursor(forged).position::<String>();
        assert!(position.is_err(), "{forged}");
    }
    assert!(with_cursor(&cursor).position::<i64>().is_err());
}

async fn read_fields(query: &str) -> Result<TrackFieldQuery> {
    let request = axum::http::Request::get(format!("/x?{query}"))
        .body(())
        .unwrap();
    TrackFieldQuery::from_request_parts(&mut request.into_parts().0, &()).await
}

#[tokio::test]
async fn a_list_is_narrowed_by_up_to_six_fields() {
    let query = "track_field=a%3D1%3D2&limit=3&track_field=b%20%26=";
    let narrowed = read_fields(query).await.unwrap();
    assert_eq!(narrowed.track_field["a"], "1=2");
    assert_eq!(narrowed.track_field["b &"], "");
    assert!(read_fields("").await.unwrap().track_field.is_empty());
    let seven: Vec<_> = (0..7).map(|n| format!("track_field=f{n}=x")).collect();
    for query in [
        "track_field=a",
        "track_field==1",
        "track_field=a=1&track_field=a=2",
        &seven.join("&"),
    ] {
        assert!(read_fields(query).await.is_err(), "{query}");
    }
}

#[test]
fn a_forged_position_that_no_database_takes_is_refused() {
    for (position, is_taken) in [("a\\u0000", true), ("a\0", false)] {
        let cursor = list().cursor(&(7, position));
        let read = with_cursor(&cursor).position::<(u8, String)>();
        assert_eq!(read.is_ok(), is_taken, "{position:?}");
    }
}

#[test]
fn whatever_a_cursor_is_it_is_of_its_list_alone() {
    bolero::check!().for_each(|bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace('\0', "");
        assert!(with_cursor(&text).position::<Value>().is_err());
        let given = (Uuid::nil(), text);
        let cursor = list().cursor(&given);
        assert_eq!(with_cursor(&cursor).position().unwrap(), Some(given));
        let foreign = List {
            account_id: Uuid::max(),
            ..with_cursor(&cursor)
        };
        assert!(foreign.position::<Value>().is_err());
    });
}
