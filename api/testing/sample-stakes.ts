import bs58 from 'bs58';
import type { EndedStake, SnapshotStake, Stakes } from '../../data/store/ports.ts';
import { TEST_START } from './fake-index.ts';

const DAY_MS = 86_400_000;

const encodedNumbers = new Map<string, string>();
function encodeNumber(fill: number, number: number, byteLength: number): string {
  const key = `${fill} ${number} ${byteLength}`;
  const known = encodedNumbers.get(key);
  if (known !== undefined) return known;
  const buffer = Buffer.alloc(byteLength, fill);
  buffer.writeUInt32BE(number, 4);
  const encoded = bs58.encode(buffer);
  encodedNumbers.set(key, encoded);
  return encoded;
}

export const walletOf = (number: number) => encodeNumber(7, number, 32);
export const signatureOf = (number: number) => encodeNumber(9, number, 64);

/** A stake entry with its own wallet: 2,000,000 BD, opened ten days before `TEST_START`. */
export function openedStake(number: number, changes: Partial<SnapshotStake> = {}): SnapshotStake {
  const createdAt = TEST_START - 10 * DAY_MS;
  return {
    address: encodeNumber(8, number, 32),
    wallet: walletOf(number),
    nonce: 0,
    amount: 2_000_000_000_000n,
    effectiveAmount: 2_000_000_000_000n,
    createdAt,
    unlocksAt: createdAt + 180 * DAY_MS,
    closedAt: null,
    openedBy: signatureOf(number),
    ...changes,
  };
}

/** A stake that ended a day before `TEST_START`. */
export function endedStake(number: number, changes: Partial<EndedStake> = {}): EndedStake {
  return {
    entry: encodeNumber(8, number, 32),
    wallet: walletOf(number),
    amount: 1_500_000_000_000n,
    openedAt: TEST_START - 181 * DAY_MS,
    endedAt: TEST_START - DAY_MS,
    openedBy: signatureOf(number),
    endedBy: signatureOf(number + 1),
    ...changes,
  };
}

export function manyStakes(count: number): Stakes {
  const entries = Array.from({ length: count }, (_, number) =>
    openedStake(number, { createdAt: TEST_START - 10 * DAY_MS - number * 7_001 }),
  );
  return {
    entries,
    ended: Array.from({ length: 100 }, (_, number) => endedStake(count + number)),
    transactionCounts: new Map(entries.map(({ wallet }) => [wallet, 1])),
  };
}
