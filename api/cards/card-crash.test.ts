// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programFile } from '../../data/runtime/testing/child-programs.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { WalletMutex } from './card-context.ts';
import { finishPendingCards } from './make-card.ts';
import { issuerAt, stripeSettingsOf } from './testing/card-orders.ts';
import { type FakeStripe, startFakeStripe } from './testing/fake-stripe.ts';

const CARD_PROGRAM = programFile('api/cards/testing/make-card-program.ts');
const wallet = walletOf(1);

let folder: string;
let fake: FakeStripe;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cards-'));
  fake = await startFakeStripe();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await fake.close();
  await rm(folder, { recursive: true });
});

it.each([
  ['between the card’s creation and the response', 'POST /v1/issuing/cards'],
  ['before it requests the card from the issuer', 'POST /v1/issuing/cardholders'],
])('after a process is killed %s, another process finishes exactly one card', async (_case, lastRequest) => {
  const child = fork(CARD_PROGRAM, [join(folder, 'app.db'), wallet, JSON.stringify(stripeSettingsOf(fake))]);
  children.push(child);
  const exited = once(child, 'exit');
  const killed = new Promise<void>((resolve) => {
    fake.onHandled = (method, path) => {
      if (`${method} ${path}` !== lastRequest) return;
      child.kill('SIGKILL');
      resolve();
    };
  });
  await killed;
  await exited;
  fake.onHandled = () => {};
  // Stripe forgets idempotency keys after a day. The portal then has to find the card itself.
  fake.forgetKeys();

  const store = await openAppStore(join(folder, 'app.db'));
  const context = {
    store,
    issuer: await issuerAt(fake),
    log: pino({ level: 'silent' }),
    now: Date.now,
    walletMutex: new WalletMutex(),
    masterKey: { bytes: Buffer.alloc(32) },
  };
  await finishPendingCards(context, async () => true);
  const card = await store.cards.cardOf(wallet);
  await store.close();
  expect(card?.state).toBe('active');
  expect([...fake.cards.keys()]).toEqual([card?.issued?.issuerCardId]);
});
