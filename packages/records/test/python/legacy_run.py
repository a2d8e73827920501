"""Writes a run of verifiers' environments as of 0.3.1, results.jsonl and metadata.json, into a folder.

Usage: python legacy_run.py <base url of a model server> <folder>
"""

import asyncio
import os
import sys
from pathlib import Path

import verifiers as vf
from datasets import Dataset

os.environ.setdefault("API_KEY", "none")
questions = [
    ("What is 1 + 1?", "2"),
    ("Add 2 and 3 with the tool.", "5"),
    ("Add forever with the tool.", "0"),
    ("Write a long text.", "text"),
    ("Fail.", "0"),
    ("Score this as NaN.", "2"),
    ("Exceed the context.", "0"),
    ("Take too long.", "0"),
]


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def right(completion, answer) -> float:
    last = completion[-1] if completion else {}
    content = last.get("content") if isinstance(last, dict) else last.content
    return float(answer in str(content or ""))


async def unsure(prompt) -> float:
    """A metric that cannot always be computed."""
    return float("nan") if "NaN" in str(prompt) else 0.5


def main(base_url: str, folder: str) -> None:
    rows = [
        {
            "prompt": [
                {"role": "system", "content": "Answer briefly."},
                {"role": "user", "content": question},
            ],
            "answer": answer,
            "info": {"topic": "sums"},
        }
        for question, answer in questions
    ]
    env = vf.ToolEnv(
        tools=[add],
        max_turns=2,
        timeout_seconds=3,
        eval_dataset=Dataset.from_list(rows),
        rubric=vf.Rubric(funcs=[right, unsure], weights=[1.0, 0.5]),
        env_id="sums",
    )
    client = vf.ClientConfig(
        api_key_var="API_KEY", api_base_url=base_url, max_retries=0
    )
    asyncio.run(
        env.evaluate(
            client=client,
            model="scripted",
            sampling_args={"temperature": 0.5},
            rollouts_per_example=1,
            max_concurrent=1,
            results_path=Path(folder),
            save_results=True,
        )
    )


main(*sys.argv[1:])
