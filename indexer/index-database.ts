import type { DatabaseSettings } from '../data/model/database-settings.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { holdLease } from '../data/runtime/hold-lease.ts';
import { indexDatabase, openIndexReader, openLeases } from '../data/store/open-stores.ts';
import type { IndexWriter } from '../data/store/ports.ts';
import { LeaseLostError, StoreIdentityError, StoreUnavailableError } from '../data/store/store-errors.ts';
import type { IndexFileOptions, OpenedIndex } from './index-file.ts';

interface IndexDatabaseOptions extends IndexFileOptions {
  readonly signal: AbortSignal;
  /** Called once when this indexer has lost its lease. It can no longer write, and another indexer may take over. */
  readonly onLost: () => void;
}

function startErrorOf(error: unknown): unknown {
  if (error instanceof StoreIdentityError) {
    return new StartError(error.message, EXIT.configuration, { cause: error });
  }
  const isTemporary = error instanceof LeaseLostError || error instanceof StoreUnavailableError;
  return isTemporary ? new StartError(error.message, EXIT.tryAgain, { cause: error }) : error;
}

/** Wraps a writer: errors that a restart or a new configuration can fix are thrown as `StartError`. */
function withStartErrors(writer: IndexWriter): IndexWriter {
  return new Proxy(writer, {
    get: (target, name, receiver) => {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return async (...values: readonly unknown[]) => {
        try {
          return await method.apply(target, values);
        } catch (error) {
          throw startErrorOf(error);
        }
      };
    },
  });
}

/**
 * Waits until no other indexer writes to the index in PostgreSQL, then opens the index. A rebuild does not wait: it fails if
 * another indexer is writing. Later calls to the writer throw a `StartError` with code 75 if PostgreSQL cannot be used or
 * another indexer has taken over.
 * @throws {StartError} code 75 if PostgreSQL cannot be used, or another indexer is writing to an index that is to be rebuilt;
 * code 78 if the existing index is for accounts other than the configured ones
 */
export async function openIndexDatabase(
  settings: DatabaseSettings,
  { rebuildFor, addresses, isEmbeddedLedger, log, signal, onLost }: IndexDatabaseOptions,
): Promise<OpenedIndex> {
  const index = indexDatabase(settings);
  try {
    const leases = await openLeases(settings);
    const busyController = new AbortController();
    const onStandby = () => {
      if (rebuildFor === null) log.info('another indexer is writing to the index; waiting for it to stop');
      // If a rebuild waited, it would empty the index as soon as the other indexer stops.
      else
        busyController.abort(
          new StartError('Another indexer is writing to the index. Stop it, then rebuild.', EXIT.tryAgain),
        );
    };
    const waitSignal = AbortSignal.any([signal, busyController.signal]);
    const lease = await holdLease({ leases, name: 'indexer', signal: waitSignal, onStandby, onLost }).catch(
      async (error: unknown) => {
        await leases.close();
        throw busyController.signal.aborted ? busyController.signal.reason : error;
      },
    );
    const discard = async (): Promise<void> => {
      await index.discard(lease.fence);
      log.warn('rebuilding the index; its market prices are lost');
    };
    if (rebuildFor) await discard();
    const reader = await openIndexReader(settings);
    const { identity, quote } = await reader.latestSnapshot(0).finally(() => reader.close());
    const writer = await index.openWriter(lease.fence);
    if (identity !== null) await writer.claim({ ...identity, ...addresses });
    const guardedWriter = withStartErrors({
      ...writer,
      async claim(claimedIdentity) {
        try {
          await writer.claim(claimedIdentity);
        } catch (error) {
          const isOfEarlierLedger =
            isEmbeddedLedger &&
            error instanceof StoreIdentityError &&
            error.differing.join() === 'genesisHash';
          if (!isOfEarlierLedger) throw error;
          await discard();
          await writer.claim(claimedIdentity);
        }
      },
      async close() {
        await writer.close();
        await lease.release();
        await leases.close();
      },
    });
    return { writer: guardedWriter, isClaimed: identity !== null, quote };
  } catch (error) {
    throw startErrorOf(error);
  }
}
