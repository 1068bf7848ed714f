"""Where a log comes from: a file (plain or gzipped), a folder or standard input. It is read in bounded pieces."""

from __future__ import annotations

import codecs
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO

from .options import ReaderError

HEAD = 1 << 16
BLOCK = 1 << 22
TEXT_BLOCK = 1 << 18  # text becomes many small objects; blocks that fit in the CPU cache are read twice as fast
# Real log lines are far shorter. A longer line is data, an image or a decompression bomb, and is skipped.
LONGEST_LINE = 1 << 20
# Text logs compress 5 to 50 times. A large file that is far beyond that is a decompression bomb.
BOMB_RATIO, BOMB_SIZE = 200, 1 << 28

_GZIP = b"\x1f\x8b"
_ARCHIVES = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "zstd"}
_CONTROL = re.compile(r"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f]")
# Many NULs in a row are padding. Single NULs among other bytes are binary data.
_PADDING = re.compile(r"\0{8,}")
MOST_PADDING = 1 << 28
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Source:
    """One file or folder to read. `name` is what reports call it."""

    def __init__(self, path: Path, name: str | None = None, spooled: IO[bytes] | None = None) -> None:
        self.path = path
        self.name = name or str(path)
        self.skipped_long_lines = 0
        self._spooled = spooled

    @classmethod
    def of(cls, place: str | Path) -> Source:
        if str(place) == "-":
            return cls(Path("-"), "standard input", _spool(sys.stdin.buffer))
        path = Path(place)
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            named = f"{str(path)!r}" if " " in str(path) else path
            raise ReaderError(f"{named} does not exist") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise ReaderError(f"{path} cannot be read ({reason})") from None
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise ReaderError(f"{path} is neither a file nor a folder")
        return cls(path)

    def close(self) -> None:
        if self._spooled is not None:
            self._spooled.close()

    @cached_property
    def is_dir(self) -> bool:
        return self._spooled is None and self.path.is_dir()

    @cached_property
    def size(self) -> int:
        """The size in bytes; for compressed logs the compressed size."""
        if self._spooled is None:
            return self.path.stat().st_size
        return self._spooled.seek(0, 2)

    @cached_property
    def head(self) -> bytes:
        """The first bytes after decompression and after any padding with NUL; empty for folders."""
        if self.is_dir:
            return b""
        zeros, first = 0, b""
        for block in self.blocks(HEAD):
            first = first or block
            # A log that was truncated while its writer kept its file position begins with a hole: zeros, then text.
            if block.count(0) < len(block):
                return block.lstrip(b"\0") if zeros else block
            zeros += len(block)
            if zeros >= MOST_PADDING:
                break
        return first

    @cached_property
    def encoding(self) -> str:
        marked = next((name for mark, name in _BYTE_ORDER_MARKS.items() if self.head.startswith(mark)), None)
        return marked or _without_mark(self.head) or "utf-8"

    @cached_property
    def text_head(self) -> str:
        text = self.head.decode(self.encoding, "replace").lstrip("\ufeff").replace("\r\n", "\n")
        return _PADDING.sub("\n", text) if "\0" in text else text

    @cached_property
    def is_text(self) -> bool:
        """Whether there are hardly any control characters: a log, not a checkpoint or an image."""
        if not self.head.strip(b"\0"):
            return False
        sample = self.text_head[:HEAD]
        control = len(_CONTROL.findall(sample))
        undecodable = sample.count("\ufffd")  # a log in Latin-1 has some
        return bool(sample) and 50 * control <= len(sample) and 4 * undecodable <= len(sample)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        if self._spooled is not None:
            self._spooled.seek(0)
            yield self._spooled
            return
        try:
            with self.path.open("rb") as file:
                yield file
        except OSError as error:
            raise ReaderError(f"{self.name} cannot be read ({(error.strerror or str(error)).lower()})") from None

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the decompressed content in pieces of at most `size` bytes."""
        with self.open() as raw:
            magic = raw.read(8)
            raw.seek(0)
            archive = next((name for start, name in _ARCHIVES.items() if magic.startswith(start)), None)
            if archive:
                raise ReaderError(f"{self.name} is a {archive} archive: unpack it first")
            if not magic.startswith(_GZIP):
                while block := raw.read(size):
                    yield block
                return
            yield from self._unpacked(raw, size)

    def _unpacked(self, raw: IO[bytes], size: int) -> Iterator[bytes]:
        """Yield the pieces of a gzipped log, which may be cut off because it is still being written."""
        unpacker = zlib.decompressobj(wbits=31)
        packed, total = b"", 0
        while packed := packed or raw.read(size):
            try:
                block = unpacker.decompress(packed, size)
            except zlib.error as error:
                if total:
                    return
                raise ReaderError(f"{self.name} is damaged ({error})") from None
            total += len(block)
            if block:
                yield block
            packed = unpacker.unconsumed_tail
            if unpacker.eof:
                packed, unpacker = unpacker.unused_data, zlib.decompressobj(wbits=31)

    def refuse_bomb(self) -> None:
        """Raise if a small file unpacks to a huge one. Unpacking costs little compared with reading the content."""
        if self.is_dir:
            return
        with self.open() as raw:
            if raw.read(len(_GZIP)) != _GZIP:
                return
        total, most = 0, max(BOMB_SIZE, BOMB_RATIO * self.size)
        for block in self.blocks():
            total += len(block)
            if total > most:
                raise ReaderError(f"{self.name} unpacks to more than {BOMB_RATIO} times its size: not a log")

    def whole(self, limit: int, what: str) -> bytes:
        """Return the whole content, for formats that cannot be read in pieces."""
        pieces, total = [], 0
        for block in self.blocks():
            total += len(block)
            if total > limit:
                raise ReaderError(f"{self.name} is larger than {limit >> 20} MB, too large for {what}")
            pieces.append(block)
        return b"".join(pieces)

    def line_blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield pieces of UTF-8 that end at the end of a line. Lines that are too long are dropped and counted."""
        rest, dropping = b"", False
        for block in self._utf8_blocks(size):
            if dropping:
                cut = block.find(b"\n")
                if cut < 0:
                    continue
                block, dropping = block[cut + 1 :], False
            cut = block.rfind(b"\n") + 1
            if cut:
                yield rest + block[:cut] if rest or cut < len(block) else block
                rest = block[cut:]
            else:
                rest += block
            if len(rest) > max(LONGEST_LINE, size):
                rest, dropping = b"", True
                self.skipped_long_lines += 1
        if rest:
            yield rest

    def _utf8_blocks(self, size: int) -> Iterator[bytes]:
        """Yield pieces of UTF-8 without byte-order mark, NULs and carriage returns."""
        held = b""  # a carriage return at the end of a piece; its line feed may begin the next piece
        for number, block in enumerate(self._decoded_blocks(size)):
            if number == 0:
                block = block.removeprefix(b"\xef\xbb\xbf")
            if b"\0" in block:
                block = block.replace(b"\0", b"")
            block = held + block
            held = b"\r" if block.endswith(b"\r") else b""
            block = block[: len(block) - len(held)]
            if b"\r" in block:
                # A carriage return alone ends a line: progress bars use it to overwrite the line on a terminal.
                block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if block:
                yield block

    def _decoded_blocks(self, size: int) -> Iterator[bytes]:
        if self.encoding == "utf-8":
            yield from self.blocks(size)
            return
        decoder = codecs.getincrementaldecoder(self.encoding)("replace")
        for block in self.blocks(size):
            yield decoder.decode(block).lstrip("\ufeff").encode()

    def text_blocks(self) -> Iterator[str]:
        """Yield decoded pieces of whole lines, without lines that are too long."""
        for block in self.line_blocks(TEXT_BLOCK):
            text = block.decode("utf-8", "replace").removesuffix("\n")
            lines = text.split("\n") if len(text) > LONGEST_LINE else []
            if any(len(line) > LONGEST_LINE for line in lines):
                kept = [line for line in lines if len(line) <= LONGEST_LINE]
                self.skipped_long_lines += len(lines) - len(kept)
                text = "\n".join(kept)
            if text:
                yield text

    def lines(self) -> Iterator[str]:
        """Yield decoded lines without their line ends."""
        for text in self.text_blocks():
            yield from text.split("\n")


def _without_mark(head: bytes) -> str | None:
    """Recognise UTF-16 without a byte-order mark: in Latin text every second byte is zero."""
    sample = head[: len(head) // 2 * 2]
    if len(sample) < 16 or sample.count(0) < 0.4 * len(sample):
        return None
    low, high = sample[::2], sample[1::2]
    for name, letters, zeros in (("utf-16-le", low, high), ("utf-16-be", high, low)):
        if zeros.count(0) >= 0.8 * len(zeros) and letters.count(0) <= 0.02 * len(letters):
            return name
    return None


def _spool(stream: IO[bytes]) -> IO[bytes]:
    """Copy standard input to a temporary file: it can be read only once, but recognising the format reads it too."""
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the source
    while block := stream.read(BLOCK):
        spooled.write(block)
    return spooled
