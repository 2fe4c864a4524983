import type { AccountInfo, AtSlot } from '../rpc/solana-calls.ts';

/** Listings, one a round, for a change that none of them shows. Later ones follow as if it were shown. */
const LISTINGS_PER_CHANGE = 20;

/** How much longer than the interval of listings it takes for a confirmed slot to be final. */
const WANTED = 2;

/** What a listing shows, once everything in it is indexed. */
export interface IndexedListing {
  /** The newest successful transaction. */
  readonly newest: { readonly signature: string; readonly slot: number } | null;
  /** The slot up to which every transaction is indexed and final; null if unknown. */
  readonly readUpTo: number | null;
  /** `unread`: a transaction could not be read. `provisional`: some are not final. */
  readonly state: 'unread' | 'provisional' | 'final';
}

export type ListingSchedule = ReturnType<typeof createListingSchedule>;

/**
 * Decides when the transactions of an account are listed. A listing costs providers' customers ten times as much as a reading
 * of accounts. So one follows each change to the account, then more until what it shows is final, and then only one in a
 * while: for failed transactions and those that leave the account as it was.
 * @param intervals.finalMs milliseconds between two listings while something is not final
 * @param intervals.quietMs milliseconds between two listings while nothing changes
 * @param now milliseconds of a monotonic clock
 */
export function createListingSchedule(
  { finalMs, quietMs }: { readonly finalMs: number; readonly quietMs: number },
  now: () => number = performance.now.bind(performance),
) {
  let account: { readonly digest: string; readonly slot: number; readonly readAt: number } | null = null;
  /** The last change that no listing shows yet. It came after this slot. */
  let unlisted: { readonly after: number; listings: number } | null = null;
  /** The slot at which the last change was read. */
  let changedAt = -1;
  let listed: IndexedListing | null = null;
  let listAt = Number.NEGATIVE_INFINITY;

  return {
    /**
     * Takes a reading of the account.
     * @param readAt Unix ms
     * @returns whether it has changed
     */
    noteAccount({ slot, value }: AtSlot<AccountInfo | null>, readAt: number): boolean {
      const digest = value ? `${value.owner} ${Buffer.from(value.data).toString('base64')}` : '';
      const before = account;
      if (before && slot < before.slot) return false;
      account = { digest, slot, readAt };
      if (digest === before?.digest) return false;
      unlisted = { after: before?.slot ?? -1, listings: 0 };
      changedAt = slot;
      return true;
    },
    /** @param wantedSlot the slot up to which the history is wanted; null if it is not */
    isDue(wantedSlot: number | null): boolean {
      if (wantedSlot !== null && wantedSlot > (listed?.readUpTo ?? -1))
        listAt = Math.min(listAt, now() + WANTED * finalMs);
      return unlisted !== null || now() >= listAt;
    },
    /** When the account was last read (Unix ms), if every change to it is listed; otherwise null. */
    get quietAt(): number | null {
      return unlisted === null && listed !== null ? (account?.readAt ?? null) : null;
    },
    /** The slot up to which the last listing is read. */
    get readUpTo(): number | null {
      return listed?.readUpTo ?? null;
    },
    noteListing(listing: IndexedListing): void {
      const { newest, state, readUpTo } = listing;
      const isNew = newest !== null && newest.signature !== listed?.newest?.signature;
      const isShown = unlisted !== null && (isNew || (newest?.slot ?? -1) > unlisted.after);
      if (unlisted && (isShown || ++unlisted.listings >= LISTINGS_PER_CHANGE)) unlisted = null;
      // A node that lags lists too little until the change is final for it.
      const isFinal = state === 'final' && (readUpTo ?? -1) >= changedAt;
      listAt = state === 'unread' ? now() : now() + (isFinal ? quietMs : finalMs);
      listed = listing;
    },
  };
}
