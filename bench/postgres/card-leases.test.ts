import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CardContext, WalletMutex } from '../../api/cards/card-context.ts';
import { IssuerUnavailableError } from '../../api/cards/issuer.ts';
import { finishPendingCards, makeCard } from '../../api/cards/make-card.ts';
import { createSandboxIssuer } from '../../api/cards/sandbox-issuer.ts';
import { isApiError } from '../../api/errors.ts';
import { walletOf } from '../../api/testing/sample-stakes.ts';
import { openAppStore, openLeases } from '../../data/store/open-stores.ts';
import { newSchema, testSettings, withDatabase } from '../../data/store/testing/postgres-stores.ts';

const WALLET = walletOf(1);
const ORDER = {
  walletAddress: WALLET,
  tier: 'Banker',
  holderName: 'BlackDuck Member',
  stakeEntries: [],
} as const;

describe('two replicas that work on cards', () => {
  let schema: string;
  let openedStores: { close(): Promise<void> }[];
  /** The number of calls that create a card at the issuer. They wait for `issuerAnswer`, then fail if the issuer is down. */
  let calls: number;
  let issuerAnswer: PromiseWithResolvers<void>;
  let isIssuerDown: boolean;
  let replicas: readonly [CardContext, CardContext];

  async function startReplica(): Promise<CardContext> {
    const store = await openAppStore(testSettings(schema));
    const leases = await openLeases(testSettings(schema));
    openedStores.push(store, leases);
    const sandbox = createSandboxIssuer({ now: Date.now });
    return {
      store,
      issuer: {
        ...sandbox,
        create: async (order, isRetry) => {
          calls += 1;
          await issuerAnswer.promise;
          if (isIssuerDown)
            throw new IssuerUnavailableError({
              kind: 'timeout',
              status: null,
              code: null,
              field: null,
              requestId: null,
            });
          return sandbox.create(order, isRetry);
        },
      },
      log: pino({ level: 'silent' }),
      now: Date.now,
      walletMutex: new WalletMutex(leases),
      masterKey: { bytes: Buffer.alloc(32) },
    };
  }

  beforeEach(async () => {
    schema = newSchema();
    openedStores = [];
    calls = 0;
    issuerAnswer = Promise.withResolvers();
    isIssuerDown = false;
    replicas = [await startReplica(), await startReplica()];
  });
  afterEach(async () => {
    issuerAnswer.resolve();
    for (const store of openedStores) await store.close();
    await withDatabase(schema, (db) =>
      db.run({ text: `drop schema if exists ${schema} cascade`, name: undefined }),
    );
  });

  const createCard = (context: CardContext) =>
    context.walletMutex.runExclusive(WALLET, () => makeCard(context, ORDER));
  const codeOf = async (creating: Promise<unknown>) => {
    const error: unknown = await creating.catch((thrown: unknown) => thrown);
    return isApiError(error, 'card-busy') || isApiError(error, 'has-card') ? error.code : error;
  };

  it('create a card with one call to the issuer, while the other replica answers that the card is busy', async () => {
    const creating = createCard(replicas[0]);
    await expect.poll(() => calls).toBe(1);
    expect(await codeOf(createCard(replicas[1]))).toBe('card-busy');
    issuerAnswer.resolve();
    expect((await creating).state).toBe('active');
    expect(await codeOf(createCard(replicas[1]))).toBe('has-card');
    expect(calls).toBe(1);
  });

  it('finish an interrupted creation with one call to the issuer', async () => {
    isIssuerDown = true;
    issuerAnswer.resolve();
    await expect(createCard(replicas[0])).rejects.toMatchObject({ code: 'issuer-unavailable' });
    isIssuerDown = false;
    calls = 0;
    issuerAnswer = Promise.withResolvers();
    const finish = (context: CardContext) => finishPendingCards(context, async () => true);
    const first = finish(replicas[0]);
    await expect.poll(() => calls).toBe(1);
    await finish(replicas[1]);
    issuerAnswer.resolve();
    await first;
    expect((await replicas[1].store.cards.cardOf(WALLET))?.state).toBe('active');
    expect(calls).toBe(1);
  });

  it('work on the cards of different wallets at the same time', async () => {
    const [one, other] = replicas;
    const outer = one.walletMutex.runExclusive(WALLET, () =>
      other.walletMutex.runExclusive(walletOf(2), async () => 'both'),
    );
    expect(await outer).toBe('both');
  });
});
