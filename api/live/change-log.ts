interface Entry {
  readonly version: number;
  readonly paths: readonly string[];
}

/** Which calls changed at which of the latest versions: what a client that was away for a moment missed. */
export class ChangeLog {
  readonly #capacity: number;
  readonly #entries: Entry[] = [];
  /** The version before the oldest entry: the oldest one that the gap can be told from. */
  #floor: number;
  #newest: number;

  /** @param startVersion the version before the first change. @param capacity how many changes are remembered. */
  constructor(startVersion: number, capacity: number) {
    this.#floor = startVersion;
    this.#newest = startVersion;
    this.#capacity = capacity;
  }

  record(version: number, paths: readonly string[]): void {
    this.#entries.push({ version, paths });
    this.#newest = version;
    while (this.#entries.length > this.#capacity) {
      const oldest = this.#entries.shift();
      if (oldest) this.#floor = oldest.version;
    }
  }

  /** Calls changed after a version, or null where that is too old or no version of this run. */
  since(version: number): ReadonlySet<string> | null {
    if (!Number.isSafeInteger(version) || version < this.#floor || version > this.#newest) return null;
    const missed = this.#entries.filter((entry) => entry.version > version);
    return new Set(missed.flatMap((entry) => entry.paths));
  }
}
