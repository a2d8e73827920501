/** A map from texts to 32-bit integers. Keeps 64 bits of a hash of each text: a million of them need 17 MB, and strings 100 MB. */
export class TextNumbers {
  size = 0;
  /** Three integers for each slot: two of the hash, and the number, which is 0 in an empty slot. */
  #slots = new Int32Array(3 * 1400);

  /** Returns 0 for a text without a number. */
  get(text: string): number {
    return this.#slots[this.#find(hashOf(text)) + 2]!;
  }

  set(text: string, number: number): void {
    if (this.size * 4 >= this.#slots.length) this.#grow();
    const hash = hashOf(text);
    const slot = this.#find(hash);
    if (this.#slots[slot + 2] === 0) this.size += 1;
    this.#slots.set([...hash, number], slot);
  }

  #find([high, low]: readonly [number, number]): number {
    const slots = this.#slots;
    let slot = 3 * ((low >>> 0) % (slots.length / 3));
    while (slots[slot + 2] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low))
      slot = (slot + 3) % slots.length;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(2 * old.length);
    for (let slot = 0; slot < old.length; slot += 3)
      if (old[slot + 2] !== 0)
        this.#slots.set(old.subarray(slot, slot + 3), this.#find([old[slot]!, old[slot + 1]!]));
  }
}

/** A hash of 64 bits. Texts of one length that differ in one character have different hashes. */
function hashOf(text: string): readonly [high: number, low: number] {
  let [high, low] = [text.length, 0];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = (Math.imul(high ^ unit, 0x9e3779b1) + (low >>> 15)) | 0;
    low = Math.imul(low ^ unit, 0x85ebca6b) ^ (high >>> 13);
  }
  return [high, low];
}
