# SPDX-License-Identifier: Apache-2.0
"""The fork server's packets, as fork_server.py documents them. Everything that the agent sends is checked."""
import array
import json
import os
import socket
from typing import Any, Dict, Iterable, List, Optional, Tuple

MAX_PACKET_BYTES = 64 * 1024
DESCRIPTORS = ("request", "result", "progress page", "log")
_MAX_RECEIVED_DESCRIPTORS = 253  # SCM_MAX_FD: all descriptors that are sent are received, so that they can be closed
_REQUEST_KEYS = {"run", "environment"}


class BadRequest(Exception):
    def __init__(self, message: str, run: Optional[int] = None):
        super().__init__(message)
        self.run = run


class Closed(Exception):
    """The agent has ended."""


def parse_request(packet: bytes, descriptor_count: int) -> Tuple[int, Dict[str, str]]:
    """Return (run, environment) of a request. Raises BadRequest."""
    try:
        request = json.loads(packet.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"not JSON: {error}") from None
    if not isinstance(request, dict):
        raise BadRequest("a request must be a JSON object")
    run = request.get("run")
    if type(run) is not int or run < 0:
        raise BadRequest('"run" must be an integer >= 0')
    unknown = sorted(set(request) - _REQUEST_KEYS)
    if unknown:
        raise BadRequest(f'unknown key "{unknown[0]}"', run)
    environment = request.get("environment", {})
    if not isinstance(environment, dict) or not all(map(_is_variable, environment.items())):
        raise BadRequest('"environment" must be an object of variable names and texts', run)
    if descriptor_count != len(DESCRIPTORS):
        raise BadRequest(f"{descriptor_count} descriptors arrived, {len(DESCRIPTORS)} are needed: "
                         + ", ".join(DESCRIPTORS), run)
    return run, environment


def _is_variable(item: Tuple[str, Any]) -> bool:
    name, value = item
    if not isinstance(value, str) or not name or "=" in name or "\0" in name + value:
        return False
    try:
        os.fsencode(name + value)
    except UnicodeEncodeError:
        return False
    return True


class Channel:
    """The socket to the agent."""

    def __init__(self, descriptor: int):
        """Raises OSError if the descriptor is not a SOCK_SEQPACKET socket."""
        self.socket = socket.socket(fileno=descriptor)
        if self.socket.family != socket.AF_UNIX or self.socket.type != socket.SOCK_SEQPACKET:
            raise OSError(f"descriptor {descriptor} is not a Unix socket of type SOCK_SEQPACKET")
        self.socket.setblocking(True)

    def send(self, message: Dict[str, Any]) -> None:
        """Send a packet. Raises Closed."""
        try:
            self.socket.send(json.dumps(message).encode())
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self) -> Tuple[bytes, List[int]]:
        """Return a packet and its descriptors, which the caller must close. Raises Closed, BadRequest."""
        item = array.array("i").itemsize
        try:
            packet, ancillary, flags, _ = self.socket.recvmsg(
                MAX_PACKET_BYTES, socket.CMSG_SPACE(_MAX_RECEIVED_DESCRIPTORS * item), socket.MSG_CMSG_CLOEXEC)
        except OSError as error:
            raise Closed(str(error)) from None
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(data[:len(data) - len(data) % item])
        if not packet and not descriptors:
            raise Closed("end of file")
        if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            close_all(descriptors)
            raise BadRequest(f"a request may have {MAX_PACKET_BYTES} bytes and {len(DESCRIPTORS)} descriptors")
        return packet, list(descriptors)


def close_all(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
