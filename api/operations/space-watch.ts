import type { Logger } from '../../data/runtime/log.ts';
import type { RetentionStore } from '../../data/store/erasure-port.ts';
import type { AlertTeam } from '../delivery/team-alerts.ts';

/** The minimum number of milliseconds between disk checks: short enough to notice an upload that is filling the disk. */
const CHECK_INTERVAL_MS = 1_000;
/**
 * After a shortage, documents are accepted again once the free space exceeds the reserve by this fraction of the reserve.
 * Without the margin, the portal could quickly alternate between accepting and rejecting documents.
 */
const MARGIN = 0.1;
/**
 * This fraction of the reserve must be free on the disk itself, even if `app.db` has reusable space, because the write-ahead
 * log and uploads in progress cannot use the space inside `app.db`.
 */
const DISK_SHARE = 0.5;
const ALERT_INTERVAL_MS = 3_600_000;

/** `unknown`: the free space cannot be read. */
export type SpaceProblem = 'short' | 'unknown';

/** These texts contain no paths, because anyone can read `/readyz`. */
export const SPACE_PROBLEM_TEXTS: Readonly<Record<SpaceProblem, string>> = {
  short: 'the disk is short of space, so no documents are accepted',
  unknown: 'the free space of the disk cannot be read, so no documents are accepted',
};

export interface SpaceOptions {
  readonly store: { readonly retention: Pick<RetentionStore, 'reusableBytes'> };
  readonly disk: {
    /** The number of free bytes that this process may use on the disk that holds the data folder. */
    readonly freeBytes: () => Promise<number>;
    /** If fewer bytes are free, no documents are accepted; 0 turns the check off. */
    readonly reserveBytes: number;
  };
  readonly log: Logger;
  readonly alertTeam: AlertTeam;
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number;
}

/**
 * Monitors whether there is enough space for documents, logs changes, and alerts the team. While the free space cannot be read,
 * no documents are accepted. Otherwise, a flood of uploads could fill the disk unnoticed, and then no form could be stored.
 */
export class SpaceWatch {
  readonly #options: SpaceOptions;
  #freeBytes: number | null = null;
  #problem: SpaceProblem | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #alertedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SpaceOptions) {
    this.#options = options;
  }

  get problem(): SpaceProblem | null {
    return this.#problem;
  }

  /** Null while the free space cannot be read. */
  get freeBytes(): number | null {
    return this.#freeBytes;
  }

  /** Never throws. */
  async check(): Promise<void> {
    const { disk, log, monotonicNow } = this.#options;
    if (monotonicNow() - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = monotonicNow();
    let cause: unknown;
    let problem: SpaceProblem | null = null;
    try {
      this.#freeBytes = await disk.freeBytes();
      if (disk.reserveBytes > 0 && (await this.#isShort(this.#freeBytes))) problem = 'short';
    } catch (error) {
      this.#freeBytes = null;
      cause = error;
      if (disk.reserveBytes > 0) problem = 'unknown';
    }
    if (problem === this.#problem) return;
    this.#problem = problem;
    const logFields = { err: cause, freeBytes: this.#freeBytes, reserve: disk.reserveBytes };
    if (problem === null) log.info(logFields, 'the disk has space again: documents are accepted');
    else {
      log.error(logFields, SPACE_PROBLEM_TEXTS[problem]);
      this.#alert(problem);
    }
  }

  /** Also counts free space inside `app.db`: SQLite reuses the space of deleted documents but does not return it to the disk. */
  async #isShort(freeBytes: number): Promise<boolean> {
    const { disk, store } = this.#options;
    const needed = disk.reserveBytes * (this.#problem === null ? 1 : 1 + MARGIN);
    return freeBytes < needed * DISK_SHARE || freeBytes + (await store.retention.reusableBytes()) < needed;
  }

  #alert(problem: SpaceProblem): void {
    const { alertTeam, monotonicNow } = this.#options;
    if (monotonicNow() - this.#alertedAt < ALERT_INTERVAL_MS) return;
    this.#alertedAt = monotonicNow();
    const remedy =
      problem === 'short' ? 'Free some space, or lower DISK_RESERVE_MB.' : 'The log has the reason.';
    alertTeam({
      subject: 'The portal is not accepting documents',
      text: `Loan applications are refused: ${SPACE_PROBLEM_TEXTS[problem]}. Other forms are accepted. ${remedy} Once this is fixed, the portal accepts documents again without a restart.`,
    });
  }
}
