import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { keyBytes } from './base58-cache.ts';
import { BLOCKHASH_VALID_SLOTS, type LedgerClock, SLOT_MILLISECONDS } from './chain.ts';

export type SlotClock = ReturnType<typeof createSlotClock>;

/**
 * Creates a clock that counts slots of `SLOT_MILLISECONDS` since the genesis, and computes their times and blockhashes.
 *
 * @param options.genesisTime unix milliseconds of slot 0
 * @param options.reachedSlot the slot of the ledger's newest transaction
 * @param options.aheadMs milliseconds by which the clock that programs see is ahead of the block times
 * @param options.now unix milliseconds
 */
export function createSlotClock(options: {
  readonly genesisTime: number;
  readonly genesisHash: string;
  readonly reachedSlot: number;
  readonly aheadMs?: number;
  readonly now: () => number;
}) {
  const seed = keyBytes(options.genesisHash);
  const slotOfBlockhash = new Map<string, number>();
  let reachedSlot = options.reachedSlot;
  let hashedUpToSlot = -1;
  let aheadMs = options.aheadMs ?? 0;

  const advance = (): number => {
    const elapsed = Math.floor((options.now() - options.genesisTime) / SLOT_MILLISECONDS);
    if (elapsed > reachedSlot) reachedSlot = elapsed;
    return reachedSlot;
  };
  const unixTime = (slot: number): number =>
    Math.floor((options.genesisTime + slot * SLOT_MILLISECONDS) / 1000);
  const blockhash = (slot: number): string => {
    const bytes = Buffer.alloc(40);
    bytes.set(seed);
    bytes.writeBigUInt64LE(BigInt(slot), 32);
    return bs58.encode(createHash('sha256').update(bytes).digest());
  };
  const rememberBlockhashes = (slot: number): void => {
    const oldest = Math.max(0, slot - BLOCKHASH_VALID_SLOTS);
    for (let next = Math.max(hashedUpToSlot + 1, oldest); next <= slot; next += 1) {
      slotOfBlockhash.set(blockhash(next), next);
    }
    hashedUpToSlot = slot;
    // A map keeps the insertion order, so the oldest blockhashes come first.
    for (const [hash, hashedSlot] of slotOfBlockhash) {
      if (hashedSlot >= oldest) break;
      slotOfBlockhash.delete(hash);
    }
  };

  return {
    /** The newest slot. It never goes back, even if the wall clock does. */
    current(): LedgerClock {
      const slot = advance();
      return { slot, blockHeight: slot, unixTime: unixTime(slot) };
    },
    blockTime(slot: number): number | null {
      if (!Number.isSafeInteger(slot) || slot < 0 || slot > advance()) return null;
      return unixTime(slot);
    },
    toProgramClock: (clock: LedgerClock): LedgerClock => ({
      ...clock,
      unixTime: clock.unixTime + Math.floor(aheadMs / 1_000),
    }),
    /** @returns the total milliseconds by which the clock that programs see is ahead */
    advanceProgramClock(milliseconds: number): number {
      aheadMs += milliseconds;
      return aheadMs;
    },
    blockhash,
    isBlockhashValid(hash: string): boolean {
      const slot = advance();
      // The usual case is checked first. Otherwise each transaction of the generated history would hash all valid slots,
      // because those transactions are far apart in time.
      if (hash === blockhash(slot)) return true;
      if (slot > hashedUpToSlot) rememberBlockhashes(slot);
      return slotOfBlockhash.has(hash);
    },
  };
}
