import { LeaseLostError } from '../store-errors.ts';
import type { Database, Queries } from './database.ts';
import { prepareNotification } from './notify.ts';

/** The transactions of the index's writer. They run one after another, in the order of the calls. */
export interface IndexTransactions {
  /** Reads outside a transaction. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** @throws {LeaseLostError} when another program has become the writer. In that case nothing is stored. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

const leaseLostError = () =>
  new LeaseLostError('Another program now writes the index. This one stored nothing, and must stop writing.');

/**
 * Makes this program the writer of the index. Writers with a lower fence can no longer write.
 * @param fence the fence of the program's lease
 * @throws {LeaseLostError} when there is a writer with a higher fence
 */
export async function becomeWriter(db: Database, fence: number): Promise<IndexTransactions> {
  const raiseFence = db.statement('update $.index_state set fence = $1 where fence <= $1');
  // Checks the fence and sets the new data version in one statement, which runs last, so that other programs wait for the
  // row as briefly as possible.
  const bumpVersion = db.statement('update $.index_state set version = version + 1 where fence = $1');
  const notify = prepareNotification(db, 'index');
  if ((await db.run(raiseFence, fence)) === 0) throw leaseLostError();

  let lastTurn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lastTurn.then(work);
    lastTurn = turn.catch(() => {});
    return turn;
  };
  return {
    read: (work) => inTurn(() => work(db)),
    write: (work) =>
      inTurn(async () => {
        const result = await db.transaction([], async (transaction) => {
          const workResult = await work(transaction);
          if ((await transaction.run(bumpVersion, fence)) === 0) throw leaseLostError();
          return workResult;
        });
        notify();
        return result;
      }),
  };
}
