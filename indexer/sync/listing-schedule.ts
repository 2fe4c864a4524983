import type { AccountInfo, AtSlot } from '../rpc/solana-calls.ts';

/** A change that no listed transaction explains is ignored after this many listings. There is one listing per round. */
const LISTINGS_PER_CHANGE = 20;

/** The number of `provisionalMs` intervals until a slot that is confirmed now becomes final. */
const INTERVALS_TO_FINALITY = 2;

/** The result of a listing, once its finalized transactions are indexed or quarantined. */
export interface IndexedListing {
  /** The newest successful transaction. */
  readonly newestTransaction: { readonly signature: string; readonly slot: number } | null;
  /** The finalized slot up to which every transaction is indexed or quarantined; null if unknown. */
  readonly readUpToSlot: number | null;
  /** The time just before the request (Unix ms). */
  readonly requestedAt: number;
  /** `unread`: a provisional transaction could not be read. `provisional`: some transactions are not final. */
  readonly state: 'unread' | 'provisional' | 'final';
}

interface UnlistedChange {
  /** The slot of the last reading before the change. */
  readonly afterSlot: number;
  /** The time of the reading that showed the change (Unix ms). */
  readonly readAt: number;
  /** The signature of the newest successful transaction that was listed before that reading. */
  readonly listedSignature: string | undefined;
  /** The number of listings that have ended since that reading. */
  listingCount: number;
}

export type ListingSchedule = ReturnType<typeof createListingSchedule>;

/**
 * Decides when the transactions of an account are listed. Providers charge ten times as much for a listing as for reading
 * accounts. So the transactions are listed after each change to the account, and then repeatedly until they are final. Otherwise
 * they are listed rarely, to find failed transactions and transactions that do not change the account.
 * @param intervals.provisionalMs milliseconds between two listings while some transactions are provisional
 * @param intervals.quietMs milliseconds between two listings while nothing changes
 * @param now the time on a monotonic clock (ms)
 */
export function createListingSchedule(
  { provisionalMs, quietMs }: { readonly provisionalMs: number; readonly quietMs: number },
  now: () => number = performance.now.bind(performance),
) {
  let lastReading: { readonly digest: string; readonly slot: number; readonly readAt: number } | null = null;
  /** The last change to the account; null once a listing shows the change or it is ignored. */
  let unlistedChange: UnlistedChange | null = null;
  /** The slot of the reading that showed the last change. */
  let changedSlot = -1;
  let lastListing: IndexedListing | null = null;
  let nextListingAt = Number.NEGATIVE_INFINITY;

  return {
    /** Records a reading of the account at the time `readAt` (Unix ms). @returns whether the account has changed */
    noteAccount({ slot, value }: AtSlot<AccountInfo | null>, readAt: number): boolean {
      const digest = value ? `${value.owner} ${Buffer.from(value.data).toString('base64')}` : '';
      const before = lastReading;
      if (before && slot < before.slot) return false;
      lastReading = { digest, slot, readAt };
      if (digest === before?.digest) return false;
      unlistedChange = {
        afterSlot: before?.slot ?? -1,
        readAt,
        listedSignature: lastListing?.newestTransaction?.signature,
        listingCount: 0,
      };
      changedSlot = slot;
      return true;
    },
    /** @param wantedSlot the slot up to which a caller needs the history; null if none does */
    isDue(wantedSlot: number | null): boolean {
      if (wantedSlot !== null && wantedSlot > (lastListing?.readUpToSlot ?? -1))
        nextListingAt = Math.min(nextListingAt, now() + INTERVALS_TO_FINALITY * provisionalMs);
      return unlistedChange !== null || now() >= nextListingAt;
    },
    /** The time (Unix ms) up to which the account has no unlisted change. Null while it has one, and before the first listing. */
    get quietAsOf(): number | null {
      return unlistedChange === null && lastListing !== null ? (lastReading?.readAt ?? null) : null;
    },
    get readUpToSlot(): number | null {
      return lastListing?.readUpToSlot ?? null;
    },
    noteListing(listing: IndexedListing): void {
      const { newestTransaction, state, readUpToSlot, requestedAt } = listing;
      if (unlistedChange) {
        const { afterSlot, readAt, listedSignature } = unlistedChange;
        // A listing that was requested before the reading may show only an earlier change.
        const isNew = requestedAt >= readAt && newestTransaction?.signature !== listedSignature;
        const explainsChange = newestTransaction !== null && (isNew || newestTransaction.slot > afterSlot);
        unlistedChange.listingCount += 1;
        if (explainsChange || unlistedChange.listingCount >= LISTINGS_PER_CHANGE) unlistedChange = null;
      }
      // A lagging node may return an incomplete list. The list is complete once the change is final on that node.
      const isFinal = state === 'final' && (readUpToSlot ?? -1) >= changedSlot;
      nextListingAt = state === 'unread' ? now() : now() + (isFinal ? quietMs : provisionalMs);
      lastListing = listing;
    },
  };
}
