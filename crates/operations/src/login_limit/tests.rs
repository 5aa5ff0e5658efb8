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

fn begun<'a>(
    limit: &'a LoginLimit,
    user: &str,
    remote: Option<IpAddr>,
    now: i64,
) -> Result<Attempt<'a>, Duration> {
    let mut attempt = limit.attempt(user, remote, now)?;
    attempt.begin(now)?;
    Ok(attempt)
}

/// Whole seconds to wait, 0 for an attempt that is heard; it is wrong.
fn wait(limit: &LoginLimit, user: &str, remote: Option<IpAddr>, now: i64) -> u64 {
    match begun(limit, user, remote, now) {
        Ok(attempt) => {
            attempt.failed(now);
            0
        }
        Err(wait) => wait.as_secs(),
    }
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
        attempt.succeeded(0);
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
    attempt.succeeded(0);
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
    for attempt in attempts {
        attempt.take_back();
    }
    let again: Vec<_> = (0..10)
        .filter_map(|_| limit.attempt("ann", HERE, 0).ok())
        .collect();
    assert_eq!(again.len(), 3);
}

#[test]
fn many_people_behind_an_address_log_in_at_once() {
    let limit = limit(1, 2);
    let mut attempts: Vec<_> = (0..101)
        .map(|number| limit.attempt(&number.to_string(), HERE, 0).unwrap())
        .collect();
    for attempt in &mut attempts {
        attempt.begin(0).unwrap();
    }
    for attempt in attempts {
        attempt.succeeded(0);
    }
    assert_eq!(limit.failures.iter().count(), 0);
}

#[test]
fn guesses_of_an_address_at_once_get_no_further_than_those_that_are_checked_at_once() {
    let limit = limit(1, 10);
    let checked_at_once = 4;
    let mut line: Vec<_> = (0..200)
        .map(|number| limit.attempt(&number.to_string(), HERE, 0).unwrap())
        .collect();
    let mut checked = 0;
    while !line.is_empty() {
        let turn = line.drain(..checked_at_once).collect::<Vec<_>>();
        let begun: Vec<_> = turn
            .into_iter()
            .filter_map(|mut attempt| attempt.begin(0).is_ok().then_some(attempt))
            .collect();
        checked += begun.len();
        for attempt in begun {
            attempt.failed(0);
        }
    }
    assert_eq!(checked, 12);
    assert_eq!(wait(&limit, "ann", HERE, 0), 2);
    // Those that were not heard are no failures of their accounts.
    assert_eq!(limit.failures.iter().count(), 12 + 1);
}

#[test]
fn a_right_password_prolongs_nothing_of_its_address() {
    let limit = limit(5, 1);
    for user in ["a", "b"] {
        assert_eq!(wait(&limit, user, HERE, 0), 0);
    }
    assert_eq!(wait(&limit, "c", HERE, 0), 1);
    let last = FORGOTTEN_AFTER - 1;
    begun(&limit, "ann", HERE, last).unwrap().succeeded(last);
    assert_eq!(
        [
            wait(&limit, "d", HERE, last + 1),
            wait(&limit, "e", HERE, last + 1),
            wait(&limit, "f", HERE, last + 1)
        ],
        [0, 0, 1],
        "the first two are forgotten by now"
    );
}

#[test]
fn what_is_taken_back_leaves_what_was_known_before() {
    let limit = limit(1, 100);
    assert_eq!(
        [wait(&limit, "ann", HERE, 0), wait(&limit, "ann", HERE, 0)],
        [0, 0]
    );
    limit.attempt("ann", THERE, 5_000).unwrap().take_back();
    // Whoever hangs up in line has not guessed.
    drop(limit.attempt("ann", THERE, 5_000).unwrap());
    let failures = |user: &str| limit.failures.get(&Source::Account(Sha256::digest(user).into()));
    let known = failures("ann").unwrap();
    assert_eq!((known.count, known.last, known.under_way), (2, 0, 0));
    // Two at once, of which one is wrong.
    let limits = LoginLimits {
        account_failures: 5,
        ..limit.limits
    };
    let limit = LoginLimit::new(limits);
    let [one, other] = [0, 1].map(|now| limit.attempt("bob", HERE, now).unwrap());
    one.failed(2);
    other.take_back();
    let known = limit
        .failures
        .get(&Source::Account(Sha256::digest("bob").into()))
        .unwrap();
    assert_eq!((known.count, known.last, known.under_way), (1, 2, 0));
    // Nothing is kept of an account that has no failures.
    limit.attempt("cid", HERE, 3).unwrap().take_back();
    assert!(
        !limit
            .failures
            .contains_key(&Source::Account(Sha256::digest("cid").into()))
    );
}

#[test]
fn who_hangs_up_while_the_password_is_checked_has_guessed() {
    let limit = limit(1, 1);
    for user in ["ann", "ann"] {
        drop(begun(&limit, user, HERE, 0).unwrap());
    }
    assert_eq!(wait(&limit, "ann", THERE, 0), 1);
    assert_eq!(wait(&limit, "bob", HERE, 0), 1);
}

#[test]
fn memory_is_bounded() {
    let room = 500;
    let limit = LoginLimit::with_room(LoginLimits::default(), room);
    for number in 0..5_000 {
        let address = Some(IpAddr::V4(std::net::Ipv4Addr::from_bits(number)));
        assert_eq!(wait(&limit, &number.to_string(), address, 0), 0);
    }
    limit.failures.run_pending_tasks();
    assert!(limit.failures.entry_count() <= room);
}

#[test]
fn networks() {
    let of = |text: &str| network(text.parse().unwrap()).to_string();
    assert_eq!(of("192.0.2.7"), "192.0.2.7");
    assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
    assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
}
