"""Concatenates Parquet files of runs with Hugging Face's datasets and with pandas.

Usage: concatenate.py FILE... Prints one line of JSON.
"""

import json
import os
import sys
import tempfile

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
os.environ["HF_HOME"] = tempfile.mkdtemp()

import pandas  # noqa: E402
from datasets import concatenate_datasets, load_dataset  # noqa: E402

rows = concatenate_datasets(
    [load_dataset("parquet", data_files=path, split="train") for path in sys.argv[1:]]
)
frame = pandas.concat([pandas.read_parquet(path) for path in sys.argv[1:]])
print(
    json.dumps(
        {
            "environments": rows["environment"][:],
            "scores": [[score["key"] for score in row] for row in rows["scores"]],
            "roles": [[message["role"] for message in row] for row in rows["completion"]],
            "rewards": frame["reward"].tolist(),
        }
    )
)
