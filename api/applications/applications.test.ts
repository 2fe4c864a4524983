import { afterEach, describe, expect, it } from 'vitest';
import {
  IDEMPOTENCY_HEADER,
  requestVerification,
  submitApplication,
  submitApplicationV2,
} from '../../data/contract/applications.ts';
import { REFERENCE_NUMBER } from '../../data/model/reference-number.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import { sendForm } from '../testing/send-form.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const portals: TestPortal[] = [];
afterEach(async () => {
  for (const portal of portals.splice(0)) await portal.close();
});

async function start(changes: Parameters<typeof startTestPortal>[0] = {}): Promise<TestPortal> {
  const index = new FakeIndex();
  index.held = { ...manyStakes(0), entries: [openedStake(1, { amount: 6_200_000_000_000n })] };
  const portal = await startTestPortal({ index, submissionsPerMinute: 1_000, ...changes });
  portals.push(portal);
  return portal;
}

const WALLET = walletOf(1);
const OVERLAY = {
  cardAlias: ' Everyday ',
  fullName: 'Ada\u00a0',
  email: 'ada@example.com',
  telegram: '@ada',
  notes: 'One\r\nTwo',
  walletAddress: WALLET,
  tier: 'Raven',
  bdAmount: '9,999,999',
};
const TEST_PAGE = {
  name: 'Ada',
  email: 'ada@example.com',
  wallet: WALLET,
  bd_amount: 1_500_000,
  tier: 'Duckling',
};
const FORM = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  wallet: WALLET,
  bd_amount: '6200000',
  tier: 'Banker',
  phone: '+44 20 7946 0000',
  alias: 'Everyday',
};
const READ = { amount: 6_200_000_000_000n, tier: 'Banker', at: TEST_START };
const NOT_GIVEN = { phone: null, telegram: null, alias: null, notes: null };
const KEY = { [IDEMPOTENCY_HEADER]: '6f1c2f0e-0c54-4a53-9a50-6fa2a6a9a0b1' };

async function kept(portal: TestPortal, body: string) {
  return portal.store.applications.applicationByReference(JSON.parse(body).referenceNumber);
}

describe('a card application', () => {
  it.each([
    [
      'the overlay',
      submitApplication,
      OVERLAY,
      {
        shape: 'overlay',
        name: 'Ada',
        phone: null,
        telegram: 'ada',
        alias: 'Everyday',
        notes: 'One\nTwo',
        statedAmount: '9,999,999',
        statedTier: 'Raven',
      },
    ],
    [
      'the test page',
      submitApplication,
      TEST_PAGE,
      { ...NOT_GIVEN, shape: 'test-page', name: 'Ada', statedAmount: '1500000', statedTier: 'Duckling' },
    ],
    [
      'the test page with all it may carry',
      submitApplication,
      { ...TEST_PAGE, telegram: 'https://t.me/ada', alias: 'Everyday', notes: 'Hello' },
      { shape: 'test-page', telegram: 'ada', alias: 'Everyday', notes: 'Hello' },
    ],
    [
      'the form',
      submitApplicationV2,
      FORM,
      {
        ...NOT_GIVEN,
        shape: 'v2',
        name: 'Ada Lovelace',
        phone: '+44 20 7946 0000',
        alias: 'Everyday',
        statedAmount: '6200000',
        statedTier: 'Banker',
      },
    ],
  ])('of %s is kept with what the portal itself reads of the stake', async (_case, call, body, fields) => {
    const portal = await start();
    const answer = await sendForm(portal.port, call.path, body);
    expect(answer.status).toBe(200);
    expect(call.response.parse(JSON.parse(answer.body)).referenceNumber).toMatch(REFERENCE_NUMBER);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(await kept(portal, answer.body)).toMatchObject({
      ...fields,
      email: 'ada@example.com',
      walletAddress: WALLET,
      checked: READ,
      isOwnershipProven: false,
      status: 'received',
      createdAt: TEST_START,
    });
  });

  it('of the form tells by which ways it is passed on', async () => {
    const { port } = await start();
    const { body } = await sendForm(port, submitApplicationV2.path, FORM);
    expect(JSON.parse(body)).toMatchObject({ success: true, deliveryMethods: ['email', 'telegram'] });
  });

  it('is kept without a reading where the stake cannot be read', async () => {
    const silent = new FakeIndex();
    silent.commit({ chain: null });
    const portal = await start({ index: silent });
    const { body } = await sendForm(portal.port, submitApplication.path, OVERLAY);
    expect(await kept(portal, body)).toMatchObject({ checked: null, statedTier: 'Raven' });
  });

  it('is kept without a reading where the overlay names no wallet', async () => {
    const portal = await start();
    const { walletAddress: _, ...without } = OVERLAY;
    const { body } = await sendForm(portal.port, submitApplication.path, without);
    expect(await kept(portal, body)).toMatchObject({ walletAddress: null, checked: null });
  });

  it.each([
    ['its own wallet', WALLET, true],
    ['another wallet', walletOf(2), false],
  ])('sent with the proof of %s is kept so', async (_case, walletAddress, isOwnershipProven) => {
    const portal = await start({ readProvenWallet: async () => ({ walletAddress, provedAt: TEST_START }) });
    const { body } = await sendForm(portal.port, submitApplicationV2.path, FORM);
    expect(await kept(portal, body)).toMatchObject({ isOwnershipProven });
  });
});

describe('a form that is sent again', () => {
  it('with its key is the same submission, though twenty race', async () => {
    const portal = await start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendForm(portal.port, submitApplicationV2.path, FORM, KEY)),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await portal.store.auditTrail(99)).toHaveLength(1);
  });

  it('with its key is the same though its fields stand in another order', async () => {
    const { port } = await start();
    const turned = Object.fromEntries(Object.entries(FORM).toReversed());
    const first = await sendForm(port, submitApplicationV2.path, FORM, KEY);
    expect((await sendForm(port, submitApplicationV2.path, turned, KEY)).body).toBe(first.body);
  });

  it('with the key of another is refused, and not kept', async () => {
    const portal = await start();
    await sendForm(portal.port, submitApplicationV2.path, FORM, KEY);
    const other = await sendForm(portal.port, submitApplicationV2.path, { ...FORM, alias: 'Other' }, KEY);
    expect([other.status, JSON.parse(other.body).code]).toEqual([422, 'idempotency-key-reused']);
    expect(await portal.store.auditTrail(99)).toHaveLength(1);
  });

  it('to another call may have the same key', async () => {
    const { port } = await start();
    await sendForm(port, submitApplicationV2.path, FORM, KEY);
    expect((await sendForm(port, submitApplication.path, OVERLAY, KEY)).status).toBe(200);
  });

  it('without a key is another submission', async () => {
    const { port } = await start();
    const first = await sendForm(port, submitApplicationV2.path, FORM);
    expect((await sendForm(port, submitApplicationV2.path, FORM)).body).not.toBe(first.body);
  });

  it.each(['short', 'with spaces in it', 'k'.repeat(129)])('with the key %j is refused', async (key) => {
    const { port } = await start();
    const answer = await sendForm(port, submitApplicationV2.path, FORM, { [IDEMPOTENCY_HEADER]: key });
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'invalid-idempotency-key']);
  });
});

describe('submissions', () => {
  it('of one address are so many a minute, of all kinds together', async () => {
    const { port } = await start({ submissionsPerMinute: 2 });
    const send = (path: string, body: unknown) => sendForm(port, path, body);
    await send(submitApplicationV2.path, FORM);
    await send(submitApplication.path, TEST_PAGE);
    const third = await send(requestVerification.path, {});
    expect([third.status, JSON.parse(third.body).code]).toEqual([429, 'too-many-requests']);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('with one mail address are five a day', async () => {
    const { port } = await start();
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await sendForm(port, submitApplicationV2.path, FORM)).status).toBe(200);
    }
    const sixth = await sendForm(port, submitApplication.path, { ...TEST_PAGE, email: 'ADA@example.com' });
    expect([sixth.status, JSON.parse(sixth.body).code]).toEqual([429, 'too-many-from-address']);
    const other = await sendForm(port, submitApplicationV2.path, { ...FORM, email: 'bo@example.com' });
    expect(other.status).toBe(200);
  });
});
