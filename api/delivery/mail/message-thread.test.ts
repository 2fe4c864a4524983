import { expect, it } from 'vitest';
import { rowId } from '../../../data/store/row-id.ts';
import { messageThread, sentMail } from './message-thread.ts';

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
] as const)('the Message-ID of a mail about %s names that mail', (event, mail) => {
  const { messageId } = messageThread({ ...delivery, event }, 'https://portal.example');
  expect(sentMail(`<${messageId}>`)).toEqual(mail);
  expect(sentMail(` ${messageId}\n`)).toEqual(mail);
});

it('a text that is no Message-ID names no mail', () => {
  for (const text of ['', 'BD-20260102-123456', '<a b@c>', '<a@b@c>', `<${'@'.repeat(9)}>`]) {
    expect(sentMail(text)).toBeNull();
  }
});
