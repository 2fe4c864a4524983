// @module-tag slow
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
import {
  CONTACT_BODY,
  OVERLAY_BODY,
  TEST_PAGE_BODY,
  V2_FORM_BODY,
  VERIFICATION_BODY,
} from './testing/sample-forms.ts';

const STATUS_BODY = { referenceNumber: 'BD-20260101-123456', email: 'ada@example.com' };
const FORMS = [
  ['the overlay', submitApplication.path, OVERLAY_BODY],
  ['the test page', submitApplication.path, TEST_PAGE_BODY],
  ['the card form', submitApplicationV2.path, V2_FORM_BODY],
  ['a verification request', requestVerification.path, VERIFICATION_BODY],
  ['a message to support', submitContactMessage.path, CONTACT_BODY],
  ['a status request', applicationStatus.path, STATUS_BODY],
] as const;
const STORED_FORMS = FORMS.slice(0, 5);

describe('a hostile body', () => {
  let portal: TestPortal;
  beforeAll(async () => {
    portal = await startTestPortal({});
  });
  afterEach(async () => {
    expect(await portal.store.auditTrail(9)).toEqual([]);
    for (const line of portal.logLines) expect(line).not.toContain('ada@example.com');
  });
  afterAll(() => portal.close());

  const expectRefusal = async (path: string, body: unknown) => {
    const answer = await sendForm(portal.port, path, body);
    const { success, error, code } = JSON.parse(answer.body);
    expect([success, typeof error]).toEqual([false, 'string']);
    return { status: answer.status, error, code };
  };

  it.each(FORMS)(
    'for %s is rejected if it has unknown fields, and a short message names them',
    async (_form, path, body) => {
      const one = await expectRefusal(path, { ...body, isAdmin: true });
      expect(one).toMatchObject({ status: 400, error: expect.stringContaining('isAdmin') });
      const long = Object.fromEntries([...'abcdefghij'].map((letter) => [letter.repeat(3_000), 1]));
      const many = await expectRefusal(path, { ...body, ...long });
      expect(many.error).toMatch(/\ba{40}…, b{40}…, c{40}… /);
      expect(many.error.length).toBeLessThan(250);
    },
  );

  it.each(FORMS)(
    'for %s is rejected if a value has a wrong type or is too long',
    async (_form, path, body) => {
      for (const field of Object.keys(body)) {
        for (const wrong of [true, { toString: 'x' }, 'a'.repeat(6_000)])
          expect((await expectRefusal(path, { ...body, [field]: wrong })).status, field).toBe(400);
      }
    },
  );

  it.each(STORED_FORMS)('for %s is rejected if the hidden field is filled in', async (_form, path, body) => {
    const refused = await expectRefusal(path, { ...body, website: 'https://spam.example' });
    expect(refused).toMatchObject({ status: 400, code: 'automated-form' });
  });

  const { path: cardFormPath } = submitApplicationV2;
  const { path: verificationPath } = requestVerification;
  const { path: contactPath } = submitContactMessage;
  const [cardFields, requestFields, messageFields] = [
    CARD_FORM.fields,
    REQUEST_FORM.fields,
    CONTACT_FORM.fields,
  ];
  it.each<[path: string, body: object, field: FormField, typed: string]>([
    [cardFormPath, { ...V2_FORM_BODY, email: 'ada' }, cardFields.email, 'ada'],
    [cardFormPath, { ...V2_FORM_BODY, alias: 'a'.repeat(21) }, cardFields.alias, 'a'.repeat(21)],
    [cardFormPath, { ...V2_FORM_BODY, wallet: '1'.repeat(44) }, requestFields.walletAddress, ''],
    [verificationPath, { ...VERIFICATION_BODY, walletAddress: '1' }, requestFields.walletAddress, '1'],
    [verificationPath, { ...VERIFICATION_BODY, requestReason: 'short' }, requestFields.requestReason, ''],
    [contactPath, { ...CONTACT_BODY, message: '\n\n' }, messageFields.message, ''],
    [contactPath, { ...CONTACT_BODY, walletAddress: '1'.repeat(44) }, messageFields.walletAddress, '1'],
  ])('sent to %s gets the message that the browser shows (case %#)', async (path, body, field, typed) => {
    expect(await expectRefusal(path, body)).toEqual({
      status: 400,
      code: 'invalid-body',
      error: fieldError(field, typed)?.message,
    });
  });

  it('gets the messages for all invalid fields, as sentences', async () => {
    const { cardAlias, fullName, email, telegram } = OVERLAY_FORM.fields;
    const messages = [cardAlias, fullName, email, telegram].map((field) => fieldError(field, '')?.message);
    expect(await expectRefusal(submitApplication.path, {})).toMatchObject({ error: messages.join('. ') });
  });
});
