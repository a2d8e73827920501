const sample = {
  messages: Array.from({ length: 8 }, (_, index) => ({
    role: "user",
    content: `Message ${index}: ${"word ".repeat(20)}`,
  })),
};

/** Fixed work of the kind that most of our code does: JSON, objects, maps, promises and turns of the event loop. */
export async function referenceWork(repetitions: number): Promise<void> {
  const lengths = new Map<string, number>();
  for (let index = 0; index < repetitions; index += 1) {
    const text = JSON.stringify({ ...sample, index });
    const { messages } = (await Promise.resolve(JSON.parse(text))) as typeof sample;
    for (const message of messages) lengths.set(`${message.role} ${index}`, text.length);
    if (index % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (lengths.size !== repetitions) throw new Error("The reference did not do its work.");
}
