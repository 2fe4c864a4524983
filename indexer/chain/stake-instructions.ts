import { ShapeError } from '../rpc/json-shape.ts';

/** Instructions of the staking program that give a movement its word. */
export type StakeInstruction = 'stake' | 'unstake';

/** One call of the staking program, its accounts by their index in the transaction. */
export interface StakeCall {
  readonly word: StakeInstruction;
  /** The stake entry that it opens or ends. */
  readonly entry: number;
  /** The token account of the pool. The program takes none but the pool's own, so it tells which pool. */
  readonly vault: number;
  /** The wallet that the entry belongs to. */
  readonly authority: number;
  /** The wallet whose tokens are staked, which may be another; of an unstake the one that gets them. */
  readonly holder: number;
  /** What it moved; null where the node does not tell what the program called in turn. */
  readonly moved: StakeTransfer | null;
}

/** The transfer that a call of the staking program made. */
export interface StakeTransfer {
  /** Base units, as sent: a transfer fee is still to be taken from them. */
  readonly amount: bigint;
  /** Whether the token program is one that knows transfer fees. */
  readonly mayHaveFee: boolean;
}

/** First eight bytes of the instructions that move a pool's vault. Source: the IDL of @streamflow/staking. */
const STAKE_INSTRUCTIONS: readonly (readonly [StakeInstruction, Uint8Array])[] = [
  ['stake', Uint8Array.of(206, 176, 202, 18, 200, 209, 179, 108)],
  ['unstake', Uint8Array.of(90, 95, 107, 42, 205, 124, 50, 225)],
  // `unstake_as_worker`: anyone may end a stake whose pool unstakes by itself.
  ['unstake', Uint8Array.of(18, 36, 224, 241, 46, 185, 228, 142)],
];

/** Where all three name them. */
const ENTRY_PLACE = 1;
const VAULT_PLACE = 3;
/** `stake` names who pays before whose entry it is. Of the others the entry's wallet stands there. */
const HOLDER_PLACE = 5;
const AUTHORITY_PLACES: Readonly<Record<StakeInstruction, number>> = { stake: 6, unstake: 5 };

/**
 * An instruction of the staking program that moves a pool's vault, or null where it is another.
 *
 * @throws {ShapeError} where it lacks accounts that the program demands
 */
export function readStakeCall(accounts: Uint8Array, data: Uint8Array): Omit<StakeCall, 'moved'> | null {
  const word = STAKE_INSTRUCTIONS.find(([, start]) => start.every((byte, at) => data[at] === byte))?.[0];
  if (!word) return null;
  const [entry, vault, authority, holder] = [
    ENTRY_PLACE,
    VAULT_PLACE,
    AUTHORITY_PLACES[word],
    HOLDER_PLACE,
  ].map((place) => accounts[place]);
  if (entry === undefined || vault === undefined || authority === undefined || holder === undefined) {
    throw new ShapeError('a stake instruction lacks accounts');
  }
  return { word, entry, vault, authority, holder };
}
