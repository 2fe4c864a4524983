import { describe, expect, it } from 'vitest';
import { apiOriginProblem } from './api-origin.ts';
import { parseEnvironment } from './environment.ts';

const SITE = 'https://portal.example.com';
const API = 'https://api.example.com';

const wrongVariables = (env: Record<string, string>) => {
  const outcome = parseEnvironment(env);
  return outcome.ok ? [] : outcome.problems.map(({ variable }) => variable);
};

describe('PUBLIC_API_ORIGIN', () => {
  it('is null by default, because the API is then on the site’s origin', () => {
    expect(parseEnvironment({ PUBLIC_ORIGIN: SITE })).toMatchObject({ config: { publicApiOrigin: null } });
  });

  it.each([
    [API, []],
    [`${API}/`, ['PUBLIC_API_ORIGIN']],
    ['api.example.com', ['PUBLIC_API_ORIGIN']],
    ['https://user@api.example.com', ['PUBLIC_API_ORIGIN']],
    [SITE, ['PUBLIC_API_ORIGIN']],
  ])('set to %s makes these variables invalid: %j', (api, problems) => {
    expect(wrongVariables({ PUBLIC_ORIGIN: SITE, PUBLIC_API_ORIGIN: api })).toEqual(problems);
  });

  it('needs the origin of the site', () => {
    expect(wrongVariables({ PUBLIC_API_ORIGIN: API })).toEqual(['PUBLIC_ORIGIN']);
  });

  it.each([
    [SITE, API],
    ['https://example.com', API],
    ['https://portal.example.co.uk', 'https://api.example.co.uk:8443'],
    ['http://localhost:8080', 'http://localhost:4000'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:4000'],
    ['http://[::1]:8080', 'http://[::1]:4000'],
    ['http://portal.localhost:8080', 'http://portal.localhost:4000'],
    ['http://site.portal.localhost:8080', 'http://api.portal.localhost:4000'],
  ])('is accepted where browsers send the cookie: %s, %s', async (publicOrigin, publicApiOrigin) => {
    expect(await apiOriginProblem({ publicOrigin, publicApiOrigin })).toBeNull();
  });

  it.each([
    ['another domain', SITE, 'https://api.example.org'],
    ['another scheme', SITE, 'http://api.example.com'],
    ['a domain under which anyone can register', 'https://portal.pages.dev', 'https://api.pages.dev'],
    ['another domain under the same public suffix', 'https://example.co.uk', 'https://another.co.uk'],
    ['another address', 'http://127.0.0.1:8080', 'http://127.0.0.2:4000'],
    ['another loopback name', 'http://localhost:8080', 'http://127.0.0.1:4000'],
  ])('is refused where browsers do not send the cookie: %s', async (_why, publicOrigin, publicApiOrigin) => {
    expect(await apiOriginProblem({ publicOrigin, publicApiOrigin })).toMatchObject({
      variable: 'PUBLIC_API_ORIGIN',
    });
  });

  it.each([
    ['https://example.com', 'https://example.com:8443'],
    ['http://192.0.2.1:8080', 'http://192.0.2.1:4000'],
    ['http://portal.example.com', 'http://portal.example.com:8080'],
  ])(
    'is refused on the site’s own host, which would receive the API’s cookies: %s, %s',
    async (publicOrigin, publicApiOrigin) => {
      expect(await apiOriginProblem({ publicOrigin, publicApiOrigin })).toMatchObject({
        variable: 'PUBLIC_API_ORIGIN',
      });
    },
  );
});
