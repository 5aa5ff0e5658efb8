// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How large a statement may be.
//!
//! The parser bounds what it reads by recursion: brackets, prefixes, `CASE`. Chains it reads in a loop, as long as they
//! are: `1 + 1 + …`, set operations, joins. Each link is one level of the tree, and the trees of parser and engine are
//! copied and freed by recursion, so that a chain without a bound overflows the stack, which ends the whole process. So
//! chains are counted before a tree is made.
//!
//! A short text can also name parts that use each other twice, thirty times over. Planning cannot be interrupted, so the
//! steps of the plan are counted before anything goes through it.

mod tables;

pub(crate) use self::tables::check_tables;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::query_error;
use crate::error::ReaderError;

/// The stack that a thread needs for the deepest statement that is not refused, in bytes: the parser reads fifty levels by
/// recursion, which in a build without optimization take more than fifty kilobytes each. Whoever plans statements gives
/// as much to all its threads.
pub const STACK_BYTES: usize = 8 * 1024 * 1024;
/// The longest text of a statement, in bytes.
pub const MOST_TEXT: usize = 1024 * 1024;
/// The most links of the chains around one place of a statement.
const MOST_LINKS: usize = 200;
/// As many links counts one `EXPLAIN`: the parser calls itself for each, with much on its stack.
const EXPLAIN: usize = 100;
/// The most `CASE`s, casts and other forms with words of their own within each other. When one of them ends in an error, the
/// parser reads it a second time as something else, and so each within it twice as often.
const MOST_FORMS: usize = 12;
/// The most `WITH` parts within each other. Whoever looks for the tables of a statement goes through each part once for
/// itself and once for what stands round it, and so through each within it twice as often.
const MOST_WITHS: usize = 5;
/// The most steps of a plan: scans, filters, joins and so on.
const MOST_STEPS: usize = 5000;

/// Refuses a text that is too long.
///
/// # Errors
/// [`ReaderError::Statement`].
pub(crate) fn check_text(sql: &str) -> Result<(), ReaderError> {
    if sql.len() <= MOST_TEXT {
        return Ok(());
    }
    Err(ReaderError::Statement(format!(
        "the statement has {} bytes, and {MOST_TEXT} are the most",
        sql.len()
    )))
}

/// What is open at a place of the text.
#[derive(Debug, Default)]
struct Level {
    is_case: bool,
    /// Whether it is a form with words of its own.
    is_form: bool,
    /// Whether it begins with `WITH`.
    is_with: bool,
    /// Whether something stands in it.
    is_begun: bool,
    /// Operators since the last comma.
    operators: usize,
    /// Set operations and joins, which commas do not end.
    relations: usize,
}

/// Refuses chains that are too long.
///
/// # Errors
/// [`ReaderError::Statement`].
pub(crate) fn check_chains(tokens: &[TokenWithSpan]) -> Result<(), ReaderError> {
    let mut outer: Vec<Level> = Vec::new();
    let mut level = Level::default();
    // Of all levels together.
    let mut links = 0_usize;
    let mut before = Keyword::NoKeyword;
    for TokenWithSpan { token, .. } in tokens {
        if !matches!(token, Token::Whitespace(_)) && !std::mem::replace(&mut level.is_begun, true) {
            level.is_with = matches!(token, Token::Word(word) if word.keyword == Keyword::WITH);
            if level.is_with && outer.iter().filter(|level| level.is_with).count() >= MOST_WITHS {
                return Err(ReaderError::Statement(format!(
                    "the statement has more than {MOST_WITHS} `WITH` parts within each other; write them side by side"
                )));
            }
        }
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                // A subscript is a link of the chain that it stands in.
                level.operators += 1;
                links += 1;
                outer.push(std::mem::take(&mut level));
                level.is_form = is_form(before);
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                while level.is_case
                    && let Some(above) = outer.pop()
                {
                    links = links.saturating_sub(level.operators + level.relations);
                    level = above;
                }
                if let Some(above) = outer.pop() {
                    links = links.saturating_sub(level.operators + level.relations);
                    level = above;
                }
            }
            Token::Comma => {
                links = links.saturating_sub(level.operators);
                level.operators = 0;
            }
            Token::Word(word) => match word.keyword {
                Keyword::CASE => {
                    outer.push(std::mem::take(&mut level));
                    level.is_case = true;
                    level.is_form = true;
                }
                Keyword::END if level.is_case => {
                    if let Some(above) = outer.pop() {
                        links = links.saturating_sub(level.operators + level.relations);
                        level = above;
                    }
                }
                Keyword::WHEN | Keyword::THEN | Keyword::ELSE if level.is_case => {
                    links = links.saturating_sub(level.operators);
                    level.operators = 0;
                }
                Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT | Keyword::MINUS | Keyword::JOIN => {
                    level.relations += 1;
                    links += 1;
                }
                Keyword::EXPLAIN => {
                    level.relations += EXPLAIN;
                    links += EXPLAIN;
                }
                Keyword::AND
                | Keyword::OR
                | Keyword::XOR
                | Keyword::NOT
                | Keyword::IS
                | Keyword::IN
                | Keyword::BETWEEN
                | Keyword::LIKE
                | Keyword::ILIKE
                | Keyword::RLIKE
                | Keyword::REGEXP
                | Keyword::SIMILAR
                | Keyword::MATCH
                | Keyword::MEMBER
                | Keyword::OVERLAPS
                | Keyword::OPERATOR
                | Keyword::DIV
                | Keyword::AT
                | Keyword::COLLATE
                | Keyword::NOTNULL => {
                    level.operators += 1;
                    links += 1;
                }
                _ => {}
            },
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::Placeholder(_)
            | Token::Period
            | Token::SemiColon
            | Token::Whitespace(_)
            | Token::EOF => {}
            // Operators, and what is rare enough to count as one.
            _ => {
                level.operators += 1;
                links += 1;
            }
        }
        match token {
            Token::Word(word) => before = word.keyword,
            Token::Whitespace(_) => {}
            _ => before = Keyword::NoKeyword,
        }
        let forms = outer.iter().filter(|level| level.is_form).count();
        if level.is_form && forms >= MOST_FORMS {
            return Err(ReaderError::Statement(format!(
                "the statement has more than {MOST_FORMS} `CASE`s, casts or the like within each other; name some of them \
                 in a `WITH` part"
            )));
        }
        if links > MOST_LINKS {
            return Err(ReaderError::Statement(format!(
                "the statement has a chain of more than {MOST_LINKS} operators, set operations or joins; use `IN (…)` \
                 for many values, and commas or several statements for the rest"
            )));
        }
    }
    Ok(())
}

/// Whether the parser reads what this word begins in a form of its own, and else as a function.
fn is_form(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::CAST
            | Keyword::TRY_CAST
            | Keyword::SAFE_CAST
            | Keyword::CONVERT
            | Keyword::TRY_CONVERT
            | Keyword::EXISTS
            | Keyword::EXTRACT
            | Keyword::CEIL
            | Keyword::FLOOR
            | Keyword::POSITION
            | Keyword::SUBSTR
            | Keyword::SUBSTRING
            | Keyword::OVERLAY
            | Keyword::TRIM
            | Keyword::INTERVAL
            | Keyword::ARRAY
            | Keyword::STRUCT
            | Keyword::MAP
            | Keyword::MATCH
            | Keyword::GROUPING
            | Keyword::PRIOR
            | Keyword::CONNECT_BY_ROOT
    )
}

/// Refuses a plan whose named parts are used within each other so often that it is beyond measure.
///
/// # Errors
/// [`ReaderError::Statement`].
pub(crate) fn check_plan(plan: &LogicalPlan) -> Result<(), ReaderError> {
    let mut steps = 0_usize;
    plan.apply_with_subqueries(|_| {
        steps += 1;
        Ok(if steps > MOST_STEPS {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })
    .map_err(query_error)?;
    if steps <= MOST_STEPS {
        return Ok(());
    }
    Err(ReaderError::Statement(format!(
        "the statement has more than {MOST_STEPS} steps, with its `WITH` parts and views in each place where they are used; \
         ask for less at once"
    )))
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::dialect::GenericDialect;
    use datafusion::sql::sqlparser::tokenizer::Tokenizer;

    use super::{MOST_LINKS, MOST_TEXT, check_chains, check_text};

    fn fits(sql: &str) -> bool {
        let tokens = Tokenizer::new(&GenericDialect {}, sql)
            .tokenize_with_location()
            .unwrap();
        check_chains(&tokens).is_ok()
    }

    #[test]
    fn chains_have_an_end() {
        for (begin, again, end) in [
            ("SELECT 1", " + 1", ""),
            ("SELECT a", " OR a = 1", ""),
            ("SELECT 1", "::INT", ""),
            ("SELECT 1", " IS NULL", ""),
            ("SELECT [1]", "[1]", ""),
            ("SELECT 1", " + CASE WHEN a THEN 1 ELSE 2 END", ""),
            ("SELECT 1", " + (SELECT 1, 2)", ""),
            ("SELECT 1, 2", " UNION ALL SELECT 1, 2", ""),
            ("SELECT 1 FROM t", " JOIN t ON f(a, b)", ""),
            ("SELECT (1", " + (1", ""),
            ("SELECT CASE WHEN (a", " + end", ""),
        ] {
            let sql = |count: usize| format!("{begin}{}{end}", again.repeat(count));
            assert!(!fits(&sql(MOST_LINKS + 1)), "{again}");
            assert!(fits(&sql(MOST_LINKS / 4)), "{again}");
        }
    }

    #[test]
    fn what_is_wide_is_not_long() {
        let wide = |part: &str| vec![part; 10 * MOST_LINKS].join(", ");
        for sql in [
            format!("SELECT 1 IN ({})", wide("-1 + 2")),
            format!("SELECT {}", wide("a + b AS c")),
            format!("VALUES {}", wide("(1 + 1, (2))")),
            format!(
                "SELECT CASE {} END",
                "WHEN a = 1 THEN b + 1 ".repeat(10 * MOST_LINKS)
            ),
            format!("SELECT {}", wide("CASE WHEN a THEN 1 END + 1")),
            format!("SELECT {}", wide("f(CASE WHEN a + 1 THEN (1) END)")),
        ] {
            assert!(fits(&sql), "{:.60}", sql);
        }
    }

    #[test]
    fn forms_are_not_nested_beyond_what_the_parser_bears() {
        for (form, end) in [
            ("CASE WHEN true THEN ", " END"),
            ("CAST(", " AS INT)"),
            ("TRIM (", ")"),
            ("CASE WHEN EXTRACT(", ") THEN 1 END"),
        ] {
            let each = form.matches(['(']).count() + form.matches("CASE").count();
            let sql = |count: usize| format!("SELECT {}1{}", form.repeat(count), end.repeat(count));
            assert!(fits(&sql(super::MOST_FORMS / each)), "{form}");
            assert!(!fits(&sql(super::MOST_FORMS / each + 1)), "{form}");
        }
    }

    #[test]
    fn with_parts_are_side_by_side() {
        let nested = |count: usize| {
            let sql = "WITH t AS (".repeat(count);
            format!("{sql}SELECT 1{}", ") SELECT * FROM t".repeat(count))
        };
        assert!(fits(&nested(super::MOST_WITHS)));
        assert!(!fits(&nested(super::MOST_WITHS + 1)));
        let parts: Vec<String> = (0..100).map(|at| format!("t{at} AS (SELECT 1)")).collect();
        assert!(fits(&format!("WITH {} SELECT 1", parts.join(", "))));
        assert!(fits(&format!(
            "SELECT {}1",
            "(SELECT a::TIME WITH TIME ZONE, ".repeat(20)
        )));
    }

    #[test]
    fn a_text_has_an_end() {
        assert!(check_text(&" ".repeat(MOST_TEXT)).is_ok());
        assert!(check_text(&" ".repeat(MOST_TEXT + 1)).is_err());
    }
}
