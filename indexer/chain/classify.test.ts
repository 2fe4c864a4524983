import { describe, expect, it } from 'vitest';
import { textKeys } from './account-keys.ts';
import type { BalanceChange } from './balance-changes.ts';
import { classify } from './classify.ts';
import type { DecodedTransaction } from './decode.ts';
import type { StakeInstruction } from './stake-instructions.ts';

const VAULT = { address: 'vault-account', role: 'vault' } as const;
const POOL = { address: 'pool-account', role: 'stake-pool-vault' } as const;

const ADDRESSES = [
  'vault-account',
  'pool-account',
  'other-pool-account',
  'entry-1',
  'entry-2',
  ...['a', 'a1', 'a2', 'b', 'c', 'm'],
];

function change(
  account: string,
  wallet: string | null,
  delta: bigint,
  more: Partial<BalanceChange> = {},
): BalanceChange {
  const standing = { existedBefore: true, existsAfter: true };
  const index = ADDRESSES.indexOf(account);
  return { account: index, ownerBefore: wallet, ownerAfter: wallet, ...standing, delta, ...more };
}

/** A call of the staking program: its word, the entry it names and the pool it is made on. */
type Call = readonly [word: StakeInstruction, entry?: string, pool?: string];

function transaction(changes: readonly BalanceChange[], ...called: readonly Call[]): DecodedTransaction {
  return {
    ...{ signature: 's', slot: 1, blockTime: null, hasFailed: false },
    accounts: textKeys(ADDRESSES),
    changes,
    stakeCalls: called.map(([word, entry = 'entry-1', pool = 'pool-account']) => ({
      word,
      entry: ADDRESSES.indexOf(entry),
      vault: ADDRESSES.indexOf(pool),
    })),
    accountActs: [],
  };
}

describe('what a transaction did to the vault', () => {
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
      'a transaction that leaves the balance as it was is no event: anyone can name the vault',
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
      'else the one that moved most, its accounts taken together',
      [
        change('a1', 'alice', -3n),
        change('b', 'bob', -4n),
        change('a2', 'alice', -3n),
        change('vault-account', 'owner', 10n),
      ],
      { kind: 'deposit', wallet: 'alice', delta: 10n },
    ],
    [
      'of wallets that moved equally, the first by name, in whichever order they come',
      [change('b', 'bob', -2n), change('a', 'alice', -2n), change('vault-account', 'owner', 4n)],
      { kind: 'deposit', wallet: 'alice', delta: 4n },
    ],
    [
      'wallets on the same side are no counterparty',
      [change('b', 'bob', 9n), change('a', 'alice', -12n), change('vault-account', 'owner', 3n)],
      { kind: 'deposit', wallet: 'alice', delta: 3n },
    ],
    [
      'a sender whose account was closed is known by who owned it before',
      [
        change('a', 'alice', -5n, { existsAfter: false, ownerAfter: null }),
        change('vault-account', 'owner', 5n),
      ],
      { kind: 'deposit', wallet: 'alice', delta: 5n },
    ],
    [
      'a counterparty whose owner the node does not tell has no name',
      [change('a', null, -5n), change('vault-account', null, 5n)],
      { kind: 'deposit', wallet: null, delta: 5n },
    ],
    [
      'handing the account over moves nothing and is told as other',
      [change('vault-account', 'owner', 0n, { ownerAfter: 'thief' })],
      { kind: 'other', wallet: null, delta: 0n },
    ],
    [
      'opening the account is told as other',
      [change('vault-account', 'owner', 0n, { existedBefore: false, ownerBefore: null })],
      { kind: 'other', wallet: null, delta: 0n },
    ],
  ])('%s', (_rule, changes, expected) => {
    expect(classify(transaction(changes), VAULT)).toEqual(expected && { ...expected, stakeEntry: null });
  });
});

describe("what a transaction did to the stake pool's vault", () => {
  const incoming = [change('a', 'alice', -5n), change('pool-account', 'pool', 5n)];
  const outgoing = [change('pool-account', 'pool', -5n), change('a', 'alice', 5n)];

  const even = [change('pool-account', 'pool', 0n)];

  it.each([
    ['tokens that came in through stake are a stake', incoming, [['stake']], 'stake', 'entry-1'],
    ['tokens that left through unstake are an unstake', outgoing, [['unstake']], 'unstake', 'entry-1'],
    ['tokens sent straight to it are no stake', incoming, [], 'other', null],
    ['a word of the other direction does not name a movement', incoming, [['unstake']], 'other', null],
    [
      'an unstake and a larger stake in one transaction are a stake, of the entry that it opens',
      incoming,
      [
        ['unstake', 'entry-1'],
        ['stake', 'entry-2'],
      ],
      'stake',
      'entry-2',
    ],
    [
      'two stakes are a stake that names no entry',
      incoming,
      [
        ['stake', 'entry-1'],
        ['stake', 'entry-2'],
      ],
      'stake',
      null,
    ],
    [
      'a stake into another pool gives no word',
      incoming,
      [['stake', 'entry-1', 'other-pool-account']],
      'other',
      null,
    ],
    [
      'a stake into another pool gives no entry',
      incoming,
      [
        ['stake', 'entry-1', 'other-pool-account'],
        ['stake', 'entry-2'],
      ],
      'stake',
      'entry-2',
    ],
  ] as const)('%s', (_rule, changes, called, kind, stakeEntry) => {
    const delta = changes === incoming ? 5n : -5n;
    const expected = { kind, wallet: 'alice', delta, stakeEntry };
    expect(classify(transaction(changes, ...called), POOL)).toEqual(expected);
  });

  it('an unstake and a stake of the same size are told, though nothing moved; naming the pool is not', () => {
    const restaked = transaction(even, ['unstake', 'entry-1'], ['stake', 'entry-2']);
    expect(classify(restaked, POOL)).toEqual({ kind: 'other', wallet: null, delta: 0n, stakeEntry: null });
    expect(classify(transaction(even), POOL)).toBeNull();
    expect(classify(transaction(even, ['stake', 'entry-1', 'other-pool-account']), POOL)).toBeNull();
  });
});
