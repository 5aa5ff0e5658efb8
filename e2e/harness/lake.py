# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A metalake with users, groups, one Iceberg catalog and governance, built through the API."""

from .native import Native
from .server import ADMIN, PASSWORD, Server

METALAKE = "lake"
CATALOG = "ice"
CAPABILITY = "read-restrictions.v1"
CAPABILITY_HEADER = "X-Gravitino-Client-Capabilities"
VALUED_TAGS = "application/vnd.gravitino.v2+json"


class Lake:
    """What one test works on."""

    def __init__(self, server: Server):
        self.server = server
        self.admin = Native(server.native)

    def create(self, properties=None):
        """A metalake and a catalog with these properties; the service administrator owns both."""
        self.admin.post("metalakes", body={"name": METALAKE, "comment": "", "properties": {}})
        self.admin.post(
            "metalakes", METALAKE, "catalogs",
            body={
                "name": CATALOG, "type": "relational", "provider": "lakehouse-iceberg",
                "properties": properties or {},
            },
        )  # fmt: skip
        return self

    def at(self, *path):
        return ("metalakes", METALAKE, *path)

    def add_user(self, name, groups=()):
        """A local account that belongs to the metalake."""
        self.admin.post("idp", "users", body={"user": name, "password": PASSWORD})
        self.admin.post(*self.at("users"), body={"name": name})
        for group in groups:
            self.admin.put("idp", "groups", group, "users", body={"usersToAdd": [name]})

    def add_group(self, name):
        self.admin.post("idp", "groups", body={"group": name})
        self.admin.post(*self.at("groups"), body={"name": name})

    def add_role(self, name, privileges, users=(), full_name=CATALOG, kind="catalog"):
        self.admin.post(
            *self.at("roles"),
            body={
                "name": name,
                "properties": {},
                "securableObjects": [
                    {
                        "fullName": full_name,
                        "type": kind,
                        "privileges": [{"name": privilege, "condition": "allow"} for privilege in privileges],
                    }
                ],
            },
        )
        for user in users:
            self.admin.put(*self.at("permissions", "users", user, "grant"), body={"roleNames": [name]})

    def add_readers(self, *users):
        """Lets users read every table of the catalog."""
        self.add_role("readers", ["use_catalog", "use_schema", "select_table"], users)

    def add_writers(self, *users):
        """Lets users make, read and change tables of the catalog."""
        self.add_role(
            "writers",
            ["use_catalog", "use_schema", "create_schema", "create_table", "select_table", "modify_table"],
            users,
        )

    def add_tag(self, name, allowed_values=None):
        body = {"name": name, "comment": "", "properties": {}}
        if allowed_values is not None:
            body["allowedValues"] = allowed_values
        self.admin.post(*self.at("tags"), body=body)

    def assign(self, kind, full_name, tag, value=None):
        pair = {"name": tag} if value is None else {"name": tag, "value": value}
        self._associate(kind, full_name, {"tagsToAdd": [pair]}, {"force": "true"})

    def unassign(self, kind, full_name, tag, value=None):
        pair = {"name": tag} if value is None else {"name": tag, "value": value}
        self._associate(kind, full_name, {"tagsToRemove": [pair]}, {"force": "true"})

    def _associate(self, kind, full_name, body, query=None):
        self.admin.post(
            *self.at("objects", kind, full_name, "tags"),
            body=body, query=query, headers={"Content-Type": VALUED_TAGS, "Accept": VALUED_TAGS},
        )  # fmt: skip

    def add_policy(self, name, kind, expression, tag, value=None, enable=True):
        """A restriction policy: created disabled, bound to a tag, then enabled."""
        self.admin.post(
            *self.at("policies"),
            body={
                "name": name,
                "comment": "",
                "policyType": f"system_{kind}",
                "enabled": False,
                "content": {"expression": expression},
            },
        )
        selector = {"type": "ALL_VALUES"} if value is None else {"type": "TAG_VALUE", "value": value}
        self.admin.put(*self.at("tags", tag, "policies", name), body={"selector": selector})
        if enable:
            self.enable_policy(name)

    def enable_policy(self, name, enable=True):
        """Enables also where no reader is enrolled yet, and disables also what then opens."""
        self.admin.patch(*self.at("policies", name), body={"enable": enable}, query={"force": "true"})

    def as_user(self, user) -> Native:
        return Native(self.server.native, user)

    def pyiceberg(self, user=ADMIN, **properties):
        """PyIceberg's catalog as one user, an ordinary client."""
        from pyiceberg.catalog.rest import RestCatalog

        return RestCatalog(
            CATALOG,
            uri=self.server.iceberg,
            warehouse=CATALOG,
            auth={"type": "basic", "basic": {"username": user, "password": PASSWORD}},
            **properties,
        )
