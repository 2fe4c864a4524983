import { join } from 'node:path';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { type IndexWriter, StoreUnavailableError } from '../data/store/ports.ts';
import { discardIndex } from '../data/store/sqlite/discard-index.ts';
import { openIndexWriter } from '../data/store/sqlite/index-writer.ts';
import { takeWritersPlace } from '../data/store/sqlite/writer-lock.ts';

/**
 * Opens `index.db` in a folder as its only writer; with `rebuild`, an empty one in place of what was there.
 * @throws {StartError} code 75 where another indexer writes it, or the file cannot be used
 */
export async function openIndexFile(
  dataDir: string,
  { rebuild }: { readonly rebuild: boolean },
): Promise<IndexWriter> {
  const file = join(dataDir, 'index.db');
  let giveBack: (() => void) | undefined;
  try {
    giveBack = takeWritersPlace(file);
    if (rebuild) await discardIndex(file);
    const writer = await openIndexWriter(file);
    const giveBackPlace = giveBack;
    return {
      ...writer,
      close: async () => {
        await writer.close();
        giveBackPlace();
      },
    };
  } catch (error) {
    giveBack?.();
    if (error instanceof StoreUnavailableError) {
      throw new StartError(error.message, EXIT.tryAgain, { cause: error });
    }
    throw error;
  }
}
