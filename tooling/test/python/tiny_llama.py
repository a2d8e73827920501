"""Writes a random language model of 98,624 parameters, with a tokenizer that nothing uses: tiny_llama.py <folder>."""

import sys

import torch
from tokenizers import Tokenizer, models
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast

folder = sys.argv[1]
size = 384
torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=size,
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=16,
    max_position_embeddings=512,
    tie_word_embeddings=True,
    bos_token_id=1,
    eos_token_id=2,
)
AutoModelForCausalLM.from_config(config, dtype=torch.float32).save_pretrained(folder)
words = Tokenizer(models.WordLevel({f"t{index}": index for index in range(size)}, unk_token="t0"))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="t0", bos_token="t1", eos_token="t2", pad_token="t2")
tokenizer.save_pretrained(folder)
