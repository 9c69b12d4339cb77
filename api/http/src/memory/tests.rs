use std::pin::Pin;

use axum::body::Body;
use axum::response::Response;
use futures::FutureExt;
use futures::future::join_all;
use hyper::body::Body as _;
use tokio::time::sleep;

use super::*;

const MIB: u64 = 1 << 20;
const SIZE: PoolSize = PoolSize {
    total: 160 * MIB,
    largest: 50 * MIB,
    small: 4 * MIB,
};

fn permit(pool: &MemoryPool, account: u128) -> MemoryPermit {
    pool.permit(Uuid::from_u128(account))
}

/// Whether the permit gets so many MiB at once.
fn grows(permit: &mut MemoryPermit, mib: u64) -> bool {
    let granted = permit.grow_to(mib * MIB).now_or_never();
    granted.is_some_and(|granted| granted.is_ok())
}

/// Permits of 4 MiB for an account, until it gets no more at once.
fn fill(pool: &MemoryPool, account: u128) -> Vec<MemoryPermit> {
    let next = || {
        let mut permit = permit(pool, account);
        grows(&mut permit, 4).then_some(permit)
    };
    std::iter::from_fn(next).collect()
}

#[tokio::test]
async fn an_account_gets_half_and_the_next_one_half_of_the_rest() {
    let pool = MemoryPool::new(SIZE);
    let (first, second) = (fill(&pool, 1), fill(&pool, 2));
    assert_eq!((first.len(), second.len()), (20, 10));
    drop((first, second));
    let state = pool.0.state.lock();
    assert_eq!(state.free, SIZE.total);
    assert!(state.accounts.is_empty() && state.waiting.is_empty());
}

#[tokio::test]
async fn a_body_may_be_the_largest_whatever_another_account_holds() {
    let pool = MemoryPool::new(SIZE);
    let _others = fill(&pool, 1);
    let mut large = permit(&pool, 2);
    assert!((1..=50).all(|mib| grows(&mut large, mib)));
    assert!(grows(&mut large, 1_000) && large.bytes == SIZE.largest);
}

#[tokio::test]
async fn a_younger_body_leaves_room_for_the_oldest_of_its_account() {
    let pool = MemoryPool::new(SIZE);
    let (mut oldest, mut younger) = (permit(&pool, 1), permit(&pool, 1));
    assert!(grows(&mut oldest, 10));
    assert!(grows(&mut younger, 30) && !grows(&mut younger, 31));
    assert!(grows(&mut oldest, 50));
    drop(oldest);
    assert!(grows(&mut younger, 50), "it is the oldest now");
}

#[tokio::test]
async fn a_pool_that_is_smaller_than_the_largest_body_has_room_beside_one() {
    let pool = MemoryPool::new(PoolSize {
        total: 45 * MIB,
        ..SIZE
    });
    let (mut oldest, mut younger) = (permit(&pool, 1), permit(&pool, 1));
    assert!(grows(&mut oldest, 5) && grows(&mut younger, 6));
    assert!(grows(&mut oldest, 50), "it has the reserve");
    assert!(grows(&mut younger, 20) && !grows(&mut younger, 30));
    drop(oldest);
    assert!(grows(&mut younger, 50), "it is the oldest now");
}

#[tokio::test]
async fn accounts_take_turns_at_the_reserve() {
    let pool = reserve();
    let (mut first, mut second) = (permit(&pool, 1), permit(&pool, 1));
    let mut other = permit(&pool, 2);
    assert!(grows(&mut first, 50), "it has the reserve");
    assert!(!grows(&mut second, 50) && !grows(&mut other, 50));
    drop(first);
    assert!(!grows(&mut second, 50), "its account has just had it");
    assert!(grows(&mut other, 50));
    let mut third = permit(&pool, 1);
    assert!(!grows(&mut third, 50));
    drop(other);
    assert!(grows(&mut second, 50));
}

/// A pool in which the reserve alone has room for a large body.
fn reserve() -> MemoryPool {
    MemoryPool::new(PoolSize {
        total: 8 * MIB,
        ..SIZE
    })
}

#[tokio::test]
async fn whoever_was_refused_stands_in_nobodys_way() {
    let pool = reserve();
    let (mut first, mut refused) = (permit(&pool, 1), permit(&pool, 1));
    let (mut other, mut next) = (permit(&pool, 2), permit(&pool, 2));
    assert!(grows(&mut first, 50), "it has the reserve");
    assert!(!grows(&mut other, 50));
    assert!(refused.grow_now_to(50 * MIB).is_err());
    drop(first);
    assert!(grows(&mut other, 50));
    drop(other);
    assert!(grows(&mut next, 50), "one that was refused is waited for");
}

#[tokio::test]
async fn newcomers_stand_behind_who_waits_longer_for_the_reserve() {
    let pool = reserve();
    let (mut first, mut second) = (permit(&pool, 1), permit(&pool, 1));
    assert!(grows(&mut first, 50), "it has the reserve");
    let mut newcomer = permit(&pool, 2);
    assert!(!grows(&mut second, 50) && !grows(&mut newcomer, 50));
    drop(first);
    assert!(!grows(&mut second, 50) && grows(&mut newcomer, 50));
    let mut last = permit(&pool, 3);
    assert!(!grows(&mut last, 50));
    drop(newcomer);
    assert!(!grows(&mut last, 50), "it came last");
    assert!(grows(&mut second, 50));
}

#[tokio::test(start_paused = true)]
async fn a_younger_body_is_refused_in_the_end() {
    let pool = MemoryPool::new(SIZE);
    let _held = fill(&pool, 1);
    let mut younger = permit(&pool, 1);
    let refused = younger.grow_to(4 * MIB).await.unwrap_err();
    assert_eq!(refused.code(), Code::Busy);
    drop(younger);
    assert!(grows(&mut permit(&pool, 2), 4), "another account's is not");
}

#[tokio::test(start_paused = true)]
async fn bodies_that_want_the_most_all_end_one_after_the_other() {
    let pool = MemoryPool::new(SIZE);
    let bodies = (0..10).map(|account| {
        let mut permit = permit(&pool, account);
        async move {
            for mib in 1..=50 {
                permit.grow_to(mib * MIB).await?;
                sleep(Duration::from_secs(2)).await;
            }
            Ok::<_, Problem>(())
        }
    });
    let ended = join_all(bodies).await;
    assert!(ended.iter().all(Result::is_ok));
}

#[tokio::test]
async fn while_one_has_the_reserve_the_first_that_waits_gets_what_is_free() {
    let pool = MemoryPool::new(SIZE);
    let full = fill(&pool, 1);
    let mut slow = permit(&pool, 2);
    assert!(grows(&mut slow, 50) && pool.0.state.lock().in_reserve.is_some());
    drop(full);
    let mut younger = permit(&pool, 2);
    let mut bodies = [3, 4, 5].map(|account| permit(&pool, account));
    for mib in 1..=40 {
        assert!(bodies.iter_mut().all(|body| grows(body, mib)));
    }
    assert!(
        grows(&mut younger, 1),
        "its account holds nothing of the pool"
    );
    drop(younger);
    let [first, second, third] = &mut bodies;
    assert!(grows(first, 50) && grows(second, 50));
    assert!(!grows(third, 50), "an eighth is left for newcomers");
    assert!(grows(&mut permit(&pool, 6), 10));
    drop(bodies);
    assert_eq!(pool.0.state.lock().free, SIZE.total);
}

#[tokio::test(start_paused = true)]
async fn a_body_knows_whether_others_wait() {
    let pool = MemoryPool::new(SIZE);
    let held = fill(&pool, 1);
    let mut waiting = permit(&pool, 1);
    assert!(!held[0].others_wait());
    assert!(waiting.grow_to(4 * MIB).now_or_never().is_none());
    assert!(held[0].others_wait() && !waiting.others_wait());
    drop(waiting);
    assert!(!held[0].others_wait());
}

#[tokio::test]
async fn what_is_given_back_is_free_also_of_the_reserve() {
    let pool = MemoryPool::new(PoolSize {
        small: u64::MAX,
        ..SIZE
    });
    let mut pooled = permit(&pool, 1);
    assert!(grows(&mut pooled, 50));
    pooled.shrink_to(10 * MIB);
    assert_eq!(pool.0.state.lock().free, 150 * MIB);
    let _rest: Vec<_> = (2..4).flat_map(|account| fill(&pool, account)).collect();
    let mut reserved = permit(&pool, 10);
    assert!(grows(&mut reserved, 50));
    assert!(pool.0.state.lock().in_reserve.is_some());
    reserved.shrink_to(0);
    assert!(pool.0.state.lock().in_reserve.is_none());
    assert!(reserved.grow_now_to(50 * MIB).is_ok());
}

#[tokio::test]
async fn a_response_holds_memory_until_its_last_bytes_are_dropped() {
    let pool = MemoryPool::new(SIZE);
    let held = || SIZE.total - pool.0.state.lock().free;
    let mut large = permit(&pool, 1);
    assert!(grows(&mut large, 4));
    let response = large.hold(Response::new(Body::from(vec![0; FREE + 1])));
    assert_eq!(held(), FREE as u64 + 1);
    let mut body = response.into_body();
    assert_eq!(body.size_hint().exact(), Some(FREE as u64 + 1));
    let bytes = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
    let bytes = bytes.unwrap().unwrap().into_data().unwrap();
    drop(body);
    let part = bytes.slice(..10);
    drop(bytes);
    assert_eq!(held(), FREE as u64 + 1);
    drop(part);
    assert_eq!(held(), 0);
    let mut small = permit(&pool, 1);
    assert!(grows(&mut small, 4));
    let _response = small.hold(Response::new(Body::from(vec![0; FREE])));
    assert_eq!(held(), 0);
}
