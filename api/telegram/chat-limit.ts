/** Milliseconds that answers count for. */
const WINDOW_MS = 60_000;
/** Chats that are counted at once; beyond them the oldest count is dropped. */
const CHATS_AT_MOST = 10_000;

/** `last`: this one is answered with the word that it was too much; `over`: not at all, until the minute is over. */
export type Allowance = 'within' | 'last' | 'over';

/** Counts what each chat asks a minute. */
export function createChatLimit(perMinute: number, now: () => number): (chatId: string) => Allowance {
  const windows = new Map<string, { readonly since: number; asked: number }>();
  return (chatId) => {
    const at = now();
    const known = windows.get(chatId);
    const window = known && at - known.since < WINDOW_MS ? known : { since: at, asked: 0 };
    window.asked += 1;
    if (window !== known) {
      windows.delete(chatId);
      windows.set(chatId, window);
      const [oldest] = windows.keys();
      if (windows.size > CHATS_AT_MOST && oldest !== undefined) windows.delete(oldest);
    }
    if (window.asked <= perMinute) return 'within';
    return window.asked === perMinute + 1 ? 'last' : 'over';
  };
}
