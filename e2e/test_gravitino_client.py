# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The official Python client creates and reads everything that it has calls for."""

import pytest
from gravitino import Catalog, GravitinoAdminClient, GravitinoClient, MetalakeChange, NameIdentifier, SchemaChange
from gravitino.api.authorization.owner import Owner
from gravitino.api.authorization.privileges import CreateSchema, SelectTable, UseCatalog, UseSchema
from gravitino.api.authorization.securable_objects import SecurableObjects
from gravitino.api.catalog_change import CatalogChange
from gravitino.api.metadata_object import MetadataObject
from gravitino.api.metadata_objects import MetadataObjects
from gravitino.api.rel.column import Column
from gravitino.api.rel.expressions.transforms.transforms import Transforms
from gravitino.api.rel.table_change import TableChange
from gravitino.api.rel.types.types import Types
from gravitino.api.tag.tag_change import TagChange
from gravitino.auth.basic_auth_provider import BasicAuthProvider
from gravitino.exceptions import base as exceptions
from gravitino.namespace import Namespace

from harness.lake import CATALOG, METALAKE
from harness.native import Native
from harness.server import ADMIN, PASSWORD


def credentials(user):
    return BasicAuthProvider(user, PASSWORD)


@pytest.fixture(scope="module")
def metalake(server):
    admin = GravitinoAdminClient(uri=server.native, auth_data_provider=credentials(ADMIN))
    created = admin.create_metalake(METALAKE, "the lake", {"team": "data"})
    assert created.name() == METALAKE
    return GravitinoClient(uri=server.native, metalake_name=METALAKE, auth_data_provider=credentials(ADMIN))


@pytest.fixture(scope="module")
def catalog(metalake):
    return metalake.create_catalog(
        CATALOG, Catalog.Type.RELATIONAL, "lakehouse-iceberg", "tables", {"team": "data"}
    )


@pytest.fixture(scope="module")
def orders(catalog):
    """The table `sales.orders`."""
    catalog.as_schemas().create_schema("sales", "what was sold", {})
    return catalog.as_table_catalog().create_table(
        NameIdentifier.of("sales", "orders"),
        [
            Column.of("id", Types.LongType.get(), "the number", nullable=False),
            Column.of("customer", Types.StringType.get(), "who bought"),
            Column.of("price", Types.DecimalType.of(12, 2)),
            Column.of("ordered", Types.DateType.get()),
            Column.of("tags", Types.ListType.of(Types.StringType.get(), True)),
        ],
        comment="orders",
        properties={"owner-team": "shop"},
        partitioning=[Transforms.month("ordered")],
    )


def test_metalakes(server, metalake):
    admin = GravitinoAdminClient(uri=server.native, auth_data_provider=credentials(ADMIN))
    assert METALAKE in [metalake.name() for metalake in admin.list_metalakes()]
    assert admin.load_metalake(METALAKE).comment() == "the lake"
    changed = admin.alter_metalake(
        METALAKE, MetalakeChange.update_comment("our lake"), MetalakeChange.set_property("tier", "gold")
    )
    assert changed.comment() == "our lake"
    assert changed.properties()["tier"] == "gold" and changed.properties()["team"] == "data"
    admin.create_metalake("scratch", "", {})
    admin.disable_metalake("scratch")
    assert admin.drop_metalake("scratch")
    with pytest.raises(exceptions.MetalakeAlreadyExistsException):
        admin.create_metalake(METALAKE, "", {})
    # Nobody is a member of a metalake that is not there; the original says the same.
    for missing in [admin.load_metalake, admin.drop_metalake]:
        with pytest.raises(exceptions.ForbiddenException):
            missing("scratch")


def test_catalogs(metalake, catalog):
    assert catalog.name() == CATALOG and catalog.provider() == "lakehouse-iceberg"
    assert metalake.list_catalogs() == [CATALOG]
    [listed] = metalake.list_catalogs_info()
    assert listed.name() == CATALOG and listed.properties()["team"] == "data"
    changed = metalake.alter_catalog(CATALOG, CatalogChange.update_comment("Iceberg tables"))
    assert changed.comment() == "Iceberg tables"
    metalake.create_catalog("spare", Catalog.Type.RELATIONAL, "lakehouse-iceberg", "", {})
    metalake.disable_catalog("spare")
    metalake.enable_catalog("spare")
    assert metalake.drop_catalog("spare", force=True)
    with pytest.raises(exceptions.NoSuchCatalogException):
        metalake.load_catalog("spare")
    with pytest.raises(exceptions.CatalogAlreadyExistsException):
        metalake.create_catalog(CATALOG, Catalog.Type.RELATIONAL, "lakehouse-iceberg", "", {})


def test_schemas(catalog, orders):
    schemas = catalog.as_schemas()
    assert "sales" in schemas.list_schemas()
    assert schemas.load_schema("sales").comment() == "what was sold"
    schemas.create_schema("scratch", "", {"a": "b"})
    changed = schemas.alter_schema("scratch", SchemaChange.set_property("c", "d"), SchemaChange.remove_property("a"))
    assert changed.properties()["c"] == "d" and "a" not in changed.properties()
    with pytest.raises(exceptions.NonEmptySchemaException):
        schemas.drop_schema("sales", cascade=False)
    assert schemas.drop_schema("scratch", cascade=False)
    assert not schemas.drop_schema("scratch", cascade=False)
    with pytest.raises(exceptions.SchemaAlreadyExistsException):
        schemas.create_schema("sales", "", {})


def test_tables(catalog, orders):
    assert orders.name() == "orders" and orders.comment() == "orders"
    tables = catalog.as_table_catalog()
    assert NameIdentifier.of("sales", "orders") in tables.list_tables(Namespace.of("sales"))
    loaded = tables.load_table(NameIdentifier.of("sales", "orders"))
    columns = {column.name(): column for column in loaded.columns()}
    assert list(columns) == ["id", "customer", "price", "ordered", "tags"]
    assert not columns["id"].nullable() and columns["customer"].nullable()
    assert columns["price"].data_type().simple_string() == "decimal(12,2)"
    assert columns["customer"].comment() == "who bought"
    assert loaded.properties()["owner-team"] == "shop"
    assert len(loaded.partitioning()) == 1
    with pytest.raises(exceptions.NoSuchTableException):
        tables.load_table(NameIdentifier.of("sales", "nothing"))


def test_altering_tables(catalog, orders):
    tables = catalog.as_table_catalog()
    identifier = NameIdentifier.of("sales", "scratch")
    tables.create_table(identifier, [Column.of("a", Types.IntegerType.get())])
    changed = tables.alter_table(
        identifier,
        TableChange.add_column(["b"], Types.StringType.get(), "second", TableChange.ColumnPosition.default_pos()),
        TableChange.update_comment("changed"),
        TableChange.set_property("k", "v"),
    )
    assert [column.name() for column in changed.columns()] == ["a", "b"]
    assert changed.comment() == "changed" and changed.properties()["k"] == "v"
    changed = tables.alter_table(
        identifier,
        TableChange.rename_column(["a"], "first"),
        TableChange.update_column_type(["first"], Types.LongType.get()),
    )
    assert [column.data_type().simple_string() for column in changed.columns()] == ["long", "string"]
    changed = tables.alter_table(identifier, TableChange.delete_column(["b"], False))
    assert [column.name() for column in changed.columns()] == ["first"]
    assert tables.alter_table(identifier, TableChange.rename("renamed")).name() == "renamed"
    assert tables.drop_table(NameIdentifier.of("sales", "renamed"))
    assert not tables.drop_table(NameIdentifier.of("sales", "renamed"))


def test_tags(metalake, orders):
    tag = metalake.create_tag("pii", "personal", {"k": "v"})
    assert tag.name() == "pii" and tag.properties() == {"k": "v"}
    metalake.create_tag("scratch", "", {})
    assert set(metalake.list_tags()) >= {"pii", "scratch"}
    changed = metalake.alter_tag("scratch", TagChange.rename("old"), TagChange.update_comment("c"))
    assert changed.name() == "old" and metalake.get_tag("old").comment() == "c"
    assert metalake.delete_tag("old") and not metalake.delete_tag("old")
    assert orders.supports_tags().associate_tags(["pii"], []) == ["pii"]
    [on_table] = orders.supports_tags().list_tags_info()
    assert on_table.name() == "pii" and on_table.inherited() is False
    [tagged] = metalake.get_tag("pii").associated_objects().objects()
    assert tagged.full_name() == f"{CATALOG}.sales.orders"
    customer = next(column for column in orders.columns() if column.name() == "customer")
    inherited = customer.supports_tags().get_tag("pii")
    assert inherited.inherited() is True
    assert orders.supports_tags().associate_tags([], ["pii"]) == []
    with pytest.raises(exceptions.NoSuchTagException):
        metalake.get_tag("nothing")


def test_users_groups_and_roles(server, metalake, orders):
    Native(server.native).post("idp", "users", body={"user": "ann", "password": PASSWORD})
    assert metalake.add_user("ann").name() == "ann"
    assert metalake.add_group("analysts").name() == "analysts"
    assert "ann" in metalake.list_user_names() and metalake.list_group_names() == ["analysts"]
    reading = SecurableObjects.of_catalog(
        CATALOG, [UseCatalog.allow(), UseSchema.allow(), SelectTable.allow()]
    )
    role = metalake.create_role("readers", {}, [reading])
    assert role.name() == "readers" and metalake.list_role_names() == ["readers"]
    [securable] = metalake.get_role("readers").securable_objects()
    assert securable.full_name() == CATALOG
    assert metalake.grant_roles_to_user(["readers"], "ann").roles() == ["readers"]

    as_ann = GravitinoClient(uri=server.native, metalake_name=METALAKE, auth_data_provider=credentials("ann"))
    tables = as_ann.load_catalog(CATALOG).as_table_catalog()
    assert tables.load_table(NameIdentifier.of("sales", "orders")).name() == "orders"
    with pytest.raises(exceptions.ForbiddenException):
        tables.drop_table(NameIdentifier.of("sales", "orders"))

    assert metalake.revoke_roles_from_user(["readers"], "ann").roles() == []
    with pytest.raises(exceptions.ForbiddenException):
        as_ann.load_catalog(CATALOG)
    metalake.grant_roles_to_group(["readers"], "analysts")
    metalake.revoke_roles_from_group(["readers"], "analysts")
    metalake.grant_privileges_to_role("readers", SecurableObjects.of_catalog(CATALOG, []), [CreateSchema.allow()])
    metalake.revoke_privileges_from_role(
        "readers", SecurableObjects.of_catalog(CATALOG, []), [CreateSchema.allow()]
    )
    assert metalake.delete_role("readers") and metalake.remove_group("analysts") and metalake.remove_user("ann")


def test_owners(server, metalake, orders):
    Native(server.native).post("idp", "users", body={"user": "olga", "password": PASSWORD})
    metalake.add_user("olga")
    table = MetadataObjects.of([CATALOG, "sales", "orders"], MetadataObject.Type.TABLE)
    assert metalake.get_owner(table).name() == ADMIN
    metalake.set_owner(table, "olga", Owner.Type.USER)
    assert metalake.get_owner(table).name() == "olga"
    metalake.set_owner(table, ADMIN, Owner.Type.USER)


def test_wrong_credentials_are_refused(server, metalake):
    for provider in [BasicAuthProvider(ADMIN, "wrong-password-here"), None]:
        with pytest.raises(exceptions.RESTException):
            GravitinoClient(uri=server.native, metalake_name=METALAKE, auth_data_provider=provider)
