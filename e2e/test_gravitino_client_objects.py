# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The official Python client and its file system on what is not a table: filesets, models, functions, views, jobs."""

import time

import pytest
from gravitino import Catalog, Fileset, GravitinoAdminClient, GravitinoClient, NameIdentifier
from gravitino.api.catalog_change import CatalogChange
from gravitino.api.file.fileset_change import FilesetChange
from gravitino.api.function.function_change import FunctionChange
from gravitino.api.function.function_definition import FunctionDefinitions
from gravitino.api.function.function_type import FunctionType
from gravitino.api.function.sql_impl import SQLImpl
from gravitino.api.job.job_handle import JobHandle
from gravitino.api.job.job_template_change import JobTemplateChange
from gravitino.api.job.shell_job_template import ShellJobTemplate
from gravitino.api.model_change import ModelChange
from gravitino.api.model_version_change import ModelVersionChange
from gravitino.api.rel.column import Column
from gravitino.api.rel.dialects import Dialects
from gravitino.api.rel.sql_representation import SQLRepresentation
from gravitino.api.rel.types.types import Types
from gravitino.api.rel.view_change import ViewChange
from gravitino.api.stats.statistic_values import StatisticValues
from gravitino.audit.caller_context import CallerContext, CallerContextHolder
from gravitino.audit.fileset_audit_constants import FilesetAuditConstants
from gravitino.audit.fileset_data_operation import FilesetDataOperation
from gravitino.auth.basic_auth_provider import BasicAuthProvider
from gravitino.exceptions import base as exceptions
from gravitino.filesystem.gvfs import GravitinoVirtualFileSystem
from gravitino.namespace import Namespace

from harness.lake import METALAKE
from harness.server import ADMIN, PASSWORD, Server

JOB_SECONDS = 120
SCHEMA = Namespace.of("s")


def client_of(server):
    """A client of a new metalake."""
    credentials = BasicAuthProvider(ADMIN, PASSWORD)
    GravitinoAdminClient(uri=server.native, auth_data_provider=credentials).create_metalake(METALAKE, "", {})
    return GravitinoClient(uri=server.native, metalake_name=METALAKE, auth_data_provider=credentials)


@pytest.fixture(scope="module")
def metalake(server):
    return client_of(server)


@pytest.fixture(scope="module")
def files(metalake, tmp_path_factory):
    """A catalog of filesets with the schema `s`."""
    properties = {"location": str(tmp_path_factory.mktemp("files"))}
    catalog = metalake.create_catalog("files", Catalog.Type.FILESET, "hadoop", "", properties)
    catalog.as_schemas().create_schema("s", "", {})
    return catalog


@pytest.fixture(scope="module")
def models(metalake):
    """A catalog of models with the schema `s`."""
    catalog = metalake.create_catalog("models", Catalog.Type.MODEL, None, "", {})
    catalog.as_schemas().create_schema("s", "", {})
    return catalog


@pytest.fixture(scope="module")
def tables(metalake):
    """A catalog of tables with the schema `s` and the table `s.t`."""
    catalog = metalake.create_catalog("tables", Catalog.Type.RELATIONAL, "lakehouse-iceberg", "", {})
    catalog.as_schemas().create_schema("s", "", {})
    catalog.as_table_catalog().create_table(NameIdentifier.of("s", "t"), [Column.of("id", Types.LongType.get())])
    return catalog


def test_connections_are_tested(metalake, tables):
    metalake.test_connection("tables", CatalogChange.update_comment("tried"))
    assert metalake.load_catalog("tables").comment() == ""
    with pytest.raises(exceptions.NoSuchCatalogException):
        metalake.test_connection("nothing")


def test_filesets(files, tmp_path):
    filesets = files.as_fileset_catalog()
    ident = NameIdentifier.of("s", "reports")
    made = filesets.create_fileset(ident, "what is reported", Fileset.Type.MANAGED, None, {"k": "v"})
    assert made.type() == Fileset.Type.MANAGED and made.properties()["k"] == "v"
    places = {"near": str(tmp_path / "near"), "far": str(tmp_path / "far")}
    several = filesets.create_multiple_location_fileset(
        NameIdentifier.of("s", "several"), "", Fileset.Type.EXTERNAL, places, {"default-location-name": "far"}
    )
    # Beside the one that it inherits from its catalog.
    assert several.storage_locations().items() >= {name: f"file:{place}" for name, place in places.items()}.items()
    assert {each.name() for each in filesets.list_filesets(SCHEMA)} == {"reports", "several"}
    changed = filesets.alter_fileset(
        ident, FilesetChange.rename("papers"), FilesetChange.set_property("k", "w"), FilesetChange.remove_comment()
    )
    assert changed.name() == "papers" and changed.properties()["k"] == "w" and not changed.comment()
    with pytest.raises(exceptions.NoSuchLocationNameException):
        filesets.get_file_location(NameIdentifier.of("s", "several"), "/x", "nowhere")
    with pytest.raises(exceptions.NoSuchFilesetException):
        filesets.load_fileset(ident)
    assert filesets.drop_fileset(NameIdentifier.of("s", "papers"))
    assert not filesets.drop_fileset(NameIdentifier.of("s", "papers"))


def test_the_folder_of_a_fileset_is_not_given_out_for_a_rename(files, tmp_path):
    filesets = files.as_fileset_catalog()
    ident = NameIdentifier.of("s", "still")
    filesets.create_fileset(ident, "", Fileset.Type.EXTERNAL, str(tmp_path), {})
    context = {FilesetAuditConstants.HTTP_HEADER_FILESET_DATA_OPERATION: FilesetDataOperation.RENAME.name}
    assert filesets.get_file_location(ident, "") == f"file:{tmp_path}"
    for sub_path in ["", "/"]:
        CallerContextHolder.set(CallerContext(context))
        with pytest.raises(exceptions.GravitinoRuntimeException):
            filesets.get_file_location(ident, sub_path)
    CallerContextHolder.set(CallerContext(context))
    assert filesets.get_file_location(ident, "/x") == f"file:{tmp_path}/x"
    CallerContextHolder.remove()


def test_the_virtual_file_system(server, files, tmp_path):
    # The location exists on the server's machine, which is the client's here.
    ident = NameIdentifier.of("s", "shared")
    files.as_fileset_catalog().create_fileset(ident, "", Fileset.Type.MANAGED, str(tmp_path / "shared"), {})
    options = {"auth_type": "basic", "basic_username": ADMIN, "basic_password": PASSWORD}
    files_of = GravitinoVirtualFileSystem(
        server_uri=server.native, metalake_name=METALAKE, options=options, skip_instance_cache=True
    )
    root = "gvfs://fileset/files/s/shared"
    files_of.mkdir(f"{root}/in")
    with files_of.open(f"{root}/in/a.txt", "wb") as file:
        file.write(b"hello")
    assert (tmp_path / "shared" / "in" / "a.txt").read_bytes() == b"hello"
    assert files_of.cat_file(f"{root}/in/a.txt") == b"hello"
    assert files_of.info(f"{root}/in/a.txt")["size"] == 5
    assert [entry.rstrip("/").rsplit("/", 1)[-1] for entry in files_of.ls(f"{root}/in", detail=False)] == ["a.txt"]
    files_of.mv(f"{root}/in/a.txt", f"{root}/in/b.txt")
    files_of.cp_file(f"{root}/in/b.txt", f"{root}/in/c.txt")
    assert files_of.exists(f"{root}/in/c.txt") and not files_of.exists(f"{root}/in/a.txt")
    files_of.rm(f"{root}/in", recursive=True)
    assert not (tmp_path / "shared" / "in").exists()
    with pytest.raises(FileNotFoundError):
        files_of.ls("gvfs://fileset/files/s/nothing")


def test_models(models):
    catalog = models.as_model_catalog()
    ident = NameIdentifier.of("s", "m")
    assert catalog.register_model(ident, "a model", {"k": "v"}).latest_version() == 0
    catalog.link_model_version(ident, "s3://b/0", ["first"], "v0", {})
    catalog.link_model_version_with_multiple_uris(ident, {"a": "s3://b/1", "b": "s3://c/1"}, ["best"], "v1", {})
    assert catalog.list_model_versions(ident) == [0, 1]
    assert [version.comment() for version in catalog.list_model_version_infos(ident)] == ["v0", "v1"]
    assert catalog.get_model_version_by_alias(ident, "best").version() == 1
    assert catalog.get_model_version_uri(ident, 1, "b") == "s3://c/1"
    assert catalog.get_model_version_uri_by_alias(ident, "first") == "s3://b/0"
    changed = catalog.alter_model_version_by_alias(
        ident, "best", ModelVersionChange.update_aliases(["good"], ["best"]), ModelVersionChange.remove_uri("b")
    )
    assert changed.aliases() == ["good"] and changed.uris() == {"a": "s3://b/1"}
    with pytest.raises(exceptions.ModelVersionAliasesAlreadyExistException):
        catalog.link_model_version(ident, "s3://b/2", ["good"], "", {})
    assert catalog.alter_model(ident, ModelChange.update_comment("changed")).comment() == "changed"
    assert catalog.get_model(ident).latest_version() == 2
    assert catalog.delete_model_version_by_alias(ident, "good") and not catalog.delete_model_version(ident, 1)
    assert catalog.delete_model(ident) and not catalog.delete_model(ident)
    with pytest.raises(exceptions.NoSuchModelException):
        catalog.get_model(ident)


def test_functions(tables):
    functions = tables.as_function_catalog()
    ident = NameIdentifier.of("s", "one")

    def definition(result, sql):
        body = SQLImpl.builder().with_runtime_type(SQLImpl.RuntimeType.SPARK).with_sql(sql).build()
        return FunctionDefinitions.of([], result, [body])

    made = functions.register_function(
        ident, "always one", FunctionType.SCALAR, True, [definition(Types.IntegerType.get(), "SELECT 1")]
    )
    assert made.name() == "one" and made.deterministic()
    assert functions.function_exists(ident)
    assert [each.name() for each in functions.list_functions(SCHEMA)] == ["one"]
    [listed] = functions.list_function_infos(SCHEMA)
    assert listed.definitions()[0].return_type() == Types.IntegerType.get()
    assert functions.alter_function(ident, FunctionChange.update_comment("one")).comment() == "one"
    with pytest.raises(exceptions.FunctionAlreadyExistsException):
        functions.register_function(
            ident, "", FunctionType.SCALAR, True, [definition(Types.LongType.get(), "SELECT 2")]
        )
    assert functions.drop_function(ident) and not functions.drop_function(ident)
    with pytest.raises(exceptions.NoSuchFunctionException):
        functions.get_function(ident)


def test_views(tables):
    views = tables.as_view_catalog()
    ident = NameIdentifier.of("s", "v")
    columns = [Column.of("id", Types.LongType.get())]
    made = views.create_view(ident, columns, [SQLRepresentation(Dialects.SPARK, "SELECT id FROM s.t")], "ids")
    assert made.name() == "v" and made.comment() == "ids"
    assert views.list_views(SCHEMA) == [ident]
    changed = views.alter_view(ident, ViewChange.set_property("k", "v"))
    assert changed.properties()["k"] == "v"
    assert views.alter_view(ident, ViewChange.rename("w")).name() == "w"
    renamed = NameIdentifier.of("s", "w")
    [representation] = views.load_view(renamed).representations()
    assert representation.sql() == "SELECT id FROM s.t" and representation.dialect() == Dialects.SPARK
    with pytest.raises(exceptions.ViewAlreadyExistsException):
        views.create_view(renamed, columns, [SQLRepresentation(Dialects.SPARK, "SELECT id FROM s.t")])
    assert views.drop_view(renamed) and not views.drop_view(renamed)
    with pytest.raises(exceptions.NoSuchViewException):
        views.load_view(renamed)


def test_statistics(tables):
    table = tables.as_table_catalog().load_table(NameIdentifier.of("s", "t")).supports_statistics()
    given = {
        "custom-rows": StatisticValues.long_value(7),
        "custom-of": StatisticValues.object_value({"a": StatisticValues.list_value([StatisticValues.double_value(0.5)])}),
    }
    table.update_statistics(given)
    listed = {each.name(): each for each in table.list_statistics()}
    assert {name: listed[name].value() for name in given} == given
    assert listed["custom-rows"].modifiable() and not listed["custom-rows"].reserved()
    with pytest.raises(exceptions.IllegalStatisticNameException):
        table.update_statistics({"rows": StatisticValues.long_value(7)})
    assert table.drop_statistics(["custom-rows"]) and not table.drop_statistics(["custom-rows"])


def test_jobs(tmp_path):
    # Jobs of the server's own user, which read restrictions would forbid.
    server = Server(tmp_path / "server", properties={"lakeward.read-restrictions.enabled": "false"}).start()
    try:
        metalake = client_of(server)
        script = tmp_path / "job.sh"
        script.write_text('#!/bin/sh\nexit "$1"\n')
        script.chmod(0o755)
        template = ShellJobTemplate.builder().with_name("exits").with_comment("").with_executable(str(script))
        template = template.with_arguments(["{{code}}"]).with_environments({}).with_custom_fields({}).build()
        metalake.register_job_template(template)
        with pytest.raises(exceptions.JobTemplateAlreadyExistsException):
            metalake.register_job_template(template)
        own = [each.name for each in metalake.list_job_templates() if not each.name.startswith("builtin-")]
        assert own == ["exits"]
        jobs = {}
        for code, status in [("0", JobHandle.Status.SUCCEEDED), ("3", JobHandle.Status.FAILED)]:
            jobs[metalake.run_job("exits", {"code": code}).job_id()] = status
        until = time.monotonic() + JOB_SECONDS
        while {job.job_id(): job.job_status() for job in metalake.list_jobs("exits")} != jobs:
            assert time.monotonic() < until, "the jobs do not end"
            time.sleep(0.1)
        changed = metalake.alter_job_template("exits", JobTemplateChange.rename("ends"))
        assert changed.name == "ends" and metalake.get_job_template("ends").executable == str(script)
        with pytest.raises(exceptions.NoSuchJobException):
            metalake.cancel_job("nothing")
        assert metalake.delete_job_template("ends") and not metalake.delete_job_template("ends")
        server.stop()
    finally:
        server.kill()
