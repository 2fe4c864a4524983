import type { Logger } from '../../data/runtime/log.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { LOSS_TEXTS, type StoreProblem } from '../../data/store/store-errors.ts';
import { withTag } from '../backup/copy-tag.ts';
import type { AlertTeam } from '../delivery/team-alerts.ts';
import type { MasterKey } from '../documents/master-key.ts';

/** Milliseconds between attempts to write to a disk that is full or cannot be written. */
const PROBE_INTERVAL_MS = 5_000;
const ALERT_INTERVAL_MS = 3_600_000;

/** The text contains no paths, because anyone can read `/readyz`. */
export function problemText(problem: StoreProblem): string {
  return problem.kind === 'full'
    ? 'the disk is full or cannot be written, so nothing can be stored'
    : `app.db ${LOSS_TEXTS[problem.loss]} while the portal used it, so nothing is stored until it is restored and the portal restarted`;
}

interface WatchOptions {
  readonly store: Pick<AppStore, 'problem' | 'tryToWrite' | 'copyLostStore'>;
  readonly log: Logger;
  readonly alertTeam: AlertTeam;
  readonly lostStoreCopyPath: () => string;
  /** The key for the copy's authentication tag, which shows that the copy comes from this portal. */
  readonly masterKey: MasterKey;
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number;
}

/** Monitors whether `app.db` can store data, logs changes, alerts the team, and saves the content of the file if it is lost. */
export class StoreWatch {
  readonly #options: WatchOptions;
  #problem: StoreProblem | null = null;
  #probedAt = 0;
  #alertedAt = Number.NEGATIVE_INFINITY;
  #savePromise: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  get problem(): StoreProblem | null {
    return this.#problem;
  }

  /** Never throws. */
  async check(): Promise<void> {
    const { store, log, monotonicNow } = this.#options;
    try {
      if (this.#problem?.kind === 'full' && monotonicNow() - this.#probedAt >= PROBE_INTERVAL_MS) {
        this.#probedAt = monotonicNow();
        await store.tryToWrite();
      }
      const problem = await store.problem();
      if (problem?.kind === this.#problem?.kind) return;
      this.#problem = problem;
      if (problem === null) log.info('app.db can be written again');
      else if (problem.kind === 'full') this.#reportFull(problem);
      else this.#savePromise = this.#reportLoss(problem);
    } catch (error) {
      log.error({ err: error }, 'app.db cannot be checked');
    }
  }

  /** Resolves when the copy of a lost `app.db` has been written, or immediately if no copy is being written. */
  whenSaved(): Promise<void> {
    return this.#savePromise;
  }

  #reportFull(problem: StoreProblem): void {
    const { log, alertTeam, monotonicNow } = this.#options;
    this.#probedAt = monotonicNow();
    log.error('the disk is full or cannot be written: app.db stores nothing');
    if (monotonicNow() - this.#alertedAt < ALERT_INTERVAL_MS) return;
    this.#alertedAt = monotonicNow();
    alertTeam({
      subject: 'The disk is full or cannot be written',
      text: `The portal accepts no forms: ${problemText(problem)}. Free some space, or check the disk and the quota. Afterwards the portal accepts forms again without a restart.`,
    });
  }

  async #reportLoss(problem: Extract<StoreProblem, { kind: 'lost' }>): Promise<void> {
    const { log, alertTeam } = this.#options;
    const copyPath = problem.loss === 'overwritten' ? null : await this.#save();
    log.error(
      { loss: problem.loss, saved: copyPath },
      'app.db is not the file that was opened; nothing is stored',
    );
    const remedy =
      copyPath === null
        ? 'Stop the portal and restore a backup with: npm run restore'
        : `The content of app.db has been saved on the server. Stop the portal, then restore that copy with: npm run restore -- ${copyPath}`;
    alertTeam({
      subject: 'The portal cannot store anything',
      text: `The portal accepts no forms: ${problemText(problem)}. ${remedy}`,
    });
  }

  /** @returns the path of the copy; null if the file can no longer be read */
  async #save(): Promise<string | null> {
    const { store, log, lostStoreCopyPath, masterKey } = this.#options;
    const target = lostStoreCopyPath();
    try {
      await withTag((path) => store.copyLostStore(path), masterKey)(target);
      return target;
    } catch (error) {
      log.error({ err: error }, 'cannot save the contents of the lost app.db');
      return null;
    }
  }
}
