# SPDX-License-Identifier: Apache-2.0
"""A GPT-2 and a llama of transformers with random weights, as a user's file. As a program it writes what transformers computes of
them into the working folder: prompt.npy has tokens, NAME_prompt.npy and NAME_steps.npy logits, NAME_FORM.npz the cache after the
prompt in each form, with 1000 in rows that no token has written, and the token of each step.

module_decoders.py SITE   SITE: a folder with torch and numpy. Exit code 77: transformers is not installed."""
import sys

sys.path.append("PLACE OF TRANSFORMERS")  # which the test writes
sys.path += sys.argv[1:] if __name__ == "__main__" else []
import torch  # noqa: E402

try:
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}; scripts/setup tests installs transformers")
    sys.exit(77)
BATCH, CONTEXT, STEPS, LAYERS, ROWS, WORDS, TOKEN = 2, 20, 10, 2, 32, 199, 7
COMMON = dict(vocab_size=WORDS, bos_token_id=0, eos_token_id=0)


def gpt2():
    torch.manual_seed(1)
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=64, n_layer=LAYERS, n_head=4, n_positions=128, **COMMON))


def llama():
    torch.manual_seed(1)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        hidden_size=64, num_hidden_layers=LAYERS, num_attention_heads=4, num_key_value_heads=2, intermediate_size=96,
        max_position_embeddings=128, **COMMON))


def linear():
    return torch.nn.Linear(3, 4)


def write(name, network, ids):
    import numpy as np

    network = network.eval().requires_grad_(False)
    made = network(input_ids=ids, use_cache=True)
    cache = made.past_key_values
    np.save(f"{name}_prompt.npy", made.logits.numpy())
    tokens = torch.full((BATCH, 1), TOKEN)
    for form, rows in (("growing", CONTEXT), ("static", ROWS)):
        past = {}
        for place, layer in enumerate(cache.layers):
            for part, tensor in (("key", layer.keys), ("value", layer.values)):
                whole = torch.full((*tensor.shape[:2], rows, tensor.shape[3]), 1000.0)
                whole[:, :, :CONTEXT] = tensor
                past[f"past_key_values.{place}.{part}"] = whole.numpy()
        np.savez(f"{name}_{form}.npz", input_ids=tokens.numpy(), **past)
    logits = []
    for _ in range(STEPS):
        made = network(input_ids=tokens, past_key_values=cache, use_cache=True)
        cache = made.past_key_values
        logits.append(made.logits.numpy())
    np.save(f"{name}_steps.npy", np.stack(logits))


if __name__ == "__main__":
    import numpy as np

    ids = torch.randint(0, WORDS, (BATCH, CONTEXT), generator=torch.Generator().manual_seed(2))
    np.save("prompt.npy", ids.numpy())
    for name, network in (("gpt2", gpt2()), ("llama", llama())):
        write(name, network, ids)
