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
import { walletOf } from '../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const OVERLAY = {
  cardAlias: 'Everyday',
  fullName: 'Ada',
  email: 'ada@example.com',
  telegram: 'ada',
  notes: '',
};
const TEST_PAGE = { name: 'Ada', email: 'ada@example.com', wallet: walletOf(1), bd_amount: 1, tier: 'None' };
const FORM = { ...TEST_PAGE, phone: '+44 20 7946 0000', alias: 'Everyday' };
const REQUEST = {
  walletAddress: walletOf(1),
  userEmail: 'ada@example.com',
  claimedStakedAmount: '1500000',
  requestReason: 'It is staked in another pool.',
  currentDetection: 'No BD tokens found',
  requestedAt: '2026-01-01T00:00:00.000Z',
};
const MESSAGE = {
  name: 'Ada',
  email: 'ada@example.com',
  subject: 'My stake',
  category: 'staking',
  message: 'When does my lock end?',
  walletAddress: walletOf(1),
};
const STATUS = { referenceNumber: 'BD-20260101-123456', email: 'ada@example.com' };
const FORMS = [
  ['the overlay', submitApplication.path, OVERLAY],
  ['the test page', submitApplication.path, TEST_PAGE],
  ['the form', submitApplicationV2.path, FORM],
  ['a request', requestVerification.path, REQUEST],
  ['a message to support', submitContactMessage.path, MESSAGE],
  ['a status request', applicationStatus.path, STATUS],
] as const;

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

  const refusal = async (path: string, body: unknown) => {
    const answer = await sendForm(portal.port, path, body);
    const { success, error, code } = JSON.parse(answer.body);
    expect([success, typeof error]).toEqual([false, 'string']);
    return { status: answer.status, error, code };
  };

  it.each(FORMS)('for %s is rejected with a wrong type', async (_form, path, body) => {
    for (const field of Object.keys(body)) {
      for (const wrong of [true, [], {}, ['a@example.com'], { $gt: '' }, { toString: 'x' }]) {
        expect((await refusal(path, { ...body, [field]: wrong })).status, field).toBe(400);
      }
    }
  });

  it.each(FORMS)(
    'for %s is rejected with unknown fields, which the short message names',
    async (_form, path, body) => {
      const one = await refusal(path, { ...body, isAdmin: true });
      expect(one).toMatchObject({ status: 400, error: expect.stringContaining('isAdmin') });
      const long = Object.fromEntries([...'abcdefghij'].map((letter) => [letter.repeat(3_000), 1]));
      const many = await refusal(path, { ...body, ...long });
      expect(many.error).toMatch(/\ba{40}…, b{40}…, c{40}… /);
      expect(many.error.length).toBeLessThan(250);
    },
  );

  it.each(FORMS)('for %s is rejected with control characters', async (_form, path, body) => {
    for (const [field, value] of Object.entries(body)) {
      if (typeof value !== 'string') continue;
      for (const character of ['\u0000', '\u001b', '\u202e', '\ud800']) {
        const altered = { ...body, [field]: `${value || 'a'}${character}${value || 'a'}` };
        expect((await refusal(path, altered)).status, field).toBe(400);
      }
    }
  });

  it.each(FORMS)('for %s is rejected with a value that is too long', async (_form, path, body) => {
    for (const field of Object.keys(body)) {
      expect((await refusal(path, { ...body, [field]: 'a'.repeat(6_000) })).status, field).toBe(400);
    }
  });

  it.each(FORMS)('for %s is rejected with keys that could pollute objects', async (_form, path, body) => {
    const rest = JSON.stringify(body).slice(1);
    for (const key of ['__proto__', 'constructor', 'prototype', 'isOwnershipProven', 'status', 'id']) {
      expect((await refusal(path, `{"${key}":{"polluted":true},${rest}`)).status, key).toBe(400);
    }
    expect('polluted' in {}).toBe(false);
  });

  it.each(FORMS)(
    'for %s is rejected unless it is a JSON object within the size limit',
    async (_form, path, body) => {
      for (const none of ['[]', '""', 'null', '{', '']) {
        expect((await refusal(path, none)).status, none).toBe(400);
      }
      const large = await refusal(path, { ...body, notes: 'a'.repeat(1_048_576) });
      expect([large.status, large.code]).toEqual([413, 'body-too-large']);
    },
  );

  it.each(FORMS.slice(0, 5))(
    'for %s is rejected if the hidden field is filled in',
    async (_form, path, body) => {
      expect(await refusal(path, { ...body, website: 'https://spam.example' })).toMatchObject({
        status: 400,
        code: 'automated-form',
      });
    },
  );

  it.each(FORMS.slice(0, 5))('for %s is rejected from another site', async (_form, path, body) => {
    const answer = await sendForm(portal.port, path, body, { Origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
  });

  it.each<[path: string, body: object, field: FormField, typed: string]>([
    [submitApplicationV2.path, { ...FORM, email: 'ada' }, CARD_FORM.fields.email, 'ada'],
    [submitApplicationV2.path, { ...FORM, phone: '12345' }, CARD_FORM.fields.phoneNumber, '12345'],
    [submitApplicationV2.path, { ...FORM, alias: 'ab' }, CARD_FORM.fields.alias, 'ab'],
    [submitApplicationV2.path, { ...FORM, alias: 'a'.repeat(21) }, CARD_FORM.fields.alias, 'a'.repeat(21)],
    [submitApplicationV2.path, { ...FORM, alias: '\u200b' }, CARD_FORM.fields.alias, ''],
    [submitApplicationV2.path, { ...FORM, wallet: '1'.repeat(44) }, REQUEST_FORM.fields.walletAddress, ''],
    [requestVerification.path, { ...REQUEST, walletAddress: '1' }, REQUEST_FORM.fields.walletAddress, '1'],
    [requestVerification.path, { ...REQUEST, userEmail: '' }, REQUEST_FORM.fields.userEmail, ''],
    [
      requestVerification.path,
      { ...REQUEST, claimedStakedAmount: ' ' },
      REQUEST_FORM.fields.claimedStakedAmount,
      '',
    ],
    [requestVerification.path, { ...REQUEST, requestReason: 'short' }, REQUEST_FORM.fields.requestReason, ''],
    [submitContactMessage.path, { ...MESSAGE, name: ' \u200b' }, CONTACT_FORM.fields.name, ''],
    [submitContactMessage.path, { ...MESSAGE, email: '' }, CONTACT_FORM.fields.email, ''],
    [submitContactMessage.path, { ...MESSAGE, message: '\n\n' }, CONTACT_FORM.fields.message, ''],
    [
      submitContactMessage.path,
      { ...MESSAGE, walletAddress: '1'.repeat(44) },
      CONTACT_FORM.fields.walletAddress,
      '1',
    ],
    [
      submitContactMessage.path,
      { ...MESSAGE, message: 'a'.repeat(4_001) },
      CONTACT_FORM.fields.message,
      'a'.repeat(4_001),
    ],
  ])('sent to %s gets the message that the browser shows (case %#)', async (path, body, field, typed) => {
    expect(await refusal(path, body)).toEqual({
      status: 400,
      code: 'invalid-body',
      error: fieldError(field, typed)?.message,
    });
  });

  it('gets the messages of all invalid fields, as sentences', async () => {
    const { cardAlias, fullName, email, telegram } = OVERLAY_FORM.fields;
    const messages = [cardAlias, fullName, email, telegram].map((field) => fieldError(field, '')?.message);
    expect(await refusal(submitApplication.path, {})).toMatchObject({ error: messages.join('. ') });
  });

  it('is rejected with an unknown category', async () => {
    const body = { ...MESSAGE, category: 'love' };
    expect(await refusal(submitContactMessage.path, body)).toMatchObject({ code: 'invalid-body' });
  });
});

describe('a form with SQL and HTML', () => {
  it('is stored unchanged', async () => {
    const portal = await startTestPortal();
    const text = `'); drop table card_applications; -- <script>alert(1)</script> {{x}} \${y} %s`;
    const body = { ...OVERLAY, cardAlias: text.slice(0, 60), fullName: text, notes: text };
    const { body: answer } = await sendForm(portal.port, submitApplication.path, body);
    const { referenceNumber } = JSON.parse(answer);
    expect(await portal.store.submissions.find('card-application', referenceNumber)).toMatchObject({
      name: text,
      applicantNotes: text,
      alias: text.slice(0, 60),
    });
    await portal.close();
  });
});
