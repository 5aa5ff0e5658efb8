# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A small client of Flight SQL that shows each step, which drivers hide."""

import base64

import pyarrow.flight

from .server import PASSWORD


class Client:
    """A user's connection. The messages of Flight SQL are small enough to be written by hand."""

    def __init__(self, gateway, user, password=PASSWORD):
        self.flight = pyarrow.flight.FlightClient(gateway.url, tls_root_certs=gateway.authority.read_bytes())
        credentials = base64.b64encode(f"{user}:{password}".encode())
        self.options = pyarrow.flight.FlightCallOptions(
            timeout=120, headers=[(b"authorization", b"Basic " + credentials)]
        )

    def ticket(self, sql):
        """Prepares the execution of a query."""
        command = _any("CommandStatementQuery", _field(1, sql.encode()))
        descriptor = pyarrow.flight.FlightDescriptor.for_command(command)
        return self.flight.get_flight_info(descriptor, self.options).endpoints[0].ticket

    def read(self, ticket):
        """The rows as they come."""
        return self.flight.do_get(ticket, self.options)

    def query(self, sql):
        """All rows as an Arrow table."""
        return self.read(self.ticket(sql)).read_all()

    def close(self):
        self.flight.close()


def _any(kind, message):
    name = f"type.googleapis.com/arrow.flight.protocol.sql.{kind}"
    return _field(1, name.encode()) + _field(2, message)


def _field(number, content):
    """A field of bytes in a message of protocol buffers."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(value):
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded + bytes([value]))


