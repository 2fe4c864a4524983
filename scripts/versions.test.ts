import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };

const read = (file: string) => readFileSync(file, 'utf8');

describe('the version', () => {
  it('is the same in package.json, the lockfile and the newest section of the changelog', () => {
    const { version, packages } = JSON.parse(read('package-lock.json'));
    const [newest = packageJson.version] = [...read('CHANGELOG.md').matchAll(/^## (\d\S*)/gm)].map(
      ([, one]) => one,
    );
    expect([version, packages[''].version, newest]).toEqual(Array(3).fill(packageJson.version));
  });

  it('is the tag of the image in the manifests and the documentation', () => {
    const files = ['deploy/kubernetes/api.yaml', 'deploy/kubernetes/indexer.yaml', 'docs/deploy.md'];
    for (const file of files) {
      const tags = [...read(file).matchAll(/\/blackduck-portal:([\w.-]+)/g)].map(([, tag]) => tag);
      expect(new Set(tags), file).toEqual(new Set([packageJson.version]));
    }
  });

  it('has a section “Unreleased” above it in the changelog', () => {
    expect(/^## (.*)$/m.exec(read('CHANGELOG.md'))?.[1]).toBe('Unreleased');
  });
});

describe('GitHub’s files', () => {
  const files = globSync('.github/**/*.yml').sort();

  it.each(files)('contain valid YAML: %s', (file) => {
    expect(parse(read(file))).toEqual(expect.any(Object));
  });

  it('run only scripts in package.json and pinned actions, with read access by default', () => {
    const workflows = files.filter((file) => file.includes('/workflows/'));
    expect(workflows.length).toBeGreaterThan(1);
    for (const file of workflows) {
      const scripts = [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
      expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
      expect(parse(read(file)).permissions, file).toEqual({ contents: 'read' });
      const actions = [...read(file).matchAll(/uses: (.+)/g)].map(([, action = '']) => action);
      expect(actions.filter((action) => !/^\.\/|@v\d+$/.test(action))).toEqual([]);
    }
  });
});
