import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alarmsOfAccount, classify, type Movement } from './classify.ts';
import type { BalanceChange, DecodedTransaction } from './decode.ts';
import type { StakeCallKind } from './instructions.ts';
import type { TokenAccountAction } from './token-instructions.ts';
import { keysFromText } from './wire-transaction.ts';

const VAULT = { address: 'vault-account', role: 'vault' } as const;
const POOL = { address: 'pool-account', role: 'stake-pool-vault' } as const;

const ADDRESSES = [
  'vault-account',
  'pool-account',
  'other-pool-account',
  'entry-1',
  'entry-2',
  ...['wallet-1', 'wallet-2', 'wallet-3'],
  ...['a', 'a1', 'a2', 'b', 'c', 'm'],
];

function change(
  account: string,
  wallet: string | null,
  delta: bigint,
  more: Partial<BalanceChange> = {},
): BalanceChange {
  const existence = { existedBefore: true, existsAfter: true };
  const index = ADDRESSES.indexOf(account);
  return { accountIndex: index, ownerBefore: wallet, ownerAfter: wallet, ...existence, delta, ...more };
}

interface CallFields {
  readonly kind: StakeCallKind;
  readonly amount: bigint | null;
  readonly entry?: string;
  readonly authority?: string;
  readonly holder?: string;
  readonly pool?: string;
  readonly mayHaveFee?: boolean;
}

function transaction(changes: readonly BalanceChange[], ...calls: readonly CallFields[]): DecodedTransaction {
  return {
    ...{ signature: 's', slot: 1, blockTime: null, hasFailed: false },
    accounts: keysFromText(ADDRESSES),
    changes,
    stakeCalls: calls.map(
      ({
        kind,
        amount,
        entry = 'entry-1',
        authority = 'wallet-1',
        holder = authority,
        pool = 'pool-account',
        mayHaveFee = false,
      }) => ({
        kind,
        entryIndex: ADDRESSES.indexOf(entry),
        vaultIndex: ADDRESSES.indexOf(pool),
        authorityIndex: ADDRESSES.indexOf(authority),
        holderIndex: ADDRESSES.indexOf(holder),
        transfer: amount === null ? null : { amount, mayHaveFee },
      }),
    ),
    accountActions: [],
  };
}

const textOf = (movements: readonly Movement[]) =>
  movements.map(({ kind, delta, wallet, stakeEntry }) =>
    [kind, delta, wallet ?? 'nobody', ...(stakeEntry === null ? [] : [stakeEntry])].join(' '),
  );
const alice = (delta: bigint) => change('a', 'alice', delta);
const bob = (delta: bigint) => change('b', 'bob', delta);
const vault = (delta: bigint, more: Partial<BalanceChange> = {}) =>
  change('vault-account', 'owner', delta, more);
const pool = (delta: bigint) => change('pool-account', 'pool', delta);
const wallet1 = (delta: bigint) => change('a', 'wallet-1', delta);

describe('the movements of the vault', () => {
  const closed = { existsAfter: false, ownerAfter: null };

  it.each<[string, readonly BalanceChange[], readonly string[]]>([
    ['tokens from a wallet are a deposit by it', [alice(-5n), vault(5n)], ['deposit 5 alice']],
    ['tokens to a wallet are a withdrawal to it', [vault(-5n), bob(5n)], ['withdraw -5 bob']],
    ['a transaction that only names the vault is not an event', [vault(0n), alice(-5n), bob(5n)], []],
    ['a transaction that does not name the vault is not an event', [alice(-5n), bob(5n)], []],
    ['minting to the vault is a deposit by nobody', [vault(5n)], ['deposit 5 nobody']],
    [
      'among several wallets, the one that moved exactly as much is the counterparty',
      [change('m', 'mallory', -50n), alice(-5n), vault(5n), change('c', 'carol', 50n)],
      ['deposit 5 alice'],
    ],
    [
      'if no amount is the same, the wallet that moved most, in all its accounts together, is the counterparty',
      [change('a1', 'alice', -3n), bob(-4n), change('a2', 'alice', -3n), vault(10n)],
      ['deposit 10 alice'],
    ],
    [
      'among wallets that moved the same amount, the first by name is the counterparty, in any order',
      [bob(-2n), alice(-2n), vault(4n)],
      ['deposit 4 alice'],
    ],
    [
      'a wallet on the same side is not a counterparty',
      [bob(9n), alice(-12n), vault(3n)],
      ['deposit 3 alice'],
    ],
    [
      'a sender with a closed account is named by its last owner',
      [change('a', 'alice', -5n, closed), vault(5n)],
      ['deposit 5 alice'],
    ],
    [
      'a counterparty with an unknown owner has no name',
      [change('a', null, -5n), vault(5n)],
      ['deposit 5 nobody'],
    ],
  ])('%s', (_rule, changes, expected) => {
    expect(textOf(classify(transaction(changes), VAULT))).toEqual(expected);
  });

  it.each<[string, readonly BalanceChange[], CallFields, string]>([
    [
      'a wallet that stakes what the vault pays it is the counterparty',
      [vault(-5n), wallet1(0n), pool(5n)],
      { kind: 'stake', amount: 5n },
      'withdraw -5 wallet-1',
    ],
    [
      'a wallet that stakes what the vault pays it is the counterparty, even if a transfer fee reduces the stake',
      [vault(-100n), wallet1(0n), pool(96n)],
      { kind: 'stake', amount: 98n, mayHaveFee: true },
      'withdraw -100 wallet-1',
    ],
    [
      'a wallet that stakes more than the vault pays it is the counterparty',
      [vault(-5n), wallet1(-4n), pool(9n)],
      { kind: 'stake', amount: 9n },
      'withdraw -5 wallet-1',
    ],
    [
      'a wallet that unstakes and deposits in one transaction is the sender',
      [vault(5n), wallet1(0n), pool(-5n)],
      { kind: 'unstake', amount: 5n },
      'deposit 5 wallet-1',
    ],
    [
      'a stake from the vault itself goes to the pool',
      [change('vault-account', 'wallet-1', -5n), pool(5n)],
      { kind: 'stake', amount: 5n },
      'withdraw -5 pool',
    ],
  ])('with a stake in the same transaction: %s', (_rule, changes, call, expected) => {
    expect(textOf(classify(transaction(changes, call), VAULT))).toEqual([expected]);
  });
});

describe("the movements of the stake pool's vault", () => {
  const stake = (amount: bigint | null, more: Partial<CallFields> = {}): CallFields => ({
    kind: 'stake',
    amount,
    ...more,
  });
  const unstake = (amount: bigint | null, more: Partial<CallFields> = {}): CallFields => ({
    ...stake(amount, more),
    kind: 'unstake',
  });
  const secondEntry = { entry: 'entry-2', authority: 'wallet-2' };
  const otherPool = { pool: 'other-pool-account' };
  const withFee = { mayHaveFee: true };

  it.each<[string, readonly BalanceChange[], readonly CallFields[], readonly string[]]>([
    ['a stake belongs to the wallet of the entry', [pool(5n)], [stake(5n)], ['stake 5 wallet-1 entry-1']],
    [
      'an unstake belongs to the wallet of the entry',
      [pool(-5n), alice(5n)],
      [unstake(5n)],
      ['unstake -5 wallet-1 entry-1'],
    ],
    ['tokens sent directly to the pool are not a stake', [alice(-5n), pool(5n)], [], ['other 5 alice']],
    [
      'tokens sent along with a stake are not part of it, and come from their sender',
      [wallet1(-600n), bob(-1n), pool(601n)],
      [stake(600n)],
      ['stake 600 wallet-1 entry-1', 'other 1 bob'],
    ],
    [
      'tokens that a wallet sends along with its own stake are a separate movement',
      [wallet1(-604n), bob(0n), pool(604n)],
      [stake(600n)],
      ['stake 600 wallet-1 entry-1', 'other 4 wallet-1'],
    ],
    [
      'a stake that another wallet pays for belongs to the wallet of the entry, and the payer sent nothing else',
      [change('a', 'wallet-3', -700n), bob(-500n), pool(1_200n)],
      [stake(700n, { holder: 'wallet-3' })],
      ['stake 700 wallet-1 entry-1', 'other 500 bob'],
    ],
    [
      'tokens sent along with an unstake are a separate movement',
      [wallet1(600n), bob(-1n), pool(-599n)],
      [unstake(600n)],
      ['unstake -600 wallet-1 entry-1', 'other 1 bob'],
    ],
    [
      'tokens that a wallet sends along with its own unstake are a separate movement, though more came back',
      [wallet1(595n), pool(-595n)],
      [unstake(600n)],
      ['unstake -600 wallet-1 entry-1', 'other 5 wallet-1'],
    ],
    [
      'two stakes are two movements, each with its entry and wallet',
      [pool(50n)],
      [stake(20n), stake(30n, secondEntry)],
      ['stake 20 wallet-1 entry-1', 'stake 30 wallet-2 entry-2'],
    ],
    [
      'an unstake and a stake of the same size are two movements, though the balance is unchanged',
      [pool(0n)],
      [unstake(20n), stake(20n, secondEntry)],
      ['unstake -20 wallet-1 entry-1', 'stake 20 wallet-2 entry-2'],
    ],
    [
      'a withheld transfer fee is not staked',
      [pool(570n)],
      [stake(600n, withFee)],
      ['stake 570 wallet-1 entry-1'],
    ],
    [
      'a fee reduces the stake, not the unstake in the same transaction',
      [pool(470n)],
      [unstake(100n, { ...secondEntry, ...withFee }), stake(600n, withFee)],
      ['unstake -100 wallet-2 entry-2', 'stake 570 wallet-1 entry-1'],
    ],
    [
      'a call without a recorded amount moved the rest of the balance change',
      [pool(50n)],
      [stake(20n), stake(null, secondEntry)],
      ['stake 20 wallet-1 entry-1', 'stake 30 wallet-2 entry-2'],
    ],
    [
      'several calls without recorded amounts are one movement without an entry',
      [alice(-50n), pool(50n)],
      [stake(null), stake(null, secondEntry)],
      ['stake 50 alice'],
    ],
    [
      'an unstake and a larger stake without recorded amounts are one stake, of the entry that was opened',
      [pool(50n)],
      [unstake(null), stake(null, secondEntry)],
      ['stake 50 wallet-2 entry-2'],
    ],
    [
      'an unstake and a stake without recorded amounts that moved nothing are of kind other',
      [pool(0n)],
      [unstake(null), stake(null, secondEntry)],
      ['other 0 nobody'],
    ],
    [
      'a call in the opposite direction does not label a movement',
      [alice(-5n), pool(5n)],
      [unstake(null)],
      ['other 5 alice'],
    ],
    [
      'a stake in another pool does not label a movement of this one',
      [alice(-5n), pool(5n)],
      [stake(70n, otherPool)],
      ['other 5 alice'],
    ],
    ['a transaction that only names the pool is not an event', [pool(0n)], [], []],
    ['a stake in another pool is not an event', [pool(0n)], [stake(5n, otherPool)], []],
  ])('%s', (_rule, changes, calls, expected) => {
    expect(textOf(classify(transaction(changes, ...calls), POOL))).toEqual(expected);
  });

  it('add up to the balance change, for any calls', () => {
    const call = fc.record({
      kind: fc.constantFrom('stake', 'unstake'),
      amount: fc.option(fc.bigInt({ min: 1n, max: 50n })),
      mayHaveFee: fc.boolean(),
      pool: fc.constantFrom('pool-account', 'other-pool-account'),
    });
    fc.assert(
      fc.property(fc.bigInt({ min: -99n, max: 99n }), fc.array(call, { maxLength: 4 }), (delta, calls) => {
        const movements = classify(transaction([pool(delta)], ...calls), POOL);
        expect(movements.reduce((sum, movement) => sum + movement.delta, 0n)).toBe(delta);
      }),
    );
  });
});

describe('alarms', () => {
  const unchanged = change('vault-account', 'owner', 0n);
  const handedOver = { ...unchanged, ownerAfter: 'thief' };
  const closed = { ...unchanged, ownerAfter: null, existsAfter: false };
  const handOver = (address: string): TokenAccountAction => ({
    kind: 'owner-changed',
    accountIndex: 0,
    address,
  });
  const alarms = (changed: BalanceChange, ...accountActions: TokenAccountAction[]) =>
    alarmsOfAccount({ ...transaction([changed]), accountActions }, VAULT);

  it('are raised by balances alone, for nodes that do not record inner instructions', () => {
    expect(alarms(handedOver)).toEqual([{ kind: 'owner-changed', address: 'thief' }]);
    expect(alarms(closed)).toEqual([{ kind: 'account-closed', address: null }]);
  });

  it('are not raised by an opened account, an unknown owner, or another account', () => {
    const opened = { ...unchanged, ownerBefore: null, existedBefore: false };
    const unknownOwner = { ...unchanged, ownerBefore: null, ownerAfter: null };
    for (const quiet of [unchanged, opened, unknownOwner, { ...handedOver, accountIndex: 1 }]) {
      expect(alarms(quiet)).toEqual([]);
    }
    const elsewhere = { ...VAULT, address: 'not-named' };
    expect(alarmsOfAccount(transaction([handedOver]), elsewhere)).toEqual([]);
  });

  it('are raised once if instruction and balance agree, and twice if they differ', () => {
    expect(alarms(handedOver, handOver('thief'))).toHaveLength(1);
    expect(alarms(handedOver, handOver('middleman'))).toEqual([
      { kind: 'owner-changed', address: 'middleman' },
      { kind: 'owner-changed', address: 'thief' },
    ]);
  });

  it('are raised by the instruction alone if the node does not report the owner', () => {
    const unknownOwner = { ...unchanged, ownerBefore: null, ownerAfter: null };
    expect(alarms(unknownOwner, handOver('thief'))).toHaveLength(1);
  });
});
