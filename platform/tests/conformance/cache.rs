//! The rules of a cache. Each uses keys of an account of its own.

use std::time::Duration;

use bytes::Bytes;
use futures::future::join_all;
use platform::cache::{Cache, CacheKey, Versioned};
use uuid::Uuid;

use super::eventually;

/// All rules, as tests run through `$with`, which hands each its cache.
macro_rules! cache_rules {
    ($with:path) => {
        rules! { cache, $with:
            what_was_never_set_is_not_there,
            a_copy_comes_back_as_it_was_set,
            only_a_newer_version_replaces_a_copy,
            versions_are_compared_over_their_whole_range,
            keys_do_not_touch_each_other,
            of_versions_set_at_once_the_newest_stays,
            an_entry_expires_and_its_version_with_it,
            a_newer_copy_brings_its_own_time_to_live,
            of_many_those_of_just_the_version_come_in_the_order_asked_for,
            a_copy_of_another_version_is_none_of_many,
        }
    };
}

const LONG: Duration = Duration::from_hours(1);
const SHORT: Duration = Duration::from_millis(30);

fn key() -> CacheKey {
    CacheKey::new(Uuid::new_v4(), "rules.v1")
}

fn copy(version: i64, bytes: &'static [u8]) -> Versioned {
    Versioned {
        version,
        bytes: Bytes::from_static(bytes),
    }
}

/// A busy machine may be slower than the 50 ms that a cache is given.
pub async fn get(cache: &Cache, key: &CacheKey) -> Option<Versioned> {
    let mut found = None;
    eventually("an answer", async || match cache.get(key).await {
        Ok(answer) => {
            found = answer;
            true
        }
        Err(_) => false,
    })
    .await;
    found
}

/// Whether the copy was kept.
pub async fn set(cache: &Cache, key: &CacheKey, copy: &Versioned, ttl: Duration) -> bool {
    let before = get(cache, key).await;
    let (mut kept, mut failed) = (false, false);
    eventually("an answer", async || {
        let bytes = copy.bytes.clone();
        let answer = cache.set_if_newer(key, copy.version, bytes, ttl).await;
        failed |= answer.is_err();
        kept = matches!(answer, Ok(true));
        answer.is_ok()
    })
    .await;
    // What came too late may have been done: then the next try finds its own copy.
    kept || failed && before.as_ref() != Some(copy) && get(cache, key).await.as_ref() == Some(copy)
}

pub async fn what_was_never_set_is_not_there(cache: Cache) {
    assert_eq!(get(&cache, &key()).await, None);
}

pub async fn a_copy_comes_back_as_it_was_set(cache: Cache) {
    let all_bytes: Vec<u8> = (0..=255).cycle().take(200_000).collect();
    for bytes in [Bytes::new(), Bytes::from(all_bytes)] {
        let (key, copy) = (key(), Versioned { version: 7, bytes });
        assert!(set(&cache, &key, &copy, LONG).await);
        assert_eq!(get(&cache, &key).await, Some(copy));
    }
}

pub async fn only_a_newer_version_replaces_a_copy(cache: Cache) {
    let key = key();
    assert!(set(&cache, &key, &copy(5, b"five"), LONG).await);
    assert!(!set(&cache, &key, &copy(5, b"another five"), LONG).await);
    assert!(!set(&cache, &key, &copy(4, b"four"), LONG).await);
    assert_eq!(get(&cache, &key).await, Some(copy(5, b"five")));
    assert!(set(&cache, &key, &copy(6, b"six"), LONG).await);
    assert_eq!(get(&cache, &key).await, Some(copy(6, b"six")));
}

pub async fn versions_are_compared_over_their_whole_range(cache: Cache) {
    const FIFTY_THREE_BITS: i64 = 1 << 53;
    let key = key();
    let versions = [
        i64::MIN,
        -1,
        0,
        1,
        255,
        256,
        i64::from(u32::MAX),
        i64::from(u32::MAX) + 1,
        FIFTY_THREE_BITS,
        FIFTY_THREE_BITS + 1,
        i64::MAX - 1,
        i64::MAX,
    ];
    for version in versions {
        assert!(
            set(&cache, &key, &copy(version, b""), LONG).await,
            "{version}"
        );
    }
    for version in versions {
        assert!(
            !set(&cache, &key, &copy(version, b""), LONG).await,
            "{version}"
        );
    }
}

pub async fn keys_do_not_touch_each_other(cache: Cache) {
    let account = Uuid::new_v4();
    let keys = [
        CacheKey::new(account, "rules.v1"),
        CacheKey::new(account, "rules.v2"),
        CacheKey::new(account, "rules.v1").with("a:b"),
        CacheKey::new(account, "rules.v1").with("a").with("b"),
        CacheKey::new(Uuid::new_v4(), "rules.v1"),
    ];
    for (version, key) in (0..).zip(&keys) {
        assert!(set(&cache, key, &copy(version, b"x"), LONG).await);
    }
    for (version, key) in (0..).zip(&keys) {
        assert_eq!(get(&cache, key).await, Some(copy(version, b"x")));
    }
}

pub async fn of_versions_set_at_once_the_newest_stays(cache: Cache) {
    let key = key();
    // In no order.
    let versions = (0..64_i64).map(|i| i * 37 % 64);
    let copies: Vec<_> = versions.map(|version| copy(version, b"x")).collect();
    let setting = copies.iter().map(|copy| set(&cache, &key, copy, LONG));
    let kept = join_all(setting)
        .await
        .into_iter()
        .filter(|kept| *kept)
        .count();
    assert!(kept > 0);
    assert_eq!(get(&cache, &key).await, Some(copy(63, b"x")));
}

pub async fn an_entry_expires_and_its_version_with_it(cache: Cache) {
    let key = key();
    assert!(set(&cache, &key, &copy(9, b"old"), SHORT).await);
    eventually("expiry", async || get(&cache, &key).await.is_none()).await;
    assert!(set(&cache, &key, &copy(1, b"new"), LONG).await);
    assert_eq!(get(&cache, &key).await, Some(copy(1, b"new")));
}

pub async fn a_newer_copy_brings_its_own_time_to_live(cache: Cache) {
    let (kept, shortened) = (key(), key());
    assert!(set(&cache, &kept, &copy(1, b"x"), SHORT).await);
    // It may have expired already: replaced or set anew, it stays.
    assert!(set(&cache, &kept, &copy(2, b"x"), LONG).await);
    assert!(set(&cache, &shortened, &copy(1, b"x"), LONG).await);
    assert!(!set(&cache, &shortened, &copy(1, b"x"), SHORT).await);
    assert!(set(&cache, &shortened, &copy(2, b"x"), SHORT).await);
    eventually("expiry", async || get(&cache, &shortened).await.is_none()).await;
    // Both were set before the one that has expired by now.
    assert_eq!(get(&cache, &kept).await, Some(copy(2, b"x")));
}

/// Until all of them are told; `wanted` are those that are there.
async fn get_many(cache: &Cache, wanted: &[(CacheKey, i64)], there: usize) -> Vec<Option<Bytes>> {
    let mut found = Vec::new();
    eventually("an answer", async || {
        found = cache.get_many(wanted).await;
        found.iter().flatten().count() == there
    })
    .await;
    found
}

pub async fn of_many_those_of_just_the_version_come_in_the_order_asked_for(cache: Cache) {
    const MANY: i64 = 300;
    assert_eq!(cache.get_many(&[]).await, []);
    let account = Uuid::new_v4();
    let key = |n: i64| CacheKey::new(account, "rules.v1").with(n);
    for n in (0..MANY).filter(|n| n % 3 > 0) {
        let bytes = Bytes::from(n.to_string());
        let copy = Versioned { version: n, bytes };
        assert!(set(&cache, &key(n), &copy, LONG).await);
    }
    let wanted: Vec<_> = (0..MANY).rev().map(|n| (key(n), n)).collect();
    let there = wanted.iter().filter(|(_, n)| n % 3 > 0).count();
    for _ in 0..2 {
        let found = get_many(&cache, &wanted, there).await;
        for ((_, n), copy) in wanted.iter().zip(found) {
            let expected = (n % 3 > 0).then(|| Bytes::from(n.to_string()));
            assert_eq!(copy, expected, "{n}");
        }
    }
}

pub async fn a_copy_of_another_version_is_none_of_many(cache: Cache) {
    let (key, other) = (key(), key());
    let many = |version| [(key.clone(), version), (other.clone(), 7)];
    assert!(set(&cache, &other, &copy(7, b"other"), LONG).await);
    assert!(set(&cache, &key, &copy(3, b"x"), LONG).await);
    for another in [2, 4] {
        let found = get_many(&cache, &many(another), 1).await;
        assert_eq!(found, [None, Some(Bytes::from_static(b"other"))]);
    }
    assert_eq!(
        get_many(&cache, &many(3), 2).await[0],
        Some(Bytes::from_static(b"x"))
    );
    // What was right for 3 may be still at hand, but is never taken for 4.
    assert_eq!(get_many(&cache, &many(4), 1).await[0], None);
    assert!(set(&cache, &key, &copy(4, b"y"), LONG).await);
    assert_eq!(
        get_many(&cache, &many(4), 2).await[0],
        Some(Bytes::from_static(b"y"))
    );
}
