import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { MessageInstruction } from '../wire.ts';
import { StakeProgramError } from './errors.ts';

/** What the IDL asks of an account: `w` writable, `s` signer. */
type Demand = '' | 'w' | 'ws';

/** Accounts of `stake` in the IDL's order. */
export const STAKE_ACCOUNTS = {
  stakePool: 'w',
  stakeEntry: 'w',
  from: 'w',
  vault: 'w',
  to: 'w',
  payer: 'ws',
  authority: '',
  mint: 'w',
  stakeMint: 'w',
  rentSponsor: 'w',
  tokenProgram: '',
  systemProgram: '',
} as const satisfies Record<string, Demand>;

/** Accounts of `unstake` in the IDL's order. */
export const UNSTAKE_ACCOUNTS = {
  stakePool: 'w',
  stakeEntry: 'w',
  from: 'w',
  vault: 'w',
  to: 'w',
  authority: 'ws',
  mint: 'w',
  stakeMint: 'w',
  rentSponsor: 'w',
  tokenProgram: '',
} as const satisfies Record<string, Demand>;

/** Accounts of `close_entry` in the IDL's order. */
export const CLOSE_ENTRY_ACCOUNTS = {
  stakePool: '',
  stakeEntry: 'w',
  authority: 'ws',
  rentSponsor: 'w',
} as const satisfies Record<string, Demand>;

/**
 * The accounts of an instruction by their names in the IDL. Signers and writable flags are those of the transaction as
 * it was signed. Throws `StakeProgramError` where one is missing or lacks what the IDL asks.
 */
export function nameAccounts<Name extends string>(
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  demands: Readonly<Record<Name, Demand>>,
): Record<Name, string> {
  const names = Object.keys(demands) as Name[];
  const entries = names.map((name, position) => {
    const index = instruction.accounts[position];
    const address = index === undefined ? undefined : transaction.keys[index];
    if (index === undefined || address === undefined) throw new StakeProgramError('AccountNotEnoughKeys');
    const demand = demands[name];
    if (demand.includes('s') && !transaction.isSigner(index)) throw new StakeProgramError('AccountNotSigner');
    if (demand.includes('w') && !transaction.isWritable(index)) throw new StakeProgramError('ConstraintMut');
    return [name, address];
  });
  return Object.fromEntries(entries);
}
