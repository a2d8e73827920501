"""The tiny model in PyTorch, written as its documentation recommends."""

import numpy as np
import torch
import torch.nn.functional as F


def create(given, matrices, kind, threads):
    torch.set_num_threads(threads)
    shape = given["shape"]
    width, heads, layers, vocabulary = (
        shape[key] for key in ("width", "heads", "layers", "vocabulary")
    )
    size = width // heads
    weights = {
        name.replace(".", "_"): torch.nn.Parameter(torch.from_numpy(values))
        for name, values in matrices.items()
    }
    capacity = given["capacity"]
    positions = max(capacity, len(given["batch"]["ids"][0]))
    angles = torch.arange(positions)[:, None] / 10_000 ** (torch.arange(size // 2) / (size // 2))
    cosines, sines = (torch.cat((part, part), -1) for part in (angles.cos(), angles.sin()))

    def norm(x):
        return F.rms_norm(x, (width,), eps=1e-5)

    def rotate(x, cosine, sine):
        low, high = x.chunk(2, -1)
        return x * cosine + torch.cat((-high, low), -1) * sine

    def split(x, layer):
        rows, length, _ = x.shape
        qkv = norm(x) @ weights[f"layers_{layer}_qkv"]
        return qkv.view(rows, length, 3, heads, size).permute(2, 0, 3, 1, 4)

    def add(x, mixed, layer):
        x = x + mixed.transpose(1, 2).reshape(x.shape) @ weights[f"layers_{layer}_out"]
        hidden = F.relu(norm(x) @ weights[f"layers_{layer}_up"]).square()
        return x + hidden @ weights[f"layers_{layer}_down"]

    def head(x):
        return (norm(x) @ weights["head"])[..., :vocabulary]

    def loss_of(ids, trained, targets, shares):
        length = ids.shape[1]
        x = norm(F.embedding(ids, weights["embedding"]))
        for layer in range(layers):
            q, k, v = split(x, layer)
            q, k = (rotate(part, cosines[:length], sines[:length]) for part in (q, k))
            x = add(x, F.scaled_dot_product_attention(q, k, v, is_causal=True), layer)
        x = x.reshape(-1, width)[trained]
        return (F.cross_entropy(head(x), targets, reduction="none") * shares).sum()

    batch = [torch.tensor(given["batch"][key]) for key in ("ids", "trained", "targets")]
    batch.append(torch.tensor(given["batch"]["shares"], dtype=torch.float32))
    optimizer = torch.optim.AdamW(
        weights.values(), lr=0, betas=(0.9, 0.95), eps=1e-8, weight_decay=0, fused=True
    )
    compiled_loss = torch.compile(loss_of) if kind == "compile" else loss_of

    def gradients():
        optimizer.zero_grad()
        loss = compiled_loss(*batch)
        loss.backward()
        return loss

    def train():
        gradients()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()

    def check():
        loss = gradients().item()
        squares = sum(float(weight.grad.double().square().sum()) for weight in weights.values())
        return {"loss": loss, "gradientNorm": squares**0.5}

    conversations = torch.tensor(given["conversations"])
    slots = conversations.shape[0]
    cache = torch.zeros(layers, 2, slots, heads, capacity, size)

    def step(ids, position: int):
        x = norm(F.embedding(ids, weights["embedding"])).unsqueeze(1)
        for layer in range(layers):
            q, k, v = split(x, layer)
            cosine, sine = cosines[position], sines[position]
            cache[layer, 0, :, :, position] = rotate(k, cosine, sine).squeeze(2)
            cache[layer, 1, :, :, position] = v.squeeze(2)
            keys, values = cache[layer, :, :, :, : position + 1]
            x = add(
                x, F.scaled_dot_product_attention(rotate(q, cosine, sine), keys, values), layer
            )
        return head(x.squeeze(1)).softmax(-1)

    def masked_step(ids, position):
        """The same for one compiled graph: attention covers the capacity, and a mask hides what is not read yet."""
        x = norm(F.embedding(ids, weights["embedding"])).unsqueeze(1)
        mask = (torch.arange(capacity) <= position)[None]
        for layer in range(layers):
            q, k, v = split(x, layer)
            cosine, sine = cosines[position], sines[position]
            cache[layer, 0].index_copy_(2, position, rotate(k, cosine, sine))
            cache[layer, 1].index_copy_(2, position, v)
            query = rotate(q, cosine, sine)
            x = add(
                x,
                F.scaled_dot_product_attention(
                    query, cache[layer, 0], cache[layer, 1], attn_mask=mask
                ),
                layer,
            )
        return head(x.squeeze(1)).softmax(-1)

    compiled_step = torch.compile(masked_step) if kind == "compile" else None

    def read(position):
        with torch.no_grad():
            ids = conversations[:, position]
            if compiled_step is not None:
                return compiled_step(ids, torch.tensor([position])).numpy()
            return step(ids, position).numpy()

    for position in range(capacity):
        read(position)

    def decode():
        for position in range(given["from"], capacity):
            read(position)

    return {
        "check": check,
        "train": train,
        "decode": decode,
        "probe": lambda: read(capacity - 1)[0].tolist(),
        "multiply": lambda left, right: torch.from_numpy(left) @ torch.from_numpy(right),
    }
