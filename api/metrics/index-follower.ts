import type { ChainName } from '../../data/contract/provenance.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { IndexReader, IndexSnapshot } from '../../data/store/ports.ts';
import { type KnownStakes, readStakes, stakesMark } from '../staking/known-stakes.ts';
import { type Facts, noFacts } from './facts.ts';
import { readVaultHistory, stillServes, type VaultHistory, vaultMark } from './vault-history.ts';

/** Rows of the transaction list. */
const RECENT_EVENTS = 50;

/**
 * Stakes are read again no sooner than so many times as long as the last reading took: with many stakers that change
 * fast, reading them takes a tenth of the time at most.
 */
const STAKES_REST = 9;

/** Keeps the facts in step with the index. While the index cannot be read the last facts stay, and age. */
export class IndexFollower {
  readonly #reader: IndexReader;
  readonly #log: Logger;
  readonly #steady: () => number;
  readonly #provenWallets: () => ReadonlySet<string>;
  #dataVersion: number | null = null;
  #facts: Facts;
  #failing = false;
  #stakesMark = '';
  #stakesOverdue = false;
  #stakesRestUntil = Number.NEGATIVE_INFINITY;

  constructor(
    reader: IndexReader,
    options: {
      readonly source: ChainName;
      /** Wallets that proved their ownership: another set whenever one joined. */
      readonly provenWallets: () => ReadonlySet<string>;
      readonly log: Logger;
      /** Milliseconds that never go back. */
      readonly steady: () => number;
    },
  ) {
    this.#provenWallets = options.provenWallets;
    this.#facts = noFacts(options.source, options.provenWallets());
    this.#reader = reader;
    this.#log = options.log;
    this.#steady = options.steady;
  }

  get facts(): Facts {
    return this.#facts;
  }

  /** Whether the index could be read when last looked at. */
  get isReadable(): boolean {
    return !this.#failing;
  }

  /** Looks whether the index moved or a wallet proved itself. True where the facts are new. Never throws. */
  async look(): Promise<boolean> {
    const hasNewWallets = this.#followWallets();
    return (await this.#followIndex()) || hasNewWallets;
  }

  #followWallets(): boolean {
    const provenWallets = this.#provenWallets();
    if (provenWallets === this.#facts.provenWallets) return false;
    this.#facts = { ...this.#facts, provenWallets };
    return true;
  }

  async #followIndex(): Promise<boolean> {
    try {
      const dataVersion = await this.#reader.dataVersion();
      const isOverdue = this.#stakesOverdue && this.#mayReadStakes();
      if (dataVersion === this.#dataVersion && !isOverdue) {
        this.#succeeded();
        return false;
      }
      const index = await this.#reader.latestSnapshot(RECENT_EVENTS);
      const vaultHistory = await this.#historyFor(index);
      const stakes = await this.#stakesFor(index);
      this.#facts = { ...this.#facts, index, vaultHistory, stakes };
      // Remembered last: a read that failed is tried again at the next look.
      this.#dataVersion = dataVersion;
      this.#succeeded();
      return true;
    } catch (error) {
      if (!this.#failing)
        this.#log.error({ err: error }, 'the index cannot be read; the last figures stay and age');
      this.#failing = true;
      return false;
    }
  }

  #succeeded(): void {
    if (this.#failing) this.#log.info('the index is readable again');
    this.#failing = false;
  }

  async #historyFor(index: IndexSnapshot): Promise<VaultHistory | null> {
    if (!index.chain) return null;
    const { vaultHistory, index: before } = this.#facts;
    const marks = { before: vaultMark(before), now: vaultMark(index) };
    if (stillServes(vaultHistory, marks, index.chain.readAt)) return vaultHistory;
    const isSameIndex = index.identity?.genesisHash === before.identity?.genesisHash;
    return readVaultHistory(this.#reader, index.chain.readAt, isSameIndex ? vaultHistory : null);
  }

  #mayReadStakes(): boolean {
    return this.#steady() >= this.#stakesRestUntil;
  }

  /** The stakes as they hold at the snapshot; those of an earlier one while they may not be read again yet. */
  async #stakesFor(index: IndexSnapshot): Promise<KnownStakes | null> {
    const { chain, identity } = index;
    if (!chain || !identity) return null;
    const { slot, readAt } = chain;
    const held = this.#facts.stakes;
    const mark = stakesMark(index, await this.#reader.statistics());
    if (held && mark === this.#stakesMark) {
      this.#stakesOverdue = false;
      return { content: held.content, slot, readAt };
    }
    if (held && !this.#mayReadStakes()) {
      this.#stakesOverdue = true;
      return held;
    }
    const begun = this.#steady();
    const content = await readStakes(this.#reader, index, identity.decimals);
    this.#stakesRestUntil = this.#steady() + STAKES_REST * (this.#steady() - begun);
    this.#stakesMark = mark;
    this.#stakesOverdue = false;
    return { content, slot, readAt };
  }
}
