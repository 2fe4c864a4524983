// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdminRole } from '../../data/model/admin-rules.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { addAdmin, askAs, openSession } from '../admin/testing/team.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { SAMPLE_PASSAGES, sampleBook } from './testing/sample-book.ts';

const QUESTION = 'can my parrot nest in it';
const PHRASING = { question: QUESTION, href: '/faq#vault', title: 'What is the vault?', settles: [] };
const ANSWER = { question: 'Can I pay with a parrot?', answer: 'No.\n\nOnly USDT.', settles: [] };

let portal: TestPortal;
const tokens = new Map<AdminRole, string>();
beforeEach(async () => {
  portal = await startTestPortal({
    openChatBook: async (additions) => sampleBook(SAMPLE_PASSAGES, additions),
    rateLimits: { 'admin-decisions': 1_000 },
  });
  for (const role of ['viewer', 'reviewer'] as const) {
    const id = await addAdmin(portal.store, { username: role, role, at: TEST_START });
    tokens.set(role, (await openSession(portal.store, id, TEST_START)).token);
  }
});
afterEach(() => portal.close());

async function call(role: AdminRole, path: string, body?: unknown) {
  const answer = await askAs(portal, tokens.get(role) ?? null, `/api/admin/chat${path}`, body);
  return { status: answer.status, ...JSON.parse(answer.body) };
}
const say = async (message: string) =>
  JSON.parse((await sendForm(portal.port, '/api/chat/duckling', { message })).body);
const auditedActions = async () =>
  (await portal.store.auditTrail(9)).filter(({ actor }) => actor !== 'system').map(({ action }) => action);

it('the team sees additions, verdicts, and unanswered questions grouped by meaning', async () => {
  for (const question of ['parrot cage', 'a cage for the parrot', 'why …']) {
    await portal.store.chat.addUnanswered(question, TEST_START, 9);
  }
  await portal.store.chat.addVerdict('/faq#lock', 'down', TEST_START);
  await call('reviewer', '/phrasings/add', PHRASING);
  const lastAskedAt = new Date(TEST_START).toISOString();
  const askedOnce = (question: string) => ({ question, timesAsked: 1, lastAskedAt });
  expect(await call('viewer', '')).toEqual({
    status: 200,
    groups: [
      {
        timesAsked: 2,
        lastAskedAt,
        questions: [askedOnce('a cage for the parrot'), askedOnce('parrot cage')],
      },
      { timesAsked: 1, lastAskedAt, questions: [askedOnce('why …')] },
    ],
    additions: [
      {
        id: expect.any(String),
        kind: 'phrasing',
        question: QUESTION,
        answer: null,
        passage: { href: '/faq#vault', title: 'What is the vault?', isFound: true },
        by: 'reviewer',
        addedAt: lastAskedAt,
      },
    ],
    verdicts: [{ source: '/faq#lock', up: 0, down: 1 }],
  });
});

describe('a phrasing by the team', () => {
  it('is used from the next question until it is withdrawn, settles unanswered questions, and is recorded', async () => {
    expect((await say(QUESTION)).kind).toBe('unknown');
    await expect.poll(() => portal.store.chat.unanswered(9)).toHaveLength(1);
    const [waiting] = await portal.store.chat.unanswered(9);
    const added = { ...PHRASING, settles: [waiting?.question] };
    const { status, id } = await call('reviewer', '/phrasings/add', added);
    expect(status).toBe(200);
    expect(await say(QUESTION)).toMatchObject({ kind: 'answer', sources: [{ href: '/faq#vault' }] });
    expect((await call('viewer', '')).groups).toEqual([]);
    expect((await call('reviewer', '/additions/withdraw', { id })).status).toBe(200);
    expect((await say(QUESTION)).kind).toBe('unknown');
    expect(await call('reviewer', '/additions/withdraw', { id })).toMatchObject({ code: 'unknown-addition' });
    expect(await auditedActions()).toEqual(['assistant-addition.withdrawn', 'assistant-addition.added']);
    expect(JSON.stringify(await portal.store.auditTrail(9))).not.toContain('parrot');
  });

  it('needs an existing passage and a question that is not in use', async () => {
    const gone = { ...PHRASING, href: '/faq#gone' };
    expect(await call('reviewer', '/phrasings/add', gone)).toMatchObject({ code: 'unknown-passage' });
    await call('reviewer', '/phrasings/add', PHRASING);
    const again = { ...PHRASING, question: QUESTION.toUpperCase(), href: '/faq#lock' };
    expect(await call('reviewer', '/phrasings/add', again)).toMatchObject({ code: 'addition-exists' });
  });

  it('is shown as unused when the site no longer has its passage', async () => {
    const { id } = await call('reviewer', '/answers/add', ANSWER);
    const title = ANSWER.question;
    await call('reviewer', '/phrasings/add', { ...PHRASING, href: `team:${id}`, title });
    await call('reviewer', '/additions/withdraw', { id });
    expect((await call('viewer', '')).additions).toMatchObject([{ passage: { title, isFound: false } }]);
  });
});

describe('an answer by the team', () => {
  it('is given from the next question on, with its author and date, and can be rated', async () => {
    const { id } = await call('reviewer', '/answers/add', ANSWER);
    expect(await say('pay with my parrot')).toMatchObject({
      response: `${ANSWER.question}\n\n${ANSWER.answer}`,
      by: 'team',
      writtenAt: new Date(TEST_START).toISOString(),
      sources: [],
    });
    const verdict = { source: `team:${id}`, verdict: 'up' };
    expect((await sendForm(portal.port, '/api/chat/verdict', verdict)).status).toBe(200);
  });

  it.each([
    ['a link without encryption', 400, { answer: 'See http://example.com.' }],
    ['another kind of link', 400, { answer: 'See FTP://example.com.' }],
    ['an encrypted link', 200, { answer: 'See https://example.com.' }],
    ['a link in the question', 400, { question: 'What is https://example.com?' }],
    ['an empty text', 400, { answer: ' \n ' }],
    ['the longest allowed text', 200, { answer: 'é'.repeat(PORTAL_LIMITS.additionAnswerLength) }],
    ['a text that is too long', 400, { answer: 'é'.repeat(PORTAL_LIMITS.additionAnswerLength + 1) }],
    ['a question that is too long', 400, { question: 'é'.repeat(PORTAL_LIMITS.additionQuestionLength + 1) }],
    ['a question of two characters', 400, { question: 'ok' }],
  ])('with %s gets the status %i', async (_case, status, changes) => {
    expect((await call('reviewer', '/answers/add', { ...ANSWER, ...changes })).status).toBe(status);
  });
});

it('a dismissed group of questions reappears once it has been asked often enough again', async () => {
  const ask = () => portal.store.chat.addUnanswered('parrot cage', TEST_START, 9);
  await ask();
  const dismissal = { questions: ['parrot cage'] };
  expect((await call('reviewer', '/questions/dismiss', dismissal)).status).toBe(200);
  const shown: number[] = [];
  for (const _ of Array(PORTAL_LIMITS.questionReappearsAfter)) {
    shown.push((await call('viewer', '')).groups.length);
    await ask();
  }
  expect(shown).not.toContain(1);
  expect((await call('viewer', '')).groups).toHaveLength(1);
  expect(await auditedActions()).toEqual(['unanswered-questions.dismissed']);
  const unknown = { questions: ['never asked'] };
  expect(await call('reviewer', '/questions/dismiss', unknown)).toMatchObject({ code: 'unknown-question' });
});

it('a question can be tried without being stored, and the response names the nearest sections', async () => {
  const { answer, nearest } = await call('viewer', '/try', {
    message: 'fee of a parrot in a cage with bells',
  });
  expect([answer.kind, nearest[0].href]).toEqual(['unknown', '/faq#fee']);
  expect((await call('viewer', '/try', { message: 'lock period' })).answer).toMatchObject({ kind: 'answer' });
  expect(await portal.store.chat.unanswered(9)).toEqual([]);
});
