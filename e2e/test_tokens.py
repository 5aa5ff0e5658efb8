# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Bearer tokens with the original clients; and a reader that its users' tokens prove.

PyIceberg ignores `read-restrictions`, so nobody would enroll it. Here it stands for a reader: what is tested is who gets
the answer, and what is in it.
"""

import json

import pyarrow
import pytest
from gravitino import GravitinoClient
from gravitino.auth.default_oauth2_token_provider import DefaultOAuth2TokenProvider
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import ForbiddenError, RESTError, UnauthorizedError

from harness import tokens
from harness.lake import CAPABILITY, CAPABILITY_HEADER, CATALOG, METALAKE
from harness.query import run
from harness.server import ADMIN, PASSWORD

ROWS = pyarrow.table({"owner": ["ann", "bob"], "amount": [1, 2]})
TABLE = "sales.orders"


@pytest.fixture(scope="module")
def lake(token_lake):
    for user in ("ann", "bob"):
        token_lake.add_user(user)
    token_lake.add_readers("ann", "bob")
    catalog = token_lake.pyiceberg()
    catalog.create_namespace("sales")
    catalog.create_table(TABLE, schema=ROWS.schema).append(ROWS)
    token_lake.add_tag("own")
    token_lake.add_policy("own_rows", "row_filter", 'filter := col("owner") == session_user()', "own")
    token_lake.assign("table", f"{CATALOG}.{TABLE}", "own")
    return token_lake


def reader(lake, *arguments):
    """`lakeward reader …` as the administrator; its output."""
    return run("reader", *arguments, "--server", lake.server.native, "--user", ADMIN, password=PASSWORD)


class Client:
    """PyIceberg with a token, and the last answer as it came."""

    def __init__(self, lake, token, capable=True):
        properties = {f"header.{CAPABILITY_HEADER}": CAPABILITY} if capable else {}
        self.catalog = RestCatalog(
            CATALOG, uri=lake.server.iceberg, warehouse=CATALOG, token=token, **properties
        )
        self.last = None
        self.catalog._session.hooks["response"].append(self._keep)

    def _keep(self, response, *_, **__):
        self.last = response

    def load(self):
        self.catalog.load_table(TABLE)
        return json.loads(self.last.content)


def test_a_reader_is_trusted_by_its_users_tokens(lake):
    enrolled = reader(lake, "enroll", "trino", "--oauth-client", "trino-prod")
    assert "trino is trusted by oauth-client trino-prod" in enrolled
    for user in ("ann", "bob"):
        answer = Client(lake, tokens.token(user, azp="trino-prod")).load()
        filters = json.dumps(answer["read-restrictions"])
        assert f'"{user}"' in filters
    # The user's own token, another client's, and one that declares nothing.
    for token in (tokens.token("ann"), tokens.token("ann", azp="notebook")):
        with pytest.raises(ForbiddenError, match="not a trusted reader"):
            Client(lake, token).load()
    with pytest.raises(RESTError, match="406|does not declare"):
        Client(lake, tokens.token("ann", azp="trino-prod"), capable=False).load()
    with pytest.raises(ForbiddenError, match="no end user"):
        lake.admin.post(*lake.at("users"), body={"name": "trino-prod"})
        lake.add_role("reads_too", ["use_catalog", "use_schema", "select_table"], ["trino-prod"])
        Client(lake, tokens.token("trino-prod", azp="trino-prod")).load()


def test_a_delegated_token_names_its_actor(lake):
    reader(lake, "enroll", "gateway", "--actor", "svc-gateway")
    delegated = tokens.token("ann", act={"sub": "svc-gateway"})
    assert '"ann"' in json.dumps(Client(lake, delegated).load()["read-restrictions"])
    with pytest.raises(ForbiddenError, match="not a trusted reader"):
        Client(lake, tokens.token("ann", act={"sub": "somebody", "act": {"sub": "svc-gateway"}})).load()
    forged = tokens.token("ann", secret=bytes(32), act={"sub": "svc-gateway"})
    with pytest.raises(UnauthorizedError):
        Client(lake, forged)


def test_a_removed_reader_is_refused_with_its_next_request(lake):
    reader(lake, "enroll", "leaving", "--oauth-client", "leaving")
    client = Client(lake, tokens.token("ann", azp="leaving"))
    client.load()
    listed = reader(lake, "list")
    assert "oauth-client leaving" in listed and "last load" in listed
    reader(lake, "remove", "leaving")
    with pytest.raises(ForbiddenError, match="not a trusted reader"):
        client.load()


def test_the_original_client_fetches_its_token(lake):
    """The token endpoint of the test gives the client a token in its own name, as for a service."""
    lake.admin.post(*lake.at("users"), body={"name": "job"})
    lake.add_role("job_reads", ["use_catalog", "use_schema", "select_table"], ["job"])
    with tokens.endpoint() as uri:
        provider = DefaultOAuth2TokenProvider(uri, "job:secret", "lake", "token")
        client = GravitinoClient(uri=lake.server.native, metalake_name=METALAKE, auth_data_provider=provider)
        assert [str(name) for name in client.list_catalogs()] == [CATALOG]
        schemas = client.load_catalog(CATALOG).as_schemas()
        assert schemas.load_schema("sales").name() == "sales"
