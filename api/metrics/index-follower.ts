import type { ChainName } from '../../data/contract/provenance.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { IndexReader, IndexSnapshot } from '../../data/store/ports.ts';
import { type CurrentStakes, readStakes, stakesFingerprint } from '../staking/current-stakes.ts';
import { waitForTurn } from '../take-turn.ts';
import { type FigureInputs, noFigureInputs } from './figure.ts';
import {
  isVaultHistoryReusable,
  type RecentVaultHistory,
  readVaultHistory,
  vaultFingerprint,
} from './vault-history.ts';

/** The number of rows in the transaction list. */
export const RECENT_EVENT_COUNT = 50;

/**
 * The pause after a read of the stakes, as a multiple of the read's duration. This limits reads to a tenth of the time, even if
 * many stakes change fast.
 */
const STAKES_PAUSE_FACTOR = 9;

interface FollowerOptions {
  readonly source: ChainName;
  /** The wallets that were proven at least once or are whitelisted. Returns a new set after each change. */
  readonly provenWallets: () => ReadonlySet<string>;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number;
}

/** Keeps the inputs of the figures up to date with the index. While the index cannot be read, the last inputs remain. */
export class IndexFollower {
  readonly #reader: IndexReader;
  readonly #options: FollowerOptions;
  #dataVersion: number | null = null;
  #inputs: FigureInputs;
  #isFailing = false;
  #stakesFingerprint = '';
  #areStakesOverdue = false;
  #stakesPausedUntil = Number.NEGATIVE_INFINITY;

  constructor(reader: IndexReader, options: FollowerOptions) {
    this.#reader = reader;
    this.#options = options;
    this.#inputs = noFigureInputs(options.source, options.provenWallets());
  }

  get inputs(): FigureInputs {
    return this.#inputs;
  }

  /** Null before the first read. */
  get dataVersion(): number | null {
    return this.#dataVersion;
  }

  get isReadable(): boolean {
    return !this.#isFailing;
  }

  /** Reads the index if it has changed. Never throws. @returns whether the inputs are new */
  async poll(): Promise<boolean> {
    const hasNewWallets = this.#followWallets();
    return (await this.#followIndex()) || hasNewWallets;
  }

  #followWallets(): boolean {
    const provenWallets = this.#options.provenWallets();
    if (provenWallets === this.#inputs.provenWallets) return false;
    this.#inputs = { ...this.#inputs, provenWallets };
    return true;
  }

  async #followIndex(): Promise<boolean> {
    try {
      const dataVersion = await this.#reader.dataVersion();
      const isOverdue = this.#areStakesOverdue && this.#mayReadStakes();
      if (dataVersion === this.#dataVersion && !isOverdue) {
        this.#reportReadable();
        return false;
      }
      // Each read blocks the event loop for about a millisecond. Between reads, the portal answers requests.
      const index = await this.#reader.latestSnapshot(RECENT_EVENT_COUNT);
      await waitForTurn();
      const vaultHistory = await this.#historyFor(index);
      await waitForTurn();
      const stakes = await this.#stakesFor(index);
      await waitForTurn();
      this.#inputs = { ...this.#inputs, index, vaultHistory, stakes };
      // Set last, so that a failed read is retried at the next poll.
      this.#dataVersion = dataVersion;
      this.#reportReadable();
      return true;
    } catch (error) {
      if (!this.#isFailing)
        this.#options.log.error(
          { err: error },
          'the index cannot be read; the last figures are still served, and their age grows',
        );
      this.#isFailing = true;
      return false;
    }
  }

  #reportReadable(): void {
    if (this.#isFailing) this.#options.log.info('the index can be read again');
    this.#isFailing = false;
  }

  async #historyFor(index: IndexSnapshot): Promise<RecentVaultHistory | null> {
    if (!index.chain) return null;
    const { vaultHistory, index: previousIndex } = this.#inputs;
    const fingerprints = { before: vaultFingerprint(previousIndex), now: vaultFingerprint(index) };
    if (isVaultHistoryReusable(vaultHistory, fingerprints, index.chain.readAt)) return vaultHistory;
    const isSameIndex = index.identity?.genesisHash === previousIndex.identity?.genesisHash;
    return readVaultHistory(this.#reader, index.chain.readAt, isSameIndex ? vaultHistory : null);
  }

  #mayReadStakes(): boolean {
    return this.#options.monotonicNow() >= this.#stakesPausedUntil;
  }

  /**
   * The stakes at this snapshot; null if they cannot be read. During the pause after a read, changed stakes are not read,
   * and the previous ones are returned.
   */
  async #stakesFor(index: IndexSnapshot): Promise<CurrentStakes | null> {
    const { chain, identity } = index;
    if (!chain || !identity || chain.stakesProblem !== null) return null;
    const { slot, readAt } = chain;
    const lastStakes = this.#inputs.stakes;
    const fingerprint = stakesFingerprint(index, await this.#reader.statistics());
    if (lastStakes && fingerprint === this.#stakesFingerprint) {
      this.#areStakesOverdue = false;
      return { content: lastStakes.content, slot, readAt };
    }
    if (lastStakes && !this.#mayReadStakes()) {
      this.#areStakesOverdue = true;
      return lastStakes;
    }
    const startedAt = this.#options.monotonicNow();
    const content = await readStakes(this.#reader, index, identity.decimals);
    const endedAt = this.#options.monotonicNow();
    this.#stakesPausedUntil = endedAt + STAKES_PAUSE_FACTOR * (endedAt - startedAt);
    this.#stakesFingerprint = fingerprint;
    this.#areStakesOverdue = false;
    return { content, slot, readAt };
  }
}
