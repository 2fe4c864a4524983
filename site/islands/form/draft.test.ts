// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { draftName, fileFingerprint, fileNameIn, readDraft, storeDraft } from './draft.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

describe('a draft', () => {
  const attempt = { key: 'k', at: '2026-01-01T00:00:00.000Z', sent: '{}' };
  const draft = { values: { email: 'ada@example.com' }, attempt };

  it('is stored separately for each form and wallet', () => {
    storeDraft(draftName('card', 'wallet-1'), draft);
    expect(readDraft(draftName('card', 'wallet-1'))).toEqual(draft);
    for (const other of [draftName('card'), draftName('loan', 'wallet-1')]) {
      expect(readDraft(other)).toBeNull();
    }
  });

  it.each([
    ['invalid JSON', '{', null],
    ['an array', '[1]', null],
    ['values of other types', '{"values":{"a":1,"b":"x","c":null}}', { values: { b: 'x' }, attempt: null }],
    ['half an attempt', '{"values":{},"attempt":{"key":"k"}}', { values: {}, attempt: null }],
  ])('excludes invalid stored data (%s)', (_case, storedText, expectedDraft) => {
    sessionStorage.setItem('draft:one', storedText);
    expect(readDraft('one')).toEqual(expectedDraft);
  });

  it('is null if the browser blocks storage, and nothing throws', () => {
    const throwSecurityError = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    vi.stubGlobal('sessionStorage', {
      getItem: throwSecurityError,
      setItem: throwSecurityError,
      removeItem: throwSecurityError,
    });
    storeDraft('one', draft);
    storeDraft('one', null);
    expect(readDraft('one')).toBeNull();
  });

  it('stores a file as a fingerprint that contains its name and depends on its size', () => {
    const file = { name: 'a | b.pdf', size: 3, lastModified: 7 };
    expect(fileNameIn(fileFingerprint(file))).toBe('a | b.pdf');
    expect(fileNameIn('')).toBeNull();
    expect(fileFingerprint({ ...file, size: 4 })).not.toBe(fileFingerprint(file));
  });
});
