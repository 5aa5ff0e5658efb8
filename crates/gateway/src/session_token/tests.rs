// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Sessions open for whoever sealed them, as long as they last, and for nobody else.

use super::*;

const HOUR: Duration = Duration::from_secs(3600);

/// Writes a key for its owner alone.
fn write(file: &Path, key: &[u8]) {
    std::fs::write(file, key).unwrap();
    allow(file, 0o600);
}

fn allow(file: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn ann() -> Login {
    Login {
        user: "ann".to_owned(),
        password: "a: secret ü".to_owned(),
    }
}

#[test]
fn a_login_comes_back_at_every_gateway_with_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    write(&file, &[7; 40]);
    let [one, two] = [SessionKey::read(&file).unwrap(), SessionKey::read(&file).unwrap()];
    let token = one.seal(&ann(), HOUR).unwrap();
    assert_eq!(two.open(&token), Opened::Login(ann()));
    assert!(!token.contains("ann"));
    assert_ne!(token, one.seal(&ann(), HOUR).unwrap());
    assert_eq!(SessionKey::random().unwrap().open(&token), Opened::Unknown);
}

#[test]
fn a_login_ends() {
    let key = SessionKey::random().unwrap();
    let token = key.seal(&ann(), Duration::ZERO).unwrap();
    assert_eq!(key.open(&token), Opened::Expired);
}

#[test]
fn nothing_that_was_changed_opens() {
    let key = SessionKey::random().unwrap();
    let token = key.seal(&ann(), HOUR).unwrap();
    for at in PREFIX.len()..token.len() {
        let mut changed: Vec<u8> = token.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        assert_eq!(key.open(&changed), Opened::Unknown, "{at}");
        assert_eq!(key.open(&token[..at]), Opened::Unknown, "{at}");
    }
}

#[test]
fn the_tokens_of_others_are_left_alone() {
    let key = SessionKey::random().unwrap();
    for token in ["", "eyJhbGciOiJSUzI1NiJ9.e30.c2ln", "lakeward"] {
        assert_eq!(key.open(token), Opened::NotOurs);
    }
}

#[test]
fn a_key_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    for length in [0, 31, 65 * 1024 + 1] {
        write(&file, &vec![1; length]);
        let refusal = SessionKey::read(&file).unwrap_err().to_string();
        assert!(refusal.contains(&length.to_string()), "{refusal}");
    }
    assert!(SessionKey::read(&folder.path().join("none")).is_err());
    // Without an end.
    assert!(SessionKey::read(Path::new("/dev/zero")).is_err());
    assert!(SessionKey::read(folder.path()).is_err());
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    write(&file, &[7; 32]);
    for mode in [0o644, 0o604, 0o606, 0o666] {
        allow(&file, mode);
        let refusal = SessionKey::read(&file).unwrap_err().to_string();
        assert!(refusal.contains("chmod o="), "{refusal}");
    }
    for mode in [0o400, 0o600, 0o640, 0o440] {
        allow(&file, mode);
        assert!(SessionKey::read(&file).is_ok(), "{mode:o}");
    }
}

#[test]
fn no_secret_is_shown() {
    let shown = format!("{:?} {:?}", SessionKey(vec![9; 32]), ann());
    assert_eq!(shown, "SessionKey(..) Login(ann)");
}
