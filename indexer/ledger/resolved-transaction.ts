import type { LedgerAccount, TransactionErrorJson } from './chain.ts';
import { type LoadedAddresses, resolveLookups } from './lookup-tables.ts';
import { LOADER_PROGRAMS, STAKE_PROGRAM, SYSTEM_PROGRAM } from './programs.ts';
import { MAX_ACCOUNT_LOCKS, type MessageHeader, type WireTransaction } from './wire.ts';

/** Bytes of a nonce account, which may pay fees too. */
const NONCE_BYTES = 80;

/** A transaction with every account it names known by address. */
export interface ResolvedTransaction {
  readonly wire: WireTransaction;
  /** Static keys, then loaded writable, then loaded readonly. */
  readonly keys: readonly string[];
  readonly loaded: LoadedAddresses;
  isSigner(index: number): boolean;
  isWritable(index: number): boolean;
}

export type Resolution =
  | { readonly kind: 'resolved'; readonly transaction: ResolvedTransaction }
  | { readonly kind: 'refused'; readonly err: TransactionErrorJson };

/** Looks up what a transaction names, and refuses what the runtime would refuse before it runs anything. */
export function resolveTransaction(
  wire: WireTransaction,
  slot: number,
  read: (address: string) => LedgerAccount | null,
): Resolution {
  const { header, staticKeys, lookups, instructions } = wire.message;
  const resolution = resolveLookups(lookups, slot, read);
  if (resolution.kind === 'refused') return resolution;
  const loaded = resolution.addresses;
  const keys = lookups.length === 0 ? staticKeys : [...staticKeys, ...loaded.writable, ...loaded.readonly];
  if (keys.length > MAX_ACCOUNT_LOCKS) return { kind: 'refused', err: 'TooManyAccountLocks' };
  if (new Set(keys).size !== keys.length) return { kind: 'refused', err: 'AccountLoadedTwice' };
  const payerFault = feePayerFault(keys[0], read);
  if (payerFault !== null) return { kind: 'refused', err: payerFault };
  for (const [index, instruction] of instructions.entries()) {
    const program = staticKeys[instruction.programIdIndex];
    if (program === undefined) return { kind: 'refused', err: 'ProgramAccountNotFound' };
    if (program === STAKE_PROGRAM) continue;
    if (LOADER_PROGRAMS.has(program)) {
      return { kind: 'refused', err: { InstructionError: [index, 'UnsupportedProgramId'] } };
    }
    if (read(program) === null) return { kind: 'refused', err: 'ProgramAccountNotFound' };
  }
  return {
    kind: 'resolved',
    transaction: {
      wire,
      keys,
      loaded,
      isSigner: (index) => index < header.requiredSignatures,
      isWritable: (index) => isWritable(index, header, staticKeys.length, loaded.writable.length),
    },
  };
}

/** With some first accounts (the instructions sysvar) the runtime takes the fee from the next, so the first has to be a wallet. */
function feePayerFault(
  payer: string | undefined,
  read: (address: string) => LedgerAccount | null,
): TransactionErrorJson | null {
  const account = payer === undefined ? null : read(payer);
  if (account === null) return 'AccountNotFound';
  const isWallet = account.owner === SYSTEM_PROGRAM && !account.executable;
  return isWallet && (account.data.length === 0 || account.data.length === NONCE_BYTES)
    ? null
    : 'InvalidAccountForFee';
}

function isWritable(index: number, header: MessageHeader, statics: number, loadedWritable: number): boolean {
  if (index < header.requiredSignatures) return index < header.requiredSignatures - header.readonlySigned;
  if (index < statics) return index < statics - header.readonlyUnsigned;
  return index < statics + loadedWritable;
}
