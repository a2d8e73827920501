"""Writes the model of a GGUF file as safetensors, with its tokenizer and chat template: gguf_model.py <file> <folder>."""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

file, folder = Path(sys.argv[1]), sys.argv[2]
source = {"pretrained_model_name_or_path": file.parent, "gguf_file": file.name}
AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32).save_pretrained(folder)
AutoTokenizer.from_pretrained(**source).save_pretrained(folder)
