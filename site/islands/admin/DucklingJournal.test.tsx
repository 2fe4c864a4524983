// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import { storeAdminSession } from './admin-session.ts';
import DucklingJournal from './DucklingJournal.tsx';

const AT = '2026-11-21T10:00:00.000Z';
const CHAT = 'GET /api/admin/chat';
const TRY = 'POST /api/admin/chat/try';
const ADDED_RESPONSE = { success: true, id: '1' };
const unansweredQuestion = (question: string, timesAsked: number) => ({
  question,
  timesAsked,
  lastAskedAt: AT,
});
const GROUP = {
  timesAsked: 5,
  lastAskedAt: AT,
  questions: [unansweredQuestion('is there a … app', 3), unansweredQuestion('mobile app', 2)],
};
const NEAREST_PASSAGES = ['one', 'two', 'three', 'four'].map((name) => ({
  href: `/faq#${name}`,
  title: `Question ${name}`,
  page: 'FAQ',
}));
const tryResponse = (overrides: object = {}) => ({
  answer: { response: 'It is.', kind: 'answer', sources: [], source: '/faq#two', by: 'portal', ...overrides },
  nearest: NEAREST_PASSAGES,
});
const ADDITION = {
  id: 'a',
  kind: 'answer',
  question: 'Is there an app?',
  answer: 'No.\n\n<i>Not</i> yet.',
  passage: null,
  by: 'ada',
  addedAt: AT,
};
const EMPTY = { groups: [], additions: [], verdicts: [] };

let page: ServedPage;
beforeEach(async () => {
  localStorage.clear();
  page = await openServedPage(<DucklingJournal />);
});
afterEach(() => page.close());

async function signIn(chat: object, role = 'reviewer') {
  page.respond('GET /api/admin/session', { user: { id: '1', username: 'ada', role } });
  page.respond(CHAT, { ...EMPTY, ...chat });
  page.respond(TRY, tryResponse());
  await page.advance(0, () => storeAdminSession('token', { username: 'ada' }));
  await page.settle();
}
const toggleGroup = async () => {
  await page.advance(0, () => page.root.querySelector<HTMLElement>('[aria-expanded]')?.click());
  await page.settle();
};
const sent = (call: string) => page.requests.filter((one) => one.call === call).map(({ payload }) => payload);
const groupQuestions = ['is there a … app', 'mobile app'];

it('shows feedback on answers', async () => {
  await signIn({ verdicts: [{ source: '/faq#lock', up: 4, down: 1 }] });
  expect(page.root.querySelector('a[href="/faq#lock"]')?.closest('li')?.textContent).toMatch(/4.*1/);
});

it('says so if there are no questions, no additions and no feedback', async () => {
  await signIn({});
  expect(page.root.querySelectorAll('[data-empty]')).toHaveLength(3);
});

describe('a group of unanswered questions', () => {
  it('is added to the nearest question with one press, and then shows Duckling’s new answer', async () => {
    await signIn({ groups: [GROUP] });
    await toggleGroup();
    expect(page.root.querySelectorAll('[type=radio]')).toHaveLength(3);
    page.respond('POST /api/admin/chat/phrasings/add', ADDED_RESPONSE);
    page.respond(CHAT, EMPTY);
    await page.press('Add this wording');
    expect(sent('POST /api/admin/chat/phrasings/add')).toEqual([
      { question: 'is there a app', href: '/faq#one', title: 'Question one', settles: groupQuestions },
    ]);
    expect(page.root.querySelector('[aria-expanded]')).toBeNull();
    expect(page.text()).toContain('It is.');
    expect(document.activeElement?.querySelector('[role=status]')).not.toBeNull();
  });

  it('can be added to a question that the admin searches for', async () => {
    await signIn({ groups: [GROUP] });
    await toggleGroup();
    await page.type('question-search', 'four');
    await page.press('Search');
    expect(sent(TRY)).toContainEqual({ message: 'four' });
    await page.advance(0, () => page.root.querySelectorAll<HTMLElement>('[type=radio]')[3]?.click());
    page.respond('POST /api/admin/chat/phrasings/add', ADDED_RESPONSE);
    await page.press('Add this wording');
    expect(sent('POST /api/admin/chat/phrasings/add')).toMatchObject([{ href: '/faq#four' }]);
  });

  it('can get a new answer, which stays in its field if the server refuses it', async () => {
    await signIn({ groups: [GROUP] });
    await toggleGroup();
    await page.press('Write a new answer');
    await page.type('addition-answer', 'Not yet.');
    page.respond('POST /api/admin/chat/answers/add', { success: false, error: 'Taken.', code: 'x' }, 409);
    await page.press('Add answer');
    expect(page.root.querySelector('[role=alert]')?.textContent).toContain('Taken.');
    expect(page.root.querySelector<HTMLTextAreaElement>('#addition-answer')?.value).toBe('Not yet.');
    page.respond('POST /api/admin/chat/answers/add', ADDED_RESPONSE);
    await page.press('Add answer');
    expect(sent('POST /api/admin/chat/answers/add')[1]).toEqual({
      question: 'is there a app',
      answer: 'Not yet.',
      settles: groupQuestions,
    });
  });

  it('is dismissed with all its questions', async () => {
    await signIn({ groups: [GROUP] });
    await toggleGroup();
    page.respond('POST /api/admin/chat/questions/dismiss', { success: true });
    page.respond(CHAT, EMPTY);
    await page.press('Dismiss');
    expect(sent('POST /api/admin/chat/questions/dismiss')).toEqual([{ questions: groupQuestions }]);
    expect(page.root.querySelector('[aria-expanded]')).toBeNull();
  });

  it('is refreshed, except while it is open, because an admin may be working on it', async () => {
    await signIn({ groups: [GROUP] });
    const readCount = () => sent(CHAT).length;
    await toggleGroup();
    const before = readCount();
    await page.advance(60);
    expect(readCount()).toBe(before);
    await toggleGroup();
    await page.advance(60);
    expect(readCount()).toBeGreaterThan(before);
  });
});

it('a group that is opened before the role is known reads the nearest questions once', async () => {
  const signingIn = signIn({ groups: [GROUP] });
  page.respond('GET /api/admin/session', {}, 502);
  await signingIn;
  await toggleGroup();
  expect(page.root.querySelector('[type=radio]')).toBeNull();
  page.respond('GET /api/admin/session', { user: { id: '1', username: 'ada', role: 'reviewer' } });
  await page.advance(5);
  expect(page.root.querySelectorAll('[type=radio]')).toHaveLength(3);
  expect(sent(TRY)).toHaveLength(1);
});

it('a viewer sees the nearest questions and the additions, but cannot change anything', async () => {
  await signIn({ groups: [GROUP], additions: [ADDITION] }, 'viewer');
  await toggleGroup();
  expect(page.root.querySelector('a[href="/faq#one"]')).not.toBeNull();
  expect(page.text()).toContain('<i>Not</i> yet.');
  const buttons = [...page.root.querySelectorAll('button')].map(({ textContent }) => textContent);
  expect(buttons.filter((text) => !text.includes('app'))).toEqual(['Ask']);
});

it('an addition is withdrawn after a confirmation', async () => {
  await signIn({ additions: [ADDITION] });
  await page.press('Withdraw “Is there an app?”');
  await page.press('Keep');
  await page.press('Withdraw “Is there an app?”');
  page.respond('POST /api/admin/chat/additions/withdraw', { success: true });
  page.respond(CHAT, EMPTY);
  await page.press('Withdraw and delete');
  expect(sent('POST /api/admin/chat/additions/withdraw')).toEqual([{ id: 'a' }]);
  expect(page.text()).not.toContain('Is there an app?');
});

it('an addition whose question no longer exists is shown without a link', async () => {
  const passage = { href: '/faq#gone', title: 'Gone', isFound: false };
  await signIn({ additions: [{ ...ADDITION, kind: 'phrasing', answer: null, passage }] });
  expect(page.root.querySelector('a[href="/faq#gone"]')).toBeNull();
  expect(page.text()).toContain('Gone');
});

it('shows what Duckling answers to a question that the admin tries', async () => {
  await signIn({});
  page.respond(TRY, tryResponse({ kind: 'unknown', response: 'I do not know.' }));
  await page.type('try-question', ' is it? ');
  await page.press('Ask');
  expect(sent(TRY)).toEqual([{ message: 'is it?' }]);
  expect(page.root.querySelector('[data-kind=unknown]')?.textContent).toContain('I do not know.');
});
