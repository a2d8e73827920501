"""Writes the files of test/fixtures with pyarrow and datasets, and what Python reads from them as JSON.

Usage: python write_files.py <folder> <rows>
"""

import base64
import datetime
import decimal
import json
import struct
import sys
import zlib
from pathlib import Path

import pyarrow
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

folder = Path(sys.argv[1])
count = int(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def png(colour: tuple[int, int, int]) -> bytes:
    """A picture of 2 x 2 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    line = b"\0" + bytes(colour) * 2
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(line * 2)) + chunk(b"IEND", b"")


def plain(value):
    """A value of Python as JSON, in the form that @envs/data gives it."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        # A map is a list of pairs in pyarrow.
        if value and all(isinstance(item, tuple) for item in value):
            return {str(key): plain(inner) for key, inner in value}
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        text = value.replace(tzinfo=None).isoformat()
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return text + ("Z" if value.tzinfo else "")
    if isinstance(value, datetime.time):
        text = value.isoformat()
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 - 1:
        return {"bigint": str(value)}
    return value


def write(name: str, table: pyarrow.Table, **options) -> None:
    path = folder / f"{name}.parquet"
    pyarrow.parquet.write_table(table, path, **options)
    expect(name, pyarrow.parquet.read_table(path).to_pylist())


def expect(name: str, rows) -> None:
    (folder / f"{name}.json").write_text(json.dumps([plain(row) for row in rows], ensure_ascii=False))


def every(step: int, value):
    """A column in which every row of a step is null."""
    return [None if row % step == 2 else value(row) for row in range(count)]


moment = datetime.datetime(1999, 12, 31, 23, 59, 58, 123456)
values = pyarrow.table(
    {
        "id": pyarrow.array(range(count), pyarrow.int64()),
        "small": pyarrow.array(every(5, lambda row: row % 100 - 3), pyarrow.int8()),
        "big": pyarrow.array([2**62 + row if row % 2 else row for row in range(count)], pyarrow.int64()),
        "unsigned": pyarrow.array([2**63 + row if row % 2 else row for row in range(count)], pyarrow.uint64()),
        "unsigned32": pyarrow.array([2**32 - 1 - row for row in range(count)], pyarrow.uint32()),
        "half": pyarrow.array([row / 2 for row in range(count)], pyarrow.float32()),
        "double": pyarrow.array(every(4, lambda row: row / 3), pyarrow.float64()),
        "flag": pyarrow.array(every(3, lambda row: row % 2 == 0), pyarrow.bool_()),
        "text": pyarrow.array(every(4, lambda row: f"row {row}: \u2028 é 😀"), pyarrow.string()),
        "large": pyarrow.array([f"{row} " * 30 for row in range(count)], pyarrow.large_string()),
        "category": pyarrow.array([f"c{row % 3}" for row in range(count)]).dictionary_encode(),
        "bytes": pyarrow.array(every(3, lambda row: bytes([row % 256, 255, 0])), pyarrow.binary()),
        "price": pyarrow.array(
            every(5, lambda row: decimal.Decimal(row - 4) * decimal.Decimal("0.10")), pyarrow.decimal128(10, 2)
        ),
        "wide": pyarrow.array(
            [decimal.Decimal("-12345678901234567890123456.789") + row for row in range(count)],
            pyarrow.decimal128(38, 3),
        ),
        "day": pyarrow.array(
            every(4, lambda row: datetime.date(1960, 2, 28) + datetime.timedelta(days=row * 700)), pyarrow.date32()
        ),
        "seconds": pyarrow.array([moment.replace(microsecond=0)] * count, pyarrow.timestamp("s")),
        "micros": pyarrow.array(
            every(4, lambda row: moment - datetime.timedelta(days=row % 100 * 3650)), pyarrow.timestamp("us")
        ),
        "utc": pyarrow.array([moment] * count, pyarrow.timestamp("us", tz="UTC")),
        "clock": pyarrow.array([datetime.time(1, 2, 3, 4000 * (row % 200)) for row in range(count)], pyarrow.time64("us")),
    }
)
nested = pyarrow.table(
    {
        "numbers": pyarrow.array(every(4, lambda row: list(range(row % 4))), pyarrow.list_(pyarrow.int64())),
        "matrix": pyarrow.array(
            [[[row, None], [], None, [row]] if row % 2 else [] for row in range(count)],
            pyarrow.list_(pyarrow.list_(pyarrow.int32())),
        ),
        "messages": pyarrow.array(
            every(3, lambda row: [{"role": "user", "content": f"Question {row}"}, {"role": "tool", "content": None}]),
            pyarrow.list_(pyarrow.struct([("role", pyarrow.string()), ("content", pyarrow.string())])),
        ),
        "answers": pyarrow.array(
            [{"text": ["a", None], "start": [row], "meta": {"day": datetime.date(2020, 1, 1)}} for row in range(count)],
            pyarrow.struct(
                [
                    ("text", pyarrow.list_(pyarrow.string())),
                    ("start", pyarrow.list_(pyarrow.int32())),
                    ("meta", pyarrow.struct([("day", pyarrow.date32())])),
                ]
            ),
        ),
        "maybe": pyarrow.array(
            every(3, lambda row: {"x": row} if row % 2 else {"x": None}), pyarrow.struct([("x", pyarrow.int64())])
        ),
        "tags": pyarrow.array([[("a", row), ("b", None)] for row in range(count)], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    }
)
write("values", values, compression="none", row_group_size=max(1, count // 3))
write("nested", nested, compression="none", row_group_size=max(1, count // 2))
# Pages of one or two values, which begin within rows.
write("split-pages", nested, use_dictionary=False, data_page_size=1, write_batch_size=2)
text = pyarrow.table({"id": list(range(count)), "text": [f"The same words again, {row % 4}. " * 4 for row in range(count)]})
for codec in ["snappy", "gzip", "zstd", "lz4", "brotli"]:
    write(codec, text, compression=codec)
write("pages", text, data_page_version="2.0", use_dictionary=False, compression="zstd", data_page_size=200, write_page_index=True)
write("delta", text, use_dictionary=False, column_encoding={"id": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"})
write("empty", text.slice(0, 0))
times = every(4, lambda row: moment + datetime.timedelta(days=row % 100))
write("int96", pyarrow.table({"time": pyarrow.array(times, pyarrow.timestamp("us"))}), use_deprecated_int96_timestamps=True)

# Files of `datasets` itself, with its types.
import datasets  # noqa: E402

pictures = datasets.Dataset.from_dict(
    {
        "image": [{"bytes": png((row * 20 % 256, 0, 90)), "path": f"{row}.png"} for row in range(count)],
        "label": [row % 2 for row in range(count)],
        "turns": [[{"role": "user", "content": f"{row}"}] for row in range(count)],
    },
    features=datasets.Features(
        {
            "image": datasets.Image(),
            "label": datasets.ClassLabel(names=["no", "yes"]),
            "turns": datasets.List({"role": datasets.Value("string"), "content": datasets.Value("large_string")}),
        }
    ),
)
pictures.to_parquet(folder / "datasets.parquet", batch_size=max(1, count // 2))
expect("datasets", pyarrow.parquet.read_table(folder / "datasets.parquet").to_pylist())
rows = datasets.Dataset.from_dict(
    {"question": [f"{row} × 2, “quoted”, \u2028?\nSecond line" for row in range(count)], "answer": [row * 2 for row in range(count)]}
)
expect("rows", rows.to_list())
rows.to_json(folder / "rows.jsonl", force_ascii=False)
rows.to_json(folder / "array.json", lines=False)
rows.to_json(folder / "rows.jsonl.gz", compression="gzip")
rows.to_csv(folder / "rows.csv")
(folder / "rows.jsonl.zst").write_bytes(pyarrow.compress((folder / "rows.jsonl").read_bytes(), "zstd", asbytes=True))
