import { describe, expect, it, onTestFinished } from 'vitest';
import { submitContactMessage } from '../../data/contract/submissions.ts';
import { REFERENCE_NUMBER_PATTERN } from '../../data/model/reference-number.ts';
import { CONTACT_BODY } from '../applications/testing/sample-forms.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { startTestPortal } from '../testing/test-portal.ts';

async function send(body: unknown) {
  const portal = await startTestPortal();
  onTestFinished(() => portal.close());
  const answer = await sendForm(portal.port, submitContactMessage.path, body);
  expect(answer.status).toBe(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  const { referenceNumber } = submitContactMessage.response.parse(JSON.parse(answer.body));
  const stored = await portal.store.submissions.find('contact-message', referenceNumber);
  return { portal, referenceNumber, stored };
}

describe('a message to support', () => {
  it('is stored under a reference number and queued for the sender and the team', async () => {
    const message = { ...CONTACT_BODY, name: ' Ada ', message: 'When does my lock end?\r\nI staked in May.' };
    const { portal, referenceNumber, stored } = await send(message);
    expect(referenceNumber).toMatch(REFERENCE_NUMBER_PATTERN);
    expect(stored).toMatchObject({
      ...CONTACT_BODY,
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
    for (const line of portal.logLines) expect(line).not.toMatch(/ada@example|my lock/);
  });

  it.each([
    ['left out', {}],
    ['null', { subject: null, category: null, walletAddress: null }],
    ['empty', { subject: '', category: '', walletAddress: ' ', website: '' }],
  ])('needs no subject, category or wallet (%s)', async (_case, rest) => {
    const { name, email, message } = CONTACT_BODY;
    const { stored } = await send({ name, email, message, ...rest });
    expect(stored).toMatchObject({ subject: null, category: null, walletAddress: null });
  });
});
