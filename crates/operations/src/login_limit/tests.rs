// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Delays after failures, by a clock that the test holds.

use super::*;

const HERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));
const THERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2)));

fn limit(account_failures: u32, address_failures: u32) -> LoginLimit {
    LoginLimit::new(LoginLimits {
        account_failures,
        address_failures,
        max_delay: Duration::from_secs(8),
    })
}

/// Whole seconds to wait, 0 for an attempt that is heard.
fn wait(limit: &LoginLimit, user: &str, remote: Option<IpAddr>, now: i64) -> u64 {
    limit
        .attempt(user, remote, now)
        .err()
        .map_or(0, |wait| wait.as_secs())
}

#[test]
fn delays_double_up_to_the_longest_and_are_forgotten() {
    let limit = limit(2, 100);
    let mut now = 1_000_000;
    assert_eq!(
        [wait(&limit, "ann", HERE, now), wait(&limit, "ann", HERE, now)],
        [0, 0]
    );
    for delay in [0, 1, 2, 4, 8, 8, 8] {
        now += delay * 1_000;
        assert_eq!(wait(&limit, "ann", HERE, now), 0, "{delay}");
        // Not heard, so not counted either.
        assert!(limit.attempt("ann", THERE, now).is_err(), "{delay}");
        assert!(limit.attempt("ann", None, now).is_err(), "{delay}");
    }
    assert_eq!(wait(&limit, "bob", HERE, now), 0);
    // A clock that is put back.
    assert_eq!(wait(&limit, "ann", HERE, 0), 8);
    now += FORGOTTEN_AFTER;
    assert_eq!(
        [wait(&limit, "ann", HERE, now), wait(&limit, "ann", HERE, now)],
        [0, 0]
    );
}

#[test]
fn a_right_password_ends_the_delays_of_its_account_and_is_no_failure_of_its_address() {
    let limit = limit(1, 2);
    for _ in 0..10 {
        let attempt = limit.attempt("ann", HERE, 0).unwrap();
        limit.succeeded(&attempt, 0);
    }
    assert_eq!(wait(&limit, "bob", HERE, 0), 0);
    assert_eq!(wait(&limit, "cid", HERE, 0), 0);
    assert_eq!(wait(&limit, "dan", HERE, 0), 0);
    assert_eq!(
        wait(&limit, "eve", HERE, 0),
        1,
        "the address has guessed three names"
    );
    // Whoever logged in from there before is not delayed by the others.
    assert_eq!(wait(&limit, "ann", HERE, 0), 0);
}

#[test]
fn strangers_do_not_delay_an_account_where_it_logs_in_from() {
    let limit = limit(1, 100);
    let attempt = limit.attempt("ann", HERE, 0).unwrap();
    limit.succeeded(&attempt, 0);
    assert_eq!(
        [wait(&limit, "ann", THERE, 0), wait(&limit, "ann", THERE, 0)],
        [0, 0]
    );
    assert_eq!(wait(&limit, "ann", THERE, 0), 1);
    assert_eq!(
        [wait(&limit, "ann", HERE, 0), wait(&limit, "ann", HERE, 0)],
        [0, 0]
    );
    assert_eq!(wait(&limit, "ann", HERE, 0), 1, "guesses count there too");
    let later = FAMILIAR_FOR;
    assert_eq!(
        [
            wait(&limit, "ann", THERE, later),
            wait(&limit, "ann", THERE, later)
        ],
        [0, 0]
    );
    assert_eq!(
        wait(&limit, "ann", HERE, later),
        1,
        "no familiar address any more"
    );
}

#[test]
fn attempts_at_the_same_time_are_counted_before_they_end() {
    let limit = limit(2, 100);
    let attempts: Vec<_> = (0..10)
        .filter_map(|_| limit.attempt("ann", HERE, 0).ok())
        .collect();
    assert_eq!(attempts.len(), 3);
    for attempt in &attempts {
        limit.take_back(attempt);
    }
    assert_eq!(
        (0..10).filter_map(|_| limit.attempt("ann", HERE, 0).ok()).count(),
        3
    );
}

#[test]
fn memory_is_bounded() {
    let limit = limit(1, 1);
    for number in 0..REMEMBERED as u32 + 50_000 {
        let address = Some(IpAddr::V4(std::net::Ipv4Addr::from_bits(number)));
        assert!(limit.attempt(&number.to_string(), address, 0).is_ok());
    }
    limit.failures.run_pending_tasks();
    assert!(limit.failures.entry_count() <= REMEMBERED);
}

#[test]
fn networks() {
    let of = |text: &str| network(text.parse().unwrap()).to_string();
    assert_eq!(of("192.0.2.7"), "192.0.2.7");
    assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
    assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
}
