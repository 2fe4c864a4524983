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

/**
 * An instruction of the staking program that moves a pool's vault, or null where it is another.
 *
 * @throws {ShapeError} where it lacks accounts that the program demands
 */
export function readStakeCall(accounts: Uint8Array, data: Uint8Array): StakeCall | null {
  const word = STAKE_INSTRUCTIONS.find(([, start]) => start.every((byte, at) => data[at] === byte))?.[0];
  if (!word) return null;
  const entry = accounts[ENTRY_PLACE];
  const vault = accounts[VAULT_PLACE];
  if (entry === undefined || vault === undefined) throw new ShapeError('a stake instruction lacks accounts');
  return { word, entry, vault };
}
