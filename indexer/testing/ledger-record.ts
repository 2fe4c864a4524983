import { VersionedTransaction } from '@solana/web3.js';
import { STAKE_ENTRY, STAKE_POOL } from '../../data/model/stake-layout.ts';
import { STAKING_PROGRAM } from '../../data/model/staking-terms.ts';
import type { ChainEvent } from '../../data/store/chain-rows.ts';
import { LEDGER } from '../ledger/addresses.ts';
import type { LedgerAccount, LedgerChain, LedgerTransaction } from '../ledger/chain.ts';
import { signatureHistoryOf } from '../ledger/testing/test-ledger.ts';

/** A balance change of a watched account, from the ledger's own records. */
export interface RecordedMovement {
  readonly account: string;
  readonly signature: string;
  readonly slot: number;
  /** The transaction's position among the account's transactions in the slot. */
  readonly position: number;
  /** Unix ms. */
  readonly blockTime: number;
  /** Base units, signed. */
  readonly delta: bigint;
}

/** Adds up the events of each transaction per account, in order, and omits sums of zero. */
export function netMovements(events: readonly ChainEvent[]): readonly RecordedMovement[] {
  const byTransaction = Map.groupBy(events, ({ signature, account }) => `${signature} ${account}`);
  return [...byTransaction.values()].flatMap((parts) => {
    const [first] = parts;
    const delta = parts.reduce((sum, part) => sum + part.delta, 0n);
    if (!first || delta === 0n) return [];
    const { account, signature, slot, position, blockTime } = first;
    return [{ account, signature, slot, position, delta, blockTime: blockTime ?? Number.NaN }];
  });
}

/** A ledger's state at each slot, recorded without using the indexer's code. */
export interface LedgerRecord {
  readonly chain: LedgerChain;
  /** A recorded account or a stake entry, as it was at the end of a slot; null if it did not exist then. */
  accountAt(address: string, slot: number): LedgerAccount | null;
  stakeAccountsAt(slot: number): readonly (readonly [address: string, account: LedgerAccount])[];
  /** The figures at the end of a slot, as text; null before the record begins. */
  figuresAt(slot: number): string | null;
  /** The movements of both watched accounts, oldest first. */
  readonly movements: readonly RecordedMovement[];
}

interface Figures {
  readonly vaultBalance: bigint | null;
  readonly vaultLamports: bigint | null;
  readonly totalStaked: bigint;
  readonly poolVaultBalance: bigint;
  readonly supply: bigint;
  readonly stakerCount: number;
  readonly entries: readonly {
    readonly address: string;
    readonly wallet: string;
    readonly amount: bigint;
    /** Unix ms. */
    readonly createdAt: number;
    readonly unlocksAt: number;
    readonly closedAt: number | null;
  }[];
}

/** One figure per line, in a fixed order. */
export function figuresText({ entries, ...amounts }: Figures): string {
  const { vaultBalance, vaultLamports, totalStaked, poolVaultBalance, supply, stakerCount } = amounts;
  const figures = { vaultBalance, vaultLamports, totalStaked, poolVaultBalance, supply, stakerCount };
  const lines = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  const stakes = entries.map(
    ({ address, wallet, amount, createdAt, unlocksAt, closedAt }) =>
      `entry ${address} of ${wallet}: ${amount}, ${createdAt} to ${unlocksAt}, closed ${closedAt}`,
  );
  return [...lines, ...stakes.toSorted()].join('\n');
}

const RECORDED_ACCOUNTS = [LEDGER.vault, LEDGER.stakePool, LEDGER.stakeVault, LEDGER.mint];
const ACCOUNTS_WITH_MOVEMENTS = [LEDGER.vault, LEDGER.stakeVault];
/** More than the number of slots by which any test node lags. */
const SLOTS_BEFORE = 10;

interface Version {
  readonly slot: number;
  readonly account: LedgerAccount | null;
}

/** Records a ledger's state from now on, and all its movements, including past ones. */
export function recordLedger(chain: LedgerChain): LedgerRecord {
  const versions = new Map<string, Version[]>();
  const states: { readonly slot: number; readonly text: string }[] = [];
  const movements: RecordedMovement[] = [];
  const positions = new Map<string, { slot: number; next: number }>();

  const recordVersion = (address: string, account: LedgerAccount | null, slot: number): void => {
    const copy = account && { ...account, data: Uint8Array.from(account.data) };
    const known = versions.get(address);
    if (known) known.push({ slot, account: copy });
    else versions.set(address, [{ slot, account: copy }]);
  };
  const recordFigures = (slot: number): void => {
    states.push({ slot, text: figuresText(readFigures(chain)) });
  };
  const recordMovements = (transaction: LedgerTransaction): void => {
    const keys = accountKeys(transaction);
    for (const account of ACCOUNTS_WITH_MOVEMENTS) {
      const index = keys.indexOf(account);
      if (index === -1) continue;
      const { signature, slot, blockTime } = transaction;
      const last = positions.get(account);
      const position = last?.slot === slot ? last.next : 0;
      positions.set(account, { slot, next: position + 1 });
      const balanceIn = (side: LedgerTransaction['preTokenBalances']) =>
        side.find(({ accountIndex }) => accountIndex === index)?.amount ?? 0n;
      const delta = balanceIn(transaction.postTokenBalances) - balanceIn(transaction.preTokenBalances);
      if (transaction.err !== null || delta === 0n) continue;
      movements.push({ account, signature, slot, position, blockTime: blockTime * 1_000, delta });
    }
  };

  for (const transaction of pastTransactions(chain)) recordMovements(transaction);
  // The initial state is also recorded for the slots before it, because a lagging node may report one of them.
  const start = chain.clock().slot - SLOTS_BEFORE;
  for (const address of RECORDED_ACCOUNTS) recordVersion(address, chain.account(address), start);
  for (const [address, account] of chain.programAccounts(STAKING_PROGRAM))
    recordVersion(address, account, start);
  recordFigures(start);
  chain.on('transaction', (transaction) => {
    recordMovements(transaction);
    recordFigures(transaction.slot);
  });
  chain.on('accountChange', (address, account, slot) => {
    if (account?.owner === STAKING_PROGRAM || versions.has(address)) recordVersion(address, account, slot);
  });

  const accountAt = (address: string, slot: number): LedgerAccount | null =>
    versions.get(address)?.findLast((version) => version.slot <= slot)?.account ?? null;
  return {
    chain,
    movements,
    accountAt,
    stakeAccountsAt: (slot) =>
      [...versions.keys()].flatMap((address) => {
        const account = accountAt(address, slot);
        return account?.owner === STAKING_PROGRAM ? [[address, account] as const] : [];
      }),
    figuresAt: (slot) => states.findLast((state) => state.slot <= slot)?.text ?? null,
  };
}

/** Oldest first. */
function pastTransactions(chain: LedgerChain): readonly LedgerTransaction[] {
  const rows = ACCOUNTS_WITH_MOVEMENTS.flatMap((account) => signatureHistoryOf(chain, account));
  const past = [...new Set(rows.map(({ signature }) => signature))].map((signature) => {
    const transaction = chain.transaction(signature);
    if (!transaction) throw new Error(`the ledger lists ${signature} but does not have it`);
    return transaction;
  });
  return past.toSorted((one, other) => one.slot - other.slot || one.position - other.position);
}

function accountKeys({ wire, loadedAddresses }: LedgerTransaction): readonly string[] {
  const { staticAccountKeys } = VersionedTransaction.deserialize(wire).message;
  const staticKeys = staticAccountKeys.map((key) => key.toBase58());
  return [...staticKeys, ...loadedAddresses.writable, ...loadedAddresses.readonly];
}

/** Layouts: spl-token `Account` (amount at 64) and `Mint` (supply at 36). */
function readFigures(chain: LedgerChain): Figures {
  const dataOf = (address: string): Buffer => {
    const account = chain.account(address);
    if (!account) throw new Error(`the ledger has no account ${address}`);
    return Buffer.from(account.data);
  };
  const entries = [...chain.programAccounts(STAKING_PROGRAM)].flatMap(([address, { data }]) => {
    const entry = STAKE_ENTRY.decode(data);
    if (!entry) return [];
    const createdAt = Number(entry.createdAt) * 1_000;
    const unlocksAt = createdAt + Number(entry.duration) * 1_000;
    const closedAt = entry.closedAt === 0n ? null : Number(entry.closedAt) * 1_000;
    return [{ address, wallet: entry.authority, amount: entry.amount, createdAt, unlocksAt, closedAt }];
  });
  const pool = STAKE_POOL.decode(dataOf(LEDGER.stakePool));
  return {
    vaultBalance: dataOf(LEDGER.vault).readBigUInt64LE(64),
    vaultLamports: chain.account(LEDGER.vault)?.lamports ?? 0n,
    totalStaked: pool?.totalStake ?? 0n,
    poolVaultBalance: dataOf(LEDGER.stakeVault).readBigUInt64LE(64),
    supply: dataOf(LEDGER.mint).readBigUInt64LE(36),
    stakerCount: new Set(entries.filter(({ closedAt }) => closedAt === null).map(({ wallet }) => wallet))
      .size,
    entries,
  };
}
