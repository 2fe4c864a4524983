import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alarmsOn, classify } from './classify.ts';
import type { BalanceChange, DecodedTransaction } from './decode.ts';
import type { StakeCallKind } from './instructions.ts';
import type { TokenAccountAction } from './token-instructions.ts';
import { textKeys } from './wire-transaction.ts';

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
  return { account: index, ownerBefore: wallet, ownerAfter: wallet, ...existence, delta, ...more };
}

/** A call of the staking program, with defaults. */
interface Called {
  readonly kind: StakeCallKind;
  readonly amount: bigint | null;
  readonly entry?: string;
  readonly authority?: string;
  readonly holder?: string;
  readonly pool?: string;
  readonly mayHaveFee?: boolean;
}

function transaction(changes: readonly BalanceChange[], ...called: readonly Called[]): DecodedTransaction {
  return {
    ...{ signature: 's', slot: 1, blockTime: null, hasFailed: false },
    accounts: textKeys(ADDRESSES),
    changes,
    stakeCalls: called.map(
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
        entry: ADDRESSES.indexOf(entry),
        vault: ADDRESSES.indexOf(pool),
        authority: ADDRESSES.indexOf(authority),
        holder: ADDRESSES.indexOf(holder),
        moved: amount === null ? null : { amount, mayHaveFee },
      }),
    ),
    accountActions: [],
  };
}

describe('the movements of the vault', () => {
  it.each([
    [
      'tokens that came from a wallet are its deposit',
      [change('a', 'alice', -5n), change('vault-account', 'owner', 5n)],
      { kind: 'deposit', wallet: 'alice', delta: 5n },
    ],
    [
      'tokens that went to a wallet are a withdrawal to it',
      [change('vault-account', 'owner', -5n), change('b', 'bob', 5n)],
      { kind: 'withdraw', wallet: 'bob', delta: -5n },
    ],
    [
      'a transaction that does not change the balance is no event: anyone can name the vault',
      [change('vault-account', 'owner', 0n), change('a', 'alice', -5n), change('b', 'bob', 5n)],
      null,
    ],
    [
      'a transaction that does not touch it is no event',
      [change('a', 'alice', -5n), change('b', 'bob', 5n)],
      null,
    ],
    [
      'minting to it is a deposit by nobody',
      [change('vault-account', 'owner', 5n)],
      { kind: 'deposit', wallet: null, delta: 5n },
    ],
    [
      'of several wallets, the one that moved exactly as much is the counterparty',
      [
        change('m', 'mallory', -50n),
        change('a', 'alice', -5n),
        change('vault-account', 'owner', 5n),
        change('c', 'carol', 50n),
      ],
      { kind: 'deposit', wallet: 'alice', delta: 5n },
    ],
    [
      'if no amount is the same, the wallet that moved most, in all its accounts together, is the counterparty',
      [
        change('a1', 'alice', -3n),
        change('b', 'bob', -4n),
        change('a2', 'alice', -3n),
        change('vault-account', 'owner', 10n),
      ],
      { kind: 'deposit', wallet: 'alice', delta: 10n },
    ],
    [
      'of wallets that moved the same amount, the first by name is the counterparty, in any order',
      [change('b', 'bob', -2n), change('a', 'alice', -2n), change('vault-account', 'owner', 4n)],
      { kind: 'deposit', wallet: 'alice', delta: 4n },
    ],
    [
      'wallets on the same side are no counterparty',
      [change('b', 'bob', 9n), change('a', 'alice', -12n), change('vault-account', 'owner', 3n)],
      { kind: 'deposit', wallet: 'alice', delta: 3n },
    ],
    [
      'a sender with a closed account is named by its last owner',
      [
        change('a', 'alice', -5n, { existsAfter: false, ownerAfter: null }),
        change('vault-account', 'owner', 5n),
      ],
      { kind: 'deposit', wallet: 'alice', delta: 5n },
    ],
    [
      'a counterparty with an unknown owner has no name',
      [change('a', null, -5n), change('vault-account', null, 5n)],
      { kind: 'deposit', wallet: null, delta: 5n },
    ],
  ])('%s', (_rule, changes, expected) => {
    const movements = expected === null ? [] : [{ ...expected, stakeEntry: null }];
    expect(classify(transaction(changes), VAULT)).toEqual(movements);
  });

  it.each<[string, readonly BalanceChange[], Called, object]>([
    [
      'a wallet that stakes what the vault pays it is the counterparty',
      [
        change('vault-account', 'owner', -5n),
        change('a', 'wallet-1', 0n),
        change('pool-account', 'pool', 5n),
      ],
      { kind: 'stake', amount: 5n },
      { kind: 'withdraw', wallet: 'wallet-1', delta: -5n },
    ],
    [
      'such a wallet is the counterparty even if a transfer fee reduces the stake',
      [
        change('vault-account', 'owner', -100n),
        change('a', 'wallet-1', 0n),
        change('pool-account', 'pool', 96n),
      ],
      { kind: 'stake', amount: 98n, mayHaveFee: true },
      { kind: 'withdraw', wallet: 'wallet-1', delta: -100n },
    ],
    [
      'such a wallet is the counterparty even if it stakes more',
      [
        change('vault-account', 'owner', -5n),
        change('a', 'wallet-1', -4n),
        change('pool-account', 'pool', 9n),
      ],
      { kind: 'stake', amount: 9n },
      { kind: 'withdraw', wallet: 'wallet-1', delta: -5n },
    ],
    [
      'a wallet that unstakes and deposits at once is the sender',
      [
        change('vault-account', 'owner', 5n),
        change('a', 'wallet-1', 0n),
        change('pool-account', 'pool', -5n),
      ],
      { kind: 'unstake', amount: 5n },
      { kind: 'deposit', wallet: 'wallet-1', delta: 5n },
    ],
    [
      'a stake from the vault itself goes to the pool',
      [change('vault-account', 'wallet-1', -5n), change('pool-account', 'pool', 5n)],
      { kind: 'stake', amount: 5n },
      { kind: 'withdraw', wallet: 'pool', delta: -5n },
    ],
  ])('with a stake in the same transaction: %s', (_rule, changes, called, expected) => {
    expect(classify(transaction(changes, called), VAULT)).toEqual([{ ...expected, stakeEntry: null }]);
  });
});

describe("the movements of the stake pool's vault", () => {
  const pool = (delta: bigint) => change('pool-account', 'pool', delta);
  const of = (kind: StakeCallKind, amount: bigint | null, more: Partial<Called> = {}): Called => ({
    kind,
    amount,
    ...more,
  });
  const second = { entry: 'entry-2', authority: 'wallet-2' };
  const stake1 = { kind: 'stake', wallet: 'wallet-1', stakeEntry: 'entry-1' };
  const unstake1 = { ...stake1, kind: 'unstake' };
  const stake2 = { kind: 'stake', wallet: 'wallet-2', stakeEntry: 'entry-2' };
  const other = { kind: 'other', stakeEntry: null };

  it.each<[string, readonly BalanceChange[], readonly Called[], readonly object[]]>([
    ['a stake is one, by the owner of the entry', [pool(5n)], [of('stake', 5n)], [{ ...stake1, delta: 5n }]],
    [
      'an unstake is one',
      [pool(-5n), change('a', 'alice', 5n)],
      [of('unstake', 5n)],
      [{ ...unstake1, delta: -5n }],
    ],
    [
      'tokens sent directly to it are no stake',
      [change('a', 'alice', -5n), pool(5n)],
      [],
      [{ ...other, wallet: 'alice', delta: 5n }],
    ],
    [
      'tokens sent along with a stake are not part of it, and come from their sender',
      [change('a', 'wallet-1', -600n), change('b', 'bob', -1n), pool(601n)],
      [of('stake', 600n)],
      [
        { ...stake1, delta: 600n },
        { ...other, wallet: 'bob', delta: 1n },
      ],
    ],
    [
      'tokens that a wallet sends along with its own stake are a movement of their own',
      [change('a', 'wallet-1', -604n), change('b', 'bob', 0n), pool(604n)],
      [of('stake', 600n)],
      [
        { ...stake1, delta: 600n },
        { ...other, wallet: 'wallet-1', delta: 4n },
      ],
    ],
    [
      'a stake that another wallet pays for belongs to the owner of the entry, and the payer sent nothing else',
      [change('a', 'wallet-3', -700n), change('b', 'bob', -500n), pool(1_200n)],
      [of('stake', 700n, { holder: 'wallet-3' })],
      [
        { ...stake1, delta: 700n },
        { ...other, wallet: 'bob', delta: 500n },
      ],
    ],
    [
      'tokens sent along with an unstake are a movement of their own',
      [change('a', 'wallet-1', 600n), change('b', 'bob', -1n), pool(-599n)],
      [of('unstake', 600n)],
      [
        { ...unstake1, delta: -600n },
        { ...other, wallet: 'bob', delta: 1n },
      ],
    ],
    [
      'tokens that a wallet sends along with its own unstake are a movement of their own, though more came back',
      [change('a', 'wallet-1', 595n), pool(-595n)],
      [of('unstake', 600n)],
      [
        { ...unstake1, delta: -600n },
        { ...other, wallet: 'wallet-1', delta: 5n },
      ],
    ],
    [
      'two stakes are two, each with its entry and wallet',
      [pool(50n)],
      [of('stake', 20n), of('stake', 30n, second)],
      [
        { ...stake1, delta: 20n },
        { ...stake2, delta: 30n },
      ],
    ],
    [
      'an unstake and a stake of the same size are two movements, though nothing moved',
      [pool(0n)],
      [of('unstake', 20n), of('stake', 20n, second)],
      [
        { ...unstake1, delta: -20n },
        { ...stake2, delta: 20n },
      ],
    ],
    [
      'a withheld transfer fee did not arrive and is not staked',
      [pool(570n)],
      [of('stake', 600n, { mayHaveFee: true })],
      [{ ...stake1, delta: 570n }],
    ],
    [
      'a fee reduces the stake, not the unstake beside it',
      [pool(470n)],
      [of('unstake', 100n, { ...second, mayHaveFee: true }), of('stake', 600n, { mayHaveFee: true })],
      [
        { kind: 'unstake', wallet: 'wallet-2', stakeEntry: 'entry-2', delta: -100n },
        { ...stake1, delta: 570n },
      ],
    ],
    [
      'a call without a recorded amount moved what the others leave',
      [pool(50n)],
      [of('stake', 20n), of('stake', null, second)],
      [
        { ...stake1, delta: 20n },
        { ...stake2, delta: 30n },
      ],
    ],
    [
      'several calls without recorded amounts are one movement without an entry',
      [change('a', 'alice', -50n), pool(50n)],
      [of('stake', null), of('stake', null, second)],
      [{ kind: 'stake', wallet: 'alice', delta: 50n, stakeEntry: null }],
    ],
    [
      'taken together, an unstake and a larger stake are a stake of the entry that was opened',
      [pool(50n)],
      [of('unstake', null), of('stake', null, second)],
      [{ ...stake2, delta: 50n }],
    ],
    [
      'combined calls that moved nothing are of kind other',
      [pool(0n)],
      [of('unstake', null), of('stake', null, second)],
      [{ ...other, wallet: null, delta: 0n }],
    ],
    [
      'a call of the other direction does not label a movement',
      [change('a', 'alice', -5n), pool(5n)],
      [of('unstake', null)],
      [{ ...other, wallet: 'alice', delta: 5n }],
    ],
    [
      'a stake into another pool does not label a movement of this one',
      [change('a', 'alice', -5n), pool(5n)],
      [of('stake', 70n, { pool: 'other-pool-account' })],
      [{ ...other, wallet: 'alice', delta: 5n }],
    ],
    ['naming the pool is no event', [pool(0n)], [], []],
    [
      'a stake into another pool is no event',
      [pool(0n)],
      [of('stake', 5n, { pool: 'other-pool-account' })],
      [],
    ],
  ])('%s', (_rule, changes, called, expected) => {
    expect(classify(transaction(changes, ...called), POOL)).toEqual(expected);
  });

  it('yields movements that add up to the balance change, for any calls', () => {
    const call = fc.record({
      kind: fc.constantFrom('stake', 'unstake'),
      amount: fc.option(fc.bigInt({ min: 1n, max: 50n })),
      mayHaveFee: fc.boolean(),
      pool: fc.constantFrom('pool-account', 'other-pool-account'),
    });
    fc.assert(
      fc.property(fc.bigInt({ min: -99n, max: 99n }), fc.array(call, { maxLength: 4 }), (delta, called) => {
        const movements = classify(transaction([pool(delta)], ...called), POOL);
        expect(movements.reduce((sum, movement) => sum + movement.delta, 0n)).toBe(delta);
      }),
    );
  });
});

describe('alarms', () => {
  const unchanged = change('vault-account', 'owner', 0n);
  const handedOver = { ...unchanged, ownerAfter: 'thief' };
  const closed = { ...unchanged, ownerAfter: null, existsAfter: false };
  const handOver = (address: string): TokenAccountAction => ({ kind: 'owner-changed', account: 0, address });
  const alarms = (changed: BalanceChange, ...accountActions: TokenAccountAction[]) =>
    alarmsOn({ ...transaction([changed]), accountActions }, VAULT);

  it('are raised by balances alone, for nodes that do not record inner instructions', () => {
    expect(alarms(handedOver)).toEqual([{ kind: 'owner-changed', address: 'thief' }]);
    expect(alarms(closed)).toEqual([{ kind: 'account-closed', address: null }]);
  });

  it('are not raised by an opened account, an unknown owner, or another account', () => {
    const opened = { ...unchanged, ownerBefore: null, existedBefore: false };
    const unknownOwner = { ...unchanged, ownerBefore: null, ownerAfter: null };
    for (const quiet of [unchanged, opened, unknownOwner, { ...handedOver, account: 1 }]) {
      expect(alarms(quiet)).toEqual([]);
    }
    const elsewhere = { ...VAULT, address: 'not-named' };
    expect(alarmsOn(transaction([handedOver]), elsewhere)).toEqual([]);
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
