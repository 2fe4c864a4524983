import { describe, expect, it } from 'vitest';
import { textKeys } from './account-keys.ts';
import { alarmsOn } from './alarms.ts';
import type { BalanceChange } from './balance-changes.ts';
import type { DecodedTransaction } from './decode.ts';
import type { TokenAccountAct } from './token-instructions.ts';

const VAULT = { address: 'vault-account', role: 'vault' } as const;
const STANDING: BalanceChange = {
  account: 0,
  ownerBefore: 'owner',
  ownerAfter: 'owner',
  existedBefore: true,
  existsAfter: true,
  delta: 0n,
};
const HANDED_OVER: BalanceChange = { ...STANDING, ownerAfter: 'thief' };

function transaction(
  changes: readonly BalanceChange[],
  ...accountActs: TokenAccountAct[]
): DecodedTransaction {
  return {
    ...{ signature: 's', slot: 1, blockTime: null, hasFailed: false },
    accounts: textKeys(['vault-account', 'another-account']),
    changes,
    stakeCalls: [],
    accountActs,
  };
}

const handOver = (address: string): TokenAccountAct => ({ kind: 'owner-changed', account: 0, address });

describe('what balances tell where no instruction does, as with a node that does not record inner ones', () => {
  it('an owner who differs afterwards is an alarm', () => {
    expect(alarmsOn(transaction([HANDED_OVER]), VAULT)).toEqual([
      { kind: 'owner-changed', address: 'thief' },
    ]);
  });

  it('an account that is gone is an alarm', () => {
    const gone = { ...STANDING, ownerAfter: null, existsAfter: false };
    expect(alarmsOn(transaction([gone]), VAULT)).toEqual([{ kind: 'account-closed', address: null }]);
  });

  it('an account that was not there before, or whose owner the node does not tell, is none', () => {
    const opened = { ...STANDING, ownerBefore: null, existedBefore: false };
    const untold = { ...STANDING, ownerBefore: null, ownerAfter: null };
    for (const change of [STANDING, opened, untold])
      expect(alarmsOn(transaction([change]), VAULT)).toEqual([]);
  });

  it('what befell another account is none of this one', () => {
    expect(alarmsOn(transaction([{ ...HANDED_OVER, account: 1 }]), VAULT)).toEqual([]);
    expect(alarmsOn(transaction([HANDED_OVER]), { ...VAULT, address: 'not-named' })).toEqual([]);
  });
});

describe('what both instructions and balances tell', () => {
  it('is told once', () => {
    const told = alarmsOn(transaction([HANDED_OVER], handOver('thief')), VAULT);
    expect(told).toEqual([{ kind: 'owner-changed', address: 'thief' }]);
  });

  it('is told as both where they differ', () => {
    const told = alarmsOn(transaction([HANDED_OVER], handOver('middleman')), VAULT);
    expect(told.map(({ address }) => address)).toEqual(['middleman', 'thief']);
  });

  it('is told by the instruction alone where the node tells no owner', () => {
    const untold = { ...STANDING, ownerBefore: null, ownerAfter: null };
    const told = alarmsOn(transaction([untold], handOver('owner')), VAULT);
    expect(told).toEqual([{ kind: 'owner-changed', address: 'owner' }]);
  });
});
