import type { Logger } from '../../data/runtime/log.ts';
import type { SessionStore } from '../../data/store/session-port.ts';

/** Wallets that proved themselves at least once or were whitelisted, held in memory and read again where one joined. */
export class ProvenWallets {
  readonly #store: Pick<SessionStore, 'provenWallets'>;
  readonly #log: Logger;
  #known: ReadonlySet<string> = new Set();
  #isBehind = true;
  #isFailing = false;

  constructor(store: Pick<SessionStore, 'provenWallets'>, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** Another set whenever a wallet joined. */
  get known(): ReadonlySet<string> {
    return this.#known;
  }

  /** Says that this wallet is in the store now: the next `follow` reads it, where it is news. */
  joined(walletAddress: string): void {
    if (!this.#known.has(walletAddress)) this.#isBehind = true;
  }

  /** Reads the wallets again, where any joined. Never throws: those known before stay. */
  async follow(): Promise<void> {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    try {
      this.#known = await this.#store.provenWallets();
      this.#isFailing = false;
    } catch (error) {
      this.#isBehind = true;
      if (!this.#isFailing) this.#log.error({ err: error }, 'the proven wallets cannot be read');
      this.#isFailing = true;
    }
  }
}
