import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { StoreUnavailableError } from '../data/store/store-errors.ts';

/**
 * Runs work on a store during a program's startup.
 * @param remedy an extra line of the error message: what the operator can do
 * @throws {StartError} with code 75 if the store cannot be used, for example while another program writes to its file
 */
export async function storeOrExit<T>(work: () => T | Promise<T>, remedy?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    const message = remedy === undefined ? error.message : `${error.message}\n${remedy}`;
    throw new StartError(message, EXIT.tryAgain, { cause: error });
  }
}
