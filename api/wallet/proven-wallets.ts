import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../data/runtime/log.ts';
import type { SessionStore } from '../../data/store/session-port.ts';

/** A wallet whose ownership the client has proved. */
export interface ProvenWallet {
  readonly walletAddress: string;
  /** Unix ms. */
  readonly provedAt: number;
}

/** Reads the wallet of the request's session; null without a valid session. */
export type ReadProvenWallet = (request: IncomingMessage) => Promise<ProvenWallet | null>;

/**
 * The wallets that were proven at least once or whitelisted, read once and then kept in memory. A newly proven wallet must not
 * cause all wallets to be read again, because anyone can prove any number of wallets.
 */
export class ProvenWallets {
  readonly #store: Pick<SessionStore, 'provenWallets'>;
  readonly #log: Logger;
  #known: ReadonlySet<string> = new Set();
  #isRead = false;
  #mayBeDeleted = false;
  readonly #added = new Set<string>();
  #isFailing = false;

  constructor(store: Pick<SessionStore, 'provenWallets'>, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** The set is replaced at every change. */
  get known(): ReadonlySet<string> {
    return this.#known;
  }

  /** Adds a stored wallet at the next `check`. */
  add(walletAddress: string): void {
    if (!this.#known.has(walletAddress)) this.#added.add(walletAddress);
  }

  /** Makes the next `check` read the wallets again, because some may have been deleted. */
  reload(): void {
    this.#isRead = false;
    this.#mayBeDeleted = true;
  }

  /** Adds new wallets, and reads the stored ones if needed. Never throws. */
  async check(): Promise<void> {
    if (!this.#isRead) await this.#read();
    if (this.#added.size === 0) return;
    this.#known = new Set([...this.#known, ...this.#added]);
    this.#added.clear();
  }

  async #read(): Promise<void> {
    try {
      const stored = await this.#store.provenWallets();
      this.#known = new Set(this.#mayBeDeleted ? stored : [...stored, ...this.#known]);
      this.#mayBeDeleted = false;
      this.#isRead = true;
    } catch (error) {
      if (!this.#isFailing) this.#log.error({ err: error }, 'the proven wallets cannot be read');
      this.#isFailing = true;
    }
  }
}
