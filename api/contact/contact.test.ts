import { afterEach, describe, expect, it } from 'vitest';
import { IDEMPOTENCY_HEADER } from '../../data/contract/applications.ts';
import { submitContactMessage } from '../../data/contract/contact.ts';
import { REFERENCE_NUMBER } from '../../data/model/reference-number.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { sendForm } from '../testing/send-form.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const portals: TestPortal[] = [];
afterEach(async () => {
  for (const portal of portals.splice(0)) await portal.close();
});

async function start(changes: Parameters<typeof startTestPortal>[0] = {}): Promise<TestPortal> {
  const portal = await startTestPortal({ submissionsPerMinute: 1_000, ...changes });
  portals.push(portal);
  return portal;
}

const MESSAGE = {
  name: ' Ada ',
  email: 'ada@example.com',
  subject: 'My stake',
  category: 'staking',
  message: 'When does my lock end?\r\nI staked in May.',
  walletAddress: walletOf(1),
};
const KEY = { [IDEMPOTENCY_HEADER]: '6f1c2f0e-0c54-4a53-9a50-6fa2a6a9a0b1' };
const send = ({ port }: TestPortal, body: unknown = MESSAGE, headers = {}) =>
  sendForm(port, submitContactMessage.path, body, headers);
const referenceOf = ({ body }: { readonly body: string }): string => JSON.parse(body).referenceNumber;

describe('a message to support', () => {
  it('is kept, acknowledged by a reference number, and on its way to its sender and the team', async () => {
    const portal = await start();
    const answer = await send(portal);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { referenceNumber } = submitContactMessage.response.parse(JSON.parse(answer.body));
    expect(referenceNumber).toMatch(REFERENCE_NUMBER);
    expect(await portal.store.contacts.messageByReference(referenceNumber)).toMatchObject({
      ...MESSAGE,
      name: 'Ada',
      message: 'When does my lock end?\nI staked in May.',
      createdAt: TEST_START,
    });
    const deliveries = await portal.store.deliveries.deliveriesOf(referenceNumber);
    expect(deliveries.map(({ channel, audience }) => `${channel} ${audience}`).toSorted()).toEqual([
      'mail applicant',
      'mail team',
      'telegram team',
    ]);
    for (const line of portal.logged) expect(line).not.toMatch(/ada@example|my lock/);
  });

  it.each([
    ['left out', {}],
    ['null', { subject: null, category: null, walletAddress: null }],
    ['empty', { subject: '', category: '', walletAddress: ' ', website: '' }],
  ])('needs no subject, category or wallet: %s', async (_case, rest) => {
    const portal = await start();
    const { name, email, message } = MESSAGE;
    const answer = await send(portal, { name, email, message, ...rest });
    expect(await portal.store.contacts.messageByReference(referenceOf(answer))).toMatchObject({
      subject: null,
      category: null,
      walletAddress: null,
    });
  });

  it('that is sent again by its key is the same one; another by that key is refused', async () => {
    const portal = await start();
    const first = await send(portal, MESSAGE, KEY);
    expect(referenceOf(await send(portal, MESSAGE, KEY))).toBe(referenceOf(first));
    const other = await send(portal, { ...MESSAGE, message: 'Another' }, KEY);
    expect([other.status, JSON.parse(other.body).code]).toEqual([422, 'idempotency-key-reused']);
    expect(await portal.store.auditTrail(9)).toHaveLength(1);
  });

  it('is refused beyond what one address may send, in plain words', async () => {
    const portal = await start({ submissionsPerMinute: 2 });
    for (const email of ['a@example.com', 'b@example.com']) {
      expect((await send(portal, { ...MESSAGE, email })).status).toBe(200);
    }
    const answer = await send(portal, { ...MESSAGE, email: 'c@example.com' });
    expect(answer.status).toBe(429);
    expect(JSON.parse(answer.body).error).toMatch(
      /^Too many requests from this address\. Ask again in \d+ seconds\.$/,
    );
  });

  it('is refused beyond what one mailbox may be sent, in plain words', async () => {
    const portal = await start();
    for (const tag of [1, 2, 3, 4, 5]) {
      expect((await send(portal, { ...MESSAGE, email: `ada+${tag}@example.com` })).status).toBe(200);
    }
    const answer = await send(portal);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      429,
      {
        success: false,
        code: 'too-many-from-address',
        error:
          'This email address was used for 5 submissions in the last 24 hours. Try again later; what was sent is being worked on.',
      },
    ]);
    await portal.lookAt(TEST_START + 24 * 3_600_000 + 1);
    expect((await send(portal)).status).toBe(200);
  });
});
