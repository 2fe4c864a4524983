// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetDraft, keepDraft, readDraft } from './draft.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

describe('the draft of a form', () => {
  const attempt = { key: 'k', at: '2026-01-01T00:00:00.000Z', sent: '{}' };

  it('is read as it was kept, by its name, until it is forgotten', () => {
    keepDraft('one', { values: { email: 'ada@example.com' }, attempt });
    expect(readDraft('one')).toEqual({ values: { email: 'ada@example.com' }, attempt });
    expect(readDraft('two')).toBeNull();
    forgetDraft('one');
    expect(readDraft('one')).toBeNull();
  });

  it.each([
    ['no JSON', '{', null],
    ['no object', '[1]', null],
    ['values of other kinds', '{"values":{"a":1,"b":"x","c":null}}', { values: { b: 'x' }, attempt: null }],
    ['half an attempt', '{"values":{},"attempt":{"key":"k"}}', { values: {}, attempt: null }],
  ])('that is %s takes nothing wrong out of the storage', (_case, kept, draft) => {
    sessionStorage.setItem('draft:one', kept);
    expect(readDraft('one')).toEqual(draft);
  });

  it('is none where the browser keeps nothing, and nothing fails', () => {
    vi.stubGlobal('sessionStorage', {
      getItem: () => {
        throw new DOMException('blocked', 'SecurityError');
      },
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
      removeItem: () => {
        throw new DOMException('blocked', 'SecurityError');
      },
    });
    keepDraft('one', { values: {}, attempt: null });
    forgetDraft('one');
    expect(readDraft('one')).toBeNull();
  });
});
