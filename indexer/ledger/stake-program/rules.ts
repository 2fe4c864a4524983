import {
  STAKE_ENTRY,
  STAKE_POOL,
  type StakeEntry,
  type StakePool,
} from '../../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../../data/model/staking-terms.ts';
import { decodeMint, decodeTokenAccount } from '../../chain/accounts.ts';
import { associatedTokenAddress, rentSponsorAddress, stakeEntryAddress } from '../addresses.ts';
import type { LedgerAccount, LedgerClock } from '../chain.ts';
import { SYSTEM_PROGRAM } from '../programs.ts';
import type { ResolvedTransaction } from '../resolved-transaction.ts';
import type { MessageInstruction } from '../wire.ts';
import {
  type AccountFlags,
  type STAKE_ACCOUNTS,
  type StakeErrorName,
  type StakeInstruction,
  StakeProgramError,
  type UNSTAKE_ACCOUNTS,
} from './idl.ts';
import {
  createEntryCalls,
  type StagedCall,
  type StagedInstruction,
  tokenCall,
} from './staged-instructions.ts';

/** The effects of a transaction's stake instructions so far. Later instructions see them. */
export interface StakeDraft {
  readonly clock: LedgerClock;
  readonly read: (address: string) => LedgerAccount | null;
  readonly rentExemption: (dataLength: number) => bigint;
  readonly stagedInstructions: StagedInstruction[];
  /** Program addresses that the stake program signs for in its calls. */
  readonly signers: Set<string>;
  readonly pools: Map<string, StakePool>;
  readonly entries: Map<string, StakeEntry>;
  /** Entries to remove, and the accounts that receive their rent. */
  readonly closedEntries: { readonly entry: string; readonly rentTo: string }[];
}

/**
 * Opens a stake entry. The tokens go to the pool's vault, and receipt tokens to the authority's associated token account. Both
 * token accounts must exist. @throws {StakeProgramError}
 */
export function stake(
  draft: StakeDraft,
  accounts: NamedAccounts<typeof STAKE_ACCOUNTS>,
  { nonce, amount, duration }: Extract<StakeInstruction, { name: 'stake' }>,
): StagedCall[] {
  const { stakePool, stakeEntry, payer, authority, from, to, mint, vault, stakeMint, tokenProgram } =
    accounts;
  const pool = readPool(draft, stakePool);
  const decimals = checkPoolAccounts(draft, pool, accounts);
  requireThat(accounts.systemProgram === SYSTEM_PROGRAM, 'InvalidProgramId');
  requireThat(stakeEntry === stakeEntryAddress(stakePool, authority, nonce), 'ConstraintSeeds');
  requireThat(to === associatedTokenAddress(authority, stakeMint, tokenProgram), 'ConstraintSeeds');
  requireOwner(draft, from, payer);

  const now = BigInt(draft.clock.unixTime);
  requireThat(amount > 0n, 'InvalidStakeAmount');
  requireThat(duration >= pool.minDuration, 'DurationTooShort');
  requireThat(duration <= pool.maxDuration, 'InvalidDuration');

  const effective = amount * WEIGHT_SCALE;
  draft.entries.set(stakeEntry, {
    nonce,
    stakePool,
    payer,
    authority,
    amount,
    duration,
    effectiveAmount: effective,
    createdAt: now,
    closedAt: 0n,
    priorTotalEffectiveStake: pool.totalEffectiveStake,
    unstakeRequestedAt: 0n,
    isSponsored: false,
    autoUnstake: pool.autoUnstake,
  });
  draft.pools.set(stakePool, {
    ...pool,
    totalStake: pool.totalStake + amount,
    totalEffectiveStake: pool.totalEffectiveStake + effective,
  });
  draft.signers.add(stakeEntry).add(stakePool);
  const rent = draft.rentExemption(STAKE_ENTRY.size);
  // Lamports that were sent to the address beforehand count toward the rent. If an entry already exists there, creating one
  // must fail, as on a cluster.
  const existingAccount = draft.read(stakeEntry);
  const prepaidLamports =
    existingAccount !== null && existingAccount.owner === SYSTEM_PROGRAM ? existingAccount.lamports : 0n;
  return [
    ...createEntryCalls(stakeEntry, payer, rent, prepaidLamports),
    tokenCall(tokenProgram, 'transferChecked', [from, mint, vault, payer], amount, decimals),
    tokenCall(tokenProgram, 'mintTo', [stakeMint, to, stakePool], amount),
  ];
}

/** Ends a stake after its lock: burns the receipt tokens and returns the staked tokens. @throws {StakeProgramError} */
export function unstake(
  draft: StakeDraft,
  accounts: NamedAccounts<typeof UNSTAKE_ACCOUNTS>,
  closesEntry: boolean,
): StagedCall[] {
  const { stakePool, stakeEntry, authority, from, to, mint, vault, stakeMint, tokenProgram } = accounts;
  const pool = readPool(draft, stakePool);
  const decimals = checkPoolAccounts(draft, pool, accounts);
  const entry = readEntry(draft, stakeEntry);
  requireThat(entry.stakePool === stakePool, 'InvalidStakePool');
  requireThat(entry.authority === authority, 'Unauthorized');
  requireThat(from === associatedTokenAddress(authority, stakeMint, tokenProgram), 'ConstraintSeeds');
  requireOwner(draft, to, authority);

  const now = BigInt(draft.clock.unixTime);
  requireThat(entry.closedAt === 0n, 'ClosedStake');
  requireThat(now >= entry.createdAt + entry.duration, 'LockedStake');

  draft.pools.set(stakePool, {
    ...pool,
    totalStake: pool.totalStake - entry.amount,
    totalEffectiveStake: pool.totalEffectiveStake - entry.effectiveAmount,
  });
  draft.entries.set(stakeEntry, { ...entry, closedAt: now });
  if (closesEntry) draft.closedEntries.push({ entry: stakeEntry, rentTo: authority });
  draft.signers.add(stakePool);
  return [
    tokenCall(tokenProgram, 'burn', [from, stakeMint, authority], entry.amount),
    tokenCall(tokenProgram, 'transferChecked', [vault, mint, to, stakePool], entry.amount, decimals),
  ];
}

function readPool(draft: StakeDraft, address: string): StakePool {
  const drafted = draft.pools.get(address);
  if (drafted !== undefined) return drafted;
  const pool = STAKE_POOL.decode(readOwned(draft, address));
  if (pool === null) throw new StakeProgramError('AccountDiscriminatorMismatch');
  return pool;
}

function readEntry(draft: StakeDraft, address: string): StakeEntry {
  if (draft.closedEntries.some((closed) => closed.entry === address)) {
    throw new StakeProgramError('AccountNotInitialized');
  }
  const drafted = draft.entries.get(address);
  if (drafted !== undefined) return drafted;
  const entry = STAKE_ENTRY.decode(readOwned(draft, address));
  if (entry === null) throw new StakeProgramError('AccountDiscriminatorMismatch');
  return entry;
}

function readOwned(draft: StakeDraft, address: string): Uint8Array {
  const account = draft.read(address);
  if (account === null) throw new StakeProgramError('AccountNotInitialized');
  if (account.owner !== STAKING_PROGRAM) throw new StakeProgramError('AccountOwnedByWrongProgram');
  return account.data;
}

/** Checks the accounts that `stake` and `unstake` share. @returns the mint's decimals */
function checkPoolAccounts(
  draft: StakeDraft,
  pool: StakePool,
  accounts: NamedAccounts<typeof UNSTAKE_ACCOUNTS>,
): number {
  requireThat(accounts.mint === pool.mint, 'InvalidMint');
  requireThat(accounts.vault === pool.vault, 'InvalidStakeVault');
  requireThat(accounts.stakeMint === pool.stakeMint, 'InvalidStakeMint');
  requireThat(accounts.rentSponsor === rentSponsorAddress(), 'ConstraintSeeds');
  const mint = draft.read(accounts.mint);
  const decimals = mint === null ? undefined : decodeMint(mint)?.decimals;
  if (mint === null || decimals === undefined) throw new StakeProgramError('AccountNotInitialized');
  requireThat(accounts.tokenProgram === mint.owner, 'InvalidProgramId');
  return decimals;
}

/** A token account that exists must belong to the wallet. The token program checks an account that this transaction opens. */
function requireOwner(draft: StakeDraft, tokenAccount: string, wallet: string): void {
  const account = draft.read(tokenAccount);
  const state = account === null ? null : decodeTokenAccount(account);
  requireThat(state === null || state.owner === wallet, 'OwnerMismatch');
}

function requireThat(isMet: boolean, otherwise: StakeErrorName): void {
  if (!isMet) throw new StakeProgramError(otherwise);
}

/**
 * Weights and effective amounts have nine decimals (`SCALE_PRECISION_FACTOR` in @streamflow/staking). Every stake has a
 * weight of 1, because the ledger's pools accept only one duration.
 */
export const WEIGHT_SCALE = 1_000_000_000n;

type NamedAccounts<Flags> = Readonly<Record<keyof Flags, string>>;

/**
 * Names an instruction's accounts as the IDL does, and checks the signer and writable flags in the signed transaction.
 * @throws {StakeProgramError} if an account is missing or lacks a flag
 */
export function nameAccounts<Name extends string>(
  transaction: ResolvedTransaction,
  instruction: MessageInstruction,
  requiredFlags: Readonly<Record<Name, AccountFlags>>,
): Record<Name, string> {
  const names = Object.keys(requiredFlags) as Name[];
  const entries = names.map((name, position) => {
    const index = instruction.accounts[position];
    const address = index === undefined ? undefined : transaction.keys[index];
    if (index === undefined || address === undefined) throw new StakeProgramError('AccountNotEnoughKeys');
    const flags = requiredFlags[name];
    if (flags.includes('s') && !transaction.isSigner(index)) throw new StakeProgramError('AccountNotSigner');
    if (flags.includes('w') && !transaction.isWritable(index)) throw new StakeProgramError('ConstraintMut');
    return [name, address];
  });
  return Object.fromEntries(entries);
}
