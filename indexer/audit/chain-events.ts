import type { TokenBalance, VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';
import { anchorTag, STREAMFLOW } from './chain-accounts.ts';

/** What one transaction did to the vault or the pool's vault, told anew from the chain's own words. */
export interface AuditedEvent {
  readonly signature: string;
  readonly account: 'vault' | 'stake-pool';
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number | null;
  readonly type: 'deposit' | 'withdraw' | 'stake' | 'unstake' | 'other';
  /** Base units, signed. */
  readonly change: bigint;
  readonly wallet: string | null;
  /** Accounts that the staking program was called with. */
  readonly stakeAccounts: readonly string[];
  /** The stake entry that was opened or ended, where it was just one. */
  readonly stakeEntry: string | null;
}

/** Where the staking program's calls name the entry. Source: Streamflow's IDL. */
const ENTRY_PLACE = 1;

export interface Watched {
  readonly address: string;
  readonly account: 'vault' | 'stake-pool';
  readonly mint: string;
}

interface Instruction {
  readonly program: string | undefined;
  readonly accounts: readonly (string | undefined)[];
  readonly data: Uint8Array;
}

/** The event of a transaction on a watched account, or null where it changed nothing there. */
export function eventOf(response: VersionedTransactionResponse, watched: Watched): AuditedEvent | null {
  const { meta, transaction, slot, blockTime = null } = response;
  if (!meta || meta.err) return null;
  const loaded = meta.loadedAddresses;
  const keys = transaction.message.getAccountKeys(loaded && { accountKeysFromLookups: loaded });
  const addressAt = (index: number) => keys.get(index)?.toBase58();
  const before = holdings(meta.preTokenBalances ?? [], watched.mint, addressAt);
  const after = holdings(meta.postTokenBalances ?? [], watched.mint, addressAt);
  const was = before.get(watched.address);
  const is = after.get(watched.address);
  if (!was && !is) return null;
  const change = (is?.amount ?? 0n) - (was?.amount ?? 0n);
  const calls = stakeCalls(response, addressAt, watched);
  const isTouched = !was || !is || was.owner !== is.owner || calls.length > 0;
  if (change === 0n && !isTouched) return null;
  const word = change > 0n ? 'stake' : 'unstake';
  const fitting = calls.filter((call) => call.word === word);
  return {
    signature: transaction.signatures[0] ?? '',
    account: watched.account,
    slot,
    blockTime,
    type: change === 0n ? 'other' : typeOf(watched, change, fitting.length > 0),
    change,
    wallet: change === 0n ? null : otherSide(before, after, change),
    stakeEntry: fitting.length === 1 ? (fitting[0]?.accounts[ENTRY_PLACE] ?? null) : null,
    stakeAccounts: fitting.flatMap(({ accounts }) => accounts.filter((address) => address !== undefined)),
  };
}

function typeOf({ account }: Watched, change: bigint, isStaking: boolean): AuditedEvent['type'] {
  if (account === 'vault') return change > 0n ? 'deposit' : 'withdraw';
  if (!isStaking) return 'other';
  return change > 0n ? 'stake' : 'unstake';
}

interface Holding {
  readonly amount: bigint;
  readonly owner: string | null;
}

function holdings(
  balances: readonly TokenBalance[],
  mint: string,
  addressAt: (index: number) => string | undefined,
): ReadonlyMap<string, Holding> {
  return new Map(
    balances
      .filter((balance) => balance.mint === mint)
      .map(({ accountIndex, uiTokenAmount, owner }) => [
        addressAt(accountIndex) ?? '',
        { amount: BigInt(uiTokenAmount.amount), owner: owner ?? null },
      ]),
  );
}

/** The wallet whose tokens moved the other way: exactly as many, else the most; of equals the first by its text. */
function otherSide(
  before: ReadonlyMap<string, Holding>,
  after: ReadonlyMap<string, Holding>,
  change: bigint,
): string | null {
  const sums = new Map<string, bigint>();
  for (const address of new Set([...before.keys(), ...after.keys()])) {
    const was = before.get(address);
    const is = after.get(address);
    const moved = (is?.amount ?? 0n) - (was?.amount ?? 0n);
    if (moved === 0n || moved > 0n === change > 0n) continue;
    const owner = moved < 0n ? (was?.owner ?? is?.owner) : (is?.owner ?? was?.owner);
    if (owner) sums.set(owner, (sums.get(owner) ?? 0n) + (moved < 0n ? -moved : moved));
  }
  const size = change < 0n ? -change : change;
  const ranked = [...sums].toSorted(([oneWallet, one], [otherWallet, other]) => {
    if ((one === size) !== (other === size)) return one === size ? -1 : 1;
    if (one !== other) return one > other ? -1 : 1;
    return oneWallet < otherWallet ? -1 : 1;
  });
  return ranked[0]?.[0] ?? null;
}

const WORDS = [
  { word: 'stake', tag: anchorTag('global', 'stake') },
  { word: 'unstake', tag: anchorTag('global', 'unstake') },
  { word: 'unstake', tag: anchorTag('global', 'unstake_as_worker') },
] as const;

/** Calls of the staking program that name the watched account, direct ones and those inside others. */
function stakeCalls(
  { meta, transaction }: VersionedTransactionResponse,
  addressAt: (index: number) => string | undefined,
  { address }: Watched,
) {
  const direct = transaction.message.compiledInstructions.map(
    ({ programIdIndex, accountKeyIndexes, data }): Instruction => ({
      program: addressAt(programIdIndex),
      accounts: accountKeyIndexes.map(addressAt),
      data,
    }),
  );
  const inner = (meta?.innerInstructions ?? []).flatMap(({ instructions }) =>
    instructions.map(
      ({ programIdIndex, accounts, data }): Instruction => ({
        program: addressAt(programIdIndex),
        accounts: accounts.map(addressAt),
        data: bs58.decode(data),
      }),
    ),
  );
  return [...direct, ...inner]
    .filter(({ program, accounts }) => program === STREAMFLOW && accounts.includes(address))
    .flatMap(({ accounts, data }) =>
      WORDS.filter(({ tag }) => tag.equals(data.subarray(0, 8))).map(({ word }) => ({ word, accounts })),
    );
}
