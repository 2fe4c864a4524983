import type { CompiledInstruction, TokenBalance, VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';
import { anchorDiscriminator, SPL_TOKEN, STREAMFLOW, TOKEN_2022 } from './chain-accounts.ts';

/** A call to the staking program that opened or closed a stake in a pool. */
export interface StakeCall {
  readonly kind: 'stake' | 'unstake';
  readonly entry: string | null;
  /** The wallet that owns the entry. */
  readonly authority: string | null;
  /** The wallet that paid in the staked tokens, or received the unstaked ones. */
  readonly payer: string | null;
  /** Base units, signed; null if the node did not record the transfer. */
  readonly change: bigint | null;
  /** Whether Token-2022, which may withhold a fee, executed the transfer. */
  readonly isToken2022: boolean;
}

/** Indexes of the accounts in both kinds of calls. Source: Streamflow's IDL. */
const ENTRY_INDEX = 1;
const VAULT_INDEX = 3;

const STAKE_CALL_KINDS = [
  { kind: 'stake', discriminator: anchorDiscriminator('global', 'stake'), authorityIndex: 6, payerIndex: 5 },
  {
    kind: 'unstake',
    discriminator: anchorDiscriminator('global', 'unstake'),
    authorityIndex: 5,
    payerIndex: 5,
  },
  {
    kind: 'unstake',
    discriminator: anchorDiscriminator('global', 'unstake_as_worker'),
    authorityIndex: 5,
    payerIndex: 5,
  },
] as const;

function findCallKind({ program, data }: ExecutedInstruction) {
  return program === STREAMFLOW
    ? STAKE_CALL_KINDS.find(({ discriminator }) => discriminator.equals(data.subarray(0, 8)))
    : undefined;
}

/**
 * The inner instructions of a call: the instructions that follow it at a greater depth. Some nodes do not record depths. In
 * that case, a call in the message gets the rest of its group, and an inner call gets everything up to the next stake or
 * unstake.
 */
function innerInstructionsOf(group: InstructionGroup, index: number): readonly ExecutedInstruction[] {
  const following = group.slice(index + 1);
  const depth = group[index]?.depth ?? null;
  const end = following.findIndex((next) =>
    depth === null || next.depth === null
      ? index > 0 && findCallKind(next) !== undefined
      : next.depth <= depth,
  );
  return end === -1 ? following : following.slice(0, end);
}

/** The stakes and unstakes of a pool, in order of execution, including those that other programs made as inner calls. */
export function findStakeCalls(groups: readonly InstructionGroup[], vault: string): readonly StakeCall[] {
  return groups.flatMap((group) =>
    group.flatMap((instruction, index) => {
      const call = findCallKind(instruction);
      const { accounts } = instruction;
      if (!call || accounts[VAULT_INDEX] !== vault) return [];
      const { kind, authorityIndex, payerIndex } = call;
      const transfer = innerInstructionsOf(group, index)
        .map(decodeTransfer)
        .find((candidate) => (kind === 'stake' ? candidate?.destination : candidate?.source) === vault);
      const sign = kind === 'stake' ? 1n : -1n;
      return {
        kind,
        entry: accounts[ENTRY_INDEX] ?? null,
        authority: accounts[authorityIndex] ?? null,
        payer: accounts[payerIndex] ?? null,
        change: transfer ? sign * transfer.amount : null,
        isToken2022: transfer?.program === TOKEN_2022,
      };
    }),
  );
}

interface Holding {
  readonly amount: bigint;
  readonly owner: string | null;
}

export interface BalanceChange {
  readonly address: string;
  /** Null if the account did not exist. */
  readonly before: Holding | null;
  readonly after: Holding | null;
  /** Base units, signed. */
  readonly change: bigint;
}

export function balanceChanges(
  { meta }: VersionedTransactionResponse,
  mint: string,
  addressAt: AddressAt,
): readonly BalanceChange[] {
  const holdingsByAddress = (
    balances: readonly TokenBalance[] | null | undefined,
  ): ReadonlyMap<string, Holding> =>
    new Map(
      (balances ?? [])
        .filter((balance) => balance.mint === mint)
        .map(({ accountIndex, uiTokenAmount, owner }) => [
          addressAt(accountIndex) ?? '',
          { amount: BigInt(uiTokenAmount.amount), owner: owner ?? null },
        ]),
    );
  const allBefore = holdingsByAddress(meta?.preTokenBalances);
  const allAfter = holdingsByAddress(meta?.postTokenBalances);
  return [...new Set([...allBefore.keys(), ...allAfter.keys()])].map((address) => {
    const before = allBefore.get(address) ?? null;
    const after = allAfter.get(address) ?? null;
    return { address, before, after, change: (after?.amount ?? 0n) - (before?.amount ?? 0n) };
  });
}

/** The owner of the moved tokens: before the transaction if the balance fell, after it if the balance rose. */
export function walletOf({ before, after, change }: BalanceChange): string | null {
  const [first, second] = change < 0n ? [before, after] : [after, before];
  return first?.owner ?? second?.owner ?? null;
}

/** Signed base units by wallet. */
type WalletChanges = readonly (readonly [wallet: string | null, change: bigint])[];

export function sumByWallet(changes: WalletChanges): WalletChanges {
  const total = (parts: WalletChanges) => parts.reduce((sum, [, change]) => sum + change, 0n);
  return [...Map.groupBy(changes, ([wallet]) => wallet)].map(([wallet, parts]) => [wallet, total(parts)]);
}

/**
 * The counterparty of a change: the wallet with exactly the opposite amount or, if there is none, the wallet with the largest
 * opposite amount. Ties go to the address that comes first in text order.
 */
export function counterpartyOf(changes: WalletChanges, change: bigint): string | null {
  const size = change < 0n ? -change : change;
  const opposite = changes.filter(([, part]) => part !== 0n && part > 0n !== change > 0n);
  const ranked = sumByWallet(opposite)
    .flatMap(([wallet, part]) => (wallet === null ? [] : [{ wallet, moved: part < 0n ? -part : part }]))
    .toSorted((one, other) => {
      if ((one.moved === size) !== (other.moved === size)) return one.moved === size ? -1 : 1;
      if (one.moved !== other.moved) return one.moved > other.moved ? -1 : 1;
      return one.wallet < other.wallet ? -1 : 1;
    });
  return ranked[0]?.wallet ?? null;
}

/** Source: `TokenInstruction` in `spl-token`. `spl-token-2022` uses the same numbers. */
const TRANSFER = 3;
const TRANSFER_CHECKED = 12;
const TRANSFER_FEE_EXTENSION = 26;
const TRANSFER_CHECKED_WITH_FEE = 1;
const U64_BYTES = 8;

interface TokenTransfer {
  readonly program: string;
  readonly source: string | undefined;
  readonly destination: string | undefined;
  /** The base units that left the source, including any withheld fee. */
  readonly amount: bigint;
}

export function isTokenProgram(program: string | undefined): program is string {
  return program === SPL_TOKEN || program === TOKEN_2022;
}

/** Null if the instruction is not a transfer. */
function decodeTransfer({ program, accounts, data }: ExecutedInstruction): TokenTransfer | null {
  if (!isTokenProgram(program)) return null;
  const [source, second, third] = accounts;
  const transferAt = (offset: number, destination: string | undefined): TokenTransfer | null => {
    if (data.length < offset + U64_BYTES) return null;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    return { program, source, destination, amount: view.getBigUint64(offset, true) };
  };
  if (data[0] === TRANSFER) return transferAt(1, second);
  // Checked transfers list the mint between the two accounts.
  if (data[0] === TRANSFER_CHECKED) return transferAt(1, third);
  const isWithFee = data[0] === TRANSFER_FEE_EXTENSION && data[1] === TRANSFER_CHECKED_WITH_FEE;
  return isWithFee ? transferAt(2, third) : null;
}

/** Addresses are base58, or undefined if the response lacks them. */
export interface ExecutedInstruction {
  readonly program: string | undefined;
  readonly accounts: readonly (string | undefined)[];
  readonly data: Uint8Array;
  /** The call depth, from 1; null if the node did not record it. */
  readonly depth: number | null;
}

/** One of the message's instructions, followed by its inner instructions in order. */
type InstructionGroup = readonly [ExecutedInstruction, ...ExecutedInstruction[]];

type AddressAt = (index: number) => string | undefined;

/** Looks up addresses by index. The message's own addresses come first, then those from lookup tables. */
export function addressLookup({ meta, transaction }: VersionedTransactionResponse): AddressAt {
  const loaded = meta?.loadedAddresses;
  const keys = transaction.message.getAccountKeys(loaded && { accountKeysFromLookups: loaded });
  return (index) => keys.get(index)?.toBase58();
}

/** Nodes have reported the depth since version 1.14, but the type in web3.js lacks it. */
type RecordedInstruction = CompiledInstruction & { readonly stackHeight?: number | null };

/** All instructions in order of execution, or only the message's own if the node did not record the inner ones. */
export function instructionGroups(
  { meta, transaction }: VersionedTransactionResponse,
  addressAt: AddressAt,
): readonly InstructionGroup[] {
  const inner = Map.groupBy(meta?.innerInstructions ?? [], ({ index }) => index);
  return transaction.message.compiledInstructions.map(
    ({ programIdIndex, accountKeyIndexes, data }, index) => [
      { program: addressAt(programIdIndex), accounts: accountKeyIndexes.map(addressAt), data, depth: 1 },
      ...(inner.get(index) ?? [])
        .flatMap(({ instructions }) => instructions)
        .map((instruction: RecordedInstruction) => ({
          program: addressAt(instruction.programIdIndex),
          accounts: instruction.accounts.map(addressAt),
          data: bs58.decode(instruction.data),
          depth: instruction.stackHeight ?? null,
        })),
    ],
  );
}
