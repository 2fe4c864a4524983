import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../data/runtime/log.ts';
import type { SessionStore } from '../../data/store/session-port.ts';

export interface ProvenWallet {
  readonly walletAddress: string;
  /** Unix ms. */
  readonly provedAt: number;
}

/** Null without a valid session. */
export type ReadProvenWallet = (request: IncomingMessage) => Promise<ProvenWallet | null>;

/** The interval between reads of all wallets (ms) if other programs can change the store. */
const REREAD_INTERVAL_MS = 2_000;

/** After a read, the pause is at least this many times as long as the read took. */
const PAUSE_FACTOR = 20;

/**
 * The wallets that have been proven at least once or whitelisted, kept in memory. If only this process changes the store, they
 * are read once, and newly proven wallets are added without another read, because anyone can prove any number of wallets. If
 * other programs can change the store, all wallets are read every two seconds, or less often if a read takes long.
 */
export class ProvenWallets {
  readonly #store: Pick<SessionStore, 'provenWallets'>;
  readonly #log: Logger;
  readonly #monotonicNow: (() => number) | null;
  #rereadAt = 0;
  #wallets: ReadonlySet<string> = new Set();
  #isRead = false;
  #mayBeDeleted = false;
  readonly #newWallets = new Set<string>();
  #isFailing = false;

  /** @param monotonicNow a monotonic clock in milliseconds; null if no other program changes the store */
  constructor(store: Pick<SessionStore, 'provenWallets'>, log: Logger, monotonicNow: (() => number) | null) {
    this.#store = store;
    this.#log = log;
    this.#monotonicNow = monotonicNow;
  }

  /** Each change creates a new set, so a set that was returned earlier never changes. */
  get wallets(): ReadonlySet<string> {
    return this.#wallets;
  }

  /** Makes the next `check` add this wallet, which must already be stored. */
  add(walletAddress: string): void {
    if (!this.#wallets.has(walletAddress)) this.#newWallets.add(walletAddress);
  }

  /** Makes the next `check` read the wallets again, because some may have been deleted. */
  reload(): void {
    this.#isRead = false;
    this.#mayBeDeleted = true;
  }

  /** Brings `wallets` up to date. Never throws: if a read fails, the wallets known so far are kept. */
  async check(): Promise<void> {
    const isRereadDue = this.#monotonicNow !== null && this.#monotonicNow() >= this.#rereadAt;
    if (!this.#isRead || isRereadDue) await this.#read();
    if (this.#newWallets.size === 0) return;
    this.#wallets = new Set([...this.#wallets, ...this.#newWallets]);
    this.#newWallets.clear();
  }

  async #read(): Promise<void> {
    const startedAt = this.#monotonicNow?.() ?? 0;
    try {
      const stored = await this.#store.provenWallets();
      const isComplete = this.#mayBeDeleted || this.#monotonicNow !== null;
      const readWallets = new Set(isComplete ? stored : [...stored, ...this.#wallets]);
      const isSame =
        readWallets.size === this.#wallets.size &&
        [...readWallets].every((wallet) => this.#wallets.has(wallet));
      if (!isSame) this.#wallets = readWallets;
      this.#mayBeDeleted = false;
      this.#isRead = true;
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#log.error({ err: error }, 'the proven wallets cannot be read');
      this.#isFailing = true;
    }
    const endedAt = this.#monotonicNow?.() ?? 0;
    this.#rereadAt = endedAt + Math.max(REREAD_INTERVAL_MS, PAUSE_FACTOR * (endedAt - startedAt));
  }
}
