// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the demonstration looks like: with colours on a terminal, plain where it is piped.

use std::io::IsTerminal;

use comfy_table::presets::{ASCII_FULL_CONDENSED, UTF8_FULL_CONDENSED};
use comfy_table::{CellAlignment, Table};

/// How wide text is assumed to be where nobody knows.
const PIPED_WIDTH: usize = 160;

/// The way standard output is written to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terminal {
    fancy: bool,
    width: usize,
}

impl Terminal {
    /// Looks at standard output, and at NO_COLOR.
    pub(super) fn detect() -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let width = Table::new().width().filter(|_| is_terminal);
        Self {
            fancy: is_terminal && std::env::var_os("NO_COLOR").is_none(),
            width: width.map_or(PIPED_WIDTH, usize::from),
        }
    }

    fn styled(self, code: &str, text: &str) -> String {
        if self.fancy {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Something that stands out.
    pub(super) fn strong(self, text: &str) -> String {
        self.styled("1", text)
    }

    /// Something that explains.
    pub(super) fn faint(self, text: &str) -> String {
        self.styled("2", text)
    }

    fn refusal(self, text: &str) -> String {
        self.styled("1;33", text)
    }

    /// The name of the whole.
    pub(super) fn title(self, text: &str, below: &str) {
        println!("\n{}  {}\n", self.styled("1;36", text), self.faint(below));
    }

    /// The beginning of a numbered step.
    pub(super) fn step(self, number: usize, text: &str) {
        println!(
            "{} {}",
            self.styled("1;36", &format!("{number}.")),
            self.strong(text)
        );
    }

    /// One fact within a step.
    pub(super) fn fact(self, text: &str) {
        for line in wrapped(text, self.width.saturating_sub(3)) {
            println!("   {line}");
        }
    }

    /// A fact that explains another.
    pub(super) fn note(self, text: &str) {
        for line in wrapped(text, self.width.saturating_sub(3)) {
            println!("   {}", self.faint(&line));
        }
    }

    /// What somebody was refused.
    pub(super) fn refused(self, status: u16, who: &str, said: &str) {
        println!("   {}  {who}", self.refusal(&status.to_string()));
        for line in wrapped(said, self.width.saturating_sub(8)) {
            println!("        {}", self.faint(&line));
        }
    }

    /// Lines to copy. They begin at the margin: Python and the end of a here-document mind what stands before them.
    pub(super) fn paste(self, text: &str) {
        println!("{text}");
    }

    /// An empty line.
    pub(super) fn gap(self) {
        println!();
    }

    /// A table of texts; columns of numbers are aligned to the right.
    pub(super) fn table(self, header: &[String], rows: &[Vec<String>], numeric: &[bool]) -> Vec<String> {
        let mut table = Table::new();
        table.load_preset(if self.fancy {
            UTF8_FULL_CONDENSED
        } else {
            ASCII_FULL_CONDENSED
        });
        table.set_header(header);
        table.add_rows(rows);
        for (column, numeric) in table.column_iter_mut().zip(numeric) {
            if *numeric {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.to_string().lines().map(str::to_owned).collect()
    }

    /// Blocks beside each other where they fit, else one below the other. Each has a head, a body as it is, and
    /// sentences that are wrapped to its width.
    pub(super) fn side_by_side(self, blocks: &[Block]) {
        const BETWEEN: usize = 3;
        let widths: Vec<usize> = blocks.iter().map(Block::width).collect();
        let needed = widths.iter().sum::<usize>() + BETWEEN * blocks.len() + 3;
        if needed > self.width {
            for block in blocks {
                for line in block.lines(self, block.width()) {
                    println!("   {}", line.shown);
                }
                println!();
            }
            return;
        }
        let mut columns: Vec<_> = blocks
            .iter()
            .zip(&widths)
            .map(|(block, width)| block.lines(self, *width).into_iter())
            .collect();
        loop {
            let lines: Vec<Option<Line>> = columns.iter_mut().map(Iterator::next).collect();
            if lines.iter().all(Option::is_none) {
                break;
            }
            let mut text = String::from("  ");
            for (line, width) in lines.into_iter().zip(&widths) {
                let line = line.unwrap_or_default();
                text.push(' ');
                text.push_str(&line.shown);
                text.push_str(&" ".repeat(width.saturating_sub(line.width) + BETWEEN - 1));
            }
            println!("{}", text.trim_end());
        }
        println!();
    }
}

/// One answer with what is said about it.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) head: String,
    pub(super) body: Vec<String>,
    pub(super) below: Vec<String>,
}

/// A line as it is printed, and how wide it looks.
#[derive(Debug, Default)]
struct Line {
    shown: String,
    width: usize,
}

impl Block {
    /// Sentences are never squeezed below this.
    const NARROWEST: usize = 40;

    fn width(&self) -> usize {
        let widest = self.body.iter().map(|line| line.chars().count()).max();
        widest.unwrap_or(0).max(Self::NARROWEST)
    }

    fn lines(&self, terminal: Terminal, width: usize) -> Vec<Line> {
        let head = Line {
            width: self.head.chars().count(),
            shown: terminal.strong(&self.head),
        };
        let body = self.body.iter().map(|line| Line {
            width: line.chars().count(),
            shown: line.clone(),
        });
        let below = self
            .below
            .iter()
            .flat_map(|sentence| wrapped(sentence, width))
            .map(|line| Line {
                width: line.chars().count(),
                shown: terminal.faint(&line),
            });
        std::iter::once(head).chain(body).chain(below).collect()
    }
}

/// Breaks text at blanks; the lines after the first are indented further than it.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let body = text.trim_start_matches(' ');
    let indent = " ".repeat(text.len() - body.len());
    let mut lines = Vec::new();
    let mut line = indent.clone();
    for word in body.split(' ') {
        let is_begun = !line.trim().is_empty();
        if is_begun && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, format!("{indent}  ")));
        } else if is_begun {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// `15,000`
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{thousands, wrapped};

    #[test]
    fn numbers_and_lines_are_readable() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(15_000), "15,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(wrapped("one two three", 8), ["one two", "  three"]);
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
        assert_eq!(
            wrapped("  indented text here", 12),
            ["  indented", "    text", "    here"]
        );
    }
}
