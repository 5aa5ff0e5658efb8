// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements whose failure could tell something, and statements that must be refused.

use super::{Expected, Generator, Kind};

impl Generator<'_> {
    /// An expression that fails for some values, over one table without anything that ends early: if it fails for a row
    /// that the user sees, it fails on both sides; for hidden rows and originals it must not.
    pub(super) fn may_fail(&mut self) -> String {
        let relation = self.base();
        let scope = relation.columns;
        let int = self.column(&Kind::Int, &scope).unwrap_or_else(|| "0".to_owned());
        let text = self.column_or_literal(&Kind::Text, &scope);
        let decimal = self.column_or_literal(&Kind::Decimal, &scope);
        let literal = self.literals.any(&Kind::Int, self.choices);
        let (construct, risky) = match self.choices.below(11) {
            0 => ("division that may fail", format!("100 / ({int} - {literal})")),
            1 => ("division that may fail", format!("{int} % ({int} - {literal})")),
            2 => ("cast that may fail", format!("cast({text} as bigint)")),
            3 => ("cast that may fail", format!("cast({text} as date)")),
            4 => ("cast that may fail", format!("cast({int} as smallint)")),
            5 => ("cast that may fail", format!("cast({int} as tinyint)")),
            6 => ("cast that may fail", format!("cast({decimal} as decimal(6,2))")),
            7 => ("cast that may fail", format!("cast({text} as timestamp)")),
            8 => (
                "function that may fail",
                format!("substr({text}, 1, cast({int} as bigint) - {literal})"),
            ),
            9 => ("function that may fail", format!("chr(cast({int} as bigint))")),
            _ => (
                "function that may fail",
                format!("make_date(2000, cast({int} % 50 as int), 1)"),
            ),
        };
        self.mark(construct);
        let from = relation.sql;
        let outer_filter = if self.choices.chance(40) {
            // Behind a query with a condition: the condition must not run after the expression.
            let condition = self.predicate(&scope, 1);
            format!(" where {condition}")
        } else {
            String::new()
        };
        match self.choices.below(5) {
            0 => format!("select {risky} as c1 from {from}{outer_filter}"),
            1 => format!("select count(*) as c1 from {from} where {risky} is not null"),
            2 => format!("select max({risky}) as c1 from {from}{outer_filter}"),
            3 => format!("select {risky} as c1, count(*) as c2 from {from}{outer_filter} group by {risky}"),
            _ => format!("select {int} as c1 from {from}{outer_filter} order by {risky}, c1"),
        }
    }

    /// A statement that would go round restrictions, change something, or is no query; or that describes.
    pub(super) fn probe(&mut self) -> (String, Expected) {
        let at = self.choices.below(self.tables.len());
        self.used.insert((at, 0));
        let name = self.tables[at].name;
        let metadata = self.choices.one_of(&[
            "files",
            "snapshots",
            "history",
            "manifests",
            "partitions",
            "entries",
            "refs",
            "all_data_files",
            "all_manifests",
            "position_deletes",
            "metadata_log_entries",
            "data_files",
        ]);
        let (construct, sql) = match self.choices.below(31) {
            0 => ("metadata table", format!("select * from \"{name}${metadata}\"")),
            1 => ("metadata table", format!("select * from {name}.{metadata}")),
            2 => (
                "metadata table",
                format!("select count(*) from c.s.{name}.{metadata}"),
            ),
            3 => ("metadata table", format!("select * from \"{name}@main\"")),
            4 => ("describe", format!("describe {name}")),
            5 => ("describe", format!("describe table {name}")),
            6 => ("show", format!("show columns from {name}")),
            7 => ("listing", "show tables".to_owned()),
            8 => ("show", format!("show create table {name}")),
            9 => ("explain analyze", format!("explain analyze select * from {name}")),
            10 => (
                "explain analyze",
                format!("explain analyze verbose select count(*) from {name}"),
            ),
            11 => (
                "information schema",
                "select * from information_schema.columns".to_owned(),
            ),
            12 => (
                "information schema",
                "select * from information_schema.tables".to_owned(),
            ),
            13 => ("files", "select * from '/etc/passwd'".to_owned()),
            14 => ("files", "select * from read_parquet('/tmp')".to_owned()),
            15 => ("files", "select * from parquet_metadata('/tmp')".to_owned()),
            16 => ("create", format!("create table copy as select * from {name}")),
            17 => ("create", format!("create view copy as select * from {name}")),
            18 => (
                "create",
                "create external table copy stored as parquet location '/tmp'".to_owned(),
            ),
            19 => (
                "create function",
                "create function f(int) returns int return $1".to_owned(),
            ),
            20 => (
                "copy",
                format!("copy (select * from {name}) to '/tmp/lakeward-leak.parquet'"),
            ),
            21 => ("change", format!("insert into {name} select * from {name}")),
            22 => ("change", format!("delete from {name}")),
            23 => ("change", format!("update {name} set id = 1")),
            24 => ("settings", "set datafusion.execution.batch_size = 1".to_owned()),
            25 => ("prepare", format!("prepare p as select * from {name}")),
            26 => ("prepare", "execute p".to_owned()),
            27 => (
                "side effects",
                format!("select pg_sleep(id), nextval('s') from {name}"),
            ),
            28 => (
                "side effects",
                format!("select http_get('http://127.0.0.1/' || id) from {name}"),
            ),
            29 => ("sample", format!("select * from {name} tablesample (10 percent)")),
            _ => ("two statements", format!("select 1; select * from {name}")),
        };
        self.mark(construct);
        let expected = if matches!(construct, "describe" | "listing") {
            Expected::Explanation
        } else {
            Expected::Refusal
        };
        (sql, expected)
    }
}
