"""Two steps of TRL's GRPO on an environment that is served at a URL, by the Open Reward Standard.

The model is a tiny Qwen2 with random weights, made here, and knows bytes and nine calls of the tool `respond`, one for
each position of tic-tac-toe. A turn is sampled as one such call and its end: a model that knows nothing would otherwise
never call a tool. All else is TRL's own: template, tool loop, advantages, loss, optimizer.

Usage: trl_grpo.py URL FOLDER. Prints a line of JSON.
"""

import json
import os
import sys

URL, FOLDER = sys.argv[1:]
# Without these, openreward looks for a service of its maker's at subdomains of the URL.
os.environ |= {"OPENREWARD_API_URL": URL, "OPENREWARD_SESSION_URL": URL}

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template
from trl.experimental.openreward import OpenRewardSpec
from trl.experimental.openreward.environment import _RolloutEnvironment

STEPS = 2
ROLLOUTS = 8


def move_calls() -> list[str]:
    def call(position: int) -> str:
        text = f"<think>I take {position}.</think><move>{position}</move>"
        body = json.dumps({"name": "respond", "arguments": {"text": text}})
        return f"<tool_call>\n{body}\n</tool_call>"

    return [call(position) for position in range(9)]


def make_tokenizer() -> PreTrainedTokenizerFast:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytes_only = models.BPE(vocab={letter: id for id, letter in enumerate(letters)}, merges=[])
    tokenizer = Tokenizer(bytes_only)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    tokenizer.add_tokens([AddedToken(call, normalized=False) for call in move_calls()])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    fast.chat_template = qwen3_chat_template
    return fast


def make_model(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=16384,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen2ForCausalLM(config)


def one_call_a_turn(tokenizer: PreTrainedTokenizerFast) -> dict:
    """Settings of generation: all tokens but calls and the end are out, first comes a call, then the end."""
    calls = tokenizer.convert_tokens_to_ids(move_calls())
    end = tokenizer.eos_token_id
    return {
        "suppress_tokens": sorted(set(range(len(tokenizer))) - {*calls, end}),
        "sequence_bias": [[[end], -20.0], *([[call, end], 40.0] for call in calls)],
    }


class EpisodeTrainer(GRPOTrainer):
    """As in the script of `envs export trl`."""

    def _get_tool_suffix_ids(self, tool_messages):
        if str(tool_messages[-1]["content"]).endswith("The episode is over."):
            return [0] * (self.max_completion_length + 1)
        return super()._get_tool_suffix_ids(tool_messages)


def count_late_calls() -> list[str]:
    """The names of the tools that a rollout calls after the end of its episode."""
    late: list[str] = []
    call = _RolloutEnvironment._call_ors_tool

    def counted(self, name, arguments):
        if self.finished:
            late.append(name)
        return call(self, name, arguments)

    _RolloutEnvironment._call_ors_tool = counted
    return late


def main() -> None:
    set_seed(1)
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}

    spec = OpenRewardSpec(URL, num_tasks=STEPS)
    trainer = EpisodeTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=spec.train_dataset,
        environment_factory=spec.environment_factory,
        reward_funcs=spec.reward_funcs,
        args=GRPOConfig(
            output_dir=FOLDER,
            max_steps=STEPS,
            per_device_train_batch_size=ROLLOUTS,
            num_generations=ROLLOUTS,
            max_completion_length=8192,
            max_tool_calling_iterations=12,
            generation_kwargs=one_call_a_turn(tokenizer),
            learning_rate=1e-3,
            use_cpu=True,
            bf16=False,
            logging_steps=1,
            report_to=[],
            save_strategy="no",
            disable_tqdm=True,
            seed=1,
        ),
    )
    late_calls = count_late_calls()
    trainer.train()

    steps = [entry for entry in trainer.state.log_history if "reward" in entry]
    weights = dict(trainer.model.named_parameters())
    print(
        json.dumps(
            {
                "steps": [
                    {
                        "reward": entry["reward"],
                        "rewardStd": entry["reward_std"],
                        "gradNorm": float(entry["grad_norm"]),
                        "loss": entry["loss"],
                        "callsPerRollout": entry["tools/call_frequency"],
                        "failedCalls": entry["tools/failure_frequency"],
                    }
                    for entry in steps
                ],
                "lateCalls": len(late_calls),
                "parameters": len(before),
                "changedParameters": sum(
                    not torch.equal(weight, weights[name]) for name, weight in before.items()
                ),
            }
        )
    )


main()
