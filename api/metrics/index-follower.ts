import type { ChainName } from '../../data/contract/provenance.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { type IndexReader, type IndexSnapshot, NOTHING_INDEXED } from '../../data/store/ports.ts';
import type { Facts } from './figures.ts';
import { readVaultHistory, stillServes, type VaultHistory, vaultMark } from './vault-history.ts';

/** Rows of the transaction list. */
const RECENT_EVENTS = 50;

/** Keeps the facts in step with the index. While the index cannot be read the last facts stay, and age. */
export class IndexFollower {
  readonly #reader: IndexReader;
  readonly #log: Logger;
  #dataVersion: number | null = null;
  #facts: Facts;
  #failing = false;

  constructor(reader: IndexReader, source: ChainName, log: Logger) {
    this.#facts = { source, index: NOTHING_INDEXED, vaultHistory: null };
    this.#reader = reader;
    this.#log = log;
  }

  get facts(): Facts {
    return this.#facts;
  }

  /** Looks whether the index moved, and reads it if so. True where the facts are new. Never throws. */
  async look(): Promise<boolean> {
    try {
      const dataVersion = await this.#reader.dataVersion();
      if (dataVersion === this.#dataVersion) return false;
      const index = await this.#reader.latestSnapshot(RECENT_EVENTS);
      this.#facts = { ...this.#facts, index, vaultHistory: await this.#historyFor(index) };
      // Remembered last: a read that failed is tried again at the next look.
      this.#dataVersion = dataVersion;
      if (this.#failing) this.#log.info('the index is readable again');
      this.#failing = false;
      return true;
    } catch (error) {
      if (!this.#failing)
        this.#log.error({ err: error }, 'the index cannot be read; the last figures stay and age');
      this.#failing = true;
      return false;
    }
  }

  async #historyFor(index: IndexSnapshot): Promise<VaultHistory | null> {
    if (!index.chain) return null;
    const { vaultHistory, index: before } = this.#facts;
    const marks = { before: vaultMark(before), now: vaultMark(index) };
    if (stillServes(vaultHistory, marks, index.chain.readAt)) return vaultHistory;
    return readVaultHistory(this.#reader, index.chain.readAt);
  }
}
