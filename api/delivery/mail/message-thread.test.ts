import { expect, it } from 'vitest';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import { rowId } from '../../../data/store/row-id.ts';
import { firstMessageId, messageIdOf, parseSentMail } from './message-thread.ts';

const ORIGIN = 'https://portal.example';
const REFERENCE = 'BD-20260102-123456';
const id = rowId(1_767_323_045_000);
const delivery = {
  referenceNumber: REFERENCE,
  audience: 'applicant',
  messageId: `${id}@blackduck-portal`,
} as const;

it.each([
  ['card-application.received', { receiptOf: REFERENCE }],
  ['card-application.approved', { deliveryId: id }],
] as const)('the Message-ID of an email about %s identifies that email', (event, mail) => {
  const messageId = messageIdOf({ ...delivery, event }, ORIGIN);
  expect(parseSentMail(`<${messageId}>`)).toEqual(mail);
  expect(parseSentMail(` ${messageId}\n`)).toEqual(mail);
});

it('an email is threaded under the first email to the same audience about the record, even if that one is not a receipt', () => {
  const sampleDelivery = (
    event: string,
    at: number,
    changes: Partial<LeasedDelivery> = {},
  ): LeasedDelivery => ({
    ...{ id: event, event: `card-application.${event}`, referenceNumber: REFERENCE, channel: 'mail' },
    ...{ audience: 'applicant', recipient: null, messageId: `${event}@blackduck-portal` },
    ...{ attemptCount: 0, fence: 0, createdAt: at, ...changes },
  });
  const received = sampleDelivery('received', 1);
  const approved = sampleDelivery('approved', 2);
  const issued = sampleDelivery('card-issued', 3);
  const others = [
    sampleDelivery('received', 1, { audience: 'team' }),
    sampleDelivery('approved', 1, { channel: 'telegram' }),
    sampleDelivery('card-frozen', 4),
  ];
  const followedMessageId = (mail: LeasedDelivery, ...queued: LeasedDelivery[]) =>
    firstMessageId(mail, [...others, ...queued], ORIGIN);
  expect(followedMessageId(issued, issued, approved, received)).toBe(`${REFERENCE}.applicant@portal.example`);
  expect(followedMessageId(issued, issued, approved)).toBe('approved@portal.example');
  expect(followedMessageId(issued, issued)).toBeNull();
  expect(followedMessageId(received, received, approved)).toBeNull();
});

it('a text that is not a Message-ID identifies no email', () => {
  for (const text of ['', 'BD-20260102-123456', '<a b@c>', '<a@b@c>', `<${'@'.repeat(9)}>`]) {
    expect(parseSentMail(text)).toBeNull();
  }
});
