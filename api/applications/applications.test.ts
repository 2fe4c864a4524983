// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest';
import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import {
  applyForLoan,
  requestVerification,
  submitApplication,
  submitApplicationV2,
  submitContactMessage,
} from '../../data/contract/submissions.ts';
import { REFERENCE_NUMBER_PATTERN } from '../../data/model/reference-number.ts';
import { FakeIndex, TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../testing/test-portal.ts';
import { openWalletSession } from '../testing/test-wallet.ts';
import { CONTACT_BODY, TEST_PAGE_BODY, V2_FORM_BODY } from './testing/sample-forms.ts';

async function start(changes: TestPortalChanges = {}): Promise<TestPortal> {
  const index = new FakeIndex();
  index.storedStakes = { ...manyStakes(0), entries: [openedStake(1, { amount: 6_200_000_000_000n })] };
  const portal = await startTestPortal({ index, ...changes });
  onTestFinished(() => portal.close());
  return portal;
}

const WALLET = walletOf(1);
const FULL_OVERLAY_BODY = {
  cardAlias: ' Everyday ',
  fullName: 'Ada\u00a0',
  email: 'ada@example.com',
  telegram: '@ada',
  notes: 'One\r\nTwo',
  walletAddress: WALLET,
  tier: 'Raven',
  bdAmount: '9,999,999',
};
const CHECKED_STAKE = { amount: 6_200_000_000_000n, tier: 'Banker', at: TEST_START };
const NO_OPTIONAL_FIELDS = { phone: null, telegram: null, alias: null, applicantNotes: null };
const KEY_HEADER = { [IDEMPOTENCY_HEADER]: '6f1c2f0e-0c54-4a53-9a50-6fa2a6a9a0b1' };

async function findStored(portal: TestPortal, body: string) {
  return portal.store.submissions.find('card-application', JSON.parse(body).referenceNumber);
}

describe('a card application', () => {
  it.each([
    [
      'the overlay',
      submitApplication,
      FULL_OVERLAY_BODY,
      {
        shape: 'overlay',
        name: 'Ada',
        phone: null,
        telegram: 'ada',
        alias: 'Everyday',
        applicantNotes: 'One\nTwo',
        statedAmount: '9,999,999',
        statedTier: 'Raven',
      },
    ],
    [
      'the test page',
      submitApplication,
      TEST_PAGE_BODY,
      {
        ...NO_OPTIONAL_FIELDS,
        shape: 'test-page',
        name: 'Ada',
        statedAmount: '1500000',
        statedTier: 'Duckling',
      },
    ],
    [
      'the test page with its optional fields',
      submitApplication,
      { ...TEST_PAGE_BODY, telegram: 'https://t.me/ada', alias: 'Everyday', notes: 'Hello' },
      { shape: 'test-page', telegram: 'ada', alias: 'Everyday', applicantNotes: 'Hello' },
    ],
    [
      'the card form',
      submitApplicationV2,
      V2_FORM_BODY,
      {
        ...NO_OPTIONAL_FIELDS,
        shape: 'v2',
        name: 'Ada Lovelace',
        phone: '+44 20 7946 0000',
        alias: 'Everyday',
        statedAmount: '6200000',
        statedTier: 'Banker',
      },
    ],
  ])('from %s is stored with the stake that the portal reads itself', async (_case, call, body, fields) => {
    const portal = await start();
    const answer = await sendForm(portal.port, call.path, body);
    expect(answer.status).toBe(200);
    expect(call.response.parse(JSON.parse(answer.body)).referenceNumber).toMatch(REFERENCE_NUMBER_PATTERN);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(await findStored(portal, answer.body)).toMatchObject({
      ...fields,
      email: 'ada@example.com',
      walletAddress: WALLET,
      checked: CHECKED_STAKE,
      isOwnershipProven: false,
      status: 'received',
      createdAt: TEST_START,
    });
  });

  it('from the card form gets its delivery methods in the response', async () => {
    const { body } = await sendForm((await start()).port, submitApplicationV2.path, V2_FORM_BODY);
    expect(JSON.parse(body).deliveryMethods).toEqual(['email', 'telegram']);
  });

  it('is stored without a stake if the chain cannot be read', async () => {
    const silent = new FakeIndex();
    silent.commit({ chain: null });
    const portal = await start({ index: silent });
    const { body } = await sendForm(portal.port, submitApplication.path, FULL_OVERLAY_BODY);
    expect(await findStored(portal, body)).toMatchObject({ checked: null, statedTier: 'Raven' });
  });

  it('is stored without a stake if the overlay has no wallet', async () => {
    const portal = await start();
    const { walletAddress: _, ...without } = FULL_OVERLAY_BODY;
    const { body } = await sendForm(portal.port, submitApplication.path, without);
    expect(await findStored(portal, body)).toMatchObject({ walletAddress: null, checked: null });
  });

  it.each([
    ['the same wallet', WALLET, true],
    ['a different wallet', walletOf(2), false],
  ])(
    'proves ownership only in a session for its own wallet: %s',
    async (_case, walletAddress, isOwnershipProven) => {
      const portal = await start();
      const Cookie = await openWalletSession(portal.store, walletAddress, TEST_START);
      const { body } = await sendForm(portal.port, submitApplicationV2.path, V2_FORM_BODY, { Cookie });
      expect(await findStored(portal, body)).toMatchObject({ isOwnershipProven });
    },
  );
});

describe('a retry', () => {
  it('with the same key returns the same submission, even with twenty concurrent retries', async () => {
    const portal = await start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        sendForm(portal.port, submitApplicationV2.path, V2_FORM_BODY, KEY_HEADER),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await portal.store.auditTrail(99)).toHaveLength(1);
  });

  it('with the same key returns the same submission even if its fields are in a different order', async () => {
    const { port } = await start();
    const reversed = Object.fromEntries(Object.entries(V2_FORM_BODY).toReversed());
    const first = await sendForm(port, submitApplicationV2.path, V2_FORM_BODY, KEY_HEADER);
    expect((await sendForm(port, submitApplicationV2.path, reversed, KEY_HEADER)).body).toBe(first.body);
  });

  it('with the key of a different submission is rejected', async () => {
    const portal = await start();
    await sendForm(portal.port, submitApplicationV2.path, V2_FORM_BODY, KEY_HEADER);
    const other = await sendForm(
      portal.port,
      submitApplicationV2.path,
      { ...V2_FORM_BODY, alias: 'Other' },
      KEY_HEADER,
    );
    expect([other.status, JSON.parse(other.body).code]).toEqual([422, 'idempotency-key-reused']);
    expect(await portal.store.auditTrail(99)).toHaveLength(1);
  });

  it('may use a key that was used for a different call', async () => {
    const { port } = await start();
    await sendForm(port, submitApplicationV2.path, V2_FORM_BODY, KEY_HEADER);
    expect((await sendForm(port, submitApplication.path, FULL_OVERLAY_BODY, KEY_HEADER)).status).toBe(200);
  });

  it('without a key creates a new submission', async () => {
    const { port } = await start();
    const first = await sendForm(port, submitApplicationV2.path, V2_FORM_BODY);
    expect((await sendForm(port, submitApplicationV2.path, V2_FORM_BODY)).body).not.toBe(first.body);
  });

  it('is rejected with a malformed key', async () => {
    const { port } = await start();
    for (const key of ['short', 'with spaces in it', 'k'.repeat(129)]) {
      const headers = { [IDEMPOTENCY_HEADER]: key };
      const answer = await sendForm(port, submitApplicationV2.path, V2_FORM_BODY, headers);
      expect([answer.status, JSON.parse(answer.body).code], key).toEqual([400, 'invalid-idempotency-key']);
    }
  });
});

describe('submissions', () => {
  it('have a limit per IP address and minute across all kinds', async () => {
    const { port } = await start({ rateLimits: { submissions: 2 } });
    const send = (path: string, body: unknown) => sendForm(port, path, body);
    await send(submitApplicationV2.path, V2_FORM_BODY);
    await send(submitApplication.path, TEST_PAGE_BODY);
    for (const { path } of [requestVerification, submitContactMessage, applyForLoan]) {
      const { status, body, headers } = await send(path, {});
      expect([status, JSON.parse(body).code]).toEqual([429, 'too-many-requests']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('beyond five per mailbox, kind and day are accepted without a confirmation, even from tagged addresses', async () => {
    const portal = await start();
    const getsConfirmation = async (
      email: string,
      { path }: { path: string } = submitApplicationV2,
      form: object = V2_FORM_BODY,
    ) => {
      const { status, body } = await sendForm(portal.port, path, { ...form, email });
      expect(status).toBe(200);
      const queued = await portal.store.deliveries.deliveriesOf(JSON.parse(body).referenceNumber);
      return queued.some(({ audience }) => audience === 'applicant');
    };
    for (const tag of [1, 2, 3, 4, 5]) expect(await getsConfirmation(`ada+${tag}@example.com`)).toBe(true);
    expect(await getsConfirmation('ADA@example.com')).toBe(false);
    expect(await getsConfirmation('ada@example.com', submitApplication, TEST_PAGE_BODY)).toBe(false);
    expect(await getsConfirmation('ada@example.com', submitContactMessage, CONTACT_BODY)).toBe(true);
    expect(await getsConfirmation('bo@example.com')).toBe(true);
    await portal.pollAt(TEST_START + 24 * 3_600_000 + 1);
    expect(await getsConfirmation('ada@example.com')).toBe(true);
  });
});
