// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest';
import { OWN_RECORDS_SOURCE } from '../../../data/model/own-records-source.ts';
import { createChatHistory, MAX_TURNS, type Turn } from './chat-history.ts';

const turn = (overrides: Partial<Turn> = {}): Turn => ({
  question: 'Is it?',
  askedAt: 1_000,
  answeredAt: 2_000,
  answer: {
    text: 'It is.',
    kind: 'answer',
    sources: [{ title: 'The lock', href: '/faq#lock' }],
    closest: [],
    source: '/faq#lock',
    by: 'portal',
  },
  verdict: null,
  ...overrides,
});
const openHistory = () => createChatHistory(() => sessionStorage, 'not kept');
const KEY = 'ducklingChat';

beforeEach(() => sessionStorage.clear());

describe('the conversation', () => {
  it('continues on the next page of the tab', () => {
    const turns = [turn(), turn({ question: null, verdict: 'up' })];
    openHistory().write(turns);
    expect(openHistory().read()).toEqual(turns);
  });

  it('leaves nothing in storage after it is cleared', () => {
    openHistory().write([turn()]);
    openHistory().write([]);
    expect(sessionStorage.length).toBe(0);
  });

  it('keeps a question about the visitor’s own submissions, but not the answer', () => {
    const { answer } = turn();
    const sources = [
      { title: 'Application Status', href: '/application-status#reference=BD-20260102-100000' },
    ];
    const recordsAnswer = {
      ...answer,
      text: 'Received: BD-20260102-100000',
      source: OWN_RECORDS_SOURCE,
      sources,
    };
    openHistory().write([turn({ answer: recordsAnswer })]);
    expect(JSON.stringify(sessionStorage)).not.toContain('BD-2026');
    expect(openHistory().read()).toMatchObject([{ question: 'Is it?', answer: { text: 'not kept' } }]);
  });

  it('keeps only the latest turns', () => {
    openHistory().write(Array.from({ length: MAX_TURNS + 2 }, (_, index) => turn({ askedAt: index })));
    expect(openHistory().read()).toHaveLength(MAX_TURNS);
    expect(openHistory().read()[0]?.askedAt).toBe(2);
  });

  it.each([
    '{',
    '5',
    'null',
    '[5, null, {}]',
    '[{"question":"a","askedAt":"x","answeredAt":1,"answer":{"text":"b"}}]',
  ])('ignores the stored value %s', (stored) => {
    sessionStorage.setItem(KEY, stored);
    expect(openHistory().read()).toEqual([]);
  });

  it('drops links to other sites, and questions that were answered with a warning', () => {
    const { answer } = turn();
    const sources = [{ title: 'Script', href: 'javascript:alert(1)' }];
    sessionStorage.setItem(KEY, JSON.stringify([turn({ answer: { ...answer, kind: 'warning', sources } })]));
    expect(openHistory().read()).toEqual([
      turn({ question: null, answer: { ...answer, kind: 'warning', sources: [] } }),
    ]);
  });

  it('lasts as long as the page if the browser blocks storage', () => {
    const history = createChatHistory(() => {
      throw new DOMException('blocked', 'SecurityError');
    }, 'not kept');
    expect(history.read()).toEqual([]);
    history.write([turn()]);
    expect(history.read()).toEqual([turn()]);
    history.write([]);
    expect(history.read()).toEqual([]);
  });
});
