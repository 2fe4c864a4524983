import { describe, expect, it } from 'vitest';
import { addressBehind, loginAddress } from './door-address.ts';

const origin = 'https://portal.example.com';
const behind = (from: string) => addressBehind({ origin, hash: `#from=${encodeURIComponent(from)}` });

describe('the login', () => {
  it.each([
    '/admin/account',
    '/admin/journal',
    '/admin/erasure',
    '/admin/dashboard#contacts?q=Di+%26+Bo&sort=name&record=BD-20260102-123456',
    '/new-bot-diagnostics',
  ])('leads back to %s', (path) => {
    const { pathname, search, hash } = new URL(path, origin);
    const login = new URL(loginAddress({ pathname, search, hash }), origin);
    expect(login.pathname + login.search).toBe('/admin/login');
    expect(addressBehind({ origin, hash: login.hash })).toBe(path);
  });

  it('is told no way back to where it leads in any case', () => {
    expect(loginAddress({ pathname: '/admin/dashboard', search: '', hash: '' })).toBe('/admin/login');
  });

  it('knows no way back to a page that is not behind it', () => {
    expect(loginAddress({ pathname: '/staking', search: '', hash: '' })).toBe('/admin/login');
  });

  it.each([
    'https://elsewhere.example/admin/dashboard',
    '//elsewhere.example/admin/account',
    '/\\elsewhere.example/admin/account',
    'javascript:alert(1)',
    'data:text/html,x',
    '/staking',
    '/admin/login',
    '/admin/account/../../staking',
    'http://[',
    '',
  ])('leads to the dashboard, not to %s', (from) => {
    expect(behind(from)).toBe('/admin/dashboard');
  });

  it('leads to the dashboard where no way back is given', () => {
    expect(addressBehind({ origin, hash: '' })).toBe('/admin/dashboard');
  });
});
