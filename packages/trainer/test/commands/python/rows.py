"""Reads rows with Hugging Face's datasets, and writes conversations as a model's chat template does.

Usage: rows.py CONVERSATIONS.jsonl SAMPLES.jsonl. Prints one line of JSON.
"""

import json
import os
import sys
import tempfile

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
os.environ["HF_HOME"] = tempfile.mkdtemp()

from datasets import load_dataset  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import PreTrainedTokenizerFast  # noqa: E402

# In the form of ChatML, with the part that the model is trained on between marks, as TRL wants it.
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>"
    "{% if message.role == 'assistant' %}{% generation %}{{ message.content }}{% endgeneration %}"
    "{% else %}{{ message.content }}{% endif %}{% endfor %}"
)


def letters() -> PreTrainedTokenizerFast:
    """A tokenizer of letters: no model's has to be fetched."""
    known = {chr(code): code for code in range(0x250)}
    tokenizer = Tokenizer(models.WordLevel(vocab=known, unk_token="\0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, chat_template=TEMPLATE, unk_token="\0")


def rows(path: str):
    return load_dataset("json", data_files=path, split="train")


conversations, samples = map(rows, sys.argv[1:])
tokenizer = letters()
written = []
for row in conversations:
    encoded = tokenizer.apply_chat_template(
        row["messages"], tokenize=True, return_dict=True, return_assistant_tokens_mask=True
    )
    taught = [token for token, mask in zip(encoded["input_ids"], encoded["assistant_masks"]) if mask]
    written.append(
        {
            "text": tokenizer.apply_chat_template(row["messages"], tokenize=False),
            "taught": "".join(map(chr, taught)),
        }
    )
print(
    json.dumps(
        {
            "columns": conversations.column_names,
            "written": written,
            "samples": {name: str(feature) for name, feature in samples.features.items()},
            "lengths": [[len(row[name]) for name in ("input_ids", "loss_mask", "logprobs")] for row in samples],
        }
    )
)
