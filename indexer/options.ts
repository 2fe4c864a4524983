import { parseArgs } from 'node:util';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';

export interface IndexerOptions {
  /** Drop the index and build it again from the chain. */
  readonly rebuild: boolean;
}

const USAGE = 'Usage: npm run indexer [-- --rebuild]';

/** The indexer's command line. @throws {StartError} code 64 where it holds anything unknown */
export function readOptions(args: readonly string[]): IndexerOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { rebuild: { type: 'boolean', default: false } },
      strict: true,
      allowPositionals: false,
    });
    return { rebuild: values.rebuild };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new StartError(`${reason}. ${USAGE}`, EXIT.usage, { cause: error });
  }
}
