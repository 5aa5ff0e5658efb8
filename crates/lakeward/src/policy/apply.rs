// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy apply`: makes a server have what a directory says.

mod carry_out;
mod foresee;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::place::Place;
use super::plan::{Plan, Step, Surplus};
use super::state::State;
use super::tree::Tree;
use crate::EXIT_FAILURE;
use crate::client::{NativeClient, Refused};
use carry_out::Ended;

/// How often the plan is made anew when somebody else changes the server in between.
const ATTEMPTS: usize = 3;

/// Make a server have the policies, tags and assignments of a directory, as `export` writes them.
///
/// Policies are made disabled, put on their tags, and the tags assigned, before anything is
/// enabled; changes that take an enabled restriction away come last and only with --force. So
/// nothing opens in between, wherever it is broken off, and repeating the command goes on from
/// there. What the server has and the directory has not stays, unless --prune removes it. Each
/// change needs the privileges that its single call needs. A refused call ends the command with
/// what was done and what remains.
///
///   lakeward policy apply governance --user admin --metalake shop --dry-run
///   lakeward policy apply governance --user admin --metalake shop
///
/// Exits with 1 when changes remain, and with 2 when the directory cannot be used.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Show the plan and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Remove what the directory does not have
    #[arg(long)]
    prune: bool,
    /// Also take enabled restrictions away, and go on where loads would fail
    #[arg(long)]
    force: bool,
    /// Answer in JSON, one object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

/// Plans and, unless it is a dry run, carries out.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Some(wanted) = read(&arguments.directory)? else {
        return Ok(ExitCode::from(EXIT_FAILURE));
    };
    let (client, metalake) = arguments.place.client().await?;
    let run = Run {
        client: &client,
        metalake: &metalake,
        wanted: &wanted,
        arguments,
    };
    let plan = run.plan().await?;
    if arguments.dry_run {
        let foreseen = foresee::impacts(&client, &metalake, &wanted, &plan).await?;
        run.show(&plan, &foreseen);
        return Ok(exit(plan.impossible.is_empty()));
    }
    run.apply(plan).await
}

/// The state that a directory describes; what is wrong with it is told.
fn read(directory: &Path) -> anyhow::Result<Option<State>> {
    match State::of_tree(&Tree::read(directory)?) {
        Ok(state) => Ok(Some(state)),
        Err(malformed) => {
            for problem in malformed {
                eprintln!("{problem}");
            }
            Ok(None)
        }
    }
}

fn exit(is_well: bool) -> ExitCode {
    if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

struct Run<'a> {
    client: &'a NativeClient,
    metalake: &'a str,
    wanted: &'a State,
    arguments: &'a Arguments,
}

impl Run<'_> {
    async fn plan(&self) -> anyhow::Result<Plan> {
        let now = State::of_server(self.client, self.metalake).await?;
        let surplus = if self.arguments.prune {
            Surplus::Prune
        } else {
            Surplus::Keep
        };
        Ok(Plan::new(&now, self.wanted, surplus))
    }

    async fn apply(&self, mut plan: Plan) -> anyhow::Result<ExitCode> {
        if let Some(refusal) = self.refusal(&plan) {
            self.show(&plan, &[]);
            eprintln!("{refusal}");
            return Ok(ExitCode::FAILURE);
        }
        let mut done = 0;
        for attempt in 1..=ATTEMPTS {
            let carried = carry_out::run(self, &plan).await?;
            done += carried.done;
            match carried.ended {
                Ended::Complete => {}
                Ended::Conflict(error) if attempt < ATTEMPTS => {
                    eprintln!("changed by somebody else in between, planning anew: {error}");
                }
                Ended::Conflict(error) | Ended::Refused(error) => {
                    self.tell_rest(done, plan.steps.iter().skip(carried.done), Some(&error));
                    return Ok(ExitCode::FAILURE);
                }
            }
            // What is left is what others changed meanwhile, or what the caller could not see.
            plan = self.plan().await?;
            if plan.steps.is_empty() {
                self.tell_complete(done, &plan);
                return Ok(ExitCode::SUCCESS);
            }
            if let Some(refusal) = self.refusal(&plan) {
                eprintln!("{refusal}");
                return Ok(ExitCode::FAILURE);
            }
        }
        self.tell_rest(done, plan.steps.iter(), None);
        Ok(ExitCode::FAILURE)
    }

    fn tell_complete(&self, done: usize, plan: &Plan) {
        if self.arguments.json {
            println!(
                "{}",
                json!({"complete": true, "changes": done, "kept": plan.kept})
            );
            return;
        }
        let directory = self.arguments.directory.display();
        match done {
            0 => println!("nothing to do: the server has what `{directory}` says"),
            1 => println!("1 change made; the server has what `{directory}` says"),
            done => println!("{done} changes made; the server has what `{directory}` says"),
        }
        if !plan.kept.is_empty() {
            println!(
                "{} of the server's are not in the directory and stay (--prune removes them)",
                plan.kept.len()
            );
        }
    }

    /// What was done and what remains.
    fn tell_rest<'s>(&self, done: usize, steps: impl Iterator<Item = &'s Step>, refused: Option<&Refused>) {
        let steps: Vec<&Step> = steps.collect();
        if self.arguments.json {
            let remaining: Vec<_> = steps.iter().map(|step| step.to_json()).collect();
            let refused = refused.map(ToString::to_string);
            println!(
                "{}",
                json!({"complete": false, "changes": done, "remaining": remaining, "refused": refused})
            );
        }
        match refused {
            Some(refused) => eprintln!("refused: {refused}"),
            None => eprintln!(
                "the server still differs from the directory; does somebody else change it, or is something hidden from you?"
            ),
        }
        eprintln!("{done} changes were made; these remain:");
        for step in steps {
            eprintln!("  {}", step.change);
        }
        if refused.is_some_and(carry_out::asks_for_force) {
            eprintln!("repeat with --force if that is meant");
        }
    }

    /// Why nothing of a plan is carried out.
    fn refusal(&self, plan: &Plan) -> Option<String> {
        if !plan.impossible.is_empty() {
            return Some("nothing was changed: the directory asks for what cannot be done".to_owned());
        }
        let widening = plan.widening().count();
        if widening > 0 && !self.arguments.force {
            return Some(format!(
                "nothing was changed: {widening} of the changes take{} enabled restrictions away; repeat with --force if that is meant",
                if widening == 1 { "s" } else { "" }
            ));
        }
        None
    }

    /// Shows a plan, and what enabling its policies would mean.
    fn show(&self, plan: &Plan, foreseen: &[foresee::Foreseen]) {
        if self.arguments.json {
            let mut told = plan.to_json();
            if let Some(members) = told.as_object_mut() {
                members.insert(
                    "impact".to_owned(),
                    foreseen.iter().map(foresee::Foreseen::to_json).collect(),
                );
            }
            println!("{told}");
            return;
        }
        print!("{}", describe(plan, foreseen));
    }
}

/// A plan as text for people.
fn describe(plan: &Plan, foreseen: &[foresee::Foreseen]) -> String {
    let mut text = String::new();
    for step in &plan.steps {
        let mark = step.change.mark();
        text.push_str(&format!("{mark} {}\n", step.change));
        for line in step.change.difference() {
            text.push_str(&format!("      {line}\n"));
        }
        if let Some(widens) = &step.widens {
            text.push_str(&format!("      ! {widens} (needs --force)\n"));
        }
    }
    for problem in &plan.impossible {
        text.push_str(&format!("! cannot be done: {problem}\n"));
    }
    for foreseen in foreseen {
        text.push_str(&foreseen.text());
    }
    for kept in &plan.kept {
        text.push_str(&format!(
            "  stays: {kept} (not in the directory; --prune removes it)\n"
        ));
    }
    let widening = plan.widening().count();
    match plan.steps.len() {
        0 if plan.impossible.is_empty() => text.push_str("nothing to do\n"),
        1 => text.push_str("1 change"),
        count => text.push_str(&format!("{count} changes")),
    }
    if !plan.steps.is_empty() {
        if widening > 0 {
            text.push_str(&format!(", {widening} of them taking restrictions away"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
