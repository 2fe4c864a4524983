// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest';
import { createChatHistory, TURNS_KEPT, type Turn } from './chat-history.ts';

const turn = (over: Partial<Turn> = {}): Turn => ({
  question: 'Is it?',
  askedAt: 1_000,
  answeredAt: 2_000,
  answer: {
    text: 'It is.',
    kind: 'answer',
    sources: [{ title: 'The lock', href: '/faq#lock' }],
    source: '/faq#lock',
    by: 'portal',
  },
  verdict: null,
  ...over,
});
const history = () => createChatHistory(() => sessionStorage);
const KEY = 'ducklingChat';

beforeEach(() => sessionStorage.clear());

describe('the conversation', () => {
  it('is found again by the next page of the visit', () => {
    const turns = [turn(), turn({ question: null, verdict: 'up' })];
    history().write(turns);
    expect(history().read()).toEqual(turns);
  });

  it('leaves nothing behind once it is cleared', () => {
    history().write([turn()]);
    history().write([]);
    expect(sessionStorage.length).toBe(0);
  });

  it('keeps the latest turns', () => {
    history().write(Array.from({ length: TURNS_KEPT + 2 }, (_, index) => turn({ askedAt: index })));
    expect(history().read()).toHaveLength(TURNS_KEPT);
    expect(history().read()[0]?.askedAt).toBe(2);
  });

  it.each([
    '{',
    '5',
    'null',
    '[5, null, {}]',
    '[{"question":"a","askedAt":"x","answeredAt":1,"answer":{"text":"b"}}]',
  ])('takes nothing out of a storage that holds %s', (kept) => {
    sessionStorage.setItem(KEY, kept);
    expect(history().read()).toEqual([]);
  });

  it('takes no link to elsewhere out of the storage, and no question that was warned of', () => {
    const { answer } = turn();
    const sources = [{ title: 'Script', href: 'javascript:alert(1)' }];
    sessionStorage.setItem(KEY, JSON.stringify([turn({ answer: { ...answer, kind: 'warning', sources } })]));
    expect(history().read()).toEqual([
      turn({ question: null, answer: { ...answer, kind: 'warning', sources: [] } }),
    ]);
  });

  it('lasts as long as the page where the browser keeps nothing', () => {
    const blocked = createChatHistory(() => {
      throw new DOMException('blocked', 'SecurityError');
    });
    expect(blocked.read()).toEqual([]);
    blocked.write([turn()]);
    expect(blocked.read()).toEqual([turn()]);
    blocked.write([]);
    expect(blocked.read()).toEqual([]);
  });
});
