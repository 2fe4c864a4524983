import { describe, expect, it, onTestFinished } from 'vitest';
import { parseEnvironment } from '../../data/config/environment.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal } from '../testing/test-portal.ts';

const PATH = '/.well-known/security.txt';
const DAY_MS = 86_400_000;

async function start(env: Readonly<Record<string, string>>) {
  const outcome = parseEnvironment(env);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  const { securityContact, publicOrigin } = outcome.config;
  const portal = await startTestPortal({ securityContact, publicOrigin });
  onTestFinished(() => portal.close());
  return portal;
}

const problemsOf = (env: Readonly<Record<string, string>>) => {
  const outcome = parseEnvironment(env);
  return outcome.ok ? [] : outcome.problems.map(({ variable }) => variable);
};

const valuesOf = (text: string, field: string) =>
  text.split('\n').flatMap((line) => (line.startsWith(`${field}: `) ? [line.slice(field.length + 2)] : []));

describe('/.well-known/security.txt (RFC 9116)', () => {
  it('lists the contacts in order, its own URL, the policy, and an expiry date less than a year ahead', async () => {
    const portal = await start({
      SECURITY_CONTACT: 'mailto:security@example.com, https://example.com/report',
      SECURITY_POLICY: 'https://example.com/policy',
      PUBLIC_ORIGIN: 'https://portal.example.com',
    });
    const { status, headers, body } = await ask(portal.port, PATH);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(valuesOf(body, 'Contact')).toEqual(['mailto:security@example.com', 'https://example.com/report']);
    expect(valuesOf(body, 'Canonical')).toEqual([`https://portal.example.com${PATH}`]);
    expect(valuesOf(body, 'Policy')).toEqual(['https://example.com/policy']);
    const [expires = '', ...more] = valuesOf(body, 'Expires');
    expect(more).toEqual([]);
    expect(Date.parse(expires)).toBeGreaterThan(TEST_START + 90 * DAY_MS);
    expect(Date.parse(expires)).toBeLessThan(TEST_START + 365 * DAY_MS);
  });

  it('is renewed while the portal runs', async () => {
    const portal = await start({ SECURITY_CONTACT: 'mailto:security@example.com' });
    const readExpiry = async () =>
      Date.parse(valuesOf((await ask(portal.port, PATH)).body, 'Expires')[0] ?? '');
    const first = await readExpiry();
    await portal.pollAt(TEST_START + 400 * DAY_MS);
    expect(await readExpiry()).toBe(first + 400 * DAY_MS);
  });

  it('lists no canonical URL unless it is https, and no policy unless one is configured', async () => {
    const portal = await start({
      SECURITY_CONTACT: 'mailto:security@example.com',
      PUBLIC_ORIGIN: 'http://portal.example.com',
    });
    const { body } = await ask(portal.port, PATH);
    expect(valuesOf(body, 'Canonical')).toEqual([]);
    expect(valuesOf(body, 'Policy')).toEqual([]);
  });

  it('is not found if no contact is configured', async () => {
    expect((await ask((await start({})).port, PATH)).status).toBe(404);
  });

  it.each([
    'security@example.com',
    'http://example.com/report',
    'https://user:secret@example.com/',
    'mailto:',
    'mailto:a@example.com,',
    'mailto:a@example.com\nPolicy: https://evil.example',
    'https://example.com/a b',
    'javascript:alert(1)',
  ])('cannot have %j as a contact', (SECURITY_CONTACT) => {
    expect(problemsOf({ SECURITY_CONTACT })).toEqual(['SECURITY_CONTACT']);
  });

  it('cannot have a policy that is not https, or a policy without a contact', () => {
    const SECURITY_CONTACT = 'mailto:security@example.com';
    expect(problemsOf({ SECURITY_CONTACT, SECURITY_POLICY: 'http://example.com/' })).toEqual([
      'SECURITY_POLICY',
    ]);
    expect(problemsOf({ SECURITY_POLICY: 'https://example.com/' })).toEqual(['SECURITY_POLICY']);
  });
});
