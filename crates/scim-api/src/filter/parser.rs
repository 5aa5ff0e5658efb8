// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From the text of a filter to a [`Filter`], within bounds: what a client sends costs no more than it is long.

use lakeward_metadata::instant::instant_of;
use serde_json::Value;

use super::{Filter, Literal, Operator, Path};
use crate::schema::{Attribute, Named, ResourceType, Type, find, resolve};
use crate::{ScimError, ScimType};

/// The longest filter in bytes.
pub const MAX_FILTER_BYTES: usize = 8192;
/// How deep brackets may lie inside each other.
pub const MAX_DEPTH: usize = 16;
/// The most conditions of a filter.
pub const MAX_TERMS: usize = 64;

/// Reads one text from its begin.
pub(crate) struct Parser<'t> {
    text: &'t str,
    at: usize,
    terms: usize,
}

/// Where names of attributes are looked up.
#[derive(Clone, Copy)]
struct Scope {
    attributes: &'static [Attribute],
    /// The type of the resource; `None` between `[` and `]`, where the parts of one value are named.
    of: Option<ResourceType>,
}

impl<'t> Parser<'t> {
    /// At the begin of a text.
    pub(crate) fn new(text: &'t str) -> Result<Self, ScimError> {
        if text.len() > MAX_FILTER_BYTES {
            let detail = format!("the filter is longer than {MAX_FILTER_BYTES} bytes");
            return Err(ScimError::new(ScimType::InvalidFilter, detail));
        }
        Ok(Self {
            text,
            at: 0,
            terms: 0,
        })
    }

    /// The whole text as one filter.
    pub(crate) fn whole(
        mut self,
        attributes: &'static [Attribute],
        of: Option<ResourceType>,
    ) -> Result<Filter, ScimError> {
        let filter = self.either(Scope { attributes, of }, 0)?;
        self.spaces();
        if self.rest().is_empty() {
            Ok(filter)
        } else {
            Err(self.refused("`and`, `or` or the end is expected"))
        }
    }

    fn either(&mut self, scope: Scope, depth: usize) -> Result<Filter, ScimError> {
        let mut filter = self.both(scope, depth)?;
        while self.word("or") {
            filter = Filter::Or(Box::new(filter), Box::new(self.both(scope, depth)?));
        }
        Ok(filter)
    }

    fn both(&mut self, scope: Scope, depth: usize) -> Result<Filter, ScimError> {
        let mut filter = self.one(scope, depth)?;
        while self.word("and") {
            filter = Filter::And(Box::new(filter), Box::new(self.one(scope, depth)?));
        }
        Ok(filter)
    }

    fn one(&mut self, scope: Scope, depth: usize) -> Result<Filter, ScimError> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return Err(self.refused(&format!("there are more than {MAX_TERMS} conditions")));
        }
        if depth > MAX_DEPTH {
            return Err(self.refused(&format!("brackets are nested more than {MAX_DEPTH} deep")));
        }
        if self.symbol('(') {
            return self.bracketed(scope, depth);
        }
        let before = self.at;
        if self.word("not") {
            if self.symbol('(') {
                return Ok(Filter::Not(Box::new(self.bracketed(scope, depth)?)));
            }
            self.at = before;
        }
        let path = self.path(scope)?;
        if self.rest().starts_with('[') {
            return self.within(path, scope, depth);
        }
        self.condition(path)
    }

    fn bracketed(&mut self, scope: Scope, depth: usize) -> Result<Filter, ScimError> {
        let inner = self.either(scope, depth + 1)?;
        if self.symbol(')') {
            Ok(inner)
        } else {
            Err(self.refused("`)` is expected"))
        }
    }

    /// `emails[…]`, and what is not in the standard but sent all the same: `emails[…].value eq "…"`.
    fn within(&mut self, path: Path, scope: Scope, depth: usize) -> Result<Filter, ScimError> {
        let (Type::Complex(parts), None, Some(_)) = (path.attribute.kind, path.part, scope.of) else {
            return Err(self.refused(&format!(
                "`{}` has no parts to ask between `[` and `]`",
                path.attribute.name
            )));
        };
        self.at += 1;
        let inner_scope = Scope {
            attributes: parts,
            of: None,
        };
        let mut inner = self.either(inner_scope, depth + 1)?;
        if !self.symbol(']') {
            return Err(self.refused("`]` is expected"));
        }
        if self.rest().starts_with('.') {
            self.at += 1;
            let part = self.path(inner_scope)?;
            inner = Filter::And(Box::new(inner), Box::new(self.condition(part)?));
        }
        Ok(Filter::Within(path.attribute, Box::new(inner)))
    }

    fn path(&mut self, scope: Scope) -> Result<Path, ScimError> {
        self.spaces();
        let rest = self.rest();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '$' | ':' | '.');
        let name = rest.split(|c: char| !is_name(c)).next().unwrap_or_default();
        if name.is_empty() {
            return Err(self.refused("the name of an attribute is expected"));
        }
        let path = match scope.of {
            Some(of) => match resolve(of, name) {
                Named::Attribute(attribute) => Some((attribute, None)),
                Named::Part(attribute, part) => Some((attribute, Some(part))),
                Named::NotKept => {
                    return Err(self.refused(&format!(
                        "`{name}` is not kept here, so nothing can be found by it"
                    )));
                }
                Named::Unknown => None,
            },
            None => find(scope.attributes, name).map(|part| (part, None)),
        };
        let Some((attribute, part)) = path else {
            return Err(self.refused(&format!("`{name}` is no attribute here")));
        };
        self.at += name.len();
        Ok(Path { attribute, part })
    }

    fn condition(&mut self, path: Path) -> Result<Filter, ScimError> {
        if self.word("pr") {
            return Ok(Filter::Present(path));
        }
        const OPERATORS: [(&str, Operator); 9] = [
            ("eq", Operator::Eq),
            ("ne", Operator::Ne),
            ("co", Operator::Co),
            ("sw", Operator::Sw),
            ("ew", Operator::Ew),
            ("gt", Operator::Gt),
            ("ge", Operator::Ge),
            ("lt", Operator::Lt),
            ("le", Operator::Le),
        ];
        let Some((name, operator)) = OPERATORS.into_iter().find(|(name, _)| self.word(name)) else {
            return Err(self.refused("one of eq, ne, co, sw, ew, pr, gt, ge, lt, le is expected"));
        };
        let value = self.value()?;
        let literal = self.literal(path, name, operator, value)?;
        Ok(Filter::Compare(path, operator, literal))
    }

    /// A JSON value that is no list and no object.
    fn value(&mut self) -> Result<Value, ScimError> {
        self.spaces();
        let rest = self.rest();
        let end = if rest.starts_with('"') {
            end_of_text(rest)
        } else {
            rest.find([' ', ')', ']']).unwrap_or(rest.len())
        };
        let text = rest.get(..end).unwrap_or_default();
        let value = serde_json::from_str::<Value>(text)
            .map_err(|_| self.refused("a text in quotation marks, true, false or null is expected"))?;
        // No name has it, and not every database takes it.
        if value.as_str().is_some_and(|text| text.contains('\0')) {
            return Err(self.refused("a text has no U+0000"));
        }
        self.at += end;
        Ok(value)
    }

    fn literal(
        &self,
        path: Path,
        name: &str,
        operator: Operator,
        value: Value,
    ) -> Result<Literal, ScimError> {
        let attribute = path.compared();
        let unfit = |expected: &str| {
            self.refused(&format!(
                "`{}` cannot be compared by `{name}` with {expected}",
                attribute.name
            ))
        };
        let is_equality = matches!(operator, Operator::Eq | Operator::Ne);
        let is_of_texts = matches!(operator, Operator::Co | Operator::Sw | Operator::Ew);
        match (attribute.kind, value) {
            (_, Value::Null) if is_equality => Ok(Literal::Null),
            (_, Value::Null) => Err(unfit("null")),
            (Type::Boolean, Value::Bool(truth)) if is_equality => Ok(Literal::Boolean(truth)),
            // Entra writes truth values as texts.
            (Type::Boolean, Value::String(text)) if is_equality && truth(&text).is_some() => {
                Ok(Literal::Boolean(truth(&text).unwrap_or_default()))
            }
            (Type::Text { case_exact: false }, Value::String(text)) => Ok(Literal::Text(text.to_lowercase())),
            (Type::Text { case_exact: true } | Type::Reference, Value::String(text)) => {
                Ok(Literal::Text(text))
            }
            (Type::Time, Value::String(text)) if !is_of_texts => instant_of(&text)
                .map(Literal::Time)
                .ok_or_else(|| unfit("what is no instant")),
            (Type::Complex(_), _) => Err(unfit("a value; name one of its parts")),
            (_, _) => Err(unfit("such a value")),
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches(' ').len();
    }

    fn symbol(&mut self, symbol: char) -> bool {
        self.spaces();
        let is_there = self.rest().starts_with(symbol);
        if is_there {
            self.at += symbol.len_utf8();
        }
        is_there
    }

    /// A word in any case that ends where another begins.
    fn word(&mut self, word: &str) -> bool {
        let before = self.at;
        self.spaces();
        let is_there = match self.rest().split_at_checked(word.len()) {
            Some((begin, rest)) => {
                begin.eq_ignore_ascii_case(word)
                    && !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '_' | '-'))
            }
            None => false,
        };
        self.at = if is_there { self.at + word.len() } else { before };
        is_there
    }

    fn refused(&self, what: &str) -> ScimError {
        let at = self.text.get(..self.at).unwrap_or_default().chars().count() + 1;
        ScimError::new(ScimType::InvalidFilter, format!("filter, character {at}: {what}"))
    }
}

/// A truth value as a text, in any case.
pub(crate) fn truth(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// How long the JSON text is that a text begins with.
fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Where the first `[` outside of a text is closed: its begin and its end, without them.
pub(crate) fn brackets(text: &str) -> Option<(usize, usize)> {
    let begin = text.find('[')?;
    let mut at = begin + 1;
    loop {
        let rest = text.get(at..)?;
        let next = rest.find(['"', ']'])?;
        let found = rest.get(next..)?;
        if found.starts_with(']') {
            return Some((begin + 1, at + next));
        }
        at += next + end_of_text(found);
    }
}
