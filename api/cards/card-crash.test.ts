// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { API_PROGRAM, CHILD_ENV, programFile } from '../../data/runtime/testing/child-programs.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { stripeSettingsOf } from './testing/card-orders.ts';
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

/** Runs the portal on the same store until it logs that it has retried the pending cards. */
async function runPortal(): Promise<void> {
  const { secretKey, webhookSecret, apiBase } = stripeSettingsOf(fake);
  const child = fork(API_PROGRAM, ['--api-only'], {
    cwd: folder,
    env: {
      ...CHILD_ENV,
      PORT: '0',
      DATA_DIR: folder,
      LOG_LEVEL: 'info',
      CARD_ISSUER: 'stripe',
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_BILLING_ADDRESS: '1 Example Street; London; EC1A 1AA; GB',
      STRIPE_API_BASE: apiBase,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  children.push(child);
  const exited = once(child, 'exit');
  if (!child.stderr) throw new Error('the portal’s log is not piped');
  for await (const line of createInterface(child.stderr)) {
    if (line.includes('pending cards were retried')) break;
  }
  child.kill('SIGTERM');
  await exited;
}

it.each([
  ['between the card’s creation and the response', 'POST /v1/issuing/cards'],
  ['before it requests the card from the issuer', 'POST /v1/issuing/cardholders'],
])('after a process is killed %s, a restart of the portal leaves one card', async (_case, lastRequest) => {
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

  await runPortal();
  const store = await openAppStore(join(folder, 'app.db'));
  const card = await store.cards.cardOf(wallet);
  await store.close();
  expect(card?.state).toBe('active');
  expect([...fake.cards.keys()]).toEqual([card?.issued?.issuerCardId]);
});
