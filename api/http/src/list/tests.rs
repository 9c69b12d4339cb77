use super::*;
use crate::Result;

async fn read(query: &str) -> Result<ListQuery> {
    let request = axum::http::Request::get(format!("/x?{query}"))
        .body(())
        .unwrap();
    ListQuery::from_request_parts(&mut request.into_parts().0, &()).await
}

fn list() -> List {
    List::new(Uuid::from_u128(1), "/things")
}

fn with_cursor(cursor: &str) -> ListQuery {
    ListQuery {
        limit: 2,
        cursor: Some(cursor.to_owned()),
        given: true,
    }
}

fn texts(page: &Page<Box<RawValue>>) -> Vec<&str> {
    page.items.iter().map(|item| item.get()).collect()
}

#[tokio::test]
async fn a_limit_is_a_number_from_1_to_1000() {
    assert_eq!(read("").await.unwrap().limit, 50);
    assert_eq!(read("limit=1").await.unwrap().limit, 1);
    assert_eq!(read("limit=1000&other=x").await.unwrap().limit, 1_000);
    for query in [
        "limit=0",
        "limit=1001",
        "limit=",
        "limit=-1",
        "limit=x",
        "limit=1&limit=1",
        "limit=99999999",
    ] {
        assert!(read(query).await.is_err(), "{query}");
    }
}

#[tokio::test]
async fn a_page_links_to_the_next_while_the_list_goes_on() {
    let query = read("limit=2").await.unwrap();
    let items = [([1], 10), ([2], 20)];
    let page = list().page(items, Some([2])).unwrap();
    assert_eq!(texts(&page), ["10", "20"]);
    let cursor = page.next_cursor.clone().unwrap();
    assert_eq!(list().position(&with_cursor(&cursor)).unwrap(), Some([2]));
    let link = format!("</things?limit=2&cursor={cursor}>; rel=\"next\"");
    assert_eq!(list().link_to_next(&query, &page)[LINK], link);
    let filtered = List::new(Uuid::from_u128(1), "/things?a=b");
    let link = format!("</things?a=b&limit=2&cursor={cursor}>; rel=\"next\"");
    assert_eq!(filtered.link_to_next(&query, &page)[LINK], link);

    let last = list().page(items, None).unwrap();
    assert_eq!((last.items.len(), last.next_cursor.as_ref()), (2, None));
    assert!(list().link_to_next(&query, &last).is_empty());
    let answer = list().answer(&query, items, None).unwrap();
    assert!(answer.headers().get(LINK).is_none());
}

#[test]
fn a_page_of_large_items_ends_early_and_goes_on_behind_its_last() {
    let large = "x".repeat(PAGE_BYTES / 2);
    let all = [([1], &large), ([2], &large), ([3], &large)];
    let page = list().page(all, Some([9])).unwrap();
    assert_eq!(page.items.len(), 2);
    let cursor = page.next_cursor.unwrap();
    assert_eq!(list().position(&with_cursor(&cursor)).unwrap(), Some([2]));
    let rest = list().page(all.into_iter().skip(2), None).unwrap();
    assert_eq!((rest.items.len(), rest.next_cursor), (1, None));
    let full = list().page(all.into_iter().skip(1), None).unwrap();
    assert_eq!((full.items.len(), full.next_cursor), (2, None), "no more");
}

#[test]
fn a_foreign_cursor_is_refused() {
    let cursor = list().cursor(*b"position");
    let others = [
        List::new(Uuid::from_u128(2), "/things"),
        List::new(Uuid::from_u128(1), "/others"),
        List::new(Uuid::from_u128(1), ""),
    ];
    let query = with_cursor(&cursor);
    assert_eq!(list().position(&query).unwrap(), Some(*b"position"));
    for other in others {
        assert!(other.position::<8>(&query).is_err());
    }
}

#[test]
fn a_forged_cursor_is_refused() {
    let cursor = list().cursor(*b"position");
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
        let query = with_cursor(forged);
        assert!(list().position::<8>(&query).is_err(), "{forged}");
    }
    assert!(list().position::<7>(&with_cursor(&cursor)).is_err());
}
