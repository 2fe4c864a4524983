import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import {
  compileInstruction,
  type EncodedTransaction,
  encodeScriptedTransaction,
  type Instruction,
  keysOf,
  sha256,
  type TransactionVersion,
} from './scripted-transaction.ts';

/*
 * A simulated cluster, and the movements that the portal must publish for it. Unlike the embedded ledger, it shares no code
 * with the portal. The layouts, the wire formats and the answers follow public documents:
 * - solana.com/docs/rpc: the methods, their answers and errors.
 * - SIMD-0385: version 1 transactions. Agave's `short_vec.rs` and `message/versions/v0`: transactions of older versions.
 * - spl-token and spl-token-2022, `state.rs` and `extension/transfer_fee`: token accounts, mints and fees.
 * - The IDL of @streamflow/staking: stake pools, stake entries, and the accounts of `stake` and `unstake`.
 */

const STREAMFLOW = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const SYSTEM = '11111111111111111111111111111111';
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';

const DECIMALS = 6;
const LOCK_SECONDS = 180n * 86_400n;
const SLOT_MS = 400;
const GENESIS_SLOT = 400_000_000;
/** The age of the first slot. */
const AGE_MS = 3_600_000;
/** The number of slots from confirmed to finalized. It is as low as with the Alpenglow consensus protocol. */
export const SLOTS_TO_FINALITY = 2;
/** The transfer fee. The cluster rounds fees up, as Token-2022 does. */
const FEE_BASIS_POINTS = 100n;

const addressOf = (name: string): string => bs58.encode(sha256(`address ${name}`));
const discriminatorOf = (name: string): Buffer => sha256(name).subarray(0, 8);

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function programAddress(...seeds: readonly Buffer[]): string {
  return PublicKey.findProgramAddressSync([...seeds], new PublicKey(STREAMFLOW))[0].toBase58();
}

export function decimalText(units: bigint): string {
  const digits = units.toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${digits.slice(0, -DECIMALS)}${fraction && `.${fraction}`}`;
}

interface Account {
  readonly owner: string;
  readonly data: Buffer;
}

interface Entry {
  readonly address: string;
  readonly wallet: string;
  readonly nonce: number;
  readonly amount: bigint;
  readonly openedAt: number;
  readonly openedBy: string;
  readonly closed: { readonly at: number; readonly by: string } | null;
  /** The number of reserved bytes that follow the fields listed in the IDL. */
  readonly reserved: number;
}

interface ExpectedMovement {
  readonly account: 'vault' | 'stake-pool';
  readonly type: string;
  readonly wallet: string | null;
  /** Base units, signed. */
  readonly delta: bigint;
  readonly signature: string;
  readonly part: number;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number;
}

/** A wallet's name, `vault` or `pool`. */
type Holder = string;

type Action =
  | { readonly do: 'transfer'; readonly from: Holder; readonly to: Holder; readonly amount: bigint }
  | { readonly do: 'stake'; readonly wallet: string; readonly amount: bigint; readonly reserved?: number }
  | { readonly do: 'unstake'; readonly wallet: string; readonly nonce: number };

interface SendOptions {
  readonly version?: TransactionVersion;
  readonly fails?: boolean;
}

export interface ExecutedTransaction extends EncodedTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly index: number;
  readonly err: unknown;
  readonly version: TransactionVersion;
  readonly meta: object;
}

export type ScriptedCluster = ReturnType<typeof scriptedCluster>;

/**
 * A cluster with a Token-2022 mint that has a transfer fee, a vault, and a stake pool. Its time advances with the host's
 * clock.
 * @param name determines the addresses, the signatures and the genesis hash
 * @param clockDifferenceMs how far the host's clock is ahead of the chain's
 */
export function scriptedCluster(name: string, { clockDifferenceMs = 0 } = {}) {
  const mint = addressOf(`${name} mint`);
  const pool = addressOf(`${name} pool`);
  const stakeMint = addressOf(`${name} stake mint`);
  const poolVault = programAddress(Buffer.from('stake-vault'), Buffer.from(bs58.decode(pool)));
  const owners: Readonly<Record<string, string>> = { vault: addressOf(`${name} vault owner`), pool };
  const tokenAccounts: Readonly<Record<string, string>> = {
    vault: addressOf(`${name} vault`),
    pool: poolVault,
  };
  const walletOf = (holder: Holder): string => owners[holder] ?? addressOf(`${name} ${holder}`);
  const accountOf = (holder: Holder): string => tokenAccounts[holder] ?? addressOf(`${name} BD of ${holder}`);

  const firstSlotTimeMs = Date.now() - AGE_MS;
  const realSlot = (): number => GENESIS_SLOT + Math.floor((Date.now() - firstSlotTimeMs) / SLOT_MS);
  /** Unix seconds. */
  const timeOf = (slot: number): number =>
    Math.floor((firstSlotTimeMs - clockDifferenceMs + (slot - GENESIS_SLOT) * SLOT_MS) / 1_000);

  const balances = new Map<string, bigint>([
    ['vault', 0n],
    ['pool', 0n],
  ]);
  const entries: Entry[] = [];
  const rows: ExecutedTransaction[] = [];
  const movements: ExpectedMovement[] = [];
  /** Accounts that are neither token accounts nor complete stake entries. */
  const otherAccounts = new Map<string, Account>();
  let supply = 0n;
  let isVaultOpen = true;
  /** The past slot in which the next transaction lands; null after `goLive`, when transactions land in the current slot. */
  let pastSlot: number | null = GENESIS_SLOT + 10;

  const tokenData = (holder: Holder): Buffer => {
    const data = Buffer.alloc(178);
    data.set(bs58.decode(mint), 0);
    data.set(bs58.decode(walletOf(holder)), 32);
    data.set(u64(balances.get(holder) ?? 0n), 64);
    // Byte 108: the state, 1 for initialized. From byte 165: the account type, then the TransferFeeAmount extension (8 bytes).
    data[108] = 1;
    data.set([2, 2, 0, 8, 0], 165);
    return data;
  };
  const mintData = (): Buffer => {
    const data = Buffer.alloc(278);
    data.set(u64(supply), 36);
    data.set([DECIMALS, 1], 44);
    data.set([1, 1, 0, 108, 0], 165);
    return data;
  };
  const openEntries = () => entries.filter(({ closed }) => closed === null);
  const sumOfOpenEntries = () => openEntries().reduce((sum, { amount }) => sum + amount, 0n);
  const poolData = (): Buffer => {
    const data = Buffer.alloc(291);
    data.set(discriminatorOf('account:StakePool'));
    data.set(bs58.decode(mint), 10);
    data.set(bs58.decode(poolVault), 139);
    data.set(bs58.decode(stakeMint), 171);
    data.set(u64(sumOfOpenEntries()), 203);
    return data;
  };
  const entryData = ({ nonce, wallet, amount, openedAt, closed, reserved }: Entry): Buffer => {
    const data = Buffer.alloc(182 + reserved);
    data.set(discriminatorOf('account:StakeEntry'));
    data.writeUInt32LE(nonce, 8);
    data.set(bs58.decode(pool), 12);
    data.set(bs58.decode(wallet), 76);
    data.set(u64(amount), 108);
    data.set(u64(LOCK_SECONDS), 116);
    data.set(u64(BigInt(openedAt)), 140);
    data.set(u64(BigInt(closed?.at ?? 0)), 148);
    return data;
  };
  const clockData = (slot: number): Buffer => Buffer.concat([Buffer.alloc(32), u64(BigInt(timeOf(slot)))]);

  /** A snapshot of the current state. Later transactions do not change it. */
  const state = () => {
    const slot = realSlot();
    const holders = [...balances.keys()].filter((holder) => holder !== 'vault' || isVaultOpen);
    return {
      slot,
      /** Oldest first. */
      rows: [...rows] as readonly ExecutedTransaction[],
      accounts: new Map<string, Account>([
        [mint, { owner: TOKEN_2022, data: mintData() }],
        [pool, { owner: STREAMFLOW, data: poolData() }],
        [CLOCK, { owner: SYSVAR_OWNER, data: clockData(slot) }],
        ...holders.map((one) => [accountOf(one), { owner: TOKEN_2022, data: tokenData(one) }] as const),
        ...entries.map((entry) => [entry.address, { owner: STREAMFLOW, data: entryData(entry) }] as const),
        ...otherAccounts,
      ]),
    };
  };

  const moveTokens = (from: Holder, to: Holder, amount: bigint): bigint => {
    const fee = (amount * FEE_BASIS_POINTS + 9_999n) / 10_000n;
    balances.set(from, (balances.get(from) ?? 0n) - amount);
    balances.set(to, (balances.get(to) ?? 0n) + amount - fee);
    return amount - fee;
  };
  const transferChecked = (from: Holder, to: Holder, amount: bigint): Instruction => ({
    program: TOKEN_2022,
    accounts: [accountOf(from), mint, accountOf(to), walletOf(from)],
    data: Buffer.concat([Buffer.of(12), u64(amount), Buffer.of(DECIMALS)]),
  });

  /** Applies an action. @returns its instruction, and `moved`: the movement in the pool's vault, null if none */
  const apply = (action: Action, slot: number, signature: string) => {
    if (action.do === 'transfer') {
      const { from, to, amount } = action;
      const delta = moveTokens(from, to, amount);
      const moved = to === 'pool' ? { type: 'other', wallet: walletOf(from), delta } : null;
      return { instruction: transferChecked(from, to, amount), moved };
    }
    const wallet = walletOf(action.wallet);
    if (action.do === 'stake') {
      const nonce = entries.filter((entry) => entry.wallet === wallet).length;
      const nonceBytes = Buffer.alloc(4);
      nonceBytes.writeUInt32LE(nonce);
      const keys = [pool, wallet].map((key) => Buffer.from(bs58.decode(key)));
      const address = programAddress(Buffer.from('stake-entry'), ...keys, nonceBytes);
      const inner = [transferChecked(action.wallet, 'pool', action.amount)];
      const delta = moveTokens(action.wallet, 'pool', action.amount);
      const openedAt = timeOf(slot);
      const opened = { address, wallet, nonce, amount: delta, openedAt, openedBy: signature, closed: null };
      entries.push({ ...opened, reserved: action.reserved ?? 38 });
      const from = [accountOf(action.wallet), poolVault, addressOf(`${name} receipts of ${action.wallet}`)];
      const accounts = [pool, address, ...from, wallet, wallet, mint, stakeMint, wallet, TOKEN_2022, SYSTEM];
      const data = Buffer.concat([
        discriminatorOf('global:stake'),
        nonceBytes,
        u64(action.amount),
        u64(LOCK_SECONDS),
      ]);
      return {
        instruction: { program: STREAMFLOW, accounts, data, inner },
        moved: { type: 'stake', wallet, delta },
      };
    }
    const entryIndex = entries.findIndex((one) => one.wallet === wallet && one.nonce === action.nonce);
    const entry = entries[entryIndex];
    if (!entry) throw new Error(`${action.wallet} has no stake ${action.nonce}`);
    entries[entryIndex] = { ...entry, closed: { at: timeOf(slot), by: signature } };
    moveTokens('pool', action.wallet, entry.amount);
    const to = [addressOf(`${name} receipts of ${action.wallet}`), poolVault, accountOf(action.wallet)];
    const accounts = [pool, entry.address, ...to, wallet, mint, stakeMint, wallet, TOKEN_2022];
    const inner = [transferChecked('pool', action.wallet, entry.amount)];
    return {
      instruction: {
        program: STREAMFLOW,
        accounts,
        data: Buffer.concat([discriminatorOf('global:unstake'), Buffer.of(0)]),
        inner,
      },
      moved: { type: 'unstake', wallet, delta: -entry.amount },
    };
  };

  const send = (actions: readonly Action[], { version = 0, fails = false }: SendOptions = {}): string => {
    const slot = pastSlot ?? realSlot();
    const signature = bs58.encode(
      Buffer.concat([sha256(`${name} ${rows.length} a`), sha256(`${name} ${rows.length} b`)]),
    );
    const holders = [...balances.keys()];
    const before = new Map(balances);
    const applied = fails ? [] : actions.map((action) => apply(action, slot, signature));
    const transactionFields = { signature, slot, blockTime: timeOf(slot) };
    const delta = (balances.get('vault') ?? 0n) - (before.get('vault') ?? 0n);
    const vaultTransfer = actions.find(
      (one) => one.do === 'transfer' && [one.from, one.to].includes('vault'),
    );
    if (delta !== 0n && vaultTransfer?.do === 'transfer') {
      const wallet = walletOf(vaultTransfer.from === 'vault' ? vaultTransfer.to : vaultTransfer.from);
      const type = delta > 0n ? 'deposit' : 'withdraw';
      movements.push({ ...transactionFields, account: 'vault', part: 0, type, wallet, delta });
    }
    const poolMovements = applied.flatMap(({ moved }) => moved ?? []);
    movements.push(
      ...poolMovements.map((moved, part) => ({
        ...transactionFields,
        account: 'stake-pool' as const,
        part,
        ...moved,
      })),
    );

    const instructionWithVault = {
      program: SYSTEM,
      accounts: [accountOf('vault')],
      data: Buffer.of(2, 0, 0, 0),
    };
    const instructions: readonly Instruction[] = fails
      ? [instructionWithVault]
      : applied.map(({ instruction }) => instruction);
    const holdersAfter = [...new Set([...holders, ...balances.keys()])];
    rows.push({
      ...encodeScriptedTransaction(signature, version, walletOf('payer'), instructions),
      ...{ signature, slot, version, index: rows.filter((row) => row.slot === slot).length },
      err: fails ? { InstructionError: [0, { Custom: 1 }] } : null,
      meta: metaOf(instructions, fails, before, holdersAfter),
    });
    return signature;
  };

  const metaOf = (
    instructions: readonly Instruction[],
    fails: boolean,
    before: ReadonlyMap<string, bigint>,
    holders: readonly Holder[],
  ): object => {
    const keys = keysOf(walletOf('payer'), instructions);
    const balancesIn = (from: ReadonlyMap<string, bigint>) =>
      holders.flatMap((holder) => {
        const amount = from.get(holder);
        const accountIndex = keys.indexOf(accountOf(holder));
        if (amount === undefined || accountIndex === -1) return [];
        const uiAmountString = decimalText(amount);
        const uiAmount = Number(uiAmountString);
        const uiTokenAmount = { amount: `${amount}`, decimals: DECIMALS, uiAmount, uiAmountString };
        return [{ accountIndex, mint, owner: walletOf(holder), programId: TOKEN_2022, uiTokenAmount }];
      });
    return {
      err: fails ? { InstructionError: [0, { Custom: 1 }] } : null,
      status: fails ? { Err: { InstructionError: [0, { Custom: 1 }] } } : { Ok: null },
      fee: 5_000,
      preBalances: keys.map(() => 1_000_000_000),
      postBalances: keys.map((_, index) => (index === 0 ? 999_995_000 : 1_000_000_000)),
      preTokenBalances: balancesIn(before),
      postTokenBalances: balancesIn(balances),
      innerInstructions: instructions.flatMap(({ inner = [] }, index) =>
        inner.length === 0
          ? []
          : [
              {
                index,
                instructions: inner.map((one) => ({ ...compileInstruction(one, keys), stackHeight: 2 })),
              },
            ],
      ),
      loadedAddresses: { writable: [], readonly: [] },
      logMessages: [],
      rewards: [],
      computeUnitsConsumed: 40_000,
    };
  };

  return {
    mint,
    pool,
    vault: accountOf('vault'),
    genesisHash: bs58.encode(sha256(`${name} genesis`)),
    state,
    timeOf,
    /** Oldest first. */
    movements: movements as readonly ExpectedMovement[],
    entries: entries as readonly Entry[],
    openEntries,
    totalStaked: sumOfOpenEntries,
    balanceOf: (holder: Holder): bigint => balances.get(holder) ?? 0n,
    send,
    /** Mints tokens to a holder without recording a transaction. */
    mintTo(holder: Holder, amount: bigint): void {
      supply += amount;
      balances.set(holder, (balances.get(holder) ?? 0n) + amount);
    },
    /** Makes the next transactions land in a later slot that is already finalized. Has no effect after `goLive`. */
    nextSlot(slots = 1): void {
      if (pastSlot !== null) pastSlot = Math.min(pastSlot + slots, realSlot() - SLOTS_TO_FINALITY - 1);
    },
    goLive(): void {
      pastSlot = null;
    },
    closeVault(): void {
      isVaultOpen = false;
    },
    openVault(): void {
      isVaultOpen = true;
    },
    /** Adds an account that is marked as a stake entry of the pool but is too short to be decoded. */
    addUnreadableEntry(): void {
      const data = Buffer.alloc(100);
      data.set(discriminatorOf('account:StakeEntry'));
      data.set(bs58.decode(pool), 12);
      otherAccounts.set(addressOf(`${name} unread entry`), { owner: STREAMFLOW, data });
    },
  };
}
