import { describe, expect, it } from 'vitest';
import { lastVerifiedText, verificationWords } from './verification-words.ts';

const at = '2026-11-21T14:05:59.000Z';

describe('the last-verified date', () => {
  it('is told in UTC, and as Recently where it is there and cannot be read', () => {
    expect(lastVerifiedText(at)).toBe('21 Nov 2026, 14:05 UTC');
    expect(lastVerifiedText('yesterday or so')).toBe('Recently');
    expect(lastVerifiedText('')).toBe('Recently');
  });

  it('is not there where nothing was ever verified', () => {
    expect(lastVerifiedText(null)).toBeNull();
  });
});

describe('the comparison of accounts and history', () => {
  const said = (state: 'agree' | 'differs' | 'overdue' | 'not-yet') =>
    verificationWords({
      state,
      slot: state === 'not-yet' ? null : 1_234,
      at: state === 'not-yet' ? null : at,
      differences: state === 'differs' ? [{ what: 'vault.balance', onChain: '5', indexed: '4' }] : [],
    });

  it('says in four different ways whether they agree, and never that they do where that is not known', () => {
    expect(said('agree')).toMatchObject({ tone: 'good', text: 'Accounts and history agree at slot 1,234' });
    expect(said('overdue').tone).toBe('warning');
    expect(said('not-yet').tone).toBe('none');
    expect(said('differs').tone).toBe('bad');
    const texts = (['agree', 'differs', 'overdue', 'not-yet'] as const).map((state) => said(state).text);
    expect(new Set(texts).size).toBe(4);
  });

  it('tells every difference as it is', () => {
    expect(said('differs').differences).toEqual(['vault.balance: 5 on the chain, 4 indexed']);
  });
});
