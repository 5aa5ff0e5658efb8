// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is kept is found again, and nothing else is reached.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn at(attribute: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(attribute.to_owned(), value.to_owned())])
}

#[test]
fn what_is_kept_is_read_until_it_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    for kind in [
        SecretProviderKind::Memory,
        SecretProviderKind::File {
            folder: folder.path().to_owned(),
        },
    ] {
        let provider = SecretProvider::new(kind);
        let urn = SecretUrn::bound("p", "fileset", 7, "a.b").unwrap();
        let other = SecretUrn::bound("p", "fileset", 8, "a.b").unwrap();
        provider.keep(&urn, &Plaintext::new("pssst\n")).unwrap();
        assert_eq!(provider.read(&urn).unwrap().reveal(), "pssst\n");
        assert!(matches!(provider.read(&other), Err(SecretError::Missing)));
        provider.forget(&urn).unwrap();
        provider.forget(&urn).unwrap();
        assert!(matches!(provider.read(&urn), Err(SecretError::Missing)));
        let large = Plaintext::new("x".repeat(MAX_BYTES + 1));
        assert!(matches!(provider.keep(&urn, &large), Err(SecretError::Unusable)));
    }
}

#[test]
fn files_are_for_the_server_only_and_none_is_reached_by_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().join("secrets");
    let provider = SecretProvider::new(SecretProviderKind::File {
        folder: secrets.clone(),
    });
    let bound = SecretUrn::bound("p", "catalog", 7, "k").unwrap();
    provider.keep(&bound, &Plaintext::new("pssst")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&secrets.join("bound")), 0o700);
    assert_eq!(mode(&secrets.join("bound/catalog-7-k")), 0o600);
    std::fs::write(folder.path().join("outside"), "outside").unwrap();
    std::fs::write(secrets.join("key"), "value\r\n").unwrap();
    std::fs::write(secrets.join(".hidden"), "hidden").unwrap();
    std::fs::write(secrets.join("binary"), [0xff]).unwrap();
    std::fs::write(secrets.join("large"), vec![b'x'; MAX_BYTES + 1]).unwrap();
    // As mounted secrets are.
    symlink("key", secrets.join("mounted")).unwrap();
    let read = |file: &str| provider.read(&SecretUrn::referring("p", file, "k").unwrap());
    assert_eq!(read("key").unwrap().reveal(), "value");
    assert_eq!(read("mounted").unwrap().reveal(), "value");
    for none in ["..", ".hidden", "bound", "nothing", "catalog-7-k"] {
        assert!(matches!(read(none), Err(SecretError::Missing)), "{none}");
    }
    for unusable in ["binary", "large"] {
        assert!(matches!(read(unusable), Err(SecretError::Unusable)), "{unusable}");
    }
    assert_eq!(provider.identifier(&at("file", "key")).unwrap(), "key");
    assert!(provider.identifier(&at("path", "key")).is_err());
}

#[test]
fn variables_are_referred_to_below_their_beginning_only() {
    let provider = SecretProvider::new(SecretProviderKind::Environment {
        prefix: "PAT".to_owned(),
    });
    let read = |variable: &str| provider.read(&SecretUrn::referring("p", variable, "k").unwrap());
    assert_eq!(read("PATH").unwrap().reveal(), std::env::var("PATH").unwrap());
    for none in ["HOME", "PATH_OF_NOTHING"] {
        assert!(matches!(read(none), Err(SecretError::Missing)), "{none}");
    }
    let bound = SecretUrn::bound("p", "catalog", 7, "k").unwrap();
    assert!(matches!(
        provider.keep(&bound, &Plaintext::new("x")),
        Err(SecretError::Refused(_))
    ));
    assert_eq!(provider.identifier(&at("variable", "PATH")).unwrap(), "PATH");
    let two = BTreeMap::from([
        ("variable".to_owned(), "A".to_owned()),
        ("file".to_owned(), "b".to_owned()),
    ]);
    assert!(provider.identifier(&two).is_err());
}
