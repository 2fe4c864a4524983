import { STAKE_PROGRAM, SYSTEM_PROGRAM } from '../programs.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import { decodeMintDecimals, decodeTokenAccount } from '../token-accounts.ts';
import type { MessageInstruction } from '../wire.ts';
import { associatedTokenAddress, rentSponsorAddress, stakeEntryAddress } from './addresses.ts';
import type { StakeDraft } from './draft.ts';
import { effectiveAmount } from './effective-amount.ts';
import { type StakeErrorName, StakeProgramError } from './errors.ts';
import type { StakeInstruction } from './instructions.ts';
import {
  decodeStakeEntry,
  decodeStakePool,
  STAKE_ENTRY_BYTES,
  type StakeEntry,
  type StakePool,
} from './layout.ts';
import { CLOSE_ENTRY_ACCOUNTS, nameAccounts, STAKE_ACCOUNTS, UNSTAKE_ACCOUNTS } from './named-accounts.ts';
import {
  burnCall,
  createEntryCalls,
  mintToCall,
  type StagedInstruction,
  transferCheckedCall,
} from './staged-instruction.ts';

type Call = Pick<StagedInstruction, 'program' | 'accounts' | 'data'>;

const MAX_U64 = 0xffff_ffff_ffff_ffffn;

/**
 * Opens a stake entry: the tokens go to the pool's vault, receipt tokens to the authority's associated account.
 * The token accounts have to be there already, as the program demands. Throws `StakeProgramError`.
 */
export function stake(
  draft: StakeDraft,
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  { nonce, amount, duration }: Extract<StakeInstruction, { name: 'stake' }>,
): Call[] {
  const accounts = nameAccounts(transaction, instruction, STAKE_ACCOUNTS);
  const pool = readPool(draft, accounts.stakePool);
  const decimals = checkPoolAccounts(draft, pool, accounts);
  const { authority, payer, stakeEntry, tokenProgram } = accounts;
  demand(accounts.systemProgram === SYSTEM_PROGRAM, 'InvalidProgramId');
  demand(stakeEntry === stakeEntryAddress(accounts.stakePool, authority, nonce), 'ConstraintSeeds');
  demand(
    accounts.to === associatedTokenAddress(authority, accounts.stakeMint, tokenProgram),
    'ConstraintSeeds',
  );
  demandOwner(draft, accounts.from, payer);

  const now = BigInt(draft.clock.unixTime);
  demand(amount > 0n, 'InvalidStakeAmount');
  demand(duration >= pool.minDuration, 'DurationTooShort');
  demand(duration <= pool.maxDuration, 'InvalidDuration');
  demand(pool.expiryTime === 0n || now + duration <= pool.expiryTime, 'StakeDurationExceedsExpiry');
  demand(pool.totalStake + amount <= MAX_U64, 'ArithmeticError');

  const effective = effectiveAmount(amount, duration, pool);
  draft.entries.set(stakeEntry, {
    nonce,
    stakePool: accounts.stakePool,
    payer,
    authority,
    amount,
    duration,
    effectiveAmount: effective,
    createdTime: now,
    closedTime: 0n,
    priorTotalEffectiveStake: pool.totalEffectiveStake,
    unstakeRequestedTime: 0n,
    isSponsored: false,
    autoUnstake: pool.autoUnstake,
  });
  draft.pools.set(accounts.stakePool, {
    ...pool,
    totalStake: pool.totalStake + amount,
    totalEffectiveStake: pool.totalEffectiveStake + effective,
  });
  draft.signers.add(stakeEntry).add(accounts.stakePool);
  const rent = draft.rentExemption(STAKE_ENTRY_BYTES);
  // An entry that is there already is no prepaid address: creating it has to fail as it does on the cluster.
  const present = draft.read(stakeEntry);
  const prepaid = present !== null && present.owner === SYSTEM_PROGRAM ? present.lamports : 0n;
  return [
    ...createEntryCalls(stakeEntry, payer, rent, prepaid),
    transferCheckedCall({
      tokenProgram,
      source: accounts.from,
      mint: accounts.mint,
      destination: accounts.vault,
      authority: payer,
      amount,
      decimals,
    }),
    mintToCall(tokenProgram, accounts.stakeMint, accounts.to, accounts.stakePool, amount),
  ];
}

/** Ends a stake whose lock is over: receipt tokens are burnt, the tokens go back. Throws `StakeProgramError`. */
export function unstake(
  draft: StakeDraft,
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  closesEntry: boolean,
): Call[] {
  const accounts = nameAccounts(transaction, instruction, UNSTAKE_ACCOUNTS);
  const pool = readPool(draft, accounts.stakePool);
  const decimals = checkPoolAccounts(draft, pool, accounts);
  const { authority, stakeEntry, tokenProgram } = accounts;
  const entry = readEntry(draft, stakeEntry);
  demand(entry.stakePool === accounts.stakePool, 'InvalidStakePool');
  demand(entry.authority === authority, 'Unauthorized');
  demand(
    accounts.from === associatedTokenAddress(authority, accounts.stakeMint, tokenProgram),
    'ConstraintSeeds',
  );
  demandOwner(draft, accounts.to, authority);

  const now = BigInt(draft.clock.unixTime);
  demand(entry.closedTime === 0n, 'ClosedStake');
  demand(now >= entry.createdTime + entry.duration, 'LockedStake');
  demand(pool.totalStake >= entry.amount, 'ArithmeticError');
  demand(pool.totalEffectiveStake >= entry.effectiveAmount, 'ArithmeticError');

  draft.pools.set(accounts.stakePool, {
    ...pool,
    totalStake: pool.totalStake - entry.amount,
    totalEffectiveStake: pool.totalEffectiveStake - entry.effectiveAmount,
  });
  draft.entries.set(stakeEntry, { ...entry, closedTime: now });
  if (closesEntry) draft.closed.push({ entry: stakeEntry, rentTo: rentReceiver(entry, authority) });
  draft.signers.add(accounts.stakePool);
  return [
    burnCall(tokenProgram, accounts.from, accounts.stakeMint, authority, entry.amount),
    transferCheckedCall({
      tokenProgram,
      source: accounts.vault,
      mint: accounts.mint,
      destination: accounts.to,
      authority: accounts.stakePool,
      amount: entry.amount,
      decimals,
    }),
  ];
}

/** Removes an entry that was unstaked before, and gives its rent back. Throws `StakeProgramError`. */
export function closeEntry(
  draft: StakeDraft,
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
): void {
  const accounts = nameAccounts(transaction, instruction, CLOSE_ENTRY_ACCOUNTS);
  readPool(draft, accounts.stakePool);
  const entry = readEntry(draft, accounts.stakeEntry);
  demand(accounts.rentSponsor === rentSponsorAddress(), 'ConstraintSeeds');
  demand(entry.stakePool === accounts.stakePool, 'InvalidStakePool');
  demand(entry.authority === accounts.authority, 'Unauthorized');
  demand(entry.closedTime !== 0n, 'ActiveStake');
  draft.closed.push({ entry: accounts.stakeEntry, rentTo: rentReceiver(entry, accounts.authority) });
}

function readPool(draft: StakeDraft, address: string): StakePool {
  const drafted = draft.pools.get(address);
  if (drafted !== undefined) return drafted;
  const pool = decodeStakePool(readOwned(draft, address));
  if (pool === null) throw new StakeProgramError('AccountDiscriminatorMismatch');
  return pool;
}

function readEntry(draft: StakeDraft, address: string): StakeEntry {
  if (draft.closed.some((closed) => closed.entry === address)) {
    throw new StakeProgramError('AccountNotInitialized');
  }
  const drafted = draft.entries.get(address);
  if (drafted !== undefined) return drafted;
  const entry = decodeStakeEntry(readOwned(draft, address));
  if (entry === null) throw new StakeProgramError('AccountDiscriminatorMismatch');
  return entry;
}

function readOwned(draft: StakeDraft, address: string): Uint8Array {
  const account = draft.read(address);
  if (account === null) throw new StakeProgramError('AccountNotInitialized');
  if (account.owner !== STAKE_PROGRAM) throw new StakeProgramError('AccountOwnedByWrongProgram');
  return account.data;
}

/** Checks what `stake` and `unstake` name beside the pool; answers the mint's decimals. */
function checkPoolAccounts(
  draft: StakeDraft,
  pool: StakePool,
  accounts: {
    readonly mint: string;
    readonly vault: string;
    readonly stakeMint: string;
    readonly rentSponsor: string;
    readonly tokenProgram: string;
  },
): number {
  demand(accounts.mint === pool.mint, 'InvalidMint');
  demand(accounts.vault === pool.vault, 'InvalidStakeVault');
  demand(accounts.stakeMint === pool.stakeMint, 'InvalidStakeMint');
  demand(accounts.rentSponsor === rentSponsorAddress(), 'ConstraintSeeds');
  const mint = draft.read(accounts.mint);
  const decimals = mint === null ? null : decodeMintDecimals(mint);
  if (mint === null || decimals === null) throw new StakeProgramError('AccountNotInitialized');
  demand(accounts.tokenProgram === mint.owner, 'InvalidProgramId');
  return decimals;
}

/** A token account that is there already has to belong to the wallet; one made in this transaction is left to the token program. */
function demandOwner(draft: StakeDraft, tokenAccount: string, wallet: string): void {
  const account = draft.read(tokenAccount);
  const state = account === null ? null : decodeTokenAccount(account);
  demand(state === null || state.owner === wallet, 'OwnerMismatch');
}

function rentReceiver(entry: StakeEntry, authority: string): string {
  return entry.isSponsored ? rentSponsorAddress() : authority;
}

function demand(isMet: boolean, otherwise: StakeErrorName): void {
  if (!isMet) throw new StakeProgramError(otherwise);
}
