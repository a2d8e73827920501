"""Rows per second of `datasets` in streaming mode.

Usage: python datasets_rows.py write <folder> <rows>
       python datasets_rows.py read <format> <file> <column>...
"""

import json
import random
import sys
import time


def write(folder: str, count: int) -> None:
    import datasets

    words = [f"word{number}" for number in range(5000)]
    draw = random.Random(7)
    text = lambda length: " ".join(draw.choices(words, k=length))  # noqa: E731
    rows = datasets.Dataset.from_list(
        [
            {
                "id": row,
                "question": text(40),
                "answer": text(60),
                "level": row % 5,
                "messages": [{"role": "user", "content": text(20)}, {"role": "assistant", "content": text(20)}],
            }
            for row in range(count)
        ]
    )
    rows.to_parquet(f"{folder}/rows.parquet")
    rows.to_parquet(f"{folder}/one-group.parquet", write_page_index=False)
    rows.to_json(f"{folder}/rows.jsonl")


def read(kind: str, file: str, columns: list[str]) -> None:
    import datasets

    options = {"columns": columns} if kind == "parquet" and columns else {}
    rows = datasets.load_dataset(kind, data_files=file, split="train", streaming=True, **options)
    start, count, size = time.perf_counter(), 0, 0
    for row in rows:
        count += 1
        size += len(row["question"])
    print(json.dumps({"seconds": time.perf_counter() - start, "count": count, "size": size}))


if sys.argv[1] == "write":
    write(sys.argv[2], int(sys.argv[3]))
else:
    read(sys.argv[2], sys.argv[3], sys.argv[4:])
