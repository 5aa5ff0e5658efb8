# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The native API for what the official client has no calls for."""

from urllib.parse import quote

import requests

from .server import ADMIN, PASSWORD

TIMEOUT_SECONDS = 60


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, response):
        self.status = response.status_code
        self.body = response.text
        super().__init__(f"{response.request.method} {response.request.path_url}: {self.status} {self.body}")


class Native:
    """The native API as one user."""

    def __init__(self, url, user=ADMIN, password=PASSWORD):
        self.url = url
        self.session = requests.Session()
        self.session.auth = (user, password)

    def call(self, method, *path, body=None, headers=None, query=None):
        """Calls a path given as segments, which are encoded; answers the JSON."""
        url = "/".join([self.url, "api", *(quote(segment, safe="") for segment in path)])
        response = self.session.request(
            method, url, json=body, headers=headers, params=query, timeout=TIMEOUT_SECONDS
        )
        if not response.ok:
            raise Refused(response)
        return response.json() if response.content else None

    def get(self, *path, **options):
        return self.call("GET", *path, **options)

    def post(self, *path, **options):
        return self.call("POST", *path, **options)

    def put(self, *path, **options):
        return self.call("PUT", *path, **options)

    def delete(self, *path, **options):
        return self.call("DELETE", *path, **options)

    def patch(self, *path, **options):
        return self.call("PATCH", *path, **options)
