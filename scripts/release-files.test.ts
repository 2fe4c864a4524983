import { expect, it } from 'vitest';
import { isReleased, isUsed } from './release-files.ts';

it('a release has no settings or keys of an operator, and no tests', () => {
  const kept = ['deploy/compose/compose.yaml', 'docs/deploy.md', 'api/main.ts'];
  const left = [
    'deploy/compose/portal.env',
    'deploy/kubernetes/secrets.env',
    'deploy/.env',
    'deploy/privkey.pem',
    'api/x.test.ts',
    'api/testing/x.ts',
  ];
  expect([...kept, ...left].filter(isReleased)).toEqual(kept);
});

it('a release has the license of each package, and what its programs load', () => {
  const native = (platform: string) => `node_modules/better-sqlite3/prebuilds/${platform}.node`;
  const kept = [
    'node_modules/base-x/LICENSE.md',
    'node_modules/one/licence.markdown',
    'node_modules/one/NOTICE.md',
    'node_modules/one/COPYING',
    'node_modules/one/index.js',
    native(`${process.platform}-${process.arch}`),
  ];
  const left = [
    'node_modules/one/README.md',
    'node_modules/license-list/README.md',
    'node_modules/one/index.d.ts',
    'node_modules/one/index.js.map',
    native('aix-ppc64'),
  ];
  expect([...kept, ...left].filter(isUsed)).toEqual(kept);
});
