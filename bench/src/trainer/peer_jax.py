"""The tiny model in JAX, jitted."""

import jax
import jax.numpy as jnp
import numpy as np


def create(given, matrices, kind, threads):
    shape = given["shape"]
    width, heads, layers, vocabulary = (
        shape[key] for key in ("width", "heads", "layers", "vocabulary")
    )
    size = width // heads
    capacity = given["capacity"]
    positions = max(capacity, len(given["batch"]["ids"][0]))
    angles = np.arange(positions)[:, None] / 10_000 ** (np.arange(size // 2) / (size // 2))
    cosines, sines = (
        jnp.asarray(np.concatenate((part, part), -1), jnp.float32)
        for part in (np.cos(angles), np.sin(angles))
    )

    def norm(x):
        return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + 1e-5)

    def rotate(x, cosine, sine):
        low, high = jnp.split(x, 2, -1)
        return x * cosine + jnp.concatenate((-high, low), -1) * sine

    def add(weights, x, mixed, layer):
        x = x + mixed.reshape(x.shape) @ weights[f"layers.{layer}.out"]
        hidden = jax.nn.relu(norm(x) @ weights[f"layers.{layer}.up"])
        return x + jnp.square(hidden) @ weights[f"layers.{layer}.down"]

    def head(weights, x):
        return (norm(x) @ weights["head"])[..., :vocabulary]

    def loss_of(weights, ids, trained, targets, shares):
        rows, length = ids.shape
        x = norm(weights["embedding"][ids])
        for layer in range(layers):
            qkv = (norm(x) @ weights[f"layers.{layer}.qkv"]).reshape(rows, length, 3, heads, size)
            cosine, sine = cosines[:length, None], sines[:length, None]
            q, k = (rotate(qkv[:, :, part], cosine, sine) for part in (0, 1))
            mixed = jax.nn.dot_product_attention(q, k, qkv[:, :, 2], is_causal=True)
            x = add(weights, x, mixed, layer)
        logprobs = jax.nn.log_softmax(head(weights, x.reshape(-1, width)[trained]))
        chosen = jnp.take_along_axis(logprobs, targets[:, None], -1)[:, 0]
        return -jnp.sum(chosen * shares)

    gradients = jax.value_and_grad(loss_of)

    def update(weights, first, second, count, *batch):
        """Clipping and AdamW with a learning rate that is an argument, so that XLA cannot drop the update."""
        rate, *batch = batch
        loss, grads = gradients(weights, *batch)
        total = jnp.sqrt(sum(jnp.sum(jnp.square(grad)) for grad in grads.values()))
        scale = jnp.minimum(1.0, 1.0 / total)
        after = {}, {}, {}
        for name, grad in grads.items():
            grad = grad * scale
            one = 0.9 * first[name] + 0.1 * grad
            two = 0.95 * second[name] + 0.05 * jnp.square(grad)
            bias = one / (1 - 0.9**count), two / (1 - 0.95**count)
            after[0][name] = weights[name] - rate * bias[0] / (jnp.sqrt(bias[1]) + 1e-8)
            after[1][name], after[2][name] = one, two
        return (*after, count + 1, loss)

    batch = [
        jnp.asarray(given["batch"][key], jnp.int32) for key in ("ids", "trained", "targets")
    ]
    batch.append(jnp.asarray(given["batch"]["shares"], jnp.float32))
    weights = {name: jnp.asarray(values) for name, values in matrices.items()}
    zeros = lambda: {name: jnp.zeros_like(values) for name, values in weights.items()}
    state = [dict(weights), zeros(), zeros(), jnp.float32(1)]
    state[0] = {name: jnp.array(values) for name, values in weights.items()}
    compiled_update = jax.jit(update, donate_argnums=(0, 1, 2))

    def train():
        *state[:], loss = compiled_update(*state, jnp.float32(0), *batch)
        loss.block_until_ready()

    def check():
        loss, grads = jax.jit(gradients)(weights, *batch)
        squares = sum(float(np.sum(np.square(np.asarray(g, np.float64)))) for g in grads.values())
        return {"loss": float(loss), "gradientNorm": squares**0.5}

    conversations = jnp.asarray(given["conversations"], jnp.int32)
    slots = conversations.shape[0]

    def step(weights, cache, ids, position):
        x = norm(weights["embedding"][ids])
        mask = jnp.arange(capacity) <= position
        after = []
        for layer in range(layers):
            keys, values = cache[layer]
            qkv = (norm(x) @ weights[f"layers.{layer}.qkv"]).reshape(slots, 3, heads, size)
            q, k = (rotate(qkv[:, part], cosines[position], sines[position]) for part in (0, 1))
            keys = jax.lax.dynamic_update_index_in_dim(keys, k, position, 2)
            values = jax.lax.dynamic_update_index_in_dim(values, qkv[:, 2], position, 2)
            after.append((keys, values))
            scores = jnp.einsum("bhd,bhcd->bhc", q, keys) / size**0.5
            shares = jax.nn.softmax(jnp.where(mask, scores, -1e30))
            x = add(weights, x, jnp.einsum("bhc,bhcd->bhd", shares, values), layer)
        return jax.nn.softmax(head(weights, x)), after

    compiled_step = jax.jit(step, donate_argnums=1)
    empty = lambda: jnp.zeros((slots, heads, capacity, size), jnp.float32)
    cache = [[(empty(), empty()) for _ in range(layers)]]

    def read(position):
        probabilities, cache[0] = compiled_step(
            weights, cache[0], conversations[:, position], position
        )
        return np.asarray(probabilities)

    for position in range(capacity):
        read(position)

    def decode():
        for position in range(given["from"], capacity):
            read(position)

    multiply = jax.jit(jnp.matmul)
    return {
        "check": check,
        "train": train,
        "decode": decode,
        "probe": lambda: read(capacity - 1)[0].tolist(),
        "multiply": lambda left, right: multiply(left, right).block_until_ready(),
    }
