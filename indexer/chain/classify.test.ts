import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import type { BalanceChange, DecodedTransaction, StakeInstruction } from './decode.ts';

const VAULT = { address: 'vault-account', role: 'vault' } as const;
const POOL = { address: 'pool-account', role: 'stake-pool-vault' } as const;

function change(
  account: string,
  wallet: string | null,
  delta: bigint,
  more: Partial<BalanceChange> = {},
): BalanceChange {
  const standing = { existedBefore: true, existsAfter: true };
  return { account, ownerBefore: wallet, ownerAfter: wallet, ...standing, delta, ...more };
}

function transaction(changes: readonly BalanceChange[], ...called: StakeInstruction[]): DecodedTransaction {
  const head = { signature: 's', slot: 1, blockTime: null, hasFailed: false };
  return { ...head, changes, stakeInstructions: new Set(called) };
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
    expect(classify(transaction(changes), VAULT)).toEqual(expected);
  });
});

describe("what a transaction did to the stake pool's vault", () => {
  const incoming = [change('a', 'alice', -5n), change('pool-account', 'pool', 5n)];
  const outgoing = [change('pool-account', 'pool', -5n), change('a', 'alice', 5n)];

  it.each([
    ['tokens that came in through stake are a stake', incoming, ['stake'], 'stake'],
    ['tokens that left through unstake are an unstake', outgoing, ['unstake'], 'unstake'],
    ['tokens sent straight to it are no stake', incoming, [], 'other'],
    ['a word of the other direction does not name a movement', incoming, ['unstake'], 'other'],
    ['an unstake and a larger stake in one transaction are a stake', incoming, ['unstake', 'stake'], 'stake'],
  ] as const)('%s', (_rule, changes, called, kind) => {
    const delta = changes === incoming ? 5n : -5n;
    expect(classify(transaction(changes, ...called), POOL)).toEqual({ kind, wallet: 'alice', delta });
  });
});
