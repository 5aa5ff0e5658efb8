// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Only what knows the state ends a login.

use super::*;

const EXPECTED: Expected<'static> = Expected {
    state: "s",
    issuer: "https://idp",
    names_itself: true,
};

#[test]
fn what_comes_back() {
    let check = |target: &str, expected: Came| assert_eq!(came(target, &EXPECTED), expected, "{target}");
    let code = || Came::Code("c d".to_owned());
    check("/callback?state=s&code=c%20d&iss=https%3A%2F%2Fidp", code());
    check("/callback?state=s&code=c&iss=https://other", Came::Else);
    check("/callback?state=s&code=c", Came::Else);
    check("/callback?state=x&code=c&iss=https://idp", Came::Else);
    check("/callback?code=c&iss=https://idp", Came::Else);
    check("/callback?state=s&iss=https://idp", Came::Else);
    check("/other?state=s&code=c&iss=https://idp", Came::Else);
    check("/favicon.ico", Came::Else);
    check("http://[", Came::Else);
    check(
        "/callback?state=x&error=access_denied&iss=https://idp",
        Came::Else,
    );
    let no = Came::No("no [31m".to_owned());
    check(
        "/callback?state=s&error=x&error_description=no%20%1b[31m&iss=https://idp",
        no,
    );
    let silent = Expected {
        names_itself: false,
        ..EXPECTED
    };
    assert_eq!(came("/callback?state=s&code=c%20d", &silent), code());
    assert_eq!(
        came("/callback?state=s&code=c&iss=https://x", &silent),
        Came::Else
    );
}

/// Connections that say nothing, or something else, hold nobody up.
#[tokio::test]
async fn only_the_right_one_ends_it() {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let visit = async |target: &str| reqwest::get(format!("http://{address}{target}")).await.unwrap();
    let visits = async {
        let _silent = TcpStream::connect(address).await.unwrap();
        assert_eq!(visit("/favicon.ico").await.status(), 404);
        assert_eq!(
            visit("/callback?state=x&code=evil&iss=https://idp")
                .await
                .status(),
            404
        );
        visit("/callback?state=s&code=c&iss=https://idp")
            .await
            .text()
            .await
            .unwrap()
    };
    let (code, page) = tokio::join!(code(&socket, &EXPECTED), visits);
    assert_eq!(code.unwrap(), "c");
    assert!(page.contains("You are logged in"), "{page}");
    let denied = visit("/callback?state=s&error=access_denied&iss=https://idp");
    let (denied, _) = tokio::join!(super::code(&socket, &EXPECTED), denied);
    assert!(denied.unwrap_err().to_string().contains("access_denied"));
}
