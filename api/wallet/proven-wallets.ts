import type { Logger } from '../../data/runtime/log.ts';
import type { SessionStore } from '../../data/store/session-port.ts';

/**
 * Wallets that proved themselves at least once or were whitelisted, read once and held in memory from then on. Anyone can
 * prove any number of wallets, so none that joins is worth reading all the others again.
 */
export class ProvenWallets {
  readonly #store: Pick<SessionStore, 'provenWallets'>;
  readonly #log: Logger;
  #known: ReadonlySet<string> = new Set();
  #isRead = false;
  #haveLeft = false;
  readonly #joined = new Set<string>();
  #isFailing = false;

  constructor(store: Pick<SessionStore, 'provenWallets'>, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** Another set whenever a wallet joined. */
  get known(): ReadonlySet<string> {
    return this.#known;
  }

  /** Says that this wallet is in the store now: the next `follow` takes it up, where it is news. */
  joined(walletAddress: string): void {
    if (!this.#known.has(walletAddress)) this.#joined.add(walletAddress);
  }

  /** Says that wallets may have left the store: the next `follow` reads them anew. */
  left(): void {
    this.#isRead = false;
    this.#haveLeft = true;
  }

  /** Takes up those that joined, and reads the others where that was not done yet. Never throws. */
  async follow(): Promise<void> {
    if (!this.#isRead) await this.#read();
    if (this.#joined.size === 0) return;
    this.#known = new Set([...this.#known, ...this.#joined]);
    this.#joined.clear();
  }

  async #read(): Promise<void> {
    try {
      const stored = await this.#store.provenWallets();
      this.#known = new Set(this.#haveLeft ? stored : [...stored, ...this.#known]);
      this.#haveLeft = false;
      this.#isRead = true;
    } catch (error) {
      if (!this.#isFailing) this.#log.error({ err: error }, 'the proven wallets cannot be read');
      this.#isFailing = true;
    }
  }
}
