import { MEMO_PROGRAMS } from './programs.ts';
import type { WireMessage } from './wire.ts';

/** Memos of a transaction as JSON-RPC lists them: `[bytes] text`, joined by `; `; null where there is none. */
export function extractMemo(message: WireMessage): string | null {
  const memos = message.instructions.flatMap(({ programIdIndex, data }) => {
    const program = message.staticKeys[programIdIndex];
    if (program === undefined || !MEMO_PROGRAMS.has(program)) return [];
    return [`[${data.length}] ${Buffer.from(data).toString('utf8')}`];
  });
  return memos.length === 0 ? null : memos.join('; ');
}
