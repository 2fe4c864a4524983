import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../chain/classify.ts';
import { decodeTransaction } from '../chain/decode.ts';
import { TOKEN_2022 } from './chain-accounts.ts';
import { decodeEvents } from './chain-events.ts';
import {
  POOL,
  POOL_VAULT,
  type SampleBalance,
  type SampleInstruction,
  sampleAddress,
  sampleBdAccountOf,
  stake,
  type TransferKind,
  transactionOf,
  transfer,
  unstake,
  VAULT,
} from './testing/sample-transaction.ts';

const [alice, bob, carol] = [sampleAddress('alice'), sampleAddress('bob'), sampleAddress('carol')];
const [entryOne, entryTwo] = [sampleAddress('entry one'), sampleAddress('entry two')];
const PLENTY = 1_000_000n;

const poolBalance = (change: bigint): SampleBalance => ({
  account: POOL_VAULT,
  owner: sampleAddress('pool'),
  before: PLENTY,
  after: PLENTY + change,
});
const balanceOf = (wallet: string, change: bigint): SampleBalance => ({
  ...poolBalance(change),
  account: sampleBdAccountOf(wallet),
  owner: wallet,
});
const gift = (wallet: string, amount: bigint) => transfer(sampleBdAccountOf(wallet), POOL_VAULT, amount);

const reportedEvents = (...[instructions, balances, records]: Parameters<typeof transactionOf>) =>
  decodeEvents(transactionOf(instructions, balances, records), POOL).map(
    ({ part, type, change, wallet, stakeEntry }) => [part, type, change, wallet, stakeEntry],
  );

describe('the events of one transaction on the pool’s vault', () => {
  it("attribute a stake to the entry's owner, not to the payer", () => {
    const paid = stake(alice, 100n, { entry: entryOne, payer: bob });
    expect(reportedEvents([paid], [poolBalance(100n), balanceOf(bob, -100n)])).toEqual([
      [0, 'stake', 100n, alice, entryOne],
    ]);
  });

  it.each(['transfer', 'checked', 'with fee'] as const)(
    'are found for transfers of the kind “%s” in both token programs',
    (kind) => {
      for (const program of [undefined, TOKEN_2022]) {
        const transferOptions = { kind, ...(program && { program }) };
        const both = [
          stake(alice, 100n, { entry: entryOne, transferOptions }),
          unstake(bob, 30n, { entry: entryTwo, transferOptions }),
        ];
        expect(
          reportedEvents(both, [poolBalance(70n), balanceOf(alice, -100n), balanceOf(bob, 30n)]),
        ).toEqual([
          [0, 'stake', 100n, alice, entryOne],
          [1, 'unstake', -30n, bob, entryTwo],
        ]);
      }
    },
  );

  it('separate gifts from a stake, and attribute them to the largest giver', () => {
    const staked = stake(alice, 100n, { entry: entryOne });
    expect(
      reportedEvents(
        [gift(bob, 30n), staked],
        [poolBalance(130n), balanceOf(alice, -100n), balanceOf(bob, -30n)],
      ),
    ).toEqual([
      [0, 'stake', 100n, alice, entryOne],
      [1, 'other', 30n, bob, null],
    ]);
    // Alice stakes 100 and gives 10; Bob gives 21. If her stake counted as a gift, Alice would be the largest giver.
    const more = [poolBalance(131n), balanceOf(alice, -110n), balanceOf(bob, -21n)];
    const others = reportedEvents([staked, gift(bob, 21n), gift(alice, 10n)], more);
    expect(others[1]).toEqual([1, 'other', 31n, bob, null]);
    const own = reportedEvents([staked, gift(alice, 30n)], [poolBalance(130n), balanceOf(alice, -130n)]);
    expect(own[1]).toEqual([1, 'other', 30n, alice, null]);
  });

  it('include a gift from a wallet that received more in the same transaction than it gave', () => {
    const both = [unstake(alice, 100n, { entry: entryOne }), gift(alice, 30n)];
    expect(reportedEvents(both, [poolBalance(-70n), balanceOf(alice, 70n)])).toEqual([
      [0, 'unstake', -100n, alice, entryOne],
      [1, 'other', 30n, alice, null],
    ]);
  });

  it('include each of two stakes, by one wallet or by two', () => {
    const both = [stake(alice, 100n, { entry: entryOne }), stake(alice, 50n, { entry: entryTwo })];
    expect(reportedEvents(both, [poolBalance(150n), balanceOf(alice, -150n)])).toEqual([
      [0, 'stake', 100n, alice, entryOne],
      [1, 'stake', 50n, alice, entryTwo],
    ]);
    const each = [stake(bob, 7n, { entry: entryTwo }), stake(alice, 100n, { entry: entryOne })];
    expect(reportedEvents(each, [poolBalance(107n), balanceOf(alice, -100n), balanceOf(bob, -7n)])).toEqual([
      [0, 'stake', 7n, bob, entryTwo],
      [1, 'stake', 100n, alice, entryOne],
    ]);
  });

  it.each([
    ['a larger', 140n],
    ['an equal', 100n],
    ['a smaller', 60n],
  ])('include both an unstake and %s stake', (_how, amount) => {
    const both = [unstake(alice, 100n, { entry: entryOne }), stake(alice, amount, { entry: entryTwo })];
    expect(reportedEvents(both, [poolBalance(amount - 100n), balanceOf(alice, 100n - amount)])).toEqual([
      [0, 'unstake', -100n, alice, entryOne],
      [1, 'stake', amount, alice, entryTwo],
    ]);
  });

  it('include calls from another program, each with the amount of its own transfer', () => {
    const nested: SampleInstruction = {
      program: sampleAddress('program'),
      accounts: [],
      data: Uint8Array.of(1),
      calls: [
        gift(carol, 5n),
        stake(alice, 100n, { entry: entryOne }),
        unstake(bob, 30n, { entry: entryTwo, name: 'unstake_as_worker' }),
      ],
    };
    const balances = [poolBalance(75n), balanceOf(alice, -100n), balanceOf(bob, 30n), balanceOf(carol, -5n)];
    for (const records of ['all', 'no depths'] as const) {
      expect(reportedEvents([nested], balances, { records })).toEqual([
        [0, 'stake', 100n, alice, entryOne],
        [1, 'unstake', -30n, bob, entryTwo],
        [2, 'other', 5n, carol, null],
      ]);
    }
  });

  it('exclude calls on another pool’s vault', () => {
    const elsewhere = stake(bob, 9n, { vault: sampleAddress('another vault') });
    expect(
      reportedEvents(
        [elsewhere, gift(alice, 3n)],
        [poolBalance(3n), balanceOf(alice, -3n), balanceOf(bob, -9n)],
      ),
    ).toEqual([[0, 'other', 3n, alice, null]]);
  });

  it('exclude the fee that Token-2022 withheld from a stake', () => {
    const transferOptions = { kind: 'checked', program: TOKEN_2022 } as const;
    expect(
      reportedEvents(
        [stake(alice, 100n, { entry: entryOne, transferOptions })],
        [poolBalance(95n), balanceOf(alice, -100n)],
      ),
    ).toEqual([[0, 'stake', 95n, alice, entryOne]]);
  });

  it('derive the amount of a single call from the balance change if its transfer is missing', () => {
    const records = { records: 'no inner instructions' } as const;
    const staked = stake(alice, 100n, { entry: entryOne });
    expect(reportedEvents([staked], [poolBalance(100n), balanceOf(alice, -100n)], records)).toEqual([
      [0, 'stake', 100n, alice, entryOne],
    ]);
  });

  it('are one net event if the amounts of the calls are unknown', () => {
    const records = { records: 'no inner instructions' } as const;
    const [staked, ended] = [
      stake(alice, 140n, { entry: entryOne }),
      unstake(bob, 100n, { entry: entryTwo }),
    ];
    const balances = [balanceOf(alice, -140n), balanceOf(bob, 100n)];
    expect(reportedEvents([staked, ended], [poolBalance(40n), ...balances], records)).toEqual([
      [0, 'stake', 40n, alice, entryOne],
    ]);
    expect(reportedEvents([staked, staked], [poolBalance(280n), balanceOf(alice, -280n)], records)).toEqual([
      [0, 'stake', 280n, alice, null],
    ]);
    // The amount matches neither a stake nor an unstake.
    expect(reportedEvents([ended], [poolBalance(40n), balanceOf(alice, -40n)], records)).toEqual([
      [0, 'other', 40n, alice, null],
    ]);
    expect(reportedEvents([ended], [poolBalance(0n)], records)).toEqual([[0, 'other', 0n, null, null]]);
  });

  it('are none if nothing moved, and one if the account was opened or closed', () => {
    expect(reportedEvents([gift(alice, 0n)], [poolBalance(0n)])).toEqual([]);
    expect(reportedEvents([], [balanceOf(alice, 0n)])).toEqual([]);
    const [opened, closed] = [
      { ...poolBalance(0n), before: null, after: 0n },
      { ...poolBalance(0n), before: 0n, after: null },
    ];
    expect(reportedEvents([], [opened])).toEqual([[0, 'other', 0n, null, null]]);
    expect(reportedEvents([], [closed])).toEqual([[0, 'other', 0n, null, null]]);
  });

  it('are none for a failed transaction', () => {
    const response = transactionOf([gift(alice, 3n)], [poolBalance(3n), balanceOf(alice, -3n)]);
    const failed = { ...response, meta: response.meta && { ...response.meta, err: 'AccountInUse' } };
    expect(decodeEvents(failed, POOL)).toEqual([]);
  });
});

describe('the event of one transaction on the vault', () => {
  it('has the net amount of all transfers', () => {
    const vault = { account: VAULT.address, owner: bob, before: 50n, after: 20n };
    const staked = stake(alice, 100n);
    const events = decodeEvents(
      transactionOf([staked], [vault, balanceOf(carol, 30n), balanceOf(alice, -100n)]),
      VAULT,
    );
    expect(events).toMatchObject([
      { account: 'vault', part: 0, type: 'withdraw', change: -30n, wallet: carol, stakeEntry: null },
    ]);
  });

  it('is a withdrawal to the wallet that stakes the amount in the same transaction', () => {
    const vault = { account: VAULT.address, owner: bob, before: 500n, after: 400n };
    const events = decodeEvents(
      transactionOf([stake(alice, 100n)], [vault, balanceOf(alice, 0n), poolBalance(100n)]),
      VAULT,
    );
    expect(events).toMatchObject([{ type: 'withdraw', change: -100n, wallet: alice }]);
  });
});

describe('the counterparty of a transaction without stakes', () => {
  it('is the wallet that is paid, even if another account of that wallet pays', () => {
    const balances = [
      { account: VAULT.address, owner: bob, before: 500n, after: 400n },
      balanceOf(alice, 100n),
      { ...balanceOf(alice, -70n), account: sampleAddress('other account of alice') },
      balanceOf(carol, 70n),
    ];
    expect(decodeEvents(transactionOf([], balances), VAULT)).toMatchObject([
      { change: -100n, wallet: alice },
    ]);
  });

  it('is the wallet that the indexer names, for any balances', () => {
    const changes = fc.bigInt(-3n, 3n);
    const others = fc.array(fc.tuple(fc.constantFrom(alice, bob, carol), changes), { maxLength: 5 });
    fc.assert(
      fc.property(changes, others, (vaultChange, changesOfOthers) => {
        const response = transactionOf(
          [],
          [
            { ...poolBalance(vaultChange), account: VAULT.address },
            ...changesOfOthers.map(([wallet, change], index) => ({
              ...balanceOf(wallet, change),
              account: sampleAddress(`account ${index}`),
            })),
          ],
        );
        const { staticAccountKeys: keys } = response.transaction.message;
        const message = { accountKeys: keys.map((key) => key.toBase58()), instructions: [] };
        const answer = { ...response, transaction: { ...response.transaction, message } };
        const indexed = classify(decodeTransaction(answer, VAULT.mint), {
          address: VAULT.address,
          role: 'vault',
        });
        const wallets = decodeEvents(response, VAULT).map(({ wallet }) => wallet);
        expect(wallets).toEqual(indexed.map(({ wallet }) => wallet));
      }),
    );
  });
});

describe('the changes of a transaction’s events', () => {
  const wallets = fc.constantFrom(alice, bob, carol);
  const amounts = fc.bigInt(1n, 1_000n);
  const kinds = fc.constantFrom<TransferKind>('transfer', 'checked', 'with fee');
  const actions = fc.record({
    wallet: wallets,
    amount: amounts,
    kind: kinds,
    action: fc.constantFrom('stake', 'unstake', 'gift', 'nested stake'),
  });
  const toInstruction = ({
    wallet,
    amount,
    kind,
    action,
  }: typeof actions extends fc.Arbitrary<infer T> ? T : never): SampleInstruction => {
    const transferOptions = { kind, program: TOKEN_2022 };
    if (action === 'gift') return gift(wallet, amount);
    if (action === 'unstake') return unstake(wallet, amount, { transferOptions });
    const staked = stake(wallet, amount, { transferOptions });
    if (action === 'stake') return staked;
    return { program: sampleAddress('program'), accounts: [], data: Uint8Array.of(1), calls: [staked] };
  };
  const recorded = fc.constantFrom('all', 'no depths', 'no inner instructions');

  it('add up to the balance change, for any calls, even with incomplete records', () => {
    fc.assert(
      fc.property(
        fc.array(actions, { maxLength: 5 }),
        fc.bigInt(-50n, 50n),
        recorded,
        (done, odd, records) => {
          const sum = (wallet: string | null) =>
            done
              .filter((each) => wallet === null || each.wallet === wallet)
              .reduce((total, { action, amount }) => total + (action === 'unstake' ? -amount : amount), 0n);
          const change = sum(null) + odd;
          const balances = [
            poolBalance(change),
            ...[alice, bob, carol].map((wallet) => balanceOf(wallet, -sum(wallet))),
          ];
          const events = decodeEvents(transactionOf(done.map(toInstruction), balances, { records }), POOL);
          expect(events.reduce((total, event) => total + event.change, 0n)).toBe(change);
          expect(events.map(({ part }) => part)).toEqual(events.map((_event, index) => index));
        },
      ),
    );
  });
});
