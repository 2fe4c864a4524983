import { describe, expect, it } from 'vitest';
import { asksForTerms } from './asked-for.ts';

describe('the daily terms', () => {
  it.each(['/', '/staking', '/faq', '/contact', '/convertible-loan', '/404', '/offline', '/administration'])(
    'stand before %s',
    (path) => {
      expect(asksForTerms(path)).toBe(true);
    },
  );

  it.each([
    '/privacy-policy',
    '/terms-of-service',
    '/disclaimer',
    '/admin/login',
    '/admin/setup',
    '/admin/dashboard',
    '/bot-diagnostics',
    '/new-bot-diagnostics',
  ])('leave %s open', (path) => {
    expect(asksForTerms(path)).toBe(false);
  });
});
