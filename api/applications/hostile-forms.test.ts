import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  applicationStatus,
  requestVerification,
  submitApplication,
  submitApplicationV2,
  submitContactMessage,
} from '../../data/contract/submissions.ts';
import { CARD_FORM, OVERLAY_FORM } from '../../data/model/forms/card-forms.ts';
import { CONTACT_FORM } from '../../data/model/forms/contact-form.ts';
import { type FormField, fieldError } from '../../data/model/forms/field.ts';
import { REQUEST_FORM } from '../../data/model/forms/verification-forms.ts';
import { sendForm } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { FORM_V2, MESSAGE, OVERLAY, REQUEST, TEST_PAGE } from './testing/sample-forms.ts';

const STATUS = { referenceNumber: 'BD-20260101-123456', email: 'ada@example.com' };
const FORMS = [
  ['the overlay', submitApplication.path, OVERLAY],
  ['the test page', submitApplication.path, TEST_PAGE],
  ['the card form', submitApplicationV2.path, FORM_V2],
  ['a verification request', requestVerification.path, REQUEST],
  ['a message to support', submitContactMessage.path, MESSAGE],
  ['a status request', applicationStatus.path, STATUS],
] as const;
/** The forms whose submissions are stored. */
const STORED_FORMS = FORMS.slice(0, 5);

describe('a hostile body', () => {
  let portal: TestPortal;
  beforeAll(async () => {
    portal = await startTestPortal({});
  });
  afterEach(async () => {
    expect(await portal.store.auditTrail(9)).toEqual([]);
    for (const line of portal.logged) expect(line).not.toContain('ada@example.com');
  });
  afterAll(() => portal.close());

  const refuse = async (path: string, body: unknown) => {
    const answer = await sendForm(portal.port, path, body);
    const { success, error, code } = JSON.parse(answer.body);
    expect([success, typeof error]).toEqual([false, 'string']);
    return { status: answer.status, error, code };
  };

  it.each(FORMS)('for %s is rejected if a field has a wrong type', async (_form, path, body) => {
    for (const field of Object.keys(body)) {
      for (const wrong of [true, [], {}, ['a@example.com'], { $gt: '' }, { toString: 'x' }]) {
        expect((await refuse(path, { ...body, [field]: wrong })).status, field).toBe(400);
      }
    }
  });

  it.each(FORMS)(
    'for %s is rejected if it has unknown fields, and a short message names them',
    async (_form, path, body) => {
      const one = await refuse(path, { ...body, isAdmin: true });
      expect(one).toMatchObject({ status: 400, error: expect.stringContaining('isAdmin') });
      const long = Object.fromEntries([...'abcdefghij'].map((letter) => [letter.repeat(3_000), 1]));
      const many = await refuse(path, { ...body, ...long });
      expect(many.error).toMatch(/\ba{40}…, b{40}…, c{40}… /);
      expect(many.error.length).toBeLessThan(250);
    },
  );

  it.each(FORMS)('for %s is rejected if it contains control characters', async (_form, path, body) => {
    for (const [field, value] of Object.entries(body)) {
      if (typeof value !== 'string') continue;
      for (const character of ['\u0000', '\u001b', '\u202e', '\ud800']) {
        const altered = { ...body, [field]: `${value || 'a'}${character}${value || 'a'}` };
        expect((await refuse(path, altered)).status, field).toBe(400);
      }
    }
  });

  it.each(FORMS)('for %s is rejected if a value is too long', async (_form, path, body) => {
    for (const field of Object.keys(body)) {
      expect((await refuse(path, { ...body, [field]: 'a'.repeat(6_000) })).status, field).toBe(400);
    }
  });

  it.each(FORMS)('for %s is rejected if a key could pollute objects', async (_form, path, body) => {
    const rest = JSON.stringify(body).slice(1);
    for (const key of ['__proto__', 'constructor', 'prototype', 'isOwnershipProven', 'status', 'id']) {
      expect((await refuse(path, `{"${key}":{"polluted":true},${rest}`)).status, key).toBe(400);
    }
    expect('polluted' in {}).toBe(false);
  });

  it.each(FORMS)(
    'for %s is rejected unless it is a JSON object within the size limit',
    async (_form, path, body) => {
      for (const none of ['[]', '""', 'null', '{', '']) {
        expect((await refuse(path, none)).status, none).toBe(400);
      }
      const large = await refuse(path, { ...body, notes: 'a'.repeat(1_048_576) });
      expect([large.status, large.code]).toEqual([413, 'body-too-large']);
    },
  );

  it.each(STORED_FORMS)('for %s is rejected if the hidden field is filled in', async (_form, path, body) => {
    const refused = await refuse(path, { ...body, website: 'https://spam.example' });
    expect(refused).toMatchObject({ status: 400, code: 'automated-form' });
  });

  it.each(STORED_FORMS)('for %s is rejected if another site sends it', async (_form, path, body) => {
    const answer = await sendForm(portal.port, path, body, { Origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
  });

  const { path: v2 } = submitApplicationV2;
  const { path: verification } = requestVerification;
  const { path: contact } = submitContactMessage;
  const [card, request, message] = [CARD_FORM.fields, REQUEST_FORM.fields, CONTACT_FORM.fields];
  it.each<[path: string, body: object, field: FormField, typed: string]>([
    [v2, { ...FORM_V2, email: 'ada' }, card.email, 'ada'],
    [v2, { ...FORM_V2, phone: '12345' }, card.phoneNumber, '12345'],
    [v2, { ...FORM_V2, alias: 'ab' }, card.alias, 'ab'],
    [v2, { ...FORM_V2, alias: 'a'.repeat(21) }, card.alias, 'a'.repeat(21)],
    [v2, { ...FORM_V2, alias: '\u200b' }, card.alias, ''],
    [v2, { ...FORM_V2, wallet: '1'.repeat(44) }, request.walletAddress, ''],
    [verification, { ...REQUEST, walletAddress: '1' }, request.walletAddress, '1'],
    [verification, { ...REQUEST, userEmail: '' }, request.userEmail, ''],
    [verification, { ...REQUEST, claimedStakedAmount: ' ' }, request.claimedStakedAmount, ''],
    [verification, { ...REQUEST, requestReason: 'short' }, request.requestReason, ''],
    [contact, { ...MESSAGE, name: ' \u200b' }, message.name, ''],
    [contact, { ...MESSAGE, email: '' }, message.email, ''],
    [contact, { ...MESSAGE, message: '\n\n' }, message.message, ''],
    [contact, { ...MESSAGE, walletAddress: '1'.repeat(44) }, message.walletAddress, '1'],
    [contact, { ...MESSAGE, message: 'a'.repeat(4_001) }, message.message, 'a'.repeat(4_001)],
  ])('sent to %s gets the message that the browser shows (case %#)', async (path, body, field, typed) => {
    expect(await refuse(path, body)).toEqual({
      status: 400,
      code: 'invalid-body',
      error: fieldError(field, typed)?.message,
    });
  });

  it('gets the messages for all invalid fields, as sentences', async () => {
    const { cardAlias, fullName, email, telegram } = OVERLAY_FORM.fields;
    const messages = [cardAlias, fullName, email, telegram].map((field) => fieldError(field, '')?.message);
    expect(await refuse(submitApplication.path, {})).toMatchObject({ error: messages.join('. ') });
  });

  it('is rejected with an unknown category', async () => {
    const body = { ...MESSAGE, category: 'love' };
    expect(await refuse(submitContactMessage.path, body)).toMatchObject({ code: 'invalid-body' });
  });
});

it('SQL and HTML in a form are stored unchanged', async () => {
  const portal = await startTestPortal();
  const text = `'); drop table card_applications; -- <script>alert(1)</script> {{x}} \${y} %s`;
  const alias = text.slice(0, 60);
  const body = { ...OVERLAY, cardAlias: alias, fullName: text, notes: text };
  const answer = await sendForm(portal.port, submitApplication.path, body);
  const { referenceNumber } = JSON.parse(answer.body);
  const stored = await portal.store.submissions.find('card-application', referenceNumber);
  expect(stored).toMatchObject({ name: text, applicantNotes: text, alias });
  await portal.close();
});
