import { describe, expect, it, onTestFinished } from 'vitest';
import { submitContactMessage } from '../../data/contract/submissions.ts';
import { REFERENCE_NUMBER } from '../../data/model/reference-number.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

async function start(): Promise<TestPortal> {
  const portal = await startTestPortal();
  onTestFinished(() => portal.close());
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
const send = ({ port }: TestPortal, body: unknown = MESSAGE) =>
  sendForm(port, submitContactMessage.path, body);
const referenceOf = ({ body }: { readonly body: string }): string => JSON.parse(body).referenceNumber;

describe('a message to support', () => {
  it('is stored under a reference number and queued for the sender and the team', async () => {
    const portal = await start();
    const answer = await send(portal);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { referenceNumber } = submitContactMessage.response.parse(JSON.parse(answer.body));
    expect(referenceNumber).toMatch(REFERENCE_NUMBER);
    expect(await portal.store.submissions.find('contact-message', referenceNumber)).toMatchObject({
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
  ])('needs no subject, category or wallet (%s)', async (_case, rest) => {
    const portal = await start();
    const { name, email, message } = MESSAGE;
    const answer = await send(portal, { name, email, message, ...rest });
    expect(await portal.store.submissions.find('contact-message', referenceOf(answer))).toMatchObject({
      subject: null,
      category: null,
      walletAddress: null,
    });
  });
});
