import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  applicationStatus,
  requestVerification,
  submitApplication,
  submitApplicationV2,
} from '../../data/contract/applications.ts';
import { submitContactMessage } from '../../data/contract/contact.ts';
import { walletOf } from '../testing/sample-stakes.ts';
import { sendForm } from '../testing/send-form.ts';
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
const MISSING = 'Required Fields Missing: Please fill in your name, email, and message before submitting.';
const STATUS = { referenceNumber: 'BD-20260101-123456', email: 'ada@example.com' };
const FORMS = [
  ['the overlay', submitApplication.path, OVERLAY],
  ['the test page', submitApplication.path, TEST_PAGE],
  ['the form', submitApplicationV2.path, FORM],
  ['a request', requestVerification.path, REQUEST],
  ['a message to support', submitContactMessage.path, MESSAGE],
  ['a look at the status', applicationStatus.path, STATUS],
] as const;

describe('a hostile body', () => {
  let portal: TestPortal;
  beforeAll(async () => {
    portal = await startTestPortal({
      submissionsPerMinute: 10_000,
      statusLooksPerMinute: 10_000,
      callsPerMinute: 10_000,
    });
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

  it.each(FORMS)('of %s is refused where a field has a wrong type', async (_form, path, body) => {
    for (const field of Object.keys(body)) {
      for (const wrong of [true, [], {}, ['a@example.com'], { $gt: '' }, { toString: 'x' }]) {
        expect((await refusal(path, { ...body, [field]: wrong })).status, field).toBe(400);
      }
    }
  });

  it.each(FORMS)('of %s is told which fields do not belong, in short', async (_form, path, body) => {
    const one = await refusal(path, { ...body, isAdmin: true });
    expect(one).toMatchObject({ status: 400, error: 'Leave out what does not belong here: isAdmin.' });
    const long = Object.fromEntries([...'abcdefghij'].map((sign) => [sign.repeat(3_000), 1]));
    const many = await refusal(path, { ...body, ...long });
    expect(many.error).toMatch(/^Leave out what does not belong here: a{40}…, b{40}…, c{40}… and more\.$/);
  });

  it.each(FORMS)('of %s is refused where a field holds control characters', async (_form, path, body) => {
    for (const [field, value] of Object.entries(body)) {
      if (typeof value !== 'string') continue;
      for (const character of ['\u0000', '\u001b', '\u202e', '\ud800']) {
        const altered = { ...body, [field]: `${value || 'a'}${character}${value || 'a'}` };
        expect((await refusal(path, altered)).status, field).toBe(400);
      }
    }
  });

  it.each(FORMS)('of %s is refused with a field too long', async (_form, path, body) => {
    for (const field of Object.keys(body)) {
      expect((await refusal(path, { ...body, [field]: 'a'.repeat(6_000) })).status, field).toBe(400);
    }
  });

  it.each(FORMS)('of %s is refused where it holds keys that the form has not', async (_form, path, body) => {
    const rest = JSON.stringify(body).slice(1);
    for (const key of ['__proto__', 'constructor', 'prototype', 'isOwnershipProven', 'status', 'id']) {
      expect((await refusal(path, `{"${key}":{"polluted":true},${rest}`)).status, key).toBe(400);
    }
    expect('polluted' in {}).toBe(false);
  });

  it.each(FORMS)(
    'of %s is refused where it is no object, too large, or no JSON',
    async (_form, path, body) => {
      for (const none of ['[]', '""', 'null', '{', '']) {
        expect((await refusal(path, none)).status, none).toBe(400);
      }
      const large = await refusal(path, { ...body, notes: 'a'.repeat(1_048_576) });
      expect([large.status, large.code]).toEqual([413, 'body-too-large']);
    },
  );

  it.each(FORMS.slice(0, 5))(
    'of %s is refused where the hidden field is filled in',
    async (_form, path, body) => {
      expect(await refusal(path, { ...body, website: 'https://spam.example' })).toMatchObject({
        status: 400,
        code: 'automated-form',
      });
    },
  );

  it.each(FORMS.slice(0, 5))('of %s from a page of another site is refused', async (_form, path, body) => {
    const answer = await sendForm(portal.port, path, body, { Origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
  });

  it.each([
    [submitApplicationV2.path, { ...FORM, email: 'ada' }, 'Please enter a valid email address'],
    [submitApplicationV2.path, { ...FORM, phone: '12345' }, 'Please enter a valid phone number'],
    [submitApplicationV2.path, { ...FORM, alias: 'ab' }, 'Alias must be at least 3 characters'],
    [submitApplicationV2.path, { ...FORM, alias: 'a'.repeat(21) }, 'Alias must be less than 20 characters'],
    [
      submitApplicationV2.path,
      { ...FORM, alias: '\u200b\u200b\u200b' },
      'Alias must be at least 3 characters',
    ],
    [submitApplicationV2.path, { ...FORM, wallet: '1'.repeat(44) }, 'Valid wallet address required'],
    [
      requestVerification.path,
      { ...REQUEST, walletAddress: '1'.repeat(31) },
      'Valid wallet address required',
    ],
    [requestVerification.path, { ...REQUEST, userEmail: '' }, 'Valid email address required'],
    [
      requestVerification.path,
      { ...REQUEST, claimedStakedAmount: ' ' },
      'Please specify the amount you have staked',
    ],
    [
      requestVerification.path,
      { ...REQUEST, requestReason: 'too short' },
      'Please provide a detailed reason (minimum 10 characters)',
    ],
    [submitContactMessage.path, {}, MISSING],
    [submitContactMessage.path, { ...MESSAGE, name: ' \u200b' }, MISSING],
    [submitContactMessage.path, { ...MESSAGE, email: '' }, MISSING],
    [submitContactMessage.path, { ...MESSAGE, message: '\n\n' }, MISSING],
    [submitContactMessage.path, { ...MESSAGE, email: 'ada' }, 'Please enter a valid email address'],
    [submitContactMessage.path, { ...MESSAGE, category: 'love' }, 'Choose a category of the list, or none.'],
    [
      submitContactMessage.path,
      { ...MESSAGE, walletAddress: '1'.repeat(44) },
      'Valid wallet address required',
    ],
    [
      submitContactMessage.path,
      { ...MESSAGE, message: '🦆'.repeat(4_001) },
      'Shorten the message: 4000 characters are read.',
    ],
    [
      submitApplication.path,
      {},
      'Give the card alias. Give the full legal name. Please enter a valid email address Give the Telegram account.',
    ],
  ])('to %s is refused in the words of the form: %j', async (path, body, words) => {
    expect(await refusal(path, body)).toEqual({ status: 400, code: 'invalid-body', error: words });
  });
});

describe('a form that holds SQL and HTML', () => {
  it('is kept to the letter, and harms nothing', async () => {
    const portal = await startTestPortal();
    const text = `'); drop table card_applications; -- <script>alert(1)</script> {{x}} \${y} %s`;
    const body = { ...OVERLAY, cardAlias: text.slice(0, 60), fullName: text, notes: text };
    const { body: answer } = await sendForm(portal.port, submitApplication.path, body);
    const { referenceNumber } = JSON.parse(answer);
    expect(await portal.store.applications.applicationByReference(referenceNumber)).toMatchObject({
      name: text,
      notes: text,
      alias: text.slice(0, 60),
    });
    await portal.close();
  });
});
