// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One list of cases, run on SQLite always and on PostgreSQL when `DATABASE_URL` is set.

mod access;
mod concurrency;
mod directory;
mod filesets;
mod finished_requests;
mod governance;
mod grants;
mod iceberg;
mod identities;
mod jobs;
mod kill;
mod metrics_reports;
mod migrations;
mod models;
mod references;
mod revisions;
mod scene;
mod server;
mod statistics;
mod tree;
mod upstream_identities;

use scene::Scene;

/// Names every case once; makes a test of it per engine, and one test that no statement is left out by all of them.
macro_rules! cases {
    ($($module:ident: $($name:ident),+ $(,)?;)+) => {
        mod sqlite {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    let scene = super::Scene::sqlite().await;
                    super::$module::$name(&scene).await;
                }
            )+)+
        }

        mod postgres {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    if let Some(scene) = super::Scene::postgres().await {
                        super::$module::$name(&scene).await;
                        scene.end().await;
                    }
                }
            )+)+
        }

        async fn run_all() {
            $($(
                let scene = Scene::sqlite().await;
                $module::$name(&scene).await;
            )+)+
        }
    };
}

cases! {
    tree: creates_loads_and_alters, names_are_unique_among_the_living, tables_and_views_share_names,
        a_chain_ends_where_something_is_missing, chains_walk_nested_schemas, a_chain_survives_odd_names,
        a_rename_keeps_the_id, a_move_takes_along_what_is_its_own, a_move_below_itself_is_refused,
        a_drop_ends_all_below, ways_of_several_are_told_apart, secrets_are_found_below, a_metalake_goes_with_everything, lists_are_paged_by_bytes,
        a_write_names_its_areas, a_dropped_write_leaves_nothing, metalakes_do_not_touch_each_other;
    identities: users_come_and_go, groups_come_and_go, owners_are_users_or_groups;
    grants: roles_reach_users_and_groups, a_grant_binds_to_an_id, a_role_shows_what_it_says,
        the_unknown_and_the_suspended_are_told_apart;
    access: it_is_told_how_each_role_is_held, places_are_paged;
    governance: tags_inherit_over_every_level, a_dropped_tag_takes_only_its_own,
        values_come_and_go, policies_keep_every_revision, facts_of_a_table, policies_attach_to_objects;
    iceberg: a_pointer_moves_by_compare_and_swap, a_transaction_moves_all_or_none, one_of_many_committers_wins,
        a_cached_pointer_is_never_old, locations_never_overlap, claims_wait_for_each_other,
        a_pointer_moves_with_its_location,
        metadata_of_before_digests_is_trusted_once, ended_locations_are_remembered, lent_locations_are_left_to_their_credentials;
    models: versions_are_counted_named_and_deleted, versions_go_with_their_model,
        links_at_the_same_time_get_numbers_of_their_own;
    filesets: places_come_and_go_with_filesets, tables_and_filesets_never_overlap, filesets_overlap_only_when_meant,
        claims_of_both_kinds_wait_for_each_other;
    metrics_reports: the_newest_are_kept;
    finished_requests: one_of_a_key_ends_once, a_request_ends_with_its_commit, expired_keys_are_free;
    statistics: they_are_set_ranged_and_dropped, they_go_with_their_table;
    revisions: every_area_counts_alone, revisions_follow_commits, hints_agree_with_the_database,
        the_change_log_says_what_changed, a_failed_write_counts_nothing;
    concurrency: what_a_change_is_decided_on_stays, commits_do_not_wait_for_each_other,
        writers_wait_for_each_other, snapshots_stay_where_they_are, a_cancelled_write_blocks_nobody,
        connections_that_died_are_replaced, waiting_writers_leave_connections,
        dropped_writers_give_their_connections_back, who_waits_outlives_who_is_silent;
    upstream_identities: a_uuid_stands_for_one_row;
    jobs: they_are_queued_run_and_end, they_are_lost_with_their_process, they_go_with_their_metalake;
    references: nothing_refers_to_what_is_dropped;
    directory: users_and_groups_are_pushed, names_and_external_ids_are_of_one, former_names_are_remembered,
        many_members_come_and_go;
    server: local_accounts, access_tokens, readers_and_authority, notices_count_nothing, settings;
    migrations: a_store_opens_again, nodes_open_at_the_same_time;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_statement_runs_in_some_case() {
    run_all().await;
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let files: std::collections::BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let executed = crate::row::EXECUTED.lock().unwrap();
    let idle: Vec<&String> = files
        .iter()
        .filter(|name| !executed.contains(name.as_str()))
        .collect();
    assert!(idle.is_empty(), "no case runs {idle:?}");
}
