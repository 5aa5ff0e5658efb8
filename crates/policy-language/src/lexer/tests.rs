// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where tokens end and what strings mean.

use crate::error::LexError;
use crate::lexer::tokens;
use crate::source::Source;
use crate::token::TokenKind;

fn shown(text: &str) -> String {
    let tokens = tokens(Source::new(text).unwrap()).unwrap();
    let names: Vec<String> = tokens.iter().map(|token| token.kind.to_string()).collect();
    names.join(" ")
}

fn error(text: &str) -> LexError {
    tokens(Source::new(text).unwrap()).unwrap_err().error
}

fn decoded(text: &str) -> String {
    let tokens = tokens(Source::new(text).unwrap()).unwrap();
    match tokens.into_iter().next().map(|token| token.kind) {
        Some(TokenKind::Text(text)) => text,
        other => panic!("{other:?} is no string"),
    }
}

#[test]
fn symbols_and_quotes_end_words() {
    assert_eq!(shown(")in["), "`)` `in` `[` the end of the rule");
    assert_eq!(
        shown("not\"a\"<=1"),
        "`not` a string `<=` a number the end of the rule"
    );
}

#[test]
fn words_and_numbers_are_never_split() {
    for text in ["notebook", "truefalse", "notcol(\"a\")", "Filter", "is_null"] {
        assert!(matches!(error(text), LexError::UnknownWord(_)), "{text}");
    }
    for text in ["1and", "01", "1e5", "0x1", "1_0", "1L", "1.", "-", "- 1", "--1"] {
        assert_eq!(error(text), LexError::BadNumber, "{text}");
    }
    assert_eq!(error(".5"), LexError::UnexpectedCharacter('.'));
    assert_eq!(error("= ="), LexError::HalfSymbol('='));
    assert_eq!(error("\u{feff}filter"), LexError::UnexpectedCharacter('\u{feff}'));
}

#[test]
fn strings_are_decoded_once() {
    assert_eq!(decoded(r#""\u0041\ud83d\uDE00\/\\n""#), "A😀/\\n");
    assert_eq!(error(r#""\ud83dx""#), LexError::LoneSurrogate);
    assert_eq!(error(r#""\ude00""#), LexError::LoneSurrogate);
    assert_eq!(error(r#""\u00""#), LexError::BadEscape);
    assert_eq!(error(r#""\x41""#), LexError::BadEscape);
    assert_eq!(error(r#""\u0000""#), LexError::Nul);
    assert_eq!(error("\"\u{0}\""), LexError::RawControlCharacter);
    assert_eq!(error("\"a\nb\""), LexError::RawControlCharacter);
    assert_eq!(error("\"a"), LexError::UnclosedString);
}
