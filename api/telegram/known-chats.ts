import type { IncomingMessage } from './incoming-message.ts';

/** People who are remembered, those who wrote last. */
const PEOPLE_AT_MOST = 1_000;
/** Updates that the diagnostics tell of. */
const UPDATES_TOLD = 5;

/** An update as it may be told: neither what was written nor by whom. */
export interface SeenUpdate {
  readonly updateId: number;
  readonly kind: 'command' | 'message' | 'other';
  /** Unix ms. */
  readonly at: number;
}

/**
 * Who wrote to the bot since it was started, so that a test message can go to them: a bot may write only to who wrote to
 * it first. It is kept in memory alone, and forgotten with the process.
 */
export interface KnownChats {
  noteUpdate(updateId: number, message: IncomingMessage | null, at: number): void;
  /** The chat of a person, by the name on Telegram without the @; null where that person has not written. */
  chatOf(username: string): string | null;
  /** Newest first. */
  recentUpdates(): readonly SeenUpdate[];
}

export function createKnownChats(): KnownChats {
  const people = new Map<string, string>();
  let seen: readonly SeenUpdate[] = [];
  return {
    noteUpdate: (updateId, message, at) => {
      const kind = message === null ? 'other' : message.text.startsWith('/') ? 'command' : 'message';
      seen = [{ updateId, kind, at } as const, ...seen].slice(0, UPDATES_TOLD);
      if (!message?.isPrivate || message.username === null) return;
      const name = message.username.toLowerCase();
      people.delete(name);
      people.set(name, message.chatId);
      const [longestSilent] = people.keys();
      if (people.size > PEOPLE_AT_MOST && longestSilent !== undefined) people.delete(longestSilent);
    },
    chatOf: (username) => people.get(username.toLowerCase()) ?? null,
    recentUpdates: () => seen,
  };
}
