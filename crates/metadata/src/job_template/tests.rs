// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Placeholders, updates, names.

use super::{
    JobTemplateContent, JobTemplateContentUpdate, JobTemplateDefinition, JobTemplateUpdate,
    check_job_template_name,
};
use crate::Properties;

fn properties(pairs: &[(&str, &str)]) -> Properties {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn shell(arguments: &[&str]) -> JobTemplateDefinition {
    JobTemplateDefinition {
        executable: "/bin/echo".to_owned(),
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        environments: properties(&[("A", "{{a}}")]),
        custom_fields: Properties::new(),
        content: JobTemplateContent::Shell {
            scripts: vec!["/{{a}}.sh".to_owned()],
        },
    }
}

#[test]
fn placeholders_are_filled_once() {
    let parameters = properties(&[
        ("a", "{{b}}"),
        ("b", "x; rm -rf /"),
        ("with.dot-1", "$(id)"),
        ("", "nothing"),
    ]);
    for (text, expected) in [
        ("{{a}}", "{{b}}"),
        ("<{{b}}>", "<x; rm -rf />"),
        ("{{with.dot-1}}{{b}}", "$(id)x; rm -rf /"),
        ("{{missing}} {{a}}", "{{missing}} {{b}}"),
        ("{{{b}}}", "{x; rm -rf /}"),
        ("{{ b }}", "{{ b }}"),
        ("{{}}", "{{}}"),
        ("{{b", "{{b"),
        ("{{ä{{b}}", "{{äx; rm -rf /"),
        ("no places", "no places"),
        ("", ""),
    ] {
        let resolved = shell(&[text]).resolve(&parameters).0;
        assert_eq!(resolved.arguments, [expected], "{text}");
    }
    let resolved = shell(&[]).resolve(&parameters).0;
    assert_eq!(resolved.environments, properties(&[("A", "{{b}}")]));
    let JobTemplateContent::Shell { scripts } = resolved.content else {
        unreachable!("the type of a job does not change");
    };
    assert_eq!(scripts, ["/{{b}}.sh"]);
}

#[test]
fn an_update_keeps_what_it_does_not_name_and_never_changes_the_type() {
    let mut template = shell(&["a"]);
    let nothing = |content| JobTemplateUpdate {
        executable: None,
        arguments: None,
        environments: None,
        custom_fields: None,
        content,
    };
    template
        .update(nothing(JobTemplateContentUpdate::Shell { scripts: None }))
        .unwrap();
    assert_eq!(template, shell(&["a"]));
    template
        .update(JobTemplateUpdate {
            arguments: Some(vec!["b".to_owned()]),
            ..nothing(JobTemplateContentUpdate::Shell {
                scripts: Some(Vec::new()),
            })
        })
        .unwrap();
    assert_eq!(template.arguments, ["b"]);
    assert_eq!(
        template.content,
        JobTemplateContent::Shell { scripts: Vec::new() }
    );
    let before = template.clone();
    let other = JobTemplateUpdate {
        executable: Some("x".to_owned()),
        ..nothing(JobTemplateContentUpdate::Spark {
            class_name: None,
            jars: None,
            files: None,
            archives: None,
            configs: None,
        })
    };
    assert!(template.update(other).is_err());
    assert_eq!(template, before);
}

#[test]
fn names_are_texts_of_a_length() {
    for name in ["a", "job 1", "../x", &"ü".repeat(128)] {
        assert!(check_job_template_name(name).is_ok(), "{name}");
    }
    for name in ["", "  ", "a\0b", &"ü".repeat(129)] {
        assert!(check_job_template_name(name).is_err(), "{name}");
    }
}
