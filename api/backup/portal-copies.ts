import { join } from 'node:path';
import type { Registry } from '@prometheus-io/client';
import type { BackupConfig } from '../../data/config/storage-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { longestGap } from '../../data/runtime/schedule.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { AlertSources } from '../alerts/alert-conditions.ts';
import type { MasterKey } from '../documents/master-key.ts';
import type { PortalContext } from '../portal-context.ts';
import { recordErasure } from '../retention/erasure-list.ts';
import { backupFolder, newestBackupAt, startBackups } from './backups.ts';
import { withTag } from './copy-tag.ts';
import { leftoversIn, sweepLeftovers } from './leftovers.ts';
import type { RemoteCopies } from './remote/remote-copies.ts';
import { registerRemoteCopyMetrics } from './remote/remote-metrics.ts';

interface CopyOptions {
  readonly config: BackupConfig;
  /** The data folder. */
  readonly folder: string;
  /** Whether the portal stores its data in PostgreSQL. If so, the operator makes the backups. */
  readonly usesDatabase: boolean;
  readonly masterKey: MasterKey;
  readonly registry: Registry;
  readonly log: Logger;
}

interface PortalCopies {
  /** What an erasure needs: which copies still contain the data, and how to record the erasure for later restores. */
  readonly erasureCopies: PortalContext['copies'];
  readonly alertSource: AlertSources['backup'];
  sweepLeftovers(now: number): readonly string[];
  /** Starts taking backups and sending them. @returns a function that stops both */
  start(store: Pick<AppStore, 'backUp'>): () => Promise<void>;
}

export async function openCopies(options: CopyOptions): Promise<PortalCopies> {
  const { config, folder, usesDatabase, masterKey, registry, log } = options;
  const backupsFolder = backupFolder(config, folder);
  let remote: RemoteCopies | null = null;
  // With PostgreSQL, backups in the folder are from before the move to PostgreSQL, and are not sent.
  if (config.remote && !usesDatabase) {
    // Loaded on demand, because most portals do not need the libraries of `remote-copies.ts`.
    const { RemoteCopies } = await import('./remote/remote-copies.ts');
    remote = new RemoteCopies({ config: config.remote, folder, backupsFolder, now: Date.now, log });
  }
  registerRemoteCopyMetrics(remote, { registry, now: Date.now });
  const longestGapMs = config.cronPattern === null ? null : longestGap(config.cronPattern);

  return {
    erasureCopies: {
      outboxFolder: join(folder, 'outbox', 'mail'),
      backups: () =>
        usesDatabase
          ? null
          : {
              newestAt: newestBackupAt(backupsFolder),
              keep: config.keep,
              isScheduled: config.cronPattern !== null,
              remote: remote?.state() ?? null,
              leftovers: leftoversIn(folder, backupsFolder),
            },
      remoteProblem: () => remote?.problem ?? null,
      recordErasure: async (subject, entry) => {
        if (!usesDatabase) await recordErasure({ folder, masterKey }, subject, entry);
        remote?.wake();
      },
    },
    alertSource: () =>
      longestGapMs === null
        ? null
        : { newestAt: newestBackupAt(backupsFolder), longestGapMs, copy: remote?.state() ?? null },
    sweepLeftovers: (now) => sweepLeftovers(folder, backupsFolder, now),
    start: (store) => {
      // Backups in the folder are from before a move to PostgreSQL, and get older without being replaced.
      if (usesDatabase) return async () => {};
      const stopBackups = startBackups({
        config,
        dataDir: folder,
        backUp: withTag((target) => store.backUp(target), masterKey),
        now: Date.now,
        log,
        registry,
        onTaken: () => remote?.wake(),
      });
      // Sends what the portal did not finish sending before it was last stopped.
      remote?.wake();
      return async () => {
        await stopBackups();
        await remote?.stop();
      };
    },
  };
}
