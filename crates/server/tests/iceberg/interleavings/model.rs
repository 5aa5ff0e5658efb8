// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What operations on two names do and answer, one after the other: the statuses of the Iceberg REST specification.

use std::collections::BTreeSet;
use std::fmt;

/// What shares the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Table,
    View,
}

impl Kind {
    /// As it is in paths.
    pub(super) const fn folder(self) -> &'static str {
        match self {
            Self::Table => "tables",
            Self::View => "views",
        }
    }

    const fn missing(self) -> &'static str {
        match self {
            Self::Table => "NoSuchTableException",
            Self::View => "NoSuchViewException",
        }
    }
}

/// An operation on a name, which is 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Create(Kind, usize),
    Drop(Kind, usize),
    Rename(Kind, usize, usize),
    Commit(Kind, usize),
    Register(Kind, usize),
    Load(Kind, usize),
    List(Kind),
}

impl Operation {
    /// Whether it looks at or changes a name.
    pub(super) fn touches(self, name: usize) -> bool {
        match self {
            Self::Create(_, at)
            | Self::Drop(_, at)
            | Self::Commit(_, at)
            | Self::Register(_, at)
            | Self::Load(_, at) => at == name,
            Self::Rename(_, from, to) => from == name || to == name,
            Self::List(_) => true,
        }
    }

    /// Whether it would succeed.
    pub(super) fn is_possible(self, before: [Option<Kind>; 2]) -> bool {
        let mut state = State::of(before);
        state.apply(self, "a").status < 300
    }

    /// Before how many steps it is held up at most, and once before it begins.
    pub(super) const fn pauses(self) -> usize {
        match self {
            Self::Create(..) | Self::Register(..) => 5,
            Self::Commit(..) => 6,
            Self::Drop(..) | Self::Rename(..) | Self::Load(..) => 4,
            Self::List(_) => 2,
        }
    }
}

/// A table or view: who made it, and which commits it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) maker: &'static str,
    pub(super) marks: BTreeSet<&'static str>,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {} with {:?}", self.kind, self.maker, self.marks)
    }
}

/// What is under both names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct State(pub(super) [Option<Entry>; 2]);

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self
            .0
            .each_ref()
            .map(|entry| entry.as_ref().map(ToString::to_string));
        write!(f, "{told:?}")
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) status: u16,
    /// The type of an error; empty for a success.
    pub(super) error: String,
    /// What was loaded or listed.
    pub(super) shown: Vec<String>,
}

fn refused(status: u16, error: &str) -> Heard {
    Heard {
        status,
        error: error.to_owned(),
        shown: Vec::new(),
    }
}

fn done(status: u16) -> Heard {
    refused(status, "")
}

impl State {
    /// What was made under the names before.
    pub(super) fn of(before: [Option<Kind>; 2]) -> Self {
        let entry = |kind: Option<Kind>, maker| {
            kind.map(|kind| Entry {
                kind,
                maker,
                marks: BTreeSet::new(),
            })
        };
        Self([entry(before[0], "x"), entry(before[1], "y")])
    }

    fn has(&self, kind: Kind, at: usize) -> bool {
        self.0[at].as_ref().is_some_and(|entry| entry.kind == kind)
    }

    /// What an operation of a client does, and answers.
    pub(super) fn apply(&mut self, operation: Operation, client: &'static str) -> Heard {
        match operation {
            Operation::Create(kind, at) => self.put(kind, at, client),
            Operation::Register(kind, at) => self.put(kind, at, "loose"),
            Operation::Drop(kind, at) if self.has(kind, at) => {
                self.0[at] = None;
                done(204)
            }
            Operation::Rename(kind, from, to) if self.has(kind, from) => {
                if self.0[to].is_some() {
                    return refused(409, "AlreadyExistsException");
                }
                self.0[to] = self.0[from].take();
                done(204)
            }
            Operation::Commit(kind, at) if self.has(kind, at) => {
                if let Some(entry) = &mut self.0[at] {
                    entry.marks.insert(client);
                }
                done(200)
            }
            Operation::Load(kind, at) if self.has(kind, at) => Heard {
                shown: self.0[at].iter().map(ToString::to_string).collect(),
                ..done(200)
            },
            Operation::Drop(kind, _)
            | Operation::Rename(kind, ..)
            | Operation::Commit(kind, _)
            | Operation::Load(kind, _) => refused(404, kind.missing()),
            Operation::List(kind) => Heard {
                shown: [(0, "x"), (1, "y")]
                    .into_iter()
                    .filter(|(at, _)| self.has(kind, *at))
                    .map(|(_, name)| name.to_owned())
                    .collect(),
                ..done(200)
            },
        }
    }

    fn put(&mut self, kind: Kind, at: usize, maker: &'static str) -> Heard {
        if self.0[at].is_some() {
            return refused(409, "AlreadyExistsException");
        }
        self.0[at] = Some(Entry {
            kind,
            maker,
            marks: BTreeSet::new(),
        });
        done(200)
    }
}

/// Whether two answers, and what is there afterwards, come of one of the two orders. A commit that meets another change of
/// what it changes may be refused as the loser of a race, and has then no effect.
pub(super) fn explains(before: &State, pair: [Operation; 2], heard: &[Heard; 2], after: &State) -> bool {
    [[0, 1], [1, 0]].into_iter().any(|order| {
        let mut state = before.clone();
        order.into_iter().all(|at| {
            let client = ["a", "b"][at];
            let lost = refused(409, "CommitFailedException");
            if matches!(pair[at], Operation::Commit(..)) && heard[at] == lost {
                return true;
            }
            state.apply(pair[at], client) == heard[at]
        }) && state == *after
    })
}
