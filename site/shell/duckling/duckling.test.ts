// @module-tag slow
// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { Answer, AskOutcome } from './ask-duckling.ts';
import type { DialogTexts } from './chat-elements.ts';
import { createChatHistory } from './chat-history.ts';
import { createDuckling, SEND_DELAY_MS } from './duckling.ts';

const texts: DialogTexts = {
  greeting: 'Hello!',
  longestQuestion: 500,
  ...parse(readFileSync('content/duckling/dialog.yaml', 'utf8')),
};

const answeredOutcome = (overrides: Partial<Answer> = {}): AskOutcome => ({
  kind: 'answered',
  answer: {
    text: 'It is.',
    kind: 'answer',
    sources: [],
    closest: [],
    source: '/faq#lock',
    by: 'portal',
    ...overrides,
  },
});

beforeAll(() => {
  const { unanswered } = parse(readFileSync('content/search-and-offline.yaml', 'utf8'));
  vi.stubGlobal('UNANSWERED_TEXTS', unanswered);
});
beforeEach(() => {
  vi.useFakeTimers();
  sessionStorage.clear();
  document.body.innerHTML = '';
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function openChat(outcome: AskOutcome | Promise<AskOutcome>, isCounted = true) {
  const ask = vi.fn(async (_message: string, _earlier: readonly string[]) => outcome);
  const judge = vi.fn(async () => isCounted);
  const open = createDuckling({
    texts,
    history: createChatHistory(() => sessionStorage, texts.notKept),
    ask,
    judge,
  });
  open();
  const findInChat = <Kind extends HTMLElement>(selector: string) => {
    const element = document.querySelector<Kind>(`.duckling ${selector}`);
    if (!element) throw new Error(`No ${selector}.`);
    return element;
  };
  const input = findInChat<HTMLTextAreaElement>('textarea');
  const press = (init: KeyboardEventInit) =>
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true, ...init }));
  return {
    ask,
    judge,
    open,
    input,
    press,
    find: findInChat,
    messageTexts: () =>
      [...document.querySelectorAll('.duckling ol > li')].map(({ textContent }) => textContent),
    send: async (question: string) => {
      input.value = question;
      press({});
      await vi.advanceTimersByTimeAsync(SEND_DELAY_MS);
    },
  };
}

describe('the chat', () => {
  it('sends a new question with the last two from the past ten minutes, latest first', async () => {
    const chat = openChat(answeredOutcome());
    for (const question of ['one?', 'two?', 'three?', 'and for Raven?']) await chat.send(question);
    expect(chat.ask).toHaveBeenLastCalledWith('and for Raven?', ['three?', 'two?']);
    vi.setSystemTime(Date.now() + 10 * 60_000);
    await chat.send('and now?');
    expect(chat.ask).toHaveBeenLastCalledWith('and now?', []);
  });

  it('shows the question that an answer belongs to as a heading', async () => {
    const title = 'Can I lose money?';
    const chat = openChat(
      answeredOutcome({ text: `${title}\n\nYes, all of it.`, sources: [{ title, href: '/faq#loss' }] }),
    );
    await chat.send('is my money safe');
    expect(chat.find('.asked').textContent).toBe(title);
    expect(chat.find('.asked + p').textContent).toBe('Yes, all of it.');
  });

  it('shows paragraphs with tabs as a table with headings, in its own box', async () => {
    const title = 'What are the limits?';
    const text = `${title}\n\nBefore.\n\nTier\tA day\n\nDuckling\t$2,000\n\nRaven\t\n\nAfter.`;
    const chat = openChat(answeredOutcome({ text, sources: [{ title, href: '/faq#tiers' }] }));
    await chat.send('limits');
    const cells = [...document.querySelectorAll('.duckling tr')].map((row) =>
      [...row.children].map((cell) => `${cell.tagName} ${cell.getAttribute('scope')} ${cell.textContent}`),
    );
    expect(cells).toEqual([
      ['TH col Tier', 'TH col A day'],
      ['TH row Duckling', 'TD null $2,000'],
      ['TH row Raven', 'TD null '],
    ]);
    expect(chat.find('.table').ariaLabel).toBe(title);
    expect(chat.find('.table + p').textContent).toBe('After.');
  });

  it('offers the closest questions if there is no answer, and asks the one that is pressed', async () => {
    const unknownAnswer = {
      kind: 'unknown',
      source: 'unknown',
      sources: [{ title: 'Contact', href: '/contact' }],
    } as const;
    const chat = openChat(
      answeredOutcome({ ...unknownAnswer, closest: ['How long is the lock?', 'What is BD?'] }),
    );
    await chat.send('Where is my parcel?');
    const closest = [...document.querySelectorAll<HTMLElement>('.unanswered li button')];
    expect(closest.map(({ textContent }) => textContent)).toEqual(['How long is the lock?', 'What is BD?']);
    expect(document.querySelector('.sources')).toBeNull();
    closest[1]?.click();
    await vi.advanceTimersByTimeAsync(SEND_DELAY_MS);
    expect(chat.ask).toHaveBeenLastCalledWith('What is BD?', ['Where is my parcel?']);
    document.body.innerHTML = '';
    openChat(answeredOutcome());
    expect(document.querySelectorAll('.unanswered li button')).toHaveLength(4);
  });

  it.each([
    [{}, 0],
    [{ kind: 'unknown' }, 2],
    [{ kind: 'refusal', source: 'guard:orders' }, 2],
    [{ kind: 'refusal', source: 'guard:advice' }, 0],
  ] as const)('offers search and support only for unanswered questions (%j)', async (answer, buttonCount) => {
    await openChat(answeredOutcome(answer)).send('Is it?');
    expect(document.querySelectorAll('.unanswered .actions button')).toHaveLength(buttonCount);
  });

  it('greets, and sends one question at a time, as one line, after 300 ms', async () => {
    const chat = openChat(new Promise(() => {}));
    expect(chat.messageTexts()).toEqual(['DucklingHello!']);
    chat.input.value = '  What\r\n is\tBD?\u2028 ';
    chat.press({});
    expect(chat.input.value).toBe('');
    expect(chat.input.readOnly).toBe(true);
    expect(chat.find<HTMLButtonElement>('.send').disabled).toBe(true);
    expect(chat.find('.thinking').textContent).toBe('Duckling is thinking');
    await vi.advanceTimersByTimeAsync(299);
    expect(chat.ask).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    chat.input.value = 'Another?';
    chat.press({});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(chat.ask).toHaveBeenCalledExactlyOnceWith('What is BD?', []);
    expect(chat.find<HTMLButtonElement>('.clear').disabled).toBe(true);
  });

  it('sends no blank message, and nothing on Shift+Enter or on Enter while composing', async () => {
    const chat = openChat(answeredOutcome());
    await chat.send(' \n ');
    chat.input.value = 'What?';
    chat.press({ shiftKey: true });
    chat.press({ isComposing: true });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(chat.ask).not.toHaveBeenCalled();
  });

  it.each<[string, AskOutcome]>([
    [texts.empty, { kind: 'empty' }],
    [texts.failed, { kind: 'failed' }],
    [texts.tooMany, { kind: 'too-many' }],
    [texts.notSent, { kind: 'offline' }],
    ['Type a question.', { kind: 'rejected', message: 'Type a question.' }],
  ])('shows “%s” after a failure, restores the question and stores nothing', async (message, outcome) => {
    const chat = openChat(outcome);
    await chat.send('Is it?');
    expect(chat.messageTexts().at(-1)).toContain(message);
    expect(chat.input.value).toBe('Is it?');
    expect(chat.input.readOnly).toBe(false);
    expect(sessionStorage.length).toBe(0);
    chat.ask.mockResolvedValue(answeredOutcome());
    await chat.send('Is it?');
    // The new attempt replaces the failed one.
    expect(chat.messageTexts()).toHaveLength(3);
    expect(chat.input.value).toBe('');
  });

  it('shows markup as text, and leaves nothing in storage once it is cleared', async () => {
    const chat = openChat(answeredOutcome({ text: '<b>One</b>\n\nTwo' }));
    await chat.send('Is it?');
    expect(chat.messageTexts().at(-1)).toContain('<b>One</b>');
    chat.find('.clear').click();
    expect(chat.messageTexts()).toEqual(['DucklingHello!']);
    expect(sessionStorage.length).toBe(0);
  });

  it('removes a message from the screen and from storage if the answer is a warning', async () => {
    const chat = openChat(answeredOutcome({ kind: 'warning', text: 'Never write it.' }));
    await chat.send('abandon ability able');
    expect(document.body.textContent).not.toContain('abandon');
    expect(chat.input.value).toBe('');
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('abandon');
    expect(chat.messageTexts().join()).toContain('Never write it.');
    expect(document.querySelector('.verdict')).toBeNull();
  });

  it('counts one verdict per answer, and stores it', async () => {
    const chat = openChat(answeredOutcome());
    await chat.send('Is it?');
    chat.find('.thumb.down').click();
    chat.find('.thumb.up').click();
    await vi.advanceTimersByTimeAsync(0);
    expect(chat.judge).toHaveBeenCalledExactlyOnceWith('/faq#lock', 'down');
    expect(chat.find('.verdict').textContent).toBe(texts.thanks);
    expect(createChatHistory(() => sessionStorage, texts.notKept).read()[0]?.verdict).toBe('down');
  });

  it('offers the buttons again if a verdict was not counted', async () => {
    const chat = openChat(answeredOutcome(), false);
    await chat.send('Is it?');
    chat.find('.thumb.up').click();
    await vi.advanceTimersByTimeAsync(0);
    expect(chat.find('.verdict').textContent).toBe(texts.notCounted);
    expect(chat.find<HTMLButtonElement>('.thumb.up').disabled).toBe(false);
  });

  it('says when the team wrote an answer, even after a reload, and never renders its text as markup', async () => {
    const teamAnswer = {
      by: 'team',
      writtenAt: '2026-01-02T12:00:00.000Z',
      text: '<b id="x">No</b>.',
    } as const;
    await openChat(answeredOutcome(teamAnswer)).send('Is it?');
    const datePattern = /2 January 2026/;
    expect(document.body.textContent).toMatch(datePattern);
    expect(document.querySelector('#x')).toBeNull();
    document.body.innerHTML = '';
    expect(openChat(answeredOutcome()).messageTexts().join()).toMatch(datePattern);
  });

  it('asks for no verdict on an answer without a source', async () => {
    const chat = openChat(answeredOutcome({ source: '' }));
    await chat.send('Is it?');
    expect(document.querySelector('.verdict')).toBeNull();
  });

  it('fills in a question that it is opened with, and does not send it', async () => {
    const chat = openChat(answeredOutcome());
    chat.open('y'.repeat(600));
    expect(chat.input.value).toBe('y'.repeat(500));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(chat.ask).not.toHaveBeenCalled();
  });
});
