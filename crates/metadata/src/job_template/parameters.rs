// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Filling the placeholders of a template with the parameters of a run.

use super::{JobTemplateContent, JobTemplateDefinition};
use crate::Properties;

/// A definition whose placeholders are filled. One without a parameter of its name stays as it is written, as in the
/// original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedTemplate(pub JobTemplateDefinition);

impl JobTemplateDefinition {
    /// Fills every placeholder, `{{name}}`, once: what a parameter brings in is text, not looked at again.
    pub fn resolve(&self, parameters: &Properties) -> ResolvedTemplate {
        let text = |text: &String| fill(text, parameters);
        let list = |list: &Vec<String>| list.iter().map(text).collect::<Vec<_>>();
        let map = |map: &Properties| {
            map.iter()
                .map(|(key, value)| (text(key), text(value)))
                .collect::<Properties>()
        };
        ResolvedTemplate(Self {
            executable: text(&self.executable),
            arguments: list(&self.arguments),
            environments: map(&self.environments),
            custom_fields: map(&self.custom_fields),
            content: match &self.content {
                JobTemplateContent::Shell { scripts } => JobTemplateContent::Shell {
                    scripts: list(scripts),
                },
                JobTemplateContent::Spark {
                    class_name,
                    jars,
                    files,
                    archives,
                    configs,
                } => JobTemplateContent::Spark {
                    class_name: class_name.as_ref().map(text),
                    jars: list(jars),
                    files: list(files),
                    archives: list(archives),
                    configs: map(configs),
                },
            },
        })
    }
}

/// Fills the placeholders of one text. A name is made of letters, digits, `_`, `-` and `.`.
fn fill(text: &str, parameters: &Properties) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let name = after
            .split_once("}}")
            .map(|(name, _)| name)
            .filter(|name| !name.is_empty() && name.chars().all(is_of_name));
        match name.and_then(|name| Some((name, parameters.get(name)?))) {
            Some((name, value)) => {
                filled.push_str(value);
                rest = after.get(name.len() + 2..).unwrap_or_default();
            }
            // One brace at a time: `{{{a}}` holds a placeholder after its first brace.
            None => {
                filled.push('{');
                rest = rest.get(before.len() + 1..).unwrap_or_default();
            }
        }
    }
    filled.push_str(rest);
    filled
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}
